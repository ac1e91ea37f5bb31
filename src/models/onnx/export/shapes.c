/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- primitives of shapes as nodes. */
#include "models/onnx/export/export.h"
#include <string.h>

static void reshape(knout_eqn *e)
{
    e->out[0] = knout_same_dims(&e->in_var[0], &e->out_var[0])
                    ? e->in[0]
                    : knout_reshape(e->w, e->in[0], e->out_var[0].ndim, e->out_var[0].dim);
}

static void broadcast_in_dim(knout_eqn *e)
{
    int64_t at[KN_MAX_NDIM], dim[KN_MAX_NDIM];
    const knout_var *in = &e->in_var[0], *out = &e->out_var[0];
    int n = in->ndim ? knout_param_ints(e, "broadcast_dimensions", at) : 0;
    if (n != in->ndim) {
        knout_refuse(e, "its axes are not known");
        return;
    }
    for (int i = 0; i < out->ndim; i++)
        dim[i] = 1;
    for (int i = 0; i < n; i++)
        dim[at[i]] = in->dim[i];
    bool lined_up = true; /* the axes are the last ones already */
    for (int i = 0; i < n; i++)
        lined_up = lined_up && at[i] == out->ndim - n + i;
    const char *x = lined_up ? e->in[0] : knout_reshape(e->w, e->in[0], out->ndim, dim);
    const char *shape = knout_shape(e->w, out->ndim, out->dim);
    e->out[0] = !memcmp(dim, out->dim, (size_t)out->ndim * sizeof *dim) && !lined_up ? x : OP(e->w, "Expand", x, shape);
}

static void transpose(knout_eqn *e)
{
    int64_t perm[KN_MAX_NDIM];
    int n = knout_param_ints(e, "permutation", perm);
    e->out[0] = n < 0 ? "" : knout_transpose(e->w, e->in[0], n, perm);
}

static const char *sliced(knout_eqn *e, const char *x, int n, const int64_t *start, const char *ends,
                          const int64_t *axis, const int64_t *step)
{
    knout_out *w = e->w;
    return OP(w, "Slice", x, knout_const_ints(w, n, start), ends, knout_const_ints(w, n, axis),
              knout_const_ints(w, n, step));
}

static void rev(knout_eqn *e)
{
    int64_t axis[KN_MAX_NDIM], start[KN_MAX_NDIM], end[KN_MAX_NDIM], step[KN_MAX_NDIM];
    int n = knout_param_ints(e, "dimensions", axis);
    for (int i = 0; i < n; i++) {
        start[i] = -1;
        end[i] = INT64_MIN + 1;
        step[i] = -1;
    }
    e->out[0] = n <= 0 ? e->in[0] : sliced(e, e->in[0], n, start, knout_const_ints(e->w, n, end), axis, step);
}

/* start + (extent - 1) * step + 1 as numbers, or the largest number where the slice goes to an unknown end. */
static void slice(knout_eqn *e)
{
    int64_t start[KN_MAX_NDIM], end[KN_MAX_NDIM], axis[KN_MAX_NDIM], step[KN_MAX_NDIM];
    const knout_var *in = &e->in_var[0], *out = &e->out_var[0];
    int n = knout_param_ints(e, "start_indices", start), steps = knout_param_ints(e, "strides", step);
    int ends = knout_param_ints(e, "limit_indices", end);
    if (n != in->ndim) {
        knout_refuse(e, "its start is of unknown extents");
        return;
    }
    for (int i = 0; i < n; i++) {
        axis[i] = i;
        step[i] = steps == n ? step[i] : 1;
        if (ends != n)
            end[i] = knout_is_number(out->dim[i]) && knout_is_number(in->dim[i])
                         ? start[i] + (out->dim[i] - 1) * step[i] + 1
                         : INT64_MAX;
        if (ends != n && !knout_is_number(out->dim[i]) && step[i] == 1 && start[i] == 0 && out->dim[i] != in->dim[i]) {
            knout_refuse(e, "its end is an unknown extent");
            return;
        }
    }
    e->out[0] = n ? sliced(e, e->in[0], n, start, knout_const_ints(e->w, n, end), axis, step) : e->in[0];
}

static void split(knout_eqn *e)
{
    knout_out *w = e->w;
    int64_t sizes[KN_MAX_NDIM * 4];
    int64_t axis = knout_param_int(e, "axis", 0);
    if (e->n_out > KN_MAX_NDIM * 4) {
        knout_refuse(e, "into so many parts");
        return;
    }
    for (int i = 0; i < e->n_out; i++) {
        sizes[i] = e->out_var[i].dim[axis];
        e->out[i] = knout_new_name(w);
    }
    const char *in[] = {e->in[0], knout_shape(w, e->n_out, sizes)};
    knout_put_attr_int(w, "axis", axis);
    knout_emit_many(w, "Split", 2, in, e->n_out, e->out);
}

static void concatenate(knout_eqn *e)
{
    knout_put_attr_int(e->w, "axis", knout_param_int(e, "dimension", 0));
    e->out[0] = knout_emit(e->w, "Concat", e->n_in, e->in);
}

static void stack(knout_eqn *e)
{
    knout_out *w = e->w;
    int64_t axis = knout_param_int(e, "axis", 0);
    const char *at = knout_const_ints(w, 1, &axis), **part = knmodels_take(w->arena, (uint64_t)e->n_in, sizeof *part);
    for (int i = 0; part && i < e->n_in; i++)
        part[i] = OP(w, "Unsqueeze", e->in[i], at);
    knout_put_attr_int(w, "axis", axis);
    e->out[0] = part ? knout_emit(w, "Concat", e->n_in, part) : "";
}

static void unstack(knout_eqn *e)
{
    knout_out *w = e->w;
    int64_t axis = knout_param_int(e, "axis", 0);
    for (int i = 0; i < e->n_out; i++) {
        const char *at = knout_number(w, KN_I64, i);
        knout_put_attr_int(w, "axis", axis);
        e->out[i] = OP(w, "Gather", e->in[0], at);
    }
}

static void tile(knout_eqn *e)
{
    int64_t reps[KN_MAX_NDIM];
    int n = knout_param_ints(e, "reps", reps);
    if (n < 0)
        knout_refuse(e, "so often as an unknown extent says");
    else
        e->out[0] = OP(e->w, "Tile", e->in[0], knout_const_ints(e->w, n, reps));
}

/* ---- Padding: between elements, around them, and cutting away. */

/* Zeros (or the value) between elements: each gets an axis of its own that is padded behind, and the last gap is cut
 * off. */
static const char *between(knout_eqn *e, const char *x, int64_t *dim, int axis, int64_t gap)
{
    knout_out *w = e->w;
    int n = e->in_var[0].ndim;
    int64_t wide[KN_MAX_NDIM], pads[2 * KN_MAX_NDIM] = {0}, start = 0, at = axis, one = 1, k = 0;
    for (int i = 0; i < n; i++) {
        wide[k++] = dim[i];
        if (i == axis)
            wide[k++] = 1;
    }
    pads[n + 1 + axis + 1] = gap;
    x = knout_reshape(w, x, n + 1, wide);
    x = OP(w, "Pad", x, knout_const_ints(w, 2 * (n + 1), pads), e->in[1]);
    int64_t full = dim[axis] * (1 + gap);
    dim[axis] = full;
    x = knout_reshape(w, x, n, dim);
    dim[axis] = full ? full - gap : 0;
    return full ? sliced(e, x, 1, &start, knout_const_ints(w, 1, &dim[axis]), &at, &one) : x;
}

static void pad(knout_eqn *e)
{
    knout_out *w = e->w;
    const knout_var *in = &e->in_var[0];
    int64_t dim[KN_MAX_NDIM], three[3], pads[2 * KN_MAX_NDIM] = {0}, start[KN_MAX_NDIM], end[KN_MAX_NDIM],
                                                 axis[KN_MAX_NDIM], step[KN_MAX_NDIM];
    const char *at = knout_param_at(e, "padding_config"), *x = e->in[0];
    bool cuts = false, adds = false;
    int n = in->ndim;
    if (!at || n > KN_MAX_NDIM - 1) {
        knout_refuse(e, "its widths are not known");
        return;
    }
    at++;
    memcpy(dim, in->dim, (size_t)n * sizeof *dim);
    for (int i = 0; i < n; i++) {
        if (knout_list_at(&at, three) != 3 || (three[2] && !knout_static(in))) {
            knout_refuse(e, "by unknown extents");
            return;
        }
        if (three[2] > 0 && dim[i] > 1)
            x = between(e, x, dim, i, three[2]);
        pads[i] = three[0] > 0 ? three[0] : 0;
        pads[n + i] = three[1] > 0 ? three[1] : 0;
        axis[i] = i;
        step[i] = 1;
        start[i] = three[0] < 0 ? -three[0] : 0;
        end[i] = three[1] < 0 ? three[1] : INT64_MAX;
        adds = adds || pads[i] || pads[n + i];
        cuts = cuts || three[0] < 0 || three[1] < 0;
    }
    if (adds)
        x = OP(w, "Pad", x, knout_const_ints(w, 2 * n, pads), e->in[1]);
    e->out[0] = cuts ? sliced(e, x, n, start, knout_const_ints(w, n, end), axis, step) : x;
}

/* ---- Positions. */

static void iota(knout_eqn *e)
{
    knout_out *w = e->w;
    const knout_var *out = &e->out_var[0];
    int64_t axis = knout_param_int(e, "dimension", 0), dim[KN_MAX_NDIM];
    for (int i = 0; i < out->ndim; i++)
        dim[i] = i == axis ? out->dim[i] : 1;
    const char *scalar = knout_reshape(w, knout_extent(w, out->dim[axis]), 0, NULL);
    const char *x = OP(w, "Range", knout_number(w, KN_I64, 0), scalar, knout_number(w, KN_I64, 1));
    x = out->dtype == KN_I64 ? x : knout_cast(w, x, out->dtype);
    if (out->ndim > 1)
        x = OP(w, "Expand", knout_reshape(w, x, out->ndim, dim), knout_shape(w, out->ndim, out->dim));
    e->out[0] = x;
}

static void dim_as_value(knout_eqn *e)
{
    knout_out *w = e->w;
    const char *at = knout_param_at(e, "dim");
    char text[200];
    size_t n = at ? strcspn(at, "\n]") : 0;
    const char *fits = at ? strstr(at, " fits=") : NULL;
    n = fits && (size_t)(fits - at) < n ? (size_t)(fits - at) : n;
    for (int i = 0; at && i < w->outermost->n_dims && n < sizeof text; i++) {
        memcpy(text, at, n);
        text[n] = '\0';
        if (!strcmp(w->outermost->dim[i].text, text)) {
            const char *x = knout_reshape(w, w->outermost->dim[i].name, 0, NULL);
            e->out[0] = e->out_var[0].dtype == KN_I64 ? x : knout_cast(w, x, e->out_var[0].dtype);
            return;
        }
    }
    knout_refuse(e, "the extent is no axis of an input");
}

const knout_writer knout_write_shapes[] = {
    {"reshape", reshape, NULL},
    {"squeeze", reshape, NULL},
    {"broadcast_in_dim", broadcast_in_dim, NULL},
    {"transpose", transpose, NULL},
    {"rev", rev, NULL},
    {"slice", slice, NULL},
    {"split", split, NULL},
    {"concatenate", concatenate, NULL},
    {"stack", stack, NULL},
    {"unstack", unstack, NULL},
    {"tile", tile, NULL},
    {"pad", pad, NULL},
    {"iota", iota, NULL},
    {"dim_as_value", dim_as_value, NULL},
    {NULL, NULL, NULL},
};
