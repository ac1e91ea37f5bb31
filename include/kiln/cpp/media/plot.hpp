/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/media/plot.hpp -- the functions of kiln/media/plot.h in C++. */
/* Made by scripts/make-api.py from api/media/plot.api. */
/* clang-format off */
#ifndef KILN_CPP_MEDIA_PLOT_HPP
#define KILN_CPP_MEDIA_PLOT_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/io.hpp"

namespace kiln {
struct plot_new_opts {
    KILN_OPTION((::kiln::text), title, {})
    KILN_OPTION((::kiln::text), xlabel, {})
    KILN_OPTION((::kiln::text), ylabel, {})
    KILN_OPTION((double), width, 640) /* of the picture, in pixels */
    KILN_OPTION((double), height, 440)
    double xlim[2] = {};
    double ylim[2] = {};
    KILN_OPTION((::kiln::text), xscale, "linear")
    KILN_OPTION((::kiln::text), yscale, "linear")
    KILN_OPTION((::kiln::text), legend, "best") /* where the labels are listed, if anything has one */
    KILN_OPTION((bool), no_grid, {}) /* no lines at the ticks */
    KILN_OPTION((bool), no_axes, {}) /* neither frame, ticks nor labels of the axes */
    KILN_OPTION((bool), equal, {}) /* a unit is as long in both directions */
    KILN_OPTION((const kn_text_list *), xticks, {}) /* texts at x = 0, 1, 2, ... instead of numbers */
    KILN_OPTION((const kn_text_list *), yticks, {})
    kn_plot_new_opts c() const {
        kn_plot_new_opts to_ = {}; to_.size_ = sizeof to_; to_.title = detail::c_of(title);
        to_.xlabel = detail::c_of(xlabel); to_.ylabel = detail::c_of(ylabel); to_.width = detail::c_of(width);
        to_.height = detail::c_of(height); detail::put(to_.xlim, xlim); detail::put(to_.ylim, ylim);
        to_.xscale = detail::c_of(xscale); to_.yscale = detail::c_of(yscale); to_.legend = detail::c_of(legend);
        to_.no_grid = detail::c_of(no_grid); to_.no_axes = detail::c_of(no_axes); to_.equal = detail::c_of(equal);
        to_.xticks = detail::c_of(xticks); to_.yticks = detail::c_of(yticks); return to_; }
};
/* a picture with one panel */
inline handle<kn_plot> plot_new(const ::kiln::plot_new_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_plot_new_opts opts_c = opts.c(); c_.here(); return
    handle<kn_plot>(c_.take(kn_plot_new(&opts_c))); }
struct plot_grid_opts {
    KILN_OPTION((::kiln::text), title, {}) /* above all panels */
    KILN_OPTION((double), width, 0) /* 400 for each column */
    KILN_OPTION((double), height, 0) /* 300 for each row */
    kn_plot_grid_opts c() const {
        kn_plot_grid_opts to_ = {}; to_.size_ = sizeof to_; to_.title = detail::c_of(title);
        to_.width = detail::c_of(width); to_.height = detail::c_of(height); return to_; }
};
/* A picture with rows * columns panels, which kn_plot_panel gives; the handle itself is the first one. */
inline handle<kn_plot> plot_grid(int rows, int columns, const ::kiln::plot_grid_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_plot_grid_opts opts_c = opts.c(); c_.here(); return
    handle<kn_plot>(c_.take(kn_plot_grid(rows, columns, &opts_c))); }
struct plot_panel_opts {
    KILN_OPTION((::kiln::text), title, {})
    KILN_OPTION((::kiln::text), xlabel, {})
    KILN_OPTION((::kiln::text), ylabel, {})
    double xlim[2] = {};
    double ylim[2] = {};
    KILN_OPTION((::kiln::text), xscale, "linear")
    KILN_OPTION((::kiln::text), yscale, "linear")
    KILN_OPTION((::kiln::text), legend, "best")
    KILN_OPTION((bool), no_grid, {})
    KILN_OPTION((bool), no_axes, {})
    KILN_OPTION((bool), equal, {})
    KILN_OPTION((const kn_text_list *), xticks, {})
    KILN_OPTION((const kn_text_list *), yticks, {})
    kn_plot_panel_opts c() const {
        kn_plot_panel_opts to_ = {}; to_.size_ = sizeof to_; to_.title = detail::c_of(title);
        to_.xlabel = detail::c_of(xlabel); to_.ylabel = detail::c_of(ylabel); detail::put(to_.xlim, xlim);
        detail::put(to_.ylim, ylim); to_.xscale = detail::c_of(xscale); to_.yscale = detail::c_of(yscale);
        to_.legend = detail::c_of(legend); to_.no_grid = detail::c_of(no_grid); to_.no_axes = detail::c_of(no_axes);
        to_.equal = detail::c_of(equal); to_.xticks = detail::c_of(xticks); to_.yticks = detail::c_of(yticks); return
        to_; }
};
/* The panel in that place of the picture, counted from 0, with these settings; IndexError if there is none. Options
 * are those of kn_plot_new. */
inline handle<kn_plot> plot_panel(const ::kiln::handle<kn_plot> &p, int row, int column, const ::kiln::plot_panel_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_plot_panel_opts opts_c = opts.c(); c_.here(); return
    handle<kn_plot>(c_.take(kn_plot_panel(p.c(), row, column, &opts_c))); }
struct plot_line_opts {
    KILN_OPTION((::kiln::text), label, {}) /* in the legend */
    KILN_OPTION((::kiln::text), color, {}) /* the next one of the cycle */
    KILN_OPTION((double), width, 1.7) /* in pixels */
    KILN_OPTION((::kiln::text), style, "-")
    KILN_OPTION((::kiln::text), marker, {}) /* none */
    KILN_OPTION((double), size, 6) /* of markers */
    KILN_OPTION((double), alpha, 1)
    kn_plot_line_opts c() const {
        kn_plot_line_opts to_ = {}; to_.size_ = sizeof to_; to_.label = detail::c_of(label);
        to_.color = detail::c_of(color); to_.width = detail::c_of(width); to_.style = detail::c_of(style);
        to_.marker = detail::c_of(marker); to_.size = detail::c_of(size); to_.alpha = detail::c_of(alpha); return to_; }
};
/* Straight lines from point to point. y with two axes: a line for each column. */
inline int plot_line(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &x, const ::kiln::operand &y, const
    ::kiln::plot_line_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_plot_line_opts opts_c = opts.c(); c_.here();
    return c_.value(kn_plot_line(p.c(), x_h, y_h, &opts_c)); }
struct plot_points_opts {
    KILN_OPTION((::kiln::text), label, {})
    KILN_OPTION((::kiln::text), color, {}) /* the next one of the cycle */
    KILN_OPTION((::kiln::text), marker, "o")
    KILN_OPTION((double), size, 6)
    KILN_OPTION((double), alpha, 1)
    KILN_OPTION((::kiln::array), values, {}) /* one for each point, shown by a colour of the map */
    KILN_OPTION((::kiln::text), colormap, "viridis") /* as in kn_colormap */
    KILN_OPTION((double), vmin, __builtin_nan("")) /* the smallest value */
    KILN_OPTION((double), vmax, __builtin_nan("")) /* the greatest */
    KILN_OPTION((bool), colorbar, {}) /* which colour means what, beside the panel */
    kn_plot_points_opts c() const {
        kn_plot_points_opts to_ = {}; to_.size_ = sizeof to_; to_.label = detail::c_of(label);
        to_.color = detail::c_of(color); to_.marker = detail::c_of(marker); to_.size = detail::c_of(size);
        to_.alpha = detail::c_of(alpha); to_.values = detail::c_of(values); to_.colormap = detail::c_of(colormap);
        to_.vmin = detail::c_of(vmin); to_.vmax = detail::c_of(vmax); to_.colorbar = detail::c_of(colorbar); return to_;
        }
};
/* a marker at each point */
inline int plot_points(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &x, const ::kiln::operand &y, const
    ::kiln::plot_points_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_plot_points_opts opts_c = opts.c(); c_.here();
    return c_.value(kn_plot_points(p.c(), x_h, y_h, &opts_c)); }
struct plot_bars_opts {
    KILN_OPTION((::kiln::text), label, {})
    KILN_OPTION((::kiln::text), color, {}) /* the next one of the cycle */
    KILN_OPTION((double), width, 0.8) /* in units of x */
    KILN_OPTION((::kiln::array), bottom, {}) /* where bars begin; NULL: 0 */
    KILN_OPTION((double), alpha, 1)
    kn_plot_bars_opts c() const {
        kn_plot_bars_opts to_ = {}; to_.size_ = sizeof to_; to_.label = detail::c_of(label);
        to_.color = detail::c_of(color); to_.width = detail::c_of(width); to_.bottom = detail::c_of(bottom);
        to_.alpha = detail::c_of(alpha); return to_; }
};
/* an upright bar around each x */
inline int plot_bars(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &x, const ::kiln::operand &height, const
    ::kiln::plot_bars_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array height_h = height.c(); kn_plot_bars_opts opts_c = opts.c();
    c_.here(); return c_.value(kn_plot_bars(p.c(), x_h, height_h, &opts_c)); }
struct plot_area_opts {
    KILN_OPTION((::kiln::text), label, {})
    KILN_OPTION((::kiln::text), color, {}) /* the next one of the cycle */
    KILN_OPTION((double), alpha, 0.3)
    kn_plot_area_opts c() const {
        kn_plot_area_opts to_ = {}; to_.size_ = sizeof to_; to_.label = detail::c_of(label);
        to_.color = detail::c_of(color); to_.alpha = detail::c_of(alpha); return to_; }
};
/* what lies between two lines */
inline int plot_area(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &x, const ::kiln::operand &low, const
    ::kiln::operand &high, const ::kiln::plot_area_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array low_h = low.c(); kn_array high_h = high.c(); kn_plot_area_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_plot_area(p.c(), x_h, low_h, high_h, &opts_c)); }
struct plot_histogram_opts {
    KILN_OPTION((::kiln::array), bins, {}) /* their number (NULL: 10), or their edges */
    KILN_OPTION((::kiln::text), estimator, {}) /* a rule for their number, as in kn_histogram */
    double range[2] = {};
    KILN_OPTION((bool), density, {}) /* divided by width and sum */
    KILN_OPTION((::kiln::array), weights, {})
    KILN_OPTION((bool), outline, {}) /* its upper line alone */
    KILN_OPTION((::kiln::text), label, {})
    KILN_OPTION((::kiln::text), color, {}) /* the next one of the cycle */
    KILN_OPTION((double), alpha, 1)
    kn_plot_histogram_opts c() const {
        kn_plot_histogram_opts to_ = {}; to_.size_ = sizeof to_; to_.bins = detail::c_of(bins);
        to_.estimator = detail::c_of(estimator); detail::put(to_.range, range); to_.density = detail::c_of(density);
        to_.weights = detail::c_of(weights); to_.outline = detail::c_of(outline); to_.label = detail::c_of(label);
        to_.color = detail::c_of(color); to_.alpha = detail::c_of(alpha); return to_; }
};
/* how many elements lie in which bin (kn_histogram), as bars without gaps */
inline int plot_histogram(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &x, const ::kiln::plot_histogram_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_plot_histogram_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_plot_histogram(p.c(), x_h, &opts_c)); }
struct plot_image_opts {
    KILN_OPTION((::kiln::text), colormap, "viridis") /* of an image with two axes, as in kn_colormap */
    KILN_OPTION((double), vmin, __builtin_nan("")) /* the smallest element */
    KILN_OPTION((double), vmax, __builtin_nan("")) /* the greatest */
    double extent[4] = {};
    KILN_OPTION((::kiln::text), origin, "upper") /* where row 0 is */
    KILN_OPTION((bool), colorbar, {})
    KILN_OPTION((bool), smooth, {}) /* interpolate between pixels */
    kn_plot_image_opts c() const {
        kn_plot_image_opts to_ = {}; to_.size_ = sizeof to_; to_.colormap = detail::c_of(colormap);
        to_.vmin = detail::c_of(vmin); to_.vmax = detail::c_of(vmax); detail::put(to_.extent, extent);
        to_.origin = detail::c_of(origin); to_.colorbar = detail::c_of(colorbar); to_.smooth = detail::c_of(smooth);
        return to_; }
};
/* Numbers (h, w) as colours of a map, or a picture (h, w, 3 or 4), uint8 or floats from 0 to 1. Row 0 is on top, and
 * pixels are square (the panel is then `equal`), unless an extent says otherwise. */
inline int plot_image(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &image, const ::kiln::plot_image_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array image_h = image.c(); kn_plot_image_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_plot_image(p.c(), image_h, &opts_c)); }
struct plot_contour_opts {
    KILN_OPTION((int), count, 8) /* of levels at round numbers, about */
    KILN_OPTION((::kiln::array), levels, {}) /* these instead */
    KILN_OPTION((::kiln::text), colormap, "viridis")
    KILN_OPTION((::kiln::text), color, {}) /* one colour for all */
    KILN_OPTION((double), width, 1.2)
    KILN_OPTION((bool), colorbar, {})
    kn_plot_contour_opts c() const {
        kn_plot_contour_opts to_ = {}; to_.size_ = sizeof to_; to_.count = detail::c_of(count);
        to_.levels = detail::c_of(levels); to_.colormap = detail::c_of(colormap); to_.color = detail::c_of(color);
        to_.width = detail::c_of(width); to_.colorbar = detail::c_of(colorbar); return to_; }
};
/* Lines on which z has one value; z[i, j] is at x[j], y[i]. */
inline int plot_contour(const ::kiln::handle<kn_plot> &p, const ::kiln::operand &x, const ::kiln::operand &y, const
    ::kiln::operand &z, const ::kiln::plot_contour_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); kn_array z_h = z.c(); kn_plot_contour_opts
    opts_c = opts.c(); c_.here(); return c_.value(kn_plot_contour(p.c(), x_h, y_h, z_h, &opts_c)); }
struct plot_text_opts {
    KILN_OPTION((::kiln::text), color, "black")
    KILN_OPTION((double), size, 12)
    KILN_OPTION((::kiln::text), anchor, "left")
    kn_plot_text_opts c() const {
        kn_plot_text_opts to_ = {}; to_.size_ = sizeof to_; to_.color = detail::c_of(color);
        to_.size = detail::c_of(size); to_.anchor = detail::c_of(anchor); return to_; }
};
/* a text that begins at a point */
inline int plot_text(const ::kiln::handle<kn_plot> &p, double x, double y, const ::kiln::text &text, const
    ::kiln::plot_text_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_plot_text_opts opts_c = opts.c(); c_.here(); return c_.value(kn_plot_text(p.c(), x, y,
    text.c(), &opts_c)); }
struct plot_rule_opts {
    KILN_OPTION((::kiln::text), label, {})
    KILN_OPTION((::kiln::text), color, "#555555")
    KILN_OPTION((double), width, 1)
    KILN_OPTION((::kiln::text), style, "--")
    kn_plot_rule_opts c() const {
        kn_plot_rule_opts to_ = {}; to_.size_ = sizeof to_; to_.label = detail::c_of(label);
        to_.color = detail::c_of(color); to_.width = detail::c_of(width); to_.style = detail::c_of(style); return to_; }
};
using plot_hline_opts = ::kiln::plot_rule_opts;
/* a line across the whole panel at y */
inline int plot_hline(const ::kiln::handle<kn_plot> &p, double y, const ::kiln::plot_rule_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_plot_rule_opts opts_c = opts.c(); c_.here(); return c_.value(kn_plot_hline(p.c(), y,
    &opts_c)); }
using plot_vline_opts = ::kiln::plot_rule_opts;
/* a line from top to bottom at x */
inline int plot_vline(const ::kiln::handle<kn_plot> &p, double x, const ::kiln::plot_rule_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_plot_rule_opts opts_c = opts.c(); c_.here(); return c_.value(kn_plot_vline(p.c(), x,
    &opts_c)); }
struct plot_save_opts {
    KILN_OPTION((::kiln::text), format, {}) /* as the path ends */
    KILN_OPTION((double), scale, 2) /* of a PNG: its pixels in one of the picture's */
    KILN_OPTION((FILE *), file, {}) /* instead of a path; it needs a format */
    kn_plot_save_opts c() const {
        kn_plot_save_opts to_ = {}; to_.size_ = sizeof to_; to_.format = detail::c_of(format);
        to_.scale = detail::c_of(scale); to_.file = detail::c_of(file); return to_; }
};
/* Writes the picture; ValueError for another ending than .svg and .png. PNG, and SVG with an image in it, are a
 * NotImplementedError if Kiln was built without libpng. */
inline int plot_save(const ::kiln::handle<kn_plot> &p, const ::kiln::text &path, const ::kiln::plot_save_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_plot_save_opts opts_c = opts.c(); c_.here(); return c_.value(kn_plot_save(p.c(), path.c(),
    &opts_c)); }
struct plot_pixels_opts {
    KILN_OPTION((double), scale, 2)
    kn_plot_pixels_opts c() const {
        kn_plot_pixels_opts to_ = {}; to_.size_ = sizeof to_; to_.scale = detail::c_of(scale); return to_; }
};
/* the picture as uint8 (height, width, 3), drawn as for a PNG; libpng is not needed */
inline array plot_pixels(const ::kiln::handle<kn_plot> &p, const ::kiln::plot_pixels_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_plot_pixels_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_plot_pixels(p.c(), &opts_c))); }
/* the picture as SVG; the text is good until the next call of this function with this picture */
inline std::string plot_svg(const ::kiln::handle<kn_plot> &p, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_plot_svg(p.c())); }
struct colormap_opts {
    KILN_OPTION((double), vmin, __builtin_nan("")) /* the smallest element */
    KILN_OPTION((double), vmax, __builtin_nan("")) /* the greatest */
    kn_colormap_opts c() const {
        kn_colormap_opts to_ = {}; to_.size_ = sizeof to_; to_.vmin = detail::c_of(vmin); to_.vmax = detail::c_of(vmax);
        return to_; }
};
/* x with one more axis of extent 3: uint8 colours, from the map's first at vmin to its last at vmax. NaN is white. */
inline array colormap(const ::kiln::operand &x, const ::kiln::text &name, const ::kiln::colormap_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_colormap_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_colormap(x_h, name.c(), &opts_c))); }
} // namespace kiln
#endif
