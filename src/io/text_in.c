/* SPDX-License-Identifier: Apache-2.0
 * text_in.c -- texts in pieces, as UTF-8. */
#define _FILE_OFFSET_BITS 64
#ifndef _WIN32
#define _GNU_SOURCE
#endif
#include "io/text_in.h"
#include "base/memory.h"
#include "base/str.h"
#include "io/file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { PIECE = 1 << 17, LINE = 256 };
enum { UTF8, UTF8_SIG, ASCII, LATIN1 };

static const char *const codec[] = {"utf-8", "utf-8", "ascii", "latin-1"};

/* Python's names: case, '-' and '_' do not count. */
static bool find_encoding(const char *name, uint8_t *encoding)
{
    static const struct {
        const char *name;
        uint8_t encoding;
    } known[] = {{"utf8", UTF8},     {"u8", UTF8},      {"utf8sig", UTF8_SIG}, {"ascii", ASCII}, {"usascii", ASCII},
                 {"latin1", LATIN1}, {"latin", LATIN1}, {"iso88591", LATIN1},  {"bytes", LATIN1}};
    char plain[16];
    size_t n = 0;
    for (; *name && n < sizeof plain - 1; name++)
        if (*name != '-' && *name != '_' && *name != ' ')
            plain[n++] = (char)tolower((unsigned char)*name);
    plain[n] = '\0';
    for (size_t i = 0; !*name && i < sizeof known / sizeof *known; i++)
        if (strcmp(plain, known[i].name) == 0) {
            *encoding = known[i].encoding;
            return true;
        }
    return false;
}

static knx_error *unknown_encoding(const char *name)
{
    return knx_error_new(KN_ERROR_VALUE, "unknown encoding: %s", name);
}

knx_error *knio_highest_character(const char *encoding, int *most)
{
    uint8_t e;
    if (!find_encoding(encoding, &e))
        return unknown_encoding(encoding);
    *most = e == ASCII ? 0x7f : e == LATIN1 ? 0xff : 0x10ffff;
    return NULL;
}

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static knx_error *open_file(knio_text *t, const char *path)
{
    char probe;
    if (ends_with(path, ".bz2") || ends_with(path, ".xz"))
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s: compressed files other than gzip are not read", path);
    errno = 0;
    t->file = fopen(path, "rb");
    bool readable = t->file && (fread(&probe, 1, 1, t->file) == 1 || !ferror(t->file)); /* a directory opens */
    if (!readable)
        return knio_file_error(path, errno);
    if (!feof(t->file))
        ungetc((unsigned char)probe, t->file);
    return ends_with(path, ".gz") ? knio_gzip_new(t->file, t->name, false, &t->gzip) : NULL;
}

knx_error *knio_text_open(knio_text *t, const char *path, const char *text, FILE *stream, const char *encoding)
{
    knx_str name = {0};
    *t = (knio_text){0};
    if (encoding && !find_encoding(encoding, &t->encoding))
        return unknown_encoding(encoding);
    if ((path != NULL) + (text != NULL) + (stream != NULL) != 1)
        return path || text || stream ? knx_error_new(KN_ERROR_VALUE, "give one of a path, .text and .file")
                                      : knx_error_new(KN_ERROR_TYPE, "null path");
    knx_str_puts(&name, path ? path : text ? "<text>" : "<stream>");
    t->name = knx_str_take(&name);
    t->mark = t->encoding == UTF8_SIG;
    t->rest = text;
    t->file = stream;
    t->borrowed = stream != NULL;
    knx_error *e = !t->name ? knx_error_nomem() : path ? open_file(t, path) : NULL;
    if (e)
        knio_text_close(t);
    return e;
}

void knio_text_close(knio_text *t)
{
    knio_gzip_free(t->gzip);
    if (t->file && !t->borrowed)
        fclose(t->file);
    knx_free(t->room);
    knx_free(t->name);
    *t = (knio_text){0};
}

/* ---- Reading. */

/* A line with its end, or as much of it as there is room for. */
static size_t read_line(FILE *file, char *to, size_t n)
{
    size_t i = 0;
    int c = 0;
    while (i < n && c != '\n' && (c = getc(file)) != EOF)
        to[i++] = (char)c;
    return i;
}

static knx_error *read_raw(knio_text *t, char *to, size_t n, size_t *got)
{
    *got = 0;
    if (t->gzip)
        return knio_gzip_read(t->gzip, to, n, got);
    if (!t->file) {
        *got = strnlen(t->rest, n);
        memcpy(to, t->rest, *got);
        t->rest += *got;
        return NULL;
    }
    errno = 0;
    *got = t->borrowed ? read_line(t->file, to, n) : fread(to, 1, n, t->file);
    return ferror(t->file) ? knio_file_error(t->name, errno) : NULL;
}

/* Room for so many bytes behind what is there, which goes to the front. */
static bool make_room(knio_text *t, size_t more)
{
    size_t kept = (size_t)(t->end - t->at) + t->pending;
    if (t->room && kept)
        memmove(t->room, t->at, kept);
    if (!t->room || t->size - kept < more + 1) {
        size_t size = 2 * (kept + more) + 1;
        char *room = knx_realloc(t->room, size);
        if (!room)
            return false;
        t->room = room;
        t->size = size;
    }
    t->at = t->room;
    t->end = t->room + kept - t->pending;
    return true;
}

static knx_error *cannot_decode(const knio_text *t, uint64_t position, unsigned char byte, const char *why)
{
    return knx_error_new(KN_ERROR_VALUE, "'%s' codec can't decode byte 0x%02x in position %llu: %s", codec[t->encoding],
                         byte, (unsigned long long)position, why);
}

static bool all_ascii(const char *s, const char *end)
{
    uint64_t word, any = 0;
    for (; end - s >= 8; s += 8) {
        memcpy(&word, s, 8);
        any |= word;
    }
    for (; s < end; s++)
        any |= (unsigned char)*s;
    return !(any & 0x8080808080808080);
}

/* How many bytes the character at s has, 0 if it is none; -1: not all of it is there. */
static int utf8_length(const unsigned char *s, const unsigned char *end)
{
    static const struct {
        uint8_t least, most, second_least, second_most, length;
    } form[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (*s < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        if (*s < form[i].least || *s > form[i].most)
            continue;
        for (int k = 1; k < form[i].length; k++) {
            if (s + k == end)
                return -1;
            if (s[k] < (k == 1 ? form[i].second_least : 0x80) || s[k] > (k == 1 ? form[i].second_most : 0xbf))
                return 0;
        }
        return form[i].length;
    }
    return 0;
}

/* Looks at what was added from `s` on; what is complete of it goes to the text. */
static knx_error *check_utf8(knio_text *t, char *s, char *end)
{
    const char *start = s;
    if (!all_ascii(s, end)) {
        while (s < end) {
            int n = utf8_length((unsigned char *)s, (unsigned char *)end);
            uint64_t where = t->position + (uint64_t)(s - start);
            if (n == 0)
                return cannot_decode(t, where, (unsigned char)*s,
                                     (unsigned char)*s < 0xc2 || (unsigned char)*s > 0xf4
                                         ? "invalid start byte"
                                         : "invalid continuation byte");
            if (n < 0 && t->ended)
                return cannot_decode(t, where, (unsigned char)*s, "unexpected end of data");
            if (n < 0)
                break;
            s += n;
        }
    } else {
        s = end;
    }
    t->position += (uint64_t)(s - start);
    t->pending = (size_t)(end - s);
    t->end = s;
    return NULL;
}

/* Bytes from `raw` on become characters from `to` on: there is room for twice as many. */
static char *expand_latin1(char *to, const char *raw, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)raw[i];
        if (c >= 0x80)
            *to++ = (char)(0xc0 | c >> 6);
        *to++ = c < 0x80 ? (char)c : (char)(0x80 | (c & 0x3f));
    }
    return to;
}

static void drop_mark(knio_text *t)
{
    if (t->mark && t->end - t->at >= 3 && memcmp(t->at, "\xef\xbb\xbf", 3) == 0)
        t->at += 3;
    t->mark = t->mark && t->end - t->at < 3 && !t->ended;
}

knx_error *knio_text_more(knio_text *t)
{
    size_t n = t->borrowed ? LINE : PIECE, got = 0;
    size_t kept = (size_t)(t->end - t->at);
    if (kept > n && !t->borrowed)
        n = kept; /* long lines in few steps */
    if (!make_room(t, 2 * n))
        return knx_error_nomem();
    char *to = t->end + t->pending, *raw = t->encoding == LATIN1 ? to + n : to;
    KN_TRY(read_raw(t, raw, n, &got));
    t->ended = got == 0;
    knx_error *e = NULL;
    if (t->encoding == LATIN1) {
        t->end = expand_latin1(to, raw, got);
        t->position += got;
    } else if (t->encoding == ASCII) {
        size_t bad = all_ascii(to, to + got) ? got : 0;
        for (size_t i = bad; !e && i < got; i++)
            if ((unsigned char)to[i] >= 0x80)
                e = cannot_decode(t, t->position + i, (unsigned char)to[i], "ordinal not in range(128)");
        t->end = to + got;
        t->position += got;
    } else {
        e = check_utf8(t, t->end, to + got);
    }
    if (!t->pending)
        *t->end = '\0';
    drop_mark(t);
    return e;
}

/* ---- White space. */

size_t knio_space(const char *s, const char *end)
{
    unsigned char c = s < end ? (unsigned char)*s : 'x';
    if (c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f))
        return 1;
    if (c < 0xc2 || end - s < 2)
        return 0;
    unsigned char d = (unsigned char)s[1];
    if (c == 0xc2)
        return d == 0x85 || d == 0xa0 ? 2 : 0;
    if (end - s < 3)
        return 0;
    unsigned char f = (unsigned char)s[2];
    bool is = (c == 0xe1 && d == 0x9a && f == 0x80) || (c == 0xe3 && d == 0x80 && f == 0x80) ||
              (c == 0xe2 && d == 0x81 && f == 0x9f) ||
              (c == 0xe2 && d == 0x80 && (f <= 0x8a || f == 0xa8 || f == 0xa9 || f == 0xaf));
    return is ? 3 : 0;
}

void knio_strip(const char **s, const char **end)
{
    size_t n;
    while ((n = knio_space(*s, *end)))
        *s += n;
    while (*end > *s) {
        const char *last = *end - 1;
        while (last > *s && ((unsigned char)*last & 0xc0) == 0x80)
            last--;
        if (knio_space(last, *end) != (size_t)(*end - last))
            break;
        *end = last;
    }
}
