/* SPDX-License-Identifier: Apache-2.0
 * canvas.h -- what plots are drawn on: one interface, an SVG or pixels behind it. Lengths are in pixels of the picture,
 * y goes down. */
#ifndef KN_MEDIA_CANVAS_H
#define KN_MEDIA_CANVAS_H
#include "beside/picture.h"
#include "media/media.h"

typedef struct knmedia_rgba {
    uint8_t r, g, b, a;
} knmedia_rgba;
typedef struct knmedia_point {
    double x, y; /* NaN: the next point begins another line */
} knmedia_point;
typedef struct knmedia_pen {
    knmedia_rgba color;
    double width;
    char style[3]; /* "-", "--", ":", "-." */
} knmedia_pen;
/* Colours of h rows of w pixels, from `from`, the outer corner of the first one, to `to`, that of the last. */
typedef struct knmedia_pixels {
    int64_t w, h;
    const knmedia_rgba *at;
    knmedia_point from, to;
    bool smooth;
} knmedia_pixels;
typedef struct knmedia_words {
    const char *text;
    double size, anchor; /* anchor: which part of its width is left of the point */
    bool upright;        /* reads from below to above */
    knmedia_rgba color;
} knmedia_words;

typedef struct knmedia_canvas knmedia_canvas;
struct knmedia_canvas {
    bool failed; /* no memory */
    void (*stroke)(knmedia_canvas *c, int64_t n, const knmedia_point *p, knmedia_pen pen);
    void (*fill)(knmedia_canvas *c, int64_t n, const knmedia_point *p, knmedia_rgba color);
    /* A marker at each point; `step` is 1 if each has a colour of its own, 0 if they have one. */
    void (*marks)(knmedia_canvas *c, int64_t n, const knmedia_point *p, char marker, double size,
                  const knmedia_rgba *color, int step);
    void (*image)(knmedia_canvas *c, const knmedia_pixels *image);
    void (*words)(knmedia_canvas *c, knmedia_point at, knmedia_words words);
    void (*clip)(knmedia_canvas *c, bool on, knmedia_point from, knmedia_point to);
};

/* ---- font.c: an own font of strokes, with the widths of Helvetica, so that an SVG has the same layout. */
uint32_t knmedia_next_letter(const char **s); /* of UTF-8; 0 at the end, U+FFFD for what is none */
double knmedia_text_width(const char *text, double size);
/* The strokes of a letter as lines with gaps, in units of its size from the start of the baseline, y up: their number.
 * *advance: to the next letter. */
enum { KNMEDIA_MOST_STROKES = 512 };
int knmedia_letter(uint32_t letter, knmedia_point to[KNMEDIA_MOST_STROKES], double *advance);

/* ---- color.c */
knmedia_rgba knmedia_turn(int i);                        /* the cycle */
bool knmedia_color(const char *text, knmedia_rgba *out); /* false: there is no such colour */
int knmedia_map_named(const char *name);                 /* -1: there is none */
knmedia_rgba knmedia_map_color(int map, double t);       /* t from 0 to 1; NaN is white */
/* Values as colours: `color` gets n of them. Limits that are NaN are those of the values, and set. */
void knmedia_map_values(int map, int64_t n, const double *v, double *vmin, double *vmax, knmedia_rgba *color);

/* ---- svg.c, raster.c */
typedef struct knmedia_svg {
    knmedia_canvas canvas;
    const char *op;
    knbeside_bytes out;
    int clips, status; /* -1: an error was given */
} knmedia_svg;
void knmedia_svg_begin(knmedia_svg *s, const char *op, double width, double height);
void knmedia_svg_end(knmedia_svg *s);

typedef struct knmedia_raster {
    knmedia_canvas canvas;
    double scale;
    int64_t w, h;
    uint8_t *rgb;
    float *cover;           /* signed areas of edges, of what is being drawn: (w + 2) for each row */
    int64_t x0, y0, x1, y1; /* where pixels may change */
    int64_t top, bottom;    /* rows that edges touch */
    double left, right;
} knmedia_raster;
bool knmedia_raster_begin(knmedia_raster *r, double width, double height, double scale); /* false: no memory */
void knmedia_raster_end(knmedia_raster *r);                                              /* frees all but the pixels */
#endif
