/* SPDX-License-Identifier: Apache-2.0
 * deflate.c -- CRC-32, raw deflate streams and gzip files, through zlib where the build has it. */
#include "base/memory.h"
#include "io/file.h"
#include "io/zip.h"

#ifdef KN_HAVE_ZLIB
#include <errno.h>
#include <zlib.h>

enum { PIECE = 1 << 30 }; /* zlib counts in unsigned ints */

static voidpf zlib_alloc(voidpf env, uInt items, uInt size)
{
    size_t bytes;
    (void)env;
    return knx_mul_overflows(items, size, &bytes) ? NULL : knx_alloc(bytes);
}

static void zlib_free(voidpf env, voidpf p)
{
    (void)env;
    knx_free(p);
}

bool knio_zip_can_compress(void) { return true; }

uint32_t knio_crc32(uint32_t crc, const void *bytes, size_t n)
{
    return (uint32_t)crc32_z(crc, n ? bytes : (const void *)"", n);
}

static uInt piece(size_t left) { return left < PIECE ? (uInt)left : PIECE; }

/* Runs the whole input through step; true when the stream has ended. */
static int run_stream(z_stream *z, int (*step)(z_stream *, int), const uint8_t *in, size_t n_in, uint8_t *out,
                      size_t n_out)
{
    int status = Z_OK;
    z->next_in = (z_const Bytef *)in;
    z->next_out = out;
    while (status == Z_OK) {
        size_t used = (size_t)(z->next_in - in), made = (size_t)(z->next_out - out);
        z->avail_in = piece(n_in - used);
        z->avail_out = piece(n_out - made);
        status = step(z, n_in - used <= PIECE ? Z_FINISH : Z_NO_FLUSH);
        bool moved = (size_t)(z->next_in - in) > used || (size_t)(z->next_out - out) > made;
        if (status == Z_BUF_ERROR && moved)
            status = Z_OK;
        else if (!moved && status == Z_OK)
            status = Z_BUF_ERROR;
    }
    return status;
}

knx_error *knio_inflate(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out)
{
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free};
    uint8_t nothing;
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return knx_error_nomem();
    int status = run_stream(&z, inflate, in, n_in, n_out ? out : &nothing, n_out ? n_out : 1);
    size_t made = (size_t)(z.next_out - (n_out ? out : &nothing)), used = (size_t)(z.next_in - in);
    inflateEnd(&z);
    if (status == Z_MEM_ERROR)
        return knx_error_nomem();
    if (status != Z_STREAM_END || made != n_out || used != n_in)
        return knx_error_new(KN_ERROR_VALUE, "the compressed data is damaged");
    return NULL;
}

knx_error *knio_deflate(const uint8_t *in, size_t n_in, uint8_t **out, size_t *n_out)
{
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free};
    *out = NULL;
    *n_out = 0;
    size_t bound = n_in / 1000 + 1024; /* deflate adds 5 bytes to a block of 16 KiB at worst */
    if (n_in > SIZE_MAX - bound)
        return knx_error_nomem();
    bound += n_in;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return knx_error_nomem();
    uint8_t *p = knx_alloc(bound);
    int status = p ? run_stream(&z, deflate, in, n_in, p, bound) : Z_MEM_ERROR;
    size_t made = p ? (size_t)(z.next_out - p) : 0;
    deflateEnd(&z);
    if (status != Z_STREAM_END) {
        if (p)
            knx_free(p);
        return knx_error_nomem();
    }
    *out = p;
    *n_out = made;
    return NULL;
}

/* ---- Gzip files ---- */

enum { ROOM = 1 << 16, GZIP = 16 };

struct knio_gzip {
    z_stream z;
    FILE *file;
    const char *path;
    bool write, inside; /* inside: of a member that has begun and not ended */
    uint8_t room[ROOM]; /* packed bytes */
};

knx_error *knio_gzip_new(FILE *file, const char *path, bool write, knio_gzip **out)
{
    *out = NULL;
    knio_gzip *g = knx_alloc_zero(sizeof *g);
    if (!g)
        return knx_error_nomem();
    g->z = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    g->file = file;
    g->path = path;
    g->write = write;
    int status = write ? deflateInit2(&g->z, 9, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY)
                       : inflateInit2(&g->z, MAX_WBITS + GZIP);
    if (status != Z_OK) {
        knx_free(g);
        return knx_error_nomem();
    }
    *out = g;
    return NULL;
}

static knx_error *no_gzip(const knio_gzip *g, const char *what)
{
    return knx_error_new(KN_ERROR_FILE, "%s: %s", g->path, what);
}

/* More packed bytes, if there are none; *ended: there are no more. */
static knx_error *more_packed(knio_gzip *g, bool *ended)
{
    *ended = false;
    if (g->z.avail_in)
        return NULL;
    errno = 0;
    g->z.next_in = g->room;
    g->z.avail_in = (uInt)fread(g->room, 1, ROOM, g->file);
    *ended = g->z.avail_in == 0;
    return ferror(g->file) ? knio_file_error(g->path, errno) : NULL;
}

/* Zeros may stand behind a member, then comes the next one. */
static knx_error *begin_member(knio_gzip *g, bool *ended)
{
    KN_TRY(more_packed(g, ended));
    while (!*ended && g->z.total_in && *g->z.next_in == 0) {
        g->z.next_in++;
        g->z.avail_in--;
        KN_TRY(more_packed(g, ended));
    }
    if (*ended)
        return NULL;
    if (*g->z.next_in != 0x1f || (g->z.avail_in > 1 && g->z.next_in[1] != 0x8b)) {
        unsigned char second = g->z.avail_in > 1 ? g->z.next_in[1] : 0;
        return knx_error_new(KN_ERROR_FILE, "%s: Not a gzipped file (starts with bytes 0x%02x 0x%02x)", g->path,
                             *g->z.next_in, second);
    }
    uLong before = g->z.total_in;
    inflateReset(&g->z);
    g->z.total_in = before + 1; /* only whether it is 0 is asked */
    g->inside = true;
    return NULL;
}

knx_error *knio_gzip_read(knio_gzip *g, void *to, size_t n, size_t *got)
{
    bool ended = false;
    *got = 0;
    while (*got < n) {
        if (!g->inside)
            KN_TRY(begin_member(g, &ended));
        else
            KN_TRY(more_packed(g, &ended));
        if (ended && !g->inside)
            return NULL;
        g->z.next_out = (Bytef *)to + *got;
        g->z.avail_out = piece(n - *got);
        uInt before = g->z.avail_out;
        int status = inflate(&g->z, Z_NO_FLUSH);
        *got += before - g->z.avail_out;
        if (status == Z_MEM_ERROR)
            return knx_error_nomem();
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return no_gzip(g, g->z.msg ? g->z.msg : "the compressed data is damaged");
        if (ended && status != Z_STREAM_END && before == g->z.avail_out)
            return no_gzip(g, "Compressed file ended before the end-of-stream marker was reached");
        g->inside = status != Z_STREAM_END;
    }
    return NULL;
}

static knx_error *pack(knio_gzip *g, int flush)
{
    int status;
    do {
        g->z.next_out = g->room;
        g->z.avail_out = ROOM;
        status = deflate(&g->z, flush);
        size_t made = ROOM - g->z.avail_out;
        errno = 0;
        if (made && fwrite(g->room, 1, made, g->file) != made)
            return knio_file_error(g->path, errno);
    } while (g->z.avail_out == 0 || (flush == Z_FINISH && status == Z_OK));
    return NULL;
}

knx_error *knio_gzip_write(knio_gzip *g, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    while (n) {
        g->z.next_in = (z_const Bytef *)at;
        g->z.avail_in = piece(n);
        at += g->z.avail_in;
        n -= g->z.avail_in;
        KN_TRY(pack(g, Z_NO_FLUSH));
    }
    return NULL;
}

knx_error *knio_gzip_finish(knio_gzip *g)
{
    g->z.avail_in = 0;
    return pack(g, Z_FINISH);
}

void knio_gzip_free(knio_gzip *g)
{
    if (!g)
        return;
    if (g->write)
        deflateEnd(&g->z);
    else
        inflateEnd(&g->z);
    knx_free(g);
}

#else

bool knio_zip_can_compress(void) { return false; }

uint32_t knio_crc32(uint32_t crc, const void *bytes, size_t n)
{
    static const uint32_t nibble[16] = {/* remainders of the 16 values of four bits */
                                        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *p = bytes;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return ~crc;
}

knx_error *knio_inflate(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out)
{
    (void)in, (void)n_in, (void)out, (void)n_out;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "compressed members need zlib, and this build of Kiln has none");
}

knx_error *knio_deflate(const uint8_t *in, size_t n_in, uint8_t **out, size_t *n_out)
{
    (void)in, (void)n_in;
    *out = NULL;
    *n_out = 0;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "compressed members need zlib, and this build of Kiln has none");
}

knx_error *knio_gzip_new(FILE *file, const char *path, bool write, knio_gzip **out)
{
    (void)file, (void)write;
    *out = NULL;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s: gzip needs zlib, and this build of Kiln has none", path);
}

knx_error *knio_gzip_read(knio_gzip *g, void *to, size_t n, size_t *got)
{
    (void)g, (void)to, (void)n;
    *got = 0;
    return NULL;
}

knx_error *knio_gzip_write(knio_gzip *g, const void *bytes, size_t n)
{
    (void)g, (void)bytes, (void)n;
    return NULL;
}

knx_error *knio_gzip_finish(knio_gzip *g)
{
    (void)g;
    return NULL;
}

void knio_gzip_free(knio_gzip *g) { (void)g; }

#endif
