/* SPDX-License-Identifier: Apache-2.0
 * unicode.c -- the tables of characters, expanded to pages; UTF-8. */
#include "models/tokenizer/unicode.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

uint8_t *kntok_class_pages[0x1100], *kntok_what_pages[0x1100];
static uint8_t class_shared[2][256], what_shared[2][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static unsigned class_of(uint32_t c, unsigned what)
{
    unsigned gc = what & 31, k = 0;
    bool letter = gc >= KNTOK_LL && gc <= KNTOK_LU, mark = gc >= KNTOK_MC && gc <= KNTOK_MN;
    bool number = gc >= KNTOK_ND && gc <= KNTOK_NO;
    if (letter)
        k |= KNTOK_L;
    if (number)
        k |= KNTOK_N | KNTOK_NUMERIC;
    if ((c >= 0x11de0 && c <= 0x11de9) || (c >= 0x16ff4 && c <= 0x16ff6)) /* Unicode 17.0, which Rust's char knows */
        k |= KNTOK_NUMERIC;
    if (gc >= KNTOK_ZL || (c >= 9 && c <= 13) || c == 0x85)
        k |= KNTOK_S;
    if (letter || mark || gc == KNTOK_ND || gc == KNTOK_NL || gc == KNTOK_PC || c == 0x200c || c == 0x200d ||
        (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
        (c >= 0x1f170 && c <= 0x1f189))
        k |= KNTOK_W;
    if ((letter && gc != KNTOK_LL) || mark)
        k |= KNTOK_UPPER;
    if ((letter && gc != KNTOK_LU && gc != KNTOK_LT) || mark)
        k |= KNTOK_LOWER;
    return k;
}

/* A page whose 256 characters are alike is one of a few that are shared. */
static bool fill_page(uint32_t page, const uint8_t *what)
{
    static uint32_t same_what[2] = {256, 256};
    bool alike = true;
    uint8_t classes[256];
    for (unsigned i = 0; i < 256; i++) {
        classes[i] = (uint8_t)class_of(page << 8 | i, what[i]);
        alike = alike && what[i] == what[0] && classes[i] == classes[0];
    }
    for (int k = 0; alike && k < 2; k++) {
        if (same_what[k] == 256) {
            same_what[k] = what[0];
            memcpy(what_shared[k], what, 256);
            memcpy(class_shared[k], classes, 256);
        }
        if (same_what[k] == what[0]) {
            kntok_what_pages[page] = what_shared[k];
            kntok_class_pages[page] = class_shared[k];
            return true;
        }
    }
    uint8_t *both = malloc(512);
    if (!both)
        return false;
    kntok_what_pages[page] = memcpy(both, what, 256);
    kntok_class_pages[page] = memcpy(both + 256, classes, 256);
    return true;
}

static void expand(void)
{
    int run = 0;
    uint8_t what[256];
    ready = true;
    for (uint32_t page = 0; page < 0x1100 && ready; page++) {
        for (uint32_t i = 0; i < 256; i++) {
            while (run + 1 < kntok_what_count && kntok_what[run + 1].from <= (page << 8 | i))
                run++;
            what[i] = (uint8_t)kntok_what[run].value;
        }
        ready = fill_page(page, what);
    }
}

void kntok_mark_young(uint32_t c)
{
    uint8_t *page = kntok_what_pages[c >> 8];
    if (page == what_shared[0] || page == what_shared[1]) { /* one of its own */
        uint8_t *own = malloc(256);
        if (!own)
            return;
        page = kntok_what_pages[c >> 8] = memcpy(own, page, 256);
    }
    page[c & 255] |= KNTOK_YOUNG;
}

static void expand_all(void)
{
    expand();
    if (ready)
        kntok_find_young();
}

bool kntok_unicode_ready(void)
{
    pthread_once(&once, expand_all);
    return ready;
}

bool kntok_is_punctuation(uint32_t c)
{
    unsigned w = kntok_what_of(c), gc = w & 31;
    if (c < 0x80)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    return c == 0x166d || c == 0x111c9 || (gc >= KNTOK_PC && gc <= KNTOK_PS && w & 32);
}

bool kntok_is_other(uint32_t c)
{
    unsigned w = kntok_what_of(c), gc = w & 31;
    return gc >= KNTOK_CC && gc <= KNTOK_CO && w & 32;
}

bool kntok_is_nonspacing(uint32_t c)
{
    unsigned w = kntok_what_of(c);
    if (c == 0x1734 || c == 0x1171e) /* their categories changed after 8.0 */
        return true;
    if (c == 0x1885 || c == 0x1886 || c == 0xa9bd || c == 0x111c9)
        return false;
    return (w & 31) == KNTOK_MN && w & 32;
}

bool kntok_is_mark(uint32_t c)
{
    unsigned w = kntok_what_of(c), gc = w & 31;
    if (c == 0x1cf2 || c == 0x1cf3)
        return true;
    return c != 0x111c9 && gc >= KNTOK_MC && gc <= KNTOK_MN && w & 64;
}

int kntok_script_of(uint32_t c)
{
    int low = 0, high = kntok_script_count;
    if (c == 0x30fc)
        return kntok_script_han;
    if (c == ' ')
        return 0;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (kntok_script[middle].from <= c)
            low = middle;
        else
            high = middle;
    }
    int script = (int)kntok_script[low].value;
    return script == kntok_script_hiragana || script == kntok_script_katakana ? kntok_script_han : script;
}

/* Capitals that came with Unicode 16.0 and 17.0, after utf8proc's tables. */
static uint32_t late_lower(uint32_t c)
{
    static const struct {
        uint32_t from, to, lower;
    } late[] = {
        {0x1c89, 0x1c89, 0x1c8a},    {0xa7cb, 0xa7cb, 0x264},     {0xa7cc, 0xa7cc, 0xa7cd}, {0xa7ce, 0xa7ce, 0xa7cf},
        {0xa7d2, 0xa7d2, 0xa7d3},    {0xa7d4, 0xa7d4, 0xa7d5},    {0xa7da, 0xa7da, 0xa7db}, {0xa7dc, 0xa7dc, 0x19b},
        {0x10d50, 0x10d65, 0x10d70}, {0x16ea0, 0x16eb8, 0x16ebb},
    };
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (c >= late[i].from && c <= late[i].to)
            return late[i].lower + (c - late[i].from);
    return c;
}

int kntok_lower(uint32_t c, uint32_t to[2])
{
    if (c < 0x80) {
        to[0] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        return 1;
    }
    if (c == 0x130) {
        to[0] = 'i';
        to[1] = 0x307;
        return 2;
    }
    to[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
    if (to[0] == c && c > 0x1c00)
        to[0] = late_lower(c);
    return 1;
}

int kntok_write(uint32_t c, uint8_t to[4])
{
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (uint8_t)(0xc0 | c >> 6);
        to[1] = (uint8_t)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (uint8_t)(0xe0 | c >> 12);
        to[1] = (uint8_t)(0x80 | (c >> 6 & 63));
        to[2] = (uint8_t)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (uint8_t)(0xf0 | c >> 18);
    to[1] = (uint8_t)(0x80 | (c >> 12 & 63));
    to[2] = (uint8_t)(0x80 | (c >> 6 & 63));
    to[3] = (uint8_t)(0x80 | (c & 63));
    return 4;
}

/* The least and greatest second byte behind a first one. */
static void second_byte(uint8_t first, uint8_t *low, uint8_t *high)
{
    *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
}

/* The bytes of one character at s, or, negative, how many of a broken one belong together. */
static int one(const uint8_t *s, size_t n)
{
    uint8_t low, high;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return -1;
    int width = kntok_width(s[0]);
    second_byte(s[0], &low, &high);
    for (int i = 1; i < width; i++) {
        if ((size_t)i >= n || s[i] < low || s[i] > high)
            return -i;
        low = 0x80;
        high = 0xbf;
    }
    return width;
}

size_t kntok_valid(const uint8_t *s, size_t n)
{
    size_t i = 0;
    while (i < n) {
        uint64_t eight;
        if (i + 8 <= n && (memcpy(&eight, s + i, 8), !(eight & 0x8080808080808080u))) {
            i += 8;
            continue;
        }
        int k = one(s + i, n - i);
        if (k < 0)
            break;
        i += (size_t)k;
    }
    return i;
}

size_t kntok_broken(const uint8_t *s, size_t n)
{
    int k = n ? one(s, n) : 0;
    return k < 0 ? (size_t)-k : 0;
}

void kntok_put_slow(kntok_chars *to, uint32_t c, int32_t change)
{
    size_t room = to->room ? to->room * 2 : 256;
    kntok_char *at = to->failed ? NULL : realloc(to->at, room * sizeof *at);
    if (!at) {
        to->failed = true;
        return;
    }
    to->at = at;
    to->room = room;
    to->at[to->n++] = (kntok_char){c, change};
}
