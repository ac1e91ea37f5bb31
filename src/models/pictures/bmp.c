/* SPDX-License-Identifier: Apache-2.0
 * bmp.c -- BMP: palettes of 1, 4 and 8 bits, also in runs, and pixels of 16, 24 and 32 bits with masks. */
#include "models/pictures/pictures.h"
#include <stdlib.h>
#include <string.h>

enum { PLAIN, RUNS_8, RUNS_4, MASKS, ALPHA_MASKS = 6 };

typedef struct bmp {
    const char *op;
    const uint8_t *at;                /* the file */
    size_t n, pixels, palette, entry; /* where pixels and colours begin; bytes of a colour */
    int64_t width, height, colors;
    bool down; /* rows from the top */
    int bits;
    uint32_t compression, mask[3];
    uint8_t *to; /* 3 bytes a pixel */
} bmp;

static uint32_t number(const bmp *b, size_t at, int bytes)
{
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint32_t)b->at[at + (size_t)i] << (8 * i);
    return v;
}

static int damaged(const bmp *b, const char *what) { return knmodels_picture_damaged(b->op, "BMP", what); }

/* The header of OS/2 has 12 bytes and colours of three; Windows' have 40 and more, and colours of four. */
static int header(bmp *b)
{
    if (b->n < 26)
        return damaged(b, "it ends in its header");
    size_t size = number(b, 14, 4);
    bool old = size == 12;
    if ((!old && size < 40) || b->n - 14 < size)
        return damaged(b, "its header has a size that is none");
    b->pixels = number(b, 10, 4);
    b->width = old ? (int32_t)number(b, 18, 2) : (int32_t)number(b, 18, 4);
    int64_t height = old ? (int32_t)number(b, 20, 2) : (int32_t)number(b, 22, 4);
    b->down = height < 0;
    b->height = height < 0 ? -height : height;
    b->bits = (int)number(b, old ? 24 : 28, 2);
    b->compression = old ? PLAIN : number(b, 30, 4);
    b->palette = 14 + size;
    b->entry = old ? 3 : 4;
    uint32_t colors = old ? 0 : number(b, 46, 4);
    b->colors = b->bits > 8 ? 0 : colors && colors < 1U << b->bits ? colors : 1U << b->bits;
    if (b->compression == MASKS || b->compression == ALPHA_MASKS) { /* behind a short header, or in a longer one */
        if (b->n < 66)
            return damaged(b, "its masks are missing");
        for (int i = 0; i < 3; i++)
            b->mask[i] = number(b, 54 + 4 * (size_t)i, 4);
    } else if (b->bits == 16) {
        memcpy(b->mask, (uint32_t[]){0x7c00, 0x3e0, 0x1f}, sizeof b->mask);
    } else
        memcpy(b->mask, (uint32_t[]){0xff0000, 0xff00, 0xff}, sizeof b->mask);
    return 0;
}

static int check(bmp *b)
{
    uint32_t c = b->compression;
    bool depth = b->bits == 1 || b->bits == 4 || b->bits == 8 || b->bits == 16 || b->bits == 24 || b->bits == 32;
    bool fits = c == PLAIN || (c == RUNS_8 && b->bits == 8) || (c == RUNS_4 && b->bits == 4) ||
                ((c == MASKS || c == ALPHA_MASKS) && (b->bits == 16 || b->bits == 32));
    if (!depth || !fits)
        return damaged(b, "its depth and its compression do not fit");
    if (b->pixels > b->n || b->palette > b->n || (b->n - b->palette) / b->entry < (size_t)b->colors)
        return damaged(b, "it ends in front of its pixels");
    bool runs = c == RUNS_8 || c == RUNS_4;
    uint64_t row = ((uint64_t)b->width * (uint64_t)b->bits + 31) / 32 * 4;
    if (b->width < 1 || b->height < 1)
        return damaged(b, "it has no pixels");
    if (runs ? b->width > INT32_MAX / b->height || (uint64_t)(b->width * b->height) / 255 > b->n
             : (uint64_t)b->height > (b->n - b->pixels) / row)
        return damaged(b, "it ends too early");
    return 0;
}

static uint8_t *place(const bmp *b, int64_t x, int64_t y)
{
    return b->to + 3 * ((b->down ? y : b->height - 1 - y) * b->width + x);
}

static void put_color(const bmp *b, int64_t x, int64_t y, uint32_t color)
{
    uint8_t *to = place(b, x, y);
    const uint8_t *from = b->at + b->palette + color * b->entry;
    for (int i = 0; i < 3 && color < (uint32_t)b->colors; i++)
        to[i] = from[2 - i];
}

/* The bits of a mask as a number up to 255. */
static uint8_t masked(uint32_t pixel, uint32_t mask)
{
    if (!mask)
        return 0;
    int low = __builtin_ctz(mask);
    uint64_t most = mask >> low;
    return (uint8_t)(((uint64_t)((pixel & mask) >> low) * 255 + most / 2) / most);
}

static void plain_rows(const bmp *b)
{
    size_t row = ((size_t)b->width * (size_t)b->bits + 31) / 32 * 4, bytes = (size_t)b->bits / 8;
    for (int64_t y = 0; y < b->height; y++)
        for (int64_t x = 0; x < b->width; x++) {
            size_t line = b->pixels + (size_t)y * row, bit = (size_t)x * (size_t)b->bits;
            if (b->bits <= 8) {
                int shift = 8 - b->bits - (int)(bit % 8);
                put_color(b, x, y, (uint32_t)(b->at[line + bit / 8] >> shift) & ((1U << b->bits) - 1));
                continue;
            }
            uint32_t pixel = number(b, line + (size_t)x * bytes, (int)bytes);
            uint8_t *to = place(b, x, y);
            for (int i = 0; i < 3; i++)
                to[i] = masked(pixel, b->mask[i]);
        }
}

/* A pair (count, colours), or 0 and: 0 the end of a row, 1 the end, 2 a jump, else so many colours as they are. */
static int run_rows(const bmp *b)
{
    const uint8_t *p = b->at + b->pixels, *end = b->at + b->n;
    bool four = b->bits == 4;
    int64_t x = 0, y = 0;
    for (int64_t i = 0; i < b->width * b->height; i++) /* what no run reaches has the first colour */
        put_color(b, i % b->width, i / b->width, 0);
    while (end - p >= 2 && y < b->height) {
        int count = *p++, code = *p++;
        if (!count && code == 1)
            break;
        if (!count && !code) {
            x = 0;
            y++;
        } else if (!count && code == 2) {
            if (end - p < 2)
                return damaged(b, "it ends too early");
            x += *p++;
            y += *p++;
        } else {
            bool raw = !count;
            int n = raw ? code : count, bytes = four ? (n + 1) / 2 : n;
            if (raw && end - p < bytes)
                return damaged(b, "it ends too early");
            for (int i = 0; i < n && x < b->width; i++, x++) {
                uint32_t v = raw ? p[four ? i / 2 : i] : (uint32_t)code;
                put_color(b, x, y, !four ? v : i % 2 ? v & 15 : v >> 4);
            }
            p += raw ? bytes + bytes % 2 : 0;
        }
        if (x > b->width)
            return damaged(b, "a row is longer than the picture");
    }
    return 0;
}

int knmodels_bmp_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    bmp b = {.op = op, .at = in->at, .n = in->n};
    if (header(&b) || check(&b))
        return -1;
    *out = (knbeside_picture){.width = b.width, .height = b.height, .channels = 3, .bits = 8};
    if (knbeside_picture_alloc(op, out))
        return -1;
    b.to = out->pixels;
    int status = 0;
    if (b.compression == RUNS_8 || b.compression == RUNS_4)
        status = run_rows(&b);
    else
        plain_rows(&b);
    if (status) {
        free(out->pixels);
        out->pixels = NULL;
    }
    return status;
}
