/* SPDX-License-Identifier: Apache-2.0
 * text_out.c -- texts into files. */
#include "io/text_out.h"
#include "io/text_in.h"

#include <string.h>

enum { MUCH = 1 << 16 };

knx_error *knio_text_out_open(knio_text_out *t, const char *path, FILE *stream, const char *encoding)
{
    *t = (knio_text_out){.most = 0x10ffff};
    size_t n = path && !stream ? strlen(path) : 0;
    if (encoding)
        KN_TRY(knio_highest_character(encoding, &t->most));
    if (path && stream)
        return knx_error_new(KN_ERROR_VALUE, "give one of a path and .file");
    bool gz = n > 3 && strcmp(path + n - 3, ".gz") == 0;
    if (gz && !knio_zip_can_compress())
        return knio_gzip_new(NULL, path, true, &t->gzip);
    KN_TRY(knio_output_open(path, stream, &t->output));
    knx_error *e = gz ? knio_gzip_new(t->output.file, t->output.path, true, &t->gzip) : NULL;
    return e ? knio_output_close(&t->output, e) : NULL;
}

/* The characters of an encoding of one byte each, in place. */
static knx_error *to_bytes(knio_text_out *t)
{
    const unsigned char *s = (const unsigned char *)t->text.s, *end = s + t->text.n;
    char *to = t->text.s;
    for (; s < end; s++) {
        int c = *s;
        if (c >= 0xc0 && s + 1 < end) {
            c = c < 0xc4 ? (c & 3) << 6 | (s[1] & 0x3f) : 0x100;
            s++;
        }
        if (c > t->most)
            return knx_error_new(KN_ERROR_VALUE, "'%s' codec can't encode a character: ordinal not in range(%d)",
                                 t->most < 0x80 ? "ascii" : "latin-1", t->most + 1);
        *to++ = (char)c;
    }
    t->text.n = (size_t)(to - t->text.s);
    return NULL;
}

static knx_error *write_out(knio_text_out *t)
{
    if (t->text.failed)
        return knx_error_nomem();
    if (!t->text.n)
        return NULL;
    if (t->most < 0x100)
        KN_TRY(to_bytes(t));
    KN_TRY(t->gzip ? knio_gzip_write(t->gzip, t->text.s, t->text.n)
                   : knio_output_write(&t->output, t->text.s, t->text.n));
    t->text.n = 0;
    return NULL;
}

knx_error *knio_text_out_more(knio_text_out *t) { return t->text.n >= MUCH || t->text.failed ? write_out(t) : NULL; }

knx_error *knio_text_out_close(knio_text_out *t, knx_error *e)
{
    if (!e)
        e = write_out(t);
    if (!e && t->gzip)
        e = knio_gzip_finish(t->gzip);
    knio_gzip_free(t->gzip);
    knx_str_free(&t->text);
    return knio_output_close(&t->output, e);
}
