/* SPDX-License-Identifier: Apache-2.0
 * plot.h -- what is kept of a plot until it is saved: a picture, its panels, what is drawn in them. */
#ifndef KN_MEDIA_PLOT_H
#define KN_MEDIA_PLOT_H
#include "media/canvas.h"
#include "kiln/media/plot.h"
#include <stdatomic.h>

typedef enum {
    KNMEDIA_LINE,  /* x, y, with gaps */
    KNMEDIA_MARKS, /* x, y */
    KNMEDIA_RECTS, /* from x, y to x2, y2 */
    KNMEDIA_AREA,  /* between y and y2 over x */
    KNMEDIA_IMAGE, /* from x[0], y[0], the outer corner of the first pixel, to x2[0], y2[0] */
    KNMEDIA_WORDS, /* label at x[0], y[0] */
    KNMEDIA_RULE_X,
    KNMEDIA_RULE_Y /* across the panel at x[0] or y[0] */
} knmedia_kind;

typedef struct knmedia_mark {
    knmedia_kind kind;
    int64_t n;
    double *x, *y, *x2, *y2; /* in one allocation, which x is */
    knmedia_rgba color;
    knmedia_rgba *colors; /* of each point or pixel; NULL: one */
    int64_t w, h;         /* of an image */
    char *label;          /* in the legend; NULL: none */
    knmedia_pen pen;
    char marker;
    double size, anchor;
    bool smooth, hidden; /* hidden: only its entry in the legend is shown */
    bool line, outline;  /* the entry shows a line beside its marker; an outline is no area */
} knmedia_mark;

typedef struct knmedia_axis {
    double limit[2];
    bool log;
    char *label;
    char **names;
    int n_names;
} knmedia_axis;

typedef struct knmedia_panel {
    char *title;
    knmedia_axis x, y;
    char legend[16];
    bool no_grid, no_axes, equal, has_image;
    int turn; /* of the cycle */
    int n, room;
    knmedia_mark *mark;
    bool has_bar; /* colours and what they mean */
    int map;
    double vmin, vmax;
} knmedia_panel;

typedef struct knmedia_picture {
    atomic_int refs;
    int rows, columns;
    double width, height;
    char *title;
    knmedia_panel *panel;
    knbeside_bytes svg; /* the last text that was given out */
} knmedia_picture;

/* What a kn_plot stands for. */
typedef struct knmedia_plot {
    knmedia_picture *picture;
    knmedia_panel *panel;
} knmedia_plot;

knmedia_plot *knmedia_plot_get(const char *op, kn_plot p); /* NULL with an error */
/* A mark for n points with so many vectors of numbers (2 to 4); NULL with an error. It is the panel's when it is
 * added. */
knmedia_mark *knmedia_mark_new(const char *op, knmedia_kind kind, int64_t n, int vectors, const char *label);
int knmedia_mark_add(const char *op, knmedia_panel *panel, knmedia_mark *mark); /* frees it if there is no memory: -1 */
void knmedia_mark_free(knmedia_mark *mark);
/* x and y of one length, as they were given; x may be NULL: 0, 1, 2, ... (*from is NULL then). -1 with an error. */
int knmedia_vectors(const char *op, kn_array x, kn_array y, const char *y_name, const double **from_x,
                    const double **from_y, int64_t *n);
/* A colour of the user's, with `alpha` on top; NULL: the panel's next one. -1 with an error. */
int knmedia_pen_color(const char *op, knmedia_panel *panel, const char *text, double alpha, knmedia_rgba *out);
int knmedia_check_size(const char *op, const char *what, double v); /* 0 to 1000 */
int knmedia_check_choice(const char *op, const char *what, const char *given, const char *const *choices);
extern const char *const knmedia_line_styles[]; /* ends with NULL */
int knmedia_put_bar(const char *op, knmedia_panel *panel, int map, double vmin, double vmax);
/* Where z has the level, as lines of two points with gaps: *n points, malloc'ed; NULL: no memory. */
knmedia_point *knmedia_contour(const double *x, const double *y, const double *z, int64_t columns, int64_t rows,
                               double level, int64_t *n);

/* ---- scale.c: numbers along an axis. */
enum { KNMEDIA_MOST_TICKS = 48, KNMEDIA_MOST_MINOR = 96 };
typedef struct knmedia_scale {
    bool log;
    double low, high; /* of the axis: logarithms where it has such */
    double from, to;  /* pixels */
} knmedia_scale;
typedef struct knmedia_ticks {
    int n, n_minor;
    double at[KNMEDIA_MOST_TICKS], minor[KNMEDIA_MOST_MINOR];
    char text[KNMEDIA_MOST_TICKS][64];
    char factor[32]; /* of all numbers: "×10⁶" */
} knmedia_ticks;
double knmedia_place(const knmedia_scale *s, double v); /* its pixel; NaN: it has none */
/* The ends of an axis whose data go from low to high (low > high: there are none), with room around if `padded`. */
void knmedia_limits(const knmedia_axis *axis, double low, double high, const bool padded[2], knmedia_scale *s);
/* About one tick in `every` pixels. */
void knmedia_ticks_of(const knmedia_axis *axis, const knmedia_scale *s, double every, knmedia_ticks *t);
/* Round numbers in a range: about `count`. */
int knmedia_round_numbers(double low, double high, int count, double to[KNMEDIA_MOST_TICKS]);

/* ---- layout.c */
void knmedia_draw_picture(const knmedia_picture *p, knmedia_canvas *c);
/* ---- marks.c: one mark in the frame of its panel. */
typedef struct knmedia_frame {
    knmedia_scale x, y;
    double left, top, right, bottom;
} knmedia_frame;
void knmedia_draw_mark(knmedia_canvas *c, const knmedia_frame *f, const knmedia_mark *m);
#endif
