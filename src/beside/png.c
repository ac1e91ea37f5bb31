/* SPDX-License-Identifier: Apache-2.0
 * png.c -- PNG files through libpng. Its errors come by longjmp, so what it needs lives in a struct whose address
 * is all that these functions keep. */
#include "beside/picture.h"
#include <stdlib.h>
#include <string.h>

bool knbeside_is_png(const knbeside_bytes *in)
{
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    return in->n >= sizeof magic && !memcmp(in->at, magic, sizeof magic);
}

#ifdef KN_HAVE_PNG
#include <png.h>

typedef struct job {
    png_structp png;
    png_infop info;
    const knbeside_bytes *in;
    size_t at;
    knbeside_bytes *out;
    png_bytep *row;
    char message[128];
} job;

static void on_error(png_structp png, png_const_charp message)
{
    job *j = png_get_error_ptr(png);
    snprintf(j->message, sizeof j->message, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
    job *j = png_get_io_ptr(png);
    if (n > j->in->n - j->at)
        png_error(png, "the file ends too early");
    memcpy(to, j->in->at + j->at, n);
    j->at += n;
}

static void write_bytes(png_structp png, png_bytep from, size_t n)
{
    job *j = png_get_io_ptr(png);
    knbeside_put(j->out, from, n);
    if (j->out->failed)
        png_error(png, "no memory");
}

static void flush_bytes(png_structp png) { (void)png; }

static bool set_rows(job *j, const knbeside_picture *image)
{
    size_t stride = (size_t)image->width * (size_t)image->channels * (size_t)image->bits / 8;
    j->row = knbeside_alloc((uint64_t)image->height, sizeof *j->row);
    for (int64_t y = 0; j->row && y < image->height; y++)
        j->row[y] = (png_bytep)image->pixels + (size_t)y * stride;
    return j->row != NULL;
}

/* Whole bytes in the machine's order; palettes and transparent colours as what they mean. */
static void read_header(job *j, knbeside_picture *image)
{
    const uint16_t one = 1;
    png_read_info(j->png, j->info);
    png_set_expand(j->png);
    if (*(const uint8_t *)&one && png_get_bit_depth(j->png, j->info) == 16)
        png_set_swap(j->png);
    (void)png_set_interlace_handling(j->png);
    png_read_update_info(j->png, j->info);
    image->width = png_get_image_width(j->png, j->info);
    image->height = png_get_image_height(j->png, j->info);
    image->channels = png_get_channels(j->png, j->info);
    image->bits = png_get_bit_depth(j->png, j->info);
}

static int read_all(const char *op, job *j, knbeside_picture *image)
{
    if (setjmp(png_jmpbuf(j->png)))
        return knbeside_fail(op, KN_ERROR_VALUE, "the PNG file is damaged: %s", j->message);
    png_set_user_limits(j->png, KNBESIDE_MOST_PIXELS, KNBESIDE_MOST_PIXELS);
    png_set_chunk_cache_max(j->png, 1000);
    png_set_chunk_malloc_max(j->png, 8000000);
    png_set_read_fn(j->png, j, read_bytes);
    read_header(j, image);
    /* Deflate makes at most 1,032 bytes of one: before memory is asked for. */
    if ((uint64_t)image->width * (uint64_t)image->height / 8 > (uint64_t)j->in->n * 1032)
        png_error(j->png, "the file ends too early");
    if (knbeside_picture_alloc(op, image))
        return -1;
    if (!set_rows(j, image))
        return knbeside_no_memory(op);
    png_read_image(j->png, j->row);
    png_read_end(j->png, NULL);
    return 0;
}

int knbeside_png_read(const char *op, const knbeside_bytes *in, knbeside_picture *image)
{
    job *j = knbeside_alloc(1, sizeof *j);
    if (!j)
        return knbeside_no_memory(op);
    *image = (knbeside_picture){0};
    j->in = in;
    j->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
    j->info = j->png ? png_create_info_struct(j->png) : NULL;
    int status = j->info ? read_all(op, j, image) : knbeside_no_memory(op);
    png_destroy_read_struct(&j->png, &j->info, NULL);
    free(j->row);
    free(j);
    if (status) {
        free(image->pixels);
        image->pixels = NULL;
    }
    return status;
}

static int write_all(const char *op, job *j, const knbeside_picture *image)
{
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    const uint16_t one = 1;
    if (setjmp(png_jmpbuf(j->png)))
        return knbeside_fail(op, j->out->failed ? KN_ERROR_MEMORY : KN_ERROR_VALUE, "%s", j->message);
    png_set_user_limits(j->png, KNBESIDE_MOST_PIXELS, KNBESIDE_MOST_PIXELS);
    png_set_write_fn(j->png, j, write_bytes, flush_bytes);
    png_set_IHDR(j->png, j->info, (png_uint_32)image->width, (png_uint_32)image->height, image->bits,
                 types[image->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(j->png, j->info);
    if (*(const uint8_t *)&one && image->bits == 16)
        png_set_swap(j->png);
    png_write_image(j->png, j->row);
    png_write_end(j->png, NULL);
    return 0;
}

int knbeside_png_write(const char *op, const knbeside_picture *image, knbeside_bytes *out)
{
    job *j = knbeside_alloc(1, sizeof *j);
    if (!j)
        return knbeside_no_memory(op);
    j->out = out;
    j->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
    j->info = j->png ? png_create_info_struct(j->png) : NULL;
    int status = j->info && set_rows(j, image) ? write_all(op, j, image) : knbeside_no_memory(op);
    png_destroy_write_struct(&j->png, &j->info);
    free(j->row);
    free(j);
    return status;
}
#else
static int no_png(const char *op)
{
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED,
                         "PNG needs libpng, without which this was built (KILN_PNG; Debian: libpng-dev)");
}

int knbeside_png_read(const char *op, const knbeside_bytes *in, knbeside_picture *image)
{
    (void)in, (void)image;
    return no_png(op);
}

int knbeside_png_write(const char *op, const knbeside_picture *image, knbeside_bytes *out)
{
    (void)image, (void)out;
    return no_png(op);
}
#endif
