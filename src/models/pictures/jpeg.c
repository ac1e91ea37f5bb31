/* SPDX-License-Identifier: Apache-2.0
 * jpeg.c -- JPEG through libjpeg. Its errors come by longjmp, so what it needs lives in a struct whose address is all
 * that these functions keep. */
#include "models/pictures/pictures.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef KN_HAVE_JPEG
#include <jpeglib.h>
#include <jerror.h>
#include <setjmp.h>

typedef struct job {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf jump;
    knbeside_picture *out;
    uint8_t *row;
    bool early;
    char message[JMSG_LENGTH_MAX];
} job;

static void on_error(j_common_ptr info)
{
    job *j = info->client_data;
    (*info->err->format_message)(info, j->message);
    longjmp(j->jump, 1);
}

/* Warnings are no errors, but for a file that ends too early. */
static void on_message(j_common_ptr info, int level)
{
    job *j = info->client_data;
    j->early = j->early || (level < 0 && info->err->msg_code == JWRN_JPEG_EOF);
}

static void on_output(j_common_ptr info) { (void)info; }

/* Four inks as three colours; files of Adobe have them inverted, which is how they are read. */
static void without_black(const uint8_t *from, uint8_t *to, size_t n, bool inverted)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            int ink = from[4 * i + (size_t)k], black = from[4 * i + 3];
            to[3 * i + (size_t)k] = (uint8_t)((inverted ? ink * black : (255 - ink) * (255 - black)) / 255);
        }
}

static int decode(const char *op, job *j, const knbeside_bytes *in)
{
    if (setjmp(j->jump))
        return knmodels_picture_damaged(op, "JPEG", j->message);
    struct jpeg_decompress_struct *d = &j->info;
    jpeg_mem_src(d, in->at, (unsigned long)in->n);
    jpeg_read_header(d, TRUE);
    bool inks = d->jpeg_color_space == JCS_CMYK || d->jpeg_color_space == JCS_YCCK;
    d->out_color_space = inks ? JCS_CMYK : d->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(d);
    size_t width = d->output_width;
    *j->out = (knbeside_picture){.width = d->output_width, .height = d->output_height, .bits = 8};
    j->out->channels = d->out_color_space == JCS_GRAYSCALE ? 1 : 3;
    if (knbeside_picture_alloc(op, j->out))
        return -1;
    j->row = knbeside_alloc(width, 4);
    if (!j->row)
        return knbeside_no_memory(op);
    while (d->output_scanline < d->output_height && !j->early) {
        uint8_t *to = (uint8_t *)j->out->pixels + d->output_scanline * width * (size_t)j->out->channels;
        JSAMPROW line = inks ? j->row : to;
        jpeg_read_scanlines(d, &line, 1);
        if (inks)
            without_black(j->row, to, width, d->saw_Adobe_marker);
    }
    return j->early ? knmodels_picture_damaged(op, "JPEG", "it ends too early") : 0;
}

int knmodels_jpeg_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    job *j = knbeside_alloc(1, sizeof *j);
    if (!j)
        return knbeside_no_memory(op);
    j->out = out;
    j->info.err = jpeg_std_error(&j->errors);
    j->info.client_data = j;
    j->errors.error_exit = on_error;
    j->errors.emit_message = on_message;
    j->errors.output_message = on_output;
    int status = -1;
    if (setjmp(j->jump))
        knmodels_picture_damaged(op, "JPEG", j->message);
    else {
        jpeg_create_decompress(&j->info);
        j->info.client_data = j; /* which creating clears */
        status = decode(op, j, in);
    }
    jpeg_destroy_decompress(&j->info);
    free(j->row);
    free(j);
    if (status) {
        free(out->pixels);
        out->pixels = NULL;
    }
    return status;
}
#else
int knmodels_jpeg_read(const char *op, const knbeside_bytes *in, knbeside_picture *out)
{
    (void)in, (void)out;
    return knbeside_fail(op, KN_ERROR_NOT_IMPLEMENTED,
                         "JPEG pictures need libjpeg (KILN_PICTURES), without which this was built");
}
#endif
