/* SPDX-License-Identifier: Apache-2.0
 * plot.c -- pictures and their panels as handles; saving them. */
#include "media/plot.h"
#include "kiln/extend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char type[] = "plot";
enum { MOST_PANELS = 1024 };

/* ---- Lifetimes. */

static void free_axis(knmedia_axis *a)
{
    for (int i = 0; i < a->n_names; i++)
        free(a->names[i]);
    free(a->names);
    free(a->label);
}

static void free_picture(knmedia_picture *p)
{
    for (int i = 0; p->panel && i < p->rows * p->columns; i++) {
        knmedia_panel *panel = &p->panel[i];
        for (int k = 0; k < panel->n; k++) {
            free(panel->mark[k].x);
            free(panel->mark[k].colors);
            free(panel->mark[k].label);
        }
        free(panel->mark);
        free(panel->title);
        free_axis(&panel->x);
        free_axis(&panel->y);
    }
    knbeside_bytes_free(&p->svg);
    free(p->panel);
    free(p->title);
    free(p);
}

static void drop_plot(void *object)
{
    knmedia_plot *p = object;
    if (atomic_fetch_sub(&p->picture->refs, 1) == 1)
        free_picture(p->picture);
    free(p);
}

/* A handle of one panel; one more owner of the picture. */
static kn_plot handle_of(const char *op, knmedia_picture *picture, int panel)
{
    knmedia_plot *p = malloc(sizeof *p);
    if (!p) {
        knbeside_no_memory(op);
        return NULL;
    }
    *p = (knmedia_plot){picture, &picture->panel[panel]};
    atomic_fetch_add(&picture->refs, 1);
    return kn_object_new(type, p, drop_plot);
}

knmedia_plot *knmedia_plot_get(const char *op, kn_plot p) { return kn_object_get(op, type, p); }

static knmedia_picture *new_picture(const char *op, int rows, int columns, double width, double height,
                                    const char *title)
{
    if (!(width >= 16 && width <= 16384 && height >= 16 && height <= 16384)) {
        knbeside_fail(op, KN_ERROR_VALUE, "a picture has 16 to 16384 pixels in each direction, not %g by %g", width,
                      height);
        return NULL;
    }
    knmedia_picture *p = knbeside_alloc(1, sizeof *p);
    knmedia_panel *panel = knbeside_alloc((uint64_t)rows * (uint64_t)columns, sizeof *panel);
    char *copy = knbeside_copy_text(title);
    if (!p || !panel || (title && !copy)) {
        free(p);
        free(panel);
        free(copy);
        knbeside_no_memory(op);
        return NULL;
    }
    *p = (knmedia_picture){
        .rows = rows, .columns = columns, .width = width, .height = height, .title = copy, .panel = panel};
    for (int i = 0; i < rows * columns; i++)
        strcpy(panel[i].legend, "best");
    return p;
}

/* ---- Settings of panels. */

int knmedia_check_choice(const char *op, const char *what, const char *given, const char *const *choices)
{
    char all[256] = "";
    if (!given)
        return knbeside_null(op, what);
    for (int i = 0; choices[i]; i++) {
        if (!strcmp(choices[i], given))
            return 0;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s\"%s\"", i ? ", " : "", choices[i]);
    }
    return knbeside_fail(op, KN_ERROR_VALUE, "%s is one of %s, not \"%.40s\"", what, all, given);
}

static int set_names(const char *op, knmedia_axis *axis, const kn_text_list *names)
{
    if (!names)
        return 0;
    if (names->n < 0 || (names->n && !names->v))
        return knbeside_fail(op, KN_ERROR_VALUE, "a list of %d ticks", names->n);
    axis->names = knbeside_alloc((uint64_t)names->n, sizeof *axis->names);
    for (int i = 0; axis->names && i < names->n; i++) {
        if (!names->v[i])
            return knbeside_null(op, "tick");
        axis->names[i] = knbeside_copy_text(names->v[i]);
        if (!axis->names[i])
            return knbeside_no_memory(op);
        axis->n_names++;
    }
    return axis->names ? 0 : knbeside_no_memory(op);
}

static int set_axis(const char *op, knmedia_axis *axis, const char *name, const char *label, const double limit[2],
                    const char *scale, const kn_text_list *names)
{
    static const char *const scales[] = {"linear", "log", NULL};
    bool given = limit[0] != 0 || limit[1] != 0;
    free_axis(axis);
    *axis = (knmedia_axis){.limit = {limit[0], limit[1]}, .label = knbeside_copy_text(label)};
    if (knmedia_check_choice(op, "a scale", scale, scales))
        return -1;
    axis->log = !strcmp(scale, "log");
    for (int i = 0; i < 2; i++)
        if (given && (isinf(limit[i]) || (axis->log && limit[i] <= 0)))
            return knbeside_fail(op, KN_ERROR_VALUE, "%g cannot be a limit of the %s axis", limit[i], name);
    if (given && limit[0] == limit[1])
        return knbeside_fail(op, KN_ERROR_VALUE, "both limits of the %s axis are %g", name, limit[0]);
    if (label && !axis->label)
        return knbeside_no_memory(op);
    return set_names(op, axis, names);
}

static int set_panel(const char *op, knmedia_panel *panel, const kn_plot_panel_opts *o)
{
    static const char *const legends[] = {"best",        "upper left", "upper right", "lower left",
                                          "lower right", "none",       NULL};
    free(panel->title);
    panel->title = knbeside_copy_text(o->title);
    if (o->title && !panel->title)
        return knbeside_no_memory(op);
    if (set_axis(op, &panel->x, "x", o->xlabel, o->xlim, o->xscale, o->xticks) ||
        set_axis(op, &panel->y, "y", o->ylabel, o->ylim, o->yscale, o->yticks) ||
        knmedia_check_choice(op, "legend", o->legend, legends))
        return -1;
    snprintf(panel->legend, sizeof panel->legend, "%s", o->legend);
    panel->no_grid = o->no_grid;
    panel->no_axes = o->no_axes;
    panel->equal |= o->equal;
    return 0;
}

kn_plot kn_plot_new(const kn_plot_new_opts *opts)
{
    static const char *const op = "plot_new";
    KNX_OPTS(kn_plot_new_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const kn_plot_panel_opts panel = {.size_ = sizeof panel,
                                      .title = o.title,
                                      .xlabel = o.xlabel,
                                      .ylabel = o.ylabel,
                                      .xlim = {o.xlim[0], o.xlim[1]},
                                      .ylim = {o.ylim[0], o.ylim[1]},
                                      .xscale = o.xscale,
                                      .yscale = o.yscale,
                                      .legend = o.legend,
                                      .no_grid = o.no_grid,
                                      .no_axes = o.no_axes,
                                      .equal = o.equal,
                                      .xticks = o.xticks,
                                      .yticks = o.yticks};
    knmedia_picture *picture = new_picture(op, 1, 1, o.width, o.height, NULL);
    kn_plot p = NULL;
    if (picture && !set_panel(op, picture->panel, &panel))
        p = handle_of(op, picture, 0);
    if (picture && !p)
        free_picture(picture);
    if (p)
        kn_keep_handle(p);
    kn_scope_end(&scope);
    return p;
}

kn_plot kn_plot_grid(int rows, int columns, const kn_plot_grid_opts *opts)
{
    static const char *const op = "plot_grid";
    KNX_OPTS(kn_plot_grid_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    knmedia_picture *picture = NULL;
    if (rows < 1 || columns < 1 || rows > MOST_PANELS / columns)
        knbeside_fail(op, KN_ERROR_VALUE, "%d rows of %d panels: 1 to %d panels are possible", rows, columns,
                      MOST_PANELS);
    else
        picture = new_picture(op, rows, columns, o.width == 0 ? fmin(400.0 * columns, 16384) : o.width,
                              o.height == 0 ? fmin(300.0 * rows, 16384) : o.height, o.title);
    kn_plot p = picture ? handle_of(op, picture, 0) : NULL;
    if (picture && !p)
        free_picture(picture);
    if (p)
        kn_keep_handle(p);
    kn_scope_end(&scope);
    return p;
}

kn_plot kn_plot_panel(kn_plot p, int row, int column, const kn_plot_panel_opts *opts)
{
    static const char *const op = "plot_panel";
    KNX_OPTS(kn_plot_panel_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    const knmedia_plot *plot = knmedia_plot_get(op, p);
    knmedia_picture *picture = plot ? plot->picture : NULL;
    kn_plot made = NULL;
    bool inside = picture && row >= 0 && row < picture->rows && column >= 0 && column < picture->columns;
    if (picture && !inside)
        knbeside_fail(op, KN_ERROR_INDEX, "panel (%d, %d) is out of bounds for %d rows of %d", row, column,
                      picture->rows, picture->columns);
    else if (inside && !set_panel(op, &picture->panel[row * picture->columns + column], &o))
        made = handle_of(op, picture, row * picture->columns + column);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}

/* ---- Marks. */

knmedia_mark *knmedia_mark_new(const char *op, knmedia_kind kind, int64_t n, int vectors, const char *label)
{
    knmedia_mark *m = knbeside_alloc(1, sizeof *m);
    double *x = knbeside_alloc((uint64_t)n * (uint64_t)vectors, sizeof *x);
    char *copy = knbeside_copy_text(label);
    if (!m || !x || (label && !copy)) {
        free(m);
        free(x);
        free(copy);
        knbeside_no_memory(op);
        return NULL;
    }
    *m = (knmedia_mark){.kind = kind,
                        .n = n,
                        .x = x,
                        .y = x + n,
                        .x2 = x + (vectors > 2 ? 2 * n : 0),
                        .y2 = x + (vectors > 3 ? 3 * n : 0),
                        .label = copy,
                        .pen = {.style = "-"}};
    return m;
}

void knmedia_mark_free(knmedia_mark *m)
{
    if (m) {
        free(m->x);
        free(m->colors);
        free(m->label);
    }
    free(m);
}

int knmedia_mark_add(const char *op, knmedia_panel *panel, knmedia_mark *m)
{
    if (panel->n == panel->room) {
        int room = panel->room ? 2 * panel->room : 8;
        knmedia_mark *more = room > 1 << 20 ? NULL : realloc(panel->mark, (size_t)room * sizeof *more);
        if (!more) {
            knmedia_mark_free(m);
            return knbeside_no_memory(op);
        }
        panel->mark = more;
        panel->room = room;
    }
    panel->mark[panel->n++] = *m;
    free(m);
    return 0;
}

/* ---- Saving. */

static int check_scale(const char *op, const knmedia_picture *p, double scale)
{
    if (!(scale >= 0.1 && scale <= 16))
        return knbeside_fail(op, KN_ERROR_VALUE, "a scale is from 0.1 to 16, not %g", scale);
    if (p->width * scale * p->height * scale > KNBESIDE_MOST_PIXELS)
        return knbeside_fail(op, KN_ERROR_VALUE, "a picture of %g by %g pixels has more than %d", p->width * scale,
                             p->height * scale, KNBESIDE_MOST_PIXELS);
    return 0;
}

static int draw_pixels(const char *op, const knmedia_picture *p, double scale, knmedia_raster *r)
{
    if (check_scale(op, p, scale))
        return -1;
    if (!knmedia_raster_begin(r, p->width, p->height, scale))
        return knbeside_no_memory(op);
    knmedia_draw_picture(p, &r->canvas);
    knmedia_raster_end(r);
    if (!r->canvas.failed)
        return 0;
    free(r->rgb);
    return knbeside_no_memory(op);
}

static int write_png(const char *op, const knmedia_picture *p, double scale, knbeside_bytes *out)
{
    knmedia_raster r;
    if (draw_pixels(op, p, scale, &r))
        return -1;
    int status = knbeside_png_write(op, &(knbeside_picture){r.w, r.h, 3, 8, r.rgb}, out);
    free(r.rgb);
    return status;
}

static int write_svg(const char *op, const knmedia_picture *p, knbeside_bytes *out)
{
    knmedia_svg s;
    knmedia_svg_begin(&s, op, p->width, p->height);
    knmedia_draw_picture(p, &s.canvas);
    knmedia_svg_end(&s);
    *out = s.out;
    return s.status ? -1 : s.canvas.failed ? knbeside_no_memory(op) : 0;
}

static int save(const char *op, kn_plot p, const char *path, const kn_plot_save_opts *o)
{
    char ending[8];
    knbeside_bytes out = {0};
    const knmedia_plot *plot = knmedia_plot_get(op, p);
    if (!plot || knbeside_check_target(op, path, o->file))
        return -1;
    knbeside_ending(path, ending);
    const char *format = o->format ? o->format : ending;
    int status = !strcmp(format, "svg") ? write_svg(op, plot->picture, &out)
                 : !strcmp(format, "png")
                     ? write_png(op, plot->picture, o->scale, &out)
                     : knbeside_fail(op, KN_ERROR_VALUE, "plots are saved as svg or png, not as \"%.40s\"", format);
    return knbeside_write(op, path, o->file, &out, status);
}

int kn_plot_save(kn_plot p, const char *path, const kn_plot_save_opts *opts)
{
    KNX_OPTS(kn_plot_save_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    int status = save("plot_save", p, path, &o);
    kn_scope_end(&scope);
    return status;
}

kn_array kn_plot_pixels(kn_plot p, const kn_plot_pixels_opts *opts)
{
    static const char *const op = "plot_pixels";
    KNX_OPTS(kn_plot_pixels_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    knmedia_raster r;
    const knmedia_plot *plot = knmedia_plot_get(op, p);
    kn_array x = NULL;
    if (!plot)
        x = kn_fail(kn_error_get_kind(), op, kn_error_message());
    else if (draw_pixels(op, plot->picture, o.scale, &r))
        x = knbeside_failed();
    else
        x = knmedia_array(op, r.rgb, 3, (const int64_t[]){r.h, r.w, 3}, KN_U8);
    kn_keep(x);
    kn_scope_end(&scope);
    return x;
}

const char *kn_plot_svg(kn_plot p)
{
    static const char *const op = "plot_svg";
    kn_scope scope = kn_scope_begin();
    knbeside_bytes out = {0};
    const knmedia_plot *plot = knmedia_plot_get(op, p);
    const char *text = NULL;
    if (plot && !write_svg(op, plot->picture, &out)) {
        knbeside_put(&out, "", 1);
        if (out.failed)
            knbeside_no_memory(op);
        else
            text = (const char *)out.at;
    }
    if (text) {
        knbeside_bytes_free(&plot->picture->svg);
        plot->picture->svg = out;
    } else {
        knbeside_bytes_free(&out);
    }
    kn_scope_end(&scope);
    return text;
}
