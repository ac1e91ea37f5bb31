/* SPDX-License-Identifier: Apache-2.0
 * deflate.c -- CRC-32, and raw deflate streams through zlib where the build has it. */
#include "base/memory.h"
#include "io/zip.h"

#ifdef KN_HAVE_ZLIB
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

#endif
