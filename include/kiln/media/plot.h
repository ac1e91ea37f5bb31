/* SPDX-License-Identifier: Apache-2.0
 * kiln/media/plot.h -- plots, as SVG and as PNG: lines, points, bars, areas, histograms, images, contours, in one
 * panel or in several.
 *
 * A plot is a handle of the scope. What is drawn is copied when the function is called (it looks at values, so not
 * in a trace), and put on paper when the plot is saved. The same plot gives the same bytes. A panel's limits are
 * those of what was drawn, ticks stand at round numbers, colours come by turns from a cycle that colour-blind
 * readers can tell apart. Functions that draw return 0, or -1 with an error.
 *
 * A colour is a name ("black", "orange", "tomato": those of CSS), "#rrggbb", "#rrggbbaa", or "C0" to "C9" of the
 * cycle. Texts are UTF-8; a PNG has letters of its own for ASCII and what formulas need (Greek letters,
 * superscripts, ×, ±, °). */
/* Made by scripts/make-api.py from api/media/plot.api. */
/* clang-format off */
#ifndef KILN_MEDIA_PLOT_H
#define KILN_MEDIA_PLOT_H
#include "kiln/io.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_plot_s *kn_plot; /* a panel, and the picture that it is part of */

/* ---- Panels. Limits that are {0, 0} are those of what was drawn, and so is an end that is NAN. */
typedef struct kn_plot_new_opts {
    size_t size_;
    const char *title;
    const char *xlabel;
    const char *ylabel;
    double width;               /* 640: of the picture, in pixels */
    double height;              /* 440 */
    double xlim[2];             /* where the axis begins and ends; the first may be the greater one */
    double ylim[2];
    const char *xscale;         /* "linear"; or "log" */
    const char *yscale;         /* "linear"; or "log" */
    /* "best"; or "upper left", "upper right", "lower left", "lower right", "none": where the labels are listed, if
     * anything has one */
    const char *legend;
    bool no_grid;               /* no lines at the ticks */
    bool no_axes;               /* neither frame, ticks nor labels of the axes */
    bool equal;                 /* a unit is as long in both directions */
    const kn_text_list *xticks; /* texts at x = 0, 1, 2, ... instead of numbers */
    const kn_text_list *yticks;
} kn_plot_new_opts;
KN_API kn_plot_new_opts kn_plot_new_opts_default(void);
KN_API kn_plot kn_plot_new(const kn_plot_new_opts *opts); /* a picture with one panel */
typedef struct kn_plot_grid_opts {
    size_t size_;
    const char *title; /* above all panels */
    double width;      /* 0 */
    double height;     /* 0 */
} kn_plot_grid_opts;
KN_API kn_plot_grid_opts kn_plot_grid_opts_default(void);
/* A picture with rows * columns panels, which kn_plot_panel gives; the handle itself is the first one. */
KN_API kn_plot kn_plot_grid(int rows, int columns, const kn_plot_grid_opts *opts);
typedef struct kn_plot_panel_opts {
    size_t size_;
    const char *title;
    const char *xlabel;
    const char *ylabel;
    double xlim[2];
    double ylim[2];
    const char *xscale;         /* "linear"; or "log" */
    const char *yscale;         /* "linear"; or "log" */
    const char *legend;         /* "best"; or "upper left", "upper right", "lower left", "lower right", "none" */
    bool no_grid;
    bool no_axes;
    bool equal;
    const kn_text_list *xticks;
    const kn_text_list *yticks;
} kn_plot_panel_opts;
KN_API kn_plot_panel_opts kn_plot_panel_opts_default(void);
/* The panel in that place of the picture, counted from 0, with these settings; IndexError if there is none. Options
 * are those of kn_plot_new. */
KN_API kn_plot kn_plot_panel(kn_plot p, int row, int column, const kn_plot_panel_opts *opts);

/* ---- Drawing. x and y are vectors of one length; x that is NULL (KN_NONE) counts from 0. Elements that are NaN
 * leave a gap. */
typedef struct kn_plot_line_opts {
    size_t size_;
    const char *label;  /* in the legend */
    const char *color;  /* NULL, the next one of the cycle */
    double width;       /* 1.7: in pixels */
    const char *style;  /* "-"; or "--", ":", "-.", "none" */
    const char *marker; /* NULL, none; or "o", ".", "s", "^", "v", "d", "x", "+" */
    double size;        /* 6: of markers */
    double alpha;       /* 1 */
} kn_plot_line_opts;
KN_API kn_plot_line_opts kn_plot_line_opts_default(void);
/* Straight lines from point to point. y with two axes: a line for each column. */
KN_API int kn_plot_line(kn_plot p, kn_array x, kn_array y, const kn_plot_line_opts *opts);
typedef struct kn_plot_points_opts {
    size_t size_;
    const char *label;
    const char *color;    /* NULL, the next one of the cycle */
    const char *marker;   /* "o"; or ".", "s", "^", "v", "d", "x", "+" */
    double size;          /* 6 */
    double alpha;         /* 1 */
    kn_array values;      /* one for each point, shown by a colour of the map */
    const char *colormap; /* "viridis": as in kn_colormap */
    double vmin;          /* NAN */
    double vmax;          /* NAN */
    bool colorbar;        /* which colour means what, beside the panel */
} kn_plot_points_opts;
KN_API kn_plot_points_opts kn_plot_points_opts_default(void);
/* a marker at each point */
KN_API int kn_plot_points(kn_plot p, kn_array x, kn_array y, const kn_plot_points_opts *opts);
typedef struct kn_plot_bars_opts {
    size_t size_;
    const char *label;
    const char *color; /* NULL, the next one of the cycle */
    double width;      /* 0.8: in units of x */
    kn_array bottom;   /* where bars begin; NULL: 0 */
    double alpha;      /* 1 */
} kn_plot_bars_opts;
KN_API kn_plot_bars_opts kn_plot_bars_opts_default(void);
/* an upright bar around each x */
KN_API int kn_plot_bars(kn_plot p, kn_array x, kn_array height, const kn_plot_bars_opts *opts);
typedef struct kn_plot_area_opts {
    size_t size_;
    const char *label;
    const char *color; /* NULL, the next one of the cycle */
    double alpha;      /* 0.3 */
} kn_plot_area_opts;
KN_API kn_plot_area_opts kn_plot_area_opts_default(void);
/* what lies between two lines */
KN_API int kn_plot_area(kn_plot p, kn_array x, kn_array low, kn_array high, const kn_plot_area_opts *opts);
typedef struct kn_plot_histogram_opts {
    size_t size_;
    kn_array bins;         /* their number (NULL: 10), or their edges */
    const char *estimator; /* a rule for their number, as in kn_histogram */
    double range[2];       /* where they begin and end, {0, 0} for the smallest and the largest element */
    bool density;          /* divided by width and sum */
    kn_array weights;
    bool outline;          /* its upper line alone */
    const char *label;
    const char *color;     /* NULL, the next one of the cycle */
    double alpha;          /* 1 */
} kn_plot_histogram_opts;
KN_API kn_plot_histogram_opts kn_plot_histogram_opts_default(void);
/* how many elements lie in which bin (kn_histogram), as bars without gaps */
KN_API int kn_plot_histogram(kn_plot p, kn_array x, const kn_plot_histogram_opts *opts);
typedef struct kn_plot_image_opts {
    size_t size_;
    const char *colormap; /* "viridis": of an image with two axes, as in kn_colormap */
    double vmin;          /* NAN */
    double vmax;          /* NAN */
    /* left, right, bottom, top; all zero: pixel (row, column) is the unit square around x = column, y = row */
    double extent[4];
    const char *origin;   /* "upper"; or "lower": where row 0 is */
    bool colorbar;
    bool smooth;          /* interpolate between pixels */
} kn_plot_image_opts;
KN_API kn_plot_image_opts kn_plot_image_opts_default(void);
/* Numbers (h, w) as colours of a map, or a picture (h, w, 3 or 4), uint8 or floats from 0 to 1. Row 0 is on top, and
 * pixels are square (the panel is then `equal`), unless an extent says otherwise. */
KN_API int kn_plot_image(kn_plot p, kn_array image, const kn_plot_image_opts *opts);
typedef struct kn_plot_contour_opts {
    size_t size_;
    int count;            /* 8: of levels at round numbers, about */
    kn_array levels;      /* these instead */
    const char *colormap; /* "viridis" */
    const char *color;    /* one colour for all */
    double width;         /* 1.2 */
    bool colorbar;
} kn_plot_contour_opts;
KN_API kn_plot_contour_opts kn_plot_contour_opts_default(void);
/* Lines on which z has one value; z[i, j] is at x[j], y[i]. */
KN_API int kn_plot_contour(kn_plot p, kn_array x, kn_array y, kn_array z, const kn_plot_contour_opts *opts);
typedef struct kn_plot_text_opts {
    size_t size_;
    const char *color;  /* "black" */
    double size;        /* 12 */
    const char *anchor; /* "left"; or "center", "right" */
} kn_plot_text_opts;
KN_API kn_plot_text_opts kn_plot_text_opts_default(void);
/* a text that begins at a point */
KN_API int kn_plot_text(kn_plot p, double x, double y, const char *text, const kn_plot_text_opts *opts);
typedef struct kn_plot_rule_opts {
    size_t size_;
    const char *label;
    const char *color; /* "#555555" */
    double width;      /* 1 */
    const char *style; /* "--"; or "-", ":", "-." */
} kn_plot_rule_opts;
KN_API kn_plot_rule_opts kn_plot_rule_opts_default(void);
KN_API int kn_plot_hline(kn_plot p, double y, const kn_plot_rule_opts *opts); /* a line across the whole panel at y */
KN_API int kn_plot_vline(kn_plot p, double x, const kn_plot_rule_opts *opts); /* a line from top to bottom at x */

/* ---- The picture, whichever panel is given. */
typedef struct kn_plot_save_opts {
    size_t size_;
    const char *format; /* NULL, as the path ends; or "svg", "png" */
    double scale;       /* 2: of a PNG: its pixels in one of the picture's */
    FILE *file;         /* instead of a path; it needs a format */
} kn_plot_save_opts;
KN_API kn_plot_save_opts kn_plot_save_opts_default(void);
/* Writes the picture; ValueError for another ending than .svg and .png. PNG, and SVG with an image in it, are a
 * NotImplementedError if Kiln was built without libpng. */
KN_API int kn_plot_save(kn_plot p, const char *path, const kn_plot_save_opts *opts);
typedef struct kn_plot_pixels_opts { size_t size_; double scale; } kn_plot_pixels_opts; /* 2 */
KN_API kn_plot_pixels_opts kn_plot_pixels_opts_default(void);
/* the picture as uint8 (height, width, 3), drawn as for a PNG; libpng is not needed */
KN_API kn_array kn_plot_pixels(kn_plot p, const kn_plot_pixels_opts *opts);
/* the picture as SVG; the text is good until the next call of this function with this picture */
KN_API const char *kn_plot_svg(kn_plot p);

/* ---- Numbers as colours. */
typedef struct kn_colormap_opts { size_t size_; double vmin; double vmax; } kn_colormap_opts; /* vmin: NAN; vmax: NAN */
KN_API kn_colormap_opts kn_colormap_opts_default(void);
/* x with one more axis of extent 3: uint8 colours, from the map's first at vmin to its last at vmax. NaN is white. */
KN_API kn_array kn_colormap(kn_array x, const char *name, const kn_colormap_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_plot_new(...)                                                                                               \
    KN_F0O(kn_plot_new, kn_plot_new_opts, (.width = 640, .height = 440, .xscale = "linear", .yscale = "linear",        \
    .legend = "best", ), __VA_ARGS__)
#define kn_plot_grid(rows, columns, ...)                                                                               \
    KN_G2O(kn_plot_grid, kn_plot_grid_opts, (.width = 0, .height = 0, ), int, rows, int, columns, __VA_ARGS__)
#define kn_plot_panel(p, row, column, ...) KN_PLOT_PANEL_(__COUNTER__, p, row, column, __VA_ARGS__)
#define KN_PLOT_PANEL_(c, p, row, column, ...)                                                                         \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) KN_TAKE(int, 2, c, row) KN_TAKE(int, 3, c, column) KN_OPTS(c,            \
    kn_plot_panel_opts, (.xscale = "linear", .yscale = "linear", .legend = "best", ), __VA_ARGS__) KN_HERE();          \
    (kn_plot_panel)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_plot_line(p, x, y, ...) KN_PLOT_LINE_(__COUNTER__, p, x, y, __VA_ARGS__)
#define KN_PLOT_LINE_(c, p, x, y, ...)                                                                                 \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(x); kn_array KN_V(3, c) = KN_LIKE(y);      \
    KN_OPTS(c, kn_plot_line_opts, (.width = 1.7, .style = "-", .size = 6, .alpha = 1, ), __VA_ARGS__) KN_HERE();       \
    (kn_plot_line)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_plot_points(p, x, y, ...) KN_PLOT_POINTS_(__COUNTER__, p, x, y, __VA_ARGS__)
#define KN_PLOT_POINTS_(c, p, x, y, ...)                                                                               \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(x); kn_array KN_V(3, c) = KN_LIKE(y);      \
    KN_OPTS(c, kn_plot_points_opts, (.marker = "o", .size = 6, .alpha = 1, .colormap = "viridis",                      \
    .vmin = __builtin_nan(""), .vmax = __builtin_nan(""), ), __VA_ARGS__) KN_HERE(); (kn_plot_points)(KN_V(1, c),      \
    KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_plot_bars(p, x, height, ...) KN_PLOT_BARS_(__COUNTER__, p, x, height, __VA_ARGS__)
#define KN_PLOT_BARS_(c, p, x, height, ...)                                                                            \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(x); kn_array KN_V(3, c) = KN_LIKE(height); \
    KN_OPTS(c, kn_plot_bars_opts, (.width = 0.8, .alpha = 1, ), __VA_ARGS__) KN_HERE(); (kn_plot_bars)(KN_V(1, c),     \
    KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_plot_area(p, x, low, high, ...) KN_PLOT_AREA_(__COUNTER__, p, x, low, high, __VA_ARGS__)
#define KN_PLOT_AREA_(c, p, x, low, high, ...)                                                                         \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(x); kn_array KN_V(3, c) = KN_LIKE(low);    \
    kn_array KN_V(4, c) = KN_LIKE(high); KN_OPTS(c, kn_plot_area_opts, (.alpha = 0.3, ), __VA_ARGS__) KN_HERE();       \
    (kn_plot_area)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_plot_histogram(p, x, ...) KN_PLOT_HISTOGRAM_(__COUNTER__, p, x, __VA_ARGS__)
#define KN_PLOT_HISTOGRAM_(c, p, x, ...)                                                                               \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(x); KN_OPTS(c, kn_plot_histogram_opts,     \
    (.alpha = 1, ), __VA_ARGS__) KN_HERE(); (kn_plot_histogram)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_plot_image(p, image, ...) KN_PLOT_IMAGE_(__COUNTER__, p, image, __VA_ARGS__)
#define KN_PLOT_IMAGE_(c, p, image, ...)                                                                               \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(image); KN_OPTS(c, kn_plot_image_opts,     \
    (.colormap = "viridis", .vmin = __builtin_nan(""), .vmax = __builtin_nan(""), .origin = "upper", ), __VA_ARGS__)   \
    KN_HERE(); (kn_plot_image)(KN_V(1, c), KN_V(2, c), KN_V(opt, c)); })
#define kn_plot_contour(p, x, y, z, ...) KN_PLOT_CONTOUR_(__COUNTER__, p, x, y, z, __VA_ARGS__)
#define KN_PLOT_CONTOUR_(c, p, x, y, z, ...)                                                                           \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) kn_array KN_V(2, c) = KN_LIKE(x); kn_array KN_V(3, c) = KN_LIKE(y);      \
    kn_array KN_V(4, c) = KN_LIKE(z); KN_OPTS(c, kn_plot_contour_opts, (.count = 8, .colormap = "viridis",             \
    .width = 1.2, ), __VA_ARGS__) KN_HERE(); (kn_plot_contour)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c),         \
    KN_V(opt, c)); })
#define kn_plot_text(p, x, y, text, ...) KN_PLOT_TEXT_(__COUNTER__, p, x, y, text, __VA_ARGS__)
#define KN_PLOT_TEXT_(c, p, x, y, text, ...)                                                                           \
    __extension__({ KN_TAKE(kn_plot, 1, c, p) KN_TAKE(double, 2, c, x) KN_TAKE(double, 3, c, y)                        \
    KN_TAKE(const char *, 4, c, text) KN_OPTS(c, kn_plot_text_opts, (.color = "black", .size = 12, .anchor = "left",   \
    ), __VA_ARGS__) KN_HERE(); (kn_plot_text)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(4, c), KN_V(opt, c)); })
#define kn_plot_hline(p, y, ...)                                                                                       \
    KN_G2O(kn_plot_hline, kn_plot_rule_opts, (.color = "#555555", .width = 1, .style = "--", ), kn_plot, p, double, y, \
    __VA_ARGS__)
#define kn_plot_vline(p, x, ...)                                                                                       \
    KN_G2O(kn_plot_vline, kn_plot_rule_opts, (.color = "#555555", .width = 1, .style = "--", ), kn_plot, p, double, x, \
    __VA_ARGS__)
#define kn_plot_save(p, path, ...)                                                                                     \
    KN_G2O(kn_plot_save, kn_plot_save_opts, (.scale = 2, ), kn_plot, p, const char *, path, __VA_ARGS__)
#define kn_plot_pixels(p, ...) KN_G1O(kn_plot_pixels, kn_plot_pixels_opts, (.scale = 2, ), kn_plot, p, __VA_ARGS__)
#define kn_plot_svg(p) KN_G1(kn_plot_svg, kn_plot, p)
#define kn_colormap(x, name, ...)                                                                                      \
    KN_H1O(kn_colormap, kn_colormap_opts, (.vmin = __builtin_nan(""), .vmax = __builtin_nan(""), ), x, const char *,   \
    name, __VA_ARGS__)
#endif
#endif
