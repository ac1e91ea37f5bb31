/* SPDX-License-Identifier: Apache-2.0
 * svg.c -- a canvas that writes SVG. Texts stay texts; images are PNGs inside of the file. */
#include "media/markers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(knmedia_svg *s, const char *text) { knbeside_puts(&s->out, text); }
static void number(knmedia_svg *s, double v) { knbeside_put_number(&s->out, v, 2); }

static void attribute(knmedia_svg *s, const char *name, double v)
{
    put(s, " ");
    put(s, name);
    put(s, "=\"");
    number(s, v);
    put(s, "\"");
}

static void color(knmedia_svg *s, const char *name, knmedia_rgba c)
{
    char text[64];
    snprintf(text, sizeof text, " %s=\"#%02x%02x%02x\"", name, c.r, c.g, c.b);
    put(s, text);
    if (c.a < 255) {
        snprintf(text, sizeof text, "%s-opacity", name);
        attribute(s, text, c.a / 255.0);
    }
}

/* Text between tags: what has a meaning there is written as what it is, what no XML may have as U+FFFD. */
static void escaped(knmedia_svg *s, const char *text)
{
    while (*text) {
        const char *from = text;
        uint32_t c = knmedia_next_letter(&text);
        bool bad = (c < 0x20 && c != '\t' && c != '\n') || c == 0xfffd || c == 0xfffe || c == 0xffff;
        const char *word = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : bad ? "\xef\xbf\xbd" : NULL;
        if (word)
            put(s, word);
        else
            knbeside_put(&s->out, from, (size_t)(text - from));
    }
}

static void path(knmedia_svg *s, int64_t n, const knmedia_point *p)
{
    bool begin = true;
    put(s, "<path d=\"");
    for (int64_t i = 0; i < n; i++) {
        if (p[i].x != p[i].x) {
            begin = true;
            continue;
        }
        put(s, begin ? "M" : "L");
        number(s, p[i].x);
        put(s, " ");
        number(s, p[i].y);
        begin = false;
    }
}

static void stroke(knmedia_canvas *c, int64_t n, const knmedia_point *p, knmedia_pen pen)
{
    knmedia_svg *s = (knmedia_svg *)c;
    double dash[4];
    int dashes = knmedia_dashes(pen.style, pen.width, dash);
    path(s, n, p);
    put(s, "\" fill=\"none\"");
    color(s, "stroke", pen.color);
    attribute(s, "stroke-width", pen.width);
    for (int i = 0; i < dashes; i++) {
        put(s, i ? " " : " stroke-dasharray=\"");
        number(s, dash[i]);
    }
    bool rule = n == 2 && (p[0].x == p[1].x || p[0].y == p[1].y);
    put(s, dashes ? "\"/>\n" : rule ? "/>\n" : " stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n");
}

static void fill(knmedia_canvas *c, int64_t n, const knmedia_point *p, knmedia_rgba paint)
{
    knmedia_svg *s = (knmedia_svg *)c;
    path(s, n, p);
    put(s, "Z\"");
    color(s, "fill", paint);
    put(s, "/>\n");
}

static void marks(knmedia_canvas *c, int64_t n, const knmedia_point *p, char marker, double size,
                  const knmedia_rgba *paint, int step)
{
    knmedia_svg *s = (knmedia_svg *)c;
    knmedia_point corner[KNMEDIA_MOST_CORNERS];
    double round = 0;
    bool lines;
    int corners = knmedia_marker(marker, size, corner, &round, &lines);
    put(s, "<g");
    if (lines) {
        put(s, " fill=\"none\"");
        attribute(s, "stroke-width", knmedia_marker_width(size));
    }
    if (!step && n)
        color(s, lines ? "stroke" : "fill", *paint);
    put(s, ">\n");
    for (int64_t i = 0; i < n; i++) {
        knmedia_point at[2 * KNMEDIA_MOST_CORNERS];
        int m = 0;
        for (int k = 0; k < corners; k++) {
            if (lines && k == 2)
                at[m++] = (knmedia_point){NAN, NAN};
            at[m++] = (knmedia_point){p[i].x + corner[k].x, p[i].y + corner[k].y};
        }
        if (corners) {
            path(s, m, at);
            put(s, lines ? "\"" : "Z\"");
        } else {
            put(s, "<circle");
            attribute(s, "cx", p[i].x);
            attribute(s, "cy", p[i].y);
            attribute(s, "r", round);
        }
        if (step)
            color(s, lines ? "stroke" : "fill", paint[i]);
        put(s, "/>\n");
    }
    put(s, "</g>\n");
}

static void base64(knmedia_svg *s, const knbeside_bytes *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < b->n; i += 3) {
        uint32_t v = (uint32_t)b->at[i] << 16;
        v |= i + 1 < b->n ? (uint32_t)b->at[i + 1] << 8 : 0;
        v |= i + 2 < b->n ? b->at[i + 2] : 0;
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], digits[v >> 6 & 63], digits[v & 63]};
        four[2] = i + 1 < b->n ? four[2] : '=';
        four[3] = i + 2 < b->n ? four[3] : '=';
        knbeside_put(&s->out, four, 4);
    }
}

static void image(knmedia_canvas *c, const knmedia_pixels *im)
{
    knmedia_svg *s = (knmedia_svg *)c;
    bool mirrored = im->to.x < im->from.x, turned = im->to.y < im->from.y;
    knmedia_rgba *copy = knbeside_alloc((uint64_t)(im->w * im->h), sizeof *copy);
    knbeside_bytes png = {0};
    knbeside_picture as = {im->w, im->h, 4, 8, copy};
    c->failed |= !copy;
    if (c->failed || s->status)
        return free(copy);
    for (int64_t y = 0; y < im->h; y++)
        for (int64_t x = 0; x < im->w; x++)
            copy[y * im->w + x] = im->at[(turned ? im->h - 1 - y : y) * im->w + (mirrored ? im->w - 1 - x : x)];
    s->status = knbeside_png_write(s->op, &as, &png);
    put(s, "<image");
    attribute(s, "x", fmin(im->from.x, im->to.x));
    attribute(s, "y", fmin(im->from.y, im->to.y));
    attribute(s, "width", fabs(im->to.x - im->from.x));
    attribute(s, "height", fabs(im->to.y - im->from.y));
    put(s, " preserveAspectRatio=\"none\"");
    put(s, im->smooth ? "" : " image-rendering=\"pixelated\"");
    put(s, " xlink:href=\"data:image/png;base64,");
    base64(s, &png);
    put(s, "\"/>\n");
    c->failed |= png.failed;
    knbeside_bytes_free(&png);
    free(copy);
}

static void words(knmedia_canvas *c, knmedia_point at, knmedia_words w)
{
    knmedia_svg *s = (knmedia_svg *)c;
    put(s, "<text");
    attribute(s, "x", at.x);
    attribute(s, "y", at.y);
    attribute(s, "font-size", w.size);
    color(s, "fill", w.color);
    put(s, w.anchor == 0 ? "" : w.anchor == 1 ? " text-anchor=\"end\"" : " text-anchor=\"middle\"");
    if (w.upright) {
        put(s, " transform=\"rotate(-90 ");
        number(s, at.x);
        put(s, " ");
        number(s, at.y);
        put(s, ")\"");
    }
    put(s, ">");
    escaped(s, w.text);
    put(s, "</text>\n");
}

static void clip(knmedia_canvas *c, bool on, knmedia_point from, knmedia_point to)
{
    knmedia_svg *s = (knmedia_svg *)c;
    if (!on) {
        put(s, "</g>\n");
        return;
    }
    put(s, "<clipPath id=\"c");
    knbeside_put_int(&s->out, ++s->clips);
    put(s, "\"><rect");
    attribute(s, "x", from.x);
    attribute(s, "y", from.y);
    attribute(s, "width", to.x - from.x);
    attribute(s, "height", to.y - from.y);
    put(s, "/></clipPath>\n<g clip-path=\"url(#c");
    knbeside_put_int(&s->out, s->clips);
    put(s, ")\">\n");
}

void knmedia_svg_begin(knmedia_svg *s, const char *op, double width, double height)
{
    *s = (knmedia_svg){
        .canvas = {.stroke = stroke, .fill = fill, .marks = marks, .image = image, .words = words, .clip = clip},
        .op = op};
    put(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    attribute(s, "width", width);
    attribute(s, "height", height);
    put(s, " viewBox=\"0 0 ");
    number(s, width);
    put(s, " ");
    number(s, height);
    put(s, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

void knmedia_svg_end(knmedia_svg *s)
{
    put(s, "</svg>\n");
    s->canvas.failed |= s->out.failed;
}
