/* SPDX-License-Identifier: Apache-2.0
 * sharding_draw.c -- which devices have which part of an array, as a drawing in text. Source: JAX's
 * jax.debug.visualize_sharding, whose drawings without colours these are to the letter. */
#include "face/sharding.h"
#include "array/handle.h"
#include "base/str.h"
#include "face/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 10, LEAST = 9, MOST = 80 };

typedef struct cell {
    knx_str text;
    int width; /* of its characters */
    int left, right, top, bottom;
} cell;
typedef struct drawing {
    int64_t rows, columns;
    cell *cell;
    int *width;  /* per column */
    int *height; /* per row */
} drawing;

static int at_least_0(int64_t x) { return x > 0 ? (int)x : 0; }

/* Its share of a drawing of all of it, which is 10 lines high; letters are 2.5 times as high as wide. */
static void set_padding(cell *c, double share_of_width, double share_of_height, double aspect, bool flat)
{
    double base = (double)(int64_t)(HEIGHT * aspect);
    double wide = share_of_width * base * 2.5;
    int64_t width = wide < MOST ? (int64_t)wide : MOST, height = flat ? 1 : (int64_t)(share_of_height * HEIGHT);
    width = width < LEAST ? LEAST : width;
    int64_t left = knx_floordiv(width - c->width - 2, 2), top = knx_floordiv(height - 2, 2);
    c->left = at_least_0(left);
    c->right = at_least_0(left + knx_floormod(width - c->width - 2, 2));
    c->top = at_least_0(top);
    c->bottom = at_least_0(top + knx_floormod(height - 2, 2));
}

static double share(int64_t extent, int64_t parts)
{
    return extent ? (double)kni_part_extent(extent, parts) / (double)extent : 1 / (double)parts;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int64_t cell_of(const drawing *g, const kni_sharding *s, int64_t i)
{
    int64_t column = s->ndim ? kni_mesh_part(s->mesh, s->dim[s->ndim - 1], i) : 0;
    int64_t row = s->ndim == 2 ? kni_mesh_part(s->mesh, s->dim[0], i) : 0;
    return row * g->columns + column;
}

static void name_cell(cell *c, int32_t *device, int64_t n)
{
    qsort(device, (size_t)n, sizeof *device, by_number);
    for (int64_t i = 0; i < n; i++)
        knx_str_printf(&c->text, "%s%" PRId32, i ? "," : "CPU ", device[i]);
    c->width = (int)c->text.n;
}

/* Which devices have which part: all cells have as many of them. s NULL: one device has it all. */
static bool name_devices(drawing *g, const kni_sharding *s)
{
    int64_t n = s ? s->mesh->n_device : 1, cells = g->rows * g->columns, each = n / cells;
    int32_t *device = knx_alloc_zero((size_t)n * sizeof *device);
    int64_t *found = knx_alloc_zero((size_t)cells * sizeof *found);
    bool fine = device && found;
    for (int64_t i = 0; fine && s && i < n; i++) {
        int64_t c = cell_of(g, s, i);
        device[c * each + found[c]++] = s->mesh->device[i];
    }
    for (int64_t c = 0; fine && c < cells; c++)
        name_cell(&g->cell[c], device + c * each, each);
    knx_free(found);
    knx_free(device);
    return fine;
}

static void measure(drawing *g, int ndim, const int64_t *dim)
{
    int64_t rows = ndim == 2 ? dim[0] : 1, columns = dim[ndim - 1];
    double aspect = ndim == 2 ? (rows ? (double)columns / (double)rows : 1) : columns ? 1 / (double)columns : 1;
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t k = 0; k < g->columns; k++) {
            cell *c = &g->cell[i * g->columns + k];
            set_padding(c, share(columns, g->columns), share(rows, g->rows), aspect, ndim == 1);
            int width = c->left + c->width + c->right, height = c->top + 1 + c->bottom;
            g->width[k] = width > g->width[k] ? width : g->width[k];
            g->height[i] = height > g->height[i] ? height : g->height[i];
        }
}

static void rule(knx_str *t, const drawing *g, const char *left, const char *between, const char *right)
{
    for (int64_t k = 0; k < g->columns; k++) {
        knx_str_puts(t, k ? between : left);
        for (int i = 0; i < g->width[k]; i++)
            knx_str_puts(t, "─");
    }
    knx_str_puts(t, right);
    knx_str_puts(t, "\n");
}

static void draw_line(knx_str *t, const drawing *g, int64_t row, int line)
{
    for (int64_t k = 0; k < g->columns; k++) {
        const cell *c = &g->cell[row * g->columns + k];
        int room = g->width[k] - c->width, left = c->left + (room - c->left - c->right) / 2;
        knx_str_puts(t, "│");
        if (line != c->top) {
            knx_str_pad(t, ' ', g->width[k]);
            continue;
        }
        knx_str_pad(t, ' ', left);
        knx_str_puts(t, c->text.s ? c->text.s : "");
        knx_str_pad(t, ' ', room - left);
    }
    knx_str_puts(t, "│\n");
}

static void draw(knx_str *t, const drawing *g)
{
    rule(t, g, "┌", "┬", "┐");
    for (int64_t i = 0; i < g->rows; i++) {
        if (i)
            rule(t, g, "├", "┼", "┤");
        for (int line = 0; line < g->height[i]; line++)
            draw_line(t, g, i, line);
    }
    rule(t, g, "└", "┴", "┘");
}

static knx_error *visualize(int ndim, const int64_t *dim, const kni_sharding *s, char **out)
{
    knx_arena arena = KN_ARENA_INIT;
    knx_str t = {0};
    drawing g = {1, 1, NULL, NULL, NULL};
    if (ndim < 1 || ndim > 2)
        return knx_error_new(KN_ERROR_VALUE, "arrays of one or two dimensions can be drawn, this one has %d", ndim);
    if (s) {
        g.columns = kni_mesh_parts(s->mesh, s->dim[ndim - 1]);
        g.rows = ndim == 2 ? kni_mesh_parts(s->mesh, s->dim[0]) : 1;
    }
    size_t cells = (size_t)(g.rows * g.columns);
    g.cell = knx_arena_zero(&arena, cells * sizeof *g.cell);
    g.width = knx_arena_zero(&arena, (size_t)g.columns * sizeof *g.width);
    g.height = knx_arena_zero(&arena, (size_t)g.rows * sizeof *g.height);
    bool fine = g.cell && g.width && g.height && name_devices(&g, s);
    if (fine) {
        measure(&g, ndim, dim);
        draw(&t, &g);
    }
    for (size_t i = 0; g.cell && i < cells; i++) {
        fine = fine && !g.cell[i].text.failed;
        knx_str_free(&g.cell[i].text);
    }
    knx_arena_free(&arena);
    *out = fine ? knx_str_take(&t) : NULL;
    knx_str_free(&t);
    return *out ? NULL : knx_error_nomem();
}

static const char *end(kna_op *op, knx_error *error, char *text)
{
    if (error)
        kna_fail_with(op, error);
    bool fine = kna_end_plain(op);
    if (!fine)
        knx_free(text);
    return fine ? knface_own_text(text) : NULL;
}

const char *kn_visualize_array_sharding(kn_array x)
{
    kna_op op;
    char *text = NULL;
    kna_value *v = NULL;
    const kni_sharding *s;
    const knd_parts *parts;
    kna_begin(&op, "visualize_array_sharding");
    kna_type(&op, x);
    knx_error *error = kna_failed(&op) ? NULL : knface_layout(x, &v, &s, &parts);
    if (!error && v) {
        error = visualize(v->type.ndim, v->type.dim, s, &text);
        kna_value_release(v);
    }
    return end(&op, error, text);
}

const char *kn_visualize_sharding(const kn_shape *shape, kn_sharding sharding)
{
    kna_op op;
    char *text = NULL;
    const kni_sharding *s;
    kna_begin(&op, "visualize_sharding");
    shape = kna_shape(&op, shape);
    knx_error *error = knface_takes_sharding(&op, sharding) ? kni_sharding_for(sharding, shape->ndim, &s) : NULL;
    for (int d = 0; !error && d < shape->ndim; d++)
        if (shape->dim[d] < 0)
            error = knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (!error && !kna_failed(&op))
        error = visualize(shape->ndim, shape->dim, s, &text);
    return end(&op, error, text);
}
