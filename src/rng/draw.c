/* SPDX-License-Identifier: Apache-2.0
 * draw.c -- methods of generators: parameters, sizes, results. */
#include "array/handle.h"
#include "array/storage.h"
#include "base/text.h"
#include "lib/internal.h"
#include "rng/draw.h"
#include "rng/functions.h"
#include "rng/pieces.h"
#include "kiln/random.h"
#include <math.h>
#include <string.h>

knrng_generator *knrng_generator_in(kna_op *op, const void *handle, bool legacy)
{
    return kna_handle_in(op, legacy ? KN_H_RANDOM_STATE : KN_H_RNG, handle);
}

void knrng_generator_release(knrng_generator *g)
{
    if (g && --g->refs == 0) {
        knrng_bits_release(g->bits);
        knx_free(g);
    }
}

static void drop_generator(void *p) { knrng_generator_release(p); }

knrng_generator *knrng_generator_make(knrng_bits *bits, bool legacy)
{
    knrng_generator *g = bits ? knx_alloc_zero(sizeof *g) : NULL;
    if (!g) {
        knrng_bits_release(bits);
        return NULL;
    }
    *g = (knrng_generator){.refs = 1, .bits = bits, .legacy = legacy};
    return g;
}

void *knrng_generator_handle(knrng_generator *g)
{
    return g ? kna_handle_new(g->legacy ? KN_H_RANDOM_STATE : KN_H_RNG, g, drop_generator) : NULL;
}

bool knrng_begin(knrng_call *c, const char *name, const void *handle, bool legacy, const kn_shape *size)
{
    kna_begin(&c->op, name);
    c->sized = size && size->ndim != -1;
    c->shape.ndim = 0;
    if (c->sized) {
        const kn_shape *given = kna_shape(&c->op, size);
        c->shape.ndim = given->ndim;
        memcpy(c->shape.dim, given->dim, (size_t)given->ndim * sizeof *given->dim);
    }
    for (int i = 0; i < c->shape.ndim && !kna_failed(&c->op); i++)
        if (kna_need_number(&c->op, c->shape.dim[i], "a size of random numbers") && c->shape.dim[i] < 0)
            kna_fail(&c->op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    c->g = knrng_generator_in(&c->op, handle, legacy);
    if (kna_failed(&c->op) || !knrng_may_draw(&c->op))
        return false;
    knrng_choose_functions();
    knrng_read(&c->r, c->g->bits);
    if (legacy)
        c->r.gauss = &c->g->gauss;
    return true;
}

kn_array knrng_failed(knrng_call *c) { return kna_end(&c->op, KN_ATOM_NONE); }

/* ---- Parameters. */

bool knrng_take(knrng_call *c, kn_array x, bool is_count, double otherwise, knrng_param *out)
{
    kn_dtype d = is_count ? KN_DT(I64) : KN_DT(F64);
    *out = (knrng_param){0};
    kni_type t = x || isnan(otherwise) ? kna_type(&c->op, x) : kni_scalar_type(d);
    const char *at = NULL;
    bool cut = is_count && t.weak && knx_is_float(t.dtype); /* a C number becomes an integer, as Python's do in NumPy */
    if (!kna_failed(&c->op) && !cut && !knx_can_cast(t.dtype, d, KN_CAST_SAFE))
        kna_fail(&c->op, KN_ERROR_TYPE, "Cannot cast %s from dtype('%s') to dtype('%s') according to the rule 'safe'",
                 t.ndim ? "array data" : "scalar", t.dtype->name, d->name);
    if (!kna_failed(&c->op) && x)
        at = kna_look(&c->op, x, &t);
    if (kna_failed(&c->op))
        return false;
    out->n = kni_type_size(t);
    knrng_set_shape(&out->shape, t);
    if (t.dtype == d && at) {
        out->v = (const knrng_number *)at;
        return true;
    }
    out->v = out->owned = knx_alloc((size_t)out->n * sizeof *out->owned + 1);
    if (!out->owned) {
        kna_fail_with(&c->op, knx_error_nomem());
        return false;
    }
    for (int64_t i = 0; at && i < out->n; i++)
        knx_convert(t.dtype, at + (size_t)i * t.dtype->size, d, &out->owned[i]);
    if (!at && is_count)
        out->owned[0].i = (int64_t)otherwise;
    else if (!at)
        out->owned[0].d = otherwise;
    return true;
}

void knrng_forget(int n, knrng_param *p)
{
    for (int i = 0; i < n; i++) {
        knx_free(p[i].owned);
        p[i] = (knrng_param){0};
    }
}

typedef bool holds(double v);
static bool not_negative(double v) { return isnan(v) || !signbit(v); }
static bool positive(double v) { return !(v <= 0); }
static bool number(double v) { return !isnan(v); }
static bool within_0_and_1(double v) { return v >= 0 && v <= 1; }
static bool above_0_to_1(double v) { return v > 0 && v <= 1; }
static bool from_0_below_1(double v) { return v >= 0 && v < 1; }
static bool above_1(double v) { return v > 1; }
static bool from_1(double v) { return v >= 1; }
static bool from_0(double v) { return v >= 0; }
/* The largest int64 less ten times its root, as NumPy has it. */
static bool small_rate(double v) { return v <= 9.223372006484771e18; }

static bool all(const knrng_param *p, bool is_count, holds *f)
{
    for (int64_t i = 0; i < p->n; i++)
        if (!f(is_count ? (double)p->v[i].i : p->v[i].d))
            return false;
    return true;
}

bool knrng_check(kna_op *op, const knrng_param *p, const char *name, knrng_constraint constraint, bool scalars,
                 bool is_count)
{
    static const struct {
        holds *f;
        const char *array, *scalar; /* what is said; NULL: the same */
    } test[] = {
        [KNRNG_NOT_NEGATIVE] = {not_negative, "%s < 0", NULL},
        [KNRNG_POSITIVE] = {positive, "%s <= 0", NULL},
        [KNRNG_POSITIVE_NOT_NAN] = {positive, "%s <= 0", NULL},
        [KNRNG_0_TO_1] = {within_0_and_1, "%s < 0, %s > 1 or %s contains NaNs", "%s < 0, %s > 1 or %s is NaN"},
        [KNRNG_ABOVE_0_TO_1] = {above_0_to_1, "%s <= 0, %s > 1 or %s contains NaNs", NULL},
        [KNRNG_0_TO_BELOW_1] = {from_0_below_1, "%s < 0, %s >= 1 or %s contains NaNs", "%s < 0, %s >= 1 or %s is NaN"},
        [KNRNG_ABOVE_1] = {above_1, "%s <= 1 or %s contains NaNs", "%s <= 1 or %s is NaN"},
        [KNRNG_FROM_1] = {from_1, "%s < 1 or %s contains NaNs", "%s < 1 or %s is NaN"},
        [KNRNG_RATE] = {from_0, "%s < 0 or %s contains NaNs", "%s < 0 or %s is NaN"},
    };
    if (!test[constraint].f) /* KNRNG_ANY */
        return true;
    const char *text = scalars && test[constraint].scalar ? test[constraint].scalar : test[constraint].array;
    bool too_large = constraint == KNRNG_RATE && !all(p, is_count, small_rate);
    if (constraint == KNRNG_POSITIVE_NOT_NAN && !all(p, is_count, number))
        kna_fail(op, KN_ERROR_VALUE, "%s must not be NaN", name);
    else if (too_large && (!scalars || all(p, is_count, from_0)))
        kna_fail(op, KN_ERROR_VALUE, "%s value too large", name);
    else if (!all(p, is_count, test[constraint].f)) {
        char said[200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
        snprintf(said, sizeof said, text, name, name, name);
#pragma GCC diagnostic pop
        kna_fail(op, KN_ERROR_VALUE, "%s", said);
    }
    return !kna_failed(op);
}

/* ---- Shapes. */

/* A tuple as Python shows it. */
static const char *tuple(knx_text *t, const kn_shape *s)
{
    const char *start = t->s + t->length;
    knx_text_add(t, "(");
    for (int i = 0; i < s->ndim; i++)
        knx_text_add(t, i ? ", %lld" : "%lld", (long long)s->dim[i]);
    knx_text_add(t, s->ndim == 1 ? ",)" : ")");
    t->length += t->length + 1 < sizeof t->s; /* the next text begins behind the end of this one */
    return start;
}

bool knrng_join(kn_shape *all_axes, const kn_shape *s)
{
    kn_shape joined = *all_axes;
    int ndim = s->ndim > all_axes->ndim ? s->ndim : all_axes->ndim;
    joined.ndim = ndim;
    for (int i = 1; i <= ndim; i++) {
        int64_t a = i <= all_axes->ndim ? all_axes->dim[all_axes->ndim - i] : 1;
        int64_t b = i <= s->ndim ? s->dim[s->ndim - i] : 1;
        if (a != b && a != 1 && b != 1)
            return false;
        joined.dim[ndim - i] = a == 1 ? b : a;
    }
    *all_axes = joined;
    return true;
}

bool knrng_join_or_fail(kna_op *op, kn_shape *all_axes, const kn_shape *s)
{
    knx_text t = {0}, u = {0};
    if (knrng_join(all_axes, s))
        return true;
    kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
             knx_show_shape(&t, all_axes->ndim, all_axes->dim), knx_show_shape(&u, s->ndim, s->dim));
    return false;
}

/* The first two shapes that do not fit, axis by axis as NumPy compares them, and their numbers. */
static void report_mismatch(kna_op *op, int n, const kn_shape *const *shape)
{
    int ndim = 0;
    for (int i = 0; i < n; i++)
        ndim = shape[i]->ndim > ndim ? shape[i]->ndim : ndim;
    for (int axis = ndim; axis > 0; axis--) {
        int first = -1; /* the one that gave the axis its extent */
        for (int i = 0; i < n; i++) {
            int64_t extent = axis <= shape[i]->ndim ? shape[i]->dim[shape[i]->ndim - axis] : 1;
            if (extent == 1)
                continue;
            if (first >= 0 && shape[first]->dim[shape[first]->ndim - axis] != extent) {
                knx_text t = {0};
                const char *one = tuple(&t, shape[first]);
                kna_fail(
                    op, KN_ERROR_VALUE,
                    "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg %d with "
                    "shape %s and arg %d with shape %s.",
                    first, one, i, tuple(&t, shape[i]));
                return;
            }
            first = first < 0 ? i : first;
        }
    }
}

bool knrng_result_shape(knrng_call *c, int n, const knrng_param *p, bool result_first)
{
    kn_shape asked = c->shape, joined = c->shape;
    const kn_shape *shape[KNRNG_MAX_PARAMS + 1];
    int count = 0;
    bool fit = true;
    if (c->sized && result_first)
        shape[count++] = &asked;
    for (int i = 0; i < n; i++) {
        shape[count++] = &p[i].shape;
        fit = fit && knrng_join(&joined, &p[i].shape);
    }
    if (c->sized && !result_first)
        shape[count++] = &asked;
    if (!fit) {
        report_mismatch(&c->op, count, shape);
        return false;
    }
    bool same =
        joined.ndim == asked.ndim && memcmp(joined.dim, asked.dim, (size_t)joined.ndim * sizeof *joined.dim) == 0;
    if (c->sized && !same) {
        knx_text t = {0};
        const char *given = tuple(&t, &asked);
        kna_fail(&c->op, KN_ERROR_VALUE, "Output size %s is not compatible with broadcast dimensions of inputs %s.",
                 given, tuple(&t, &joined));
    }
    c->shape = joined;
    return !kna_failed(&c->op);
}

void knrng_walk_begin(knrng_walk *w, const kn_shape *shape, int n, const knrng_param *p)
{
    w->ndim = shape->ndim;
    w->n = n;
    memset(w->index, 0, (size_t)shape->ndim * sizeof *w->index);
    memcpy(w->extent, shape->dim, (size_t)shape->ndim * sizeof *w->extent);
    for (int i = 0; i < n; i++) {
        int64_t step = 1;
        w->at[i] = 0;
        for (int k = 1; k <= shape->ndim; k++) {
            int64_t extent = k <= p[i].shape.ndim ? p[i].shape.dim[p[i].shape.ndim - k] : 1;
            w->stride[i][shape->ndim - k] = extent == 1 ? 0 : step;
            step *= extent;
        }
    }
}

void knrng_walk_next(knrng_walk *w)
{
    for (int k = w->ndim - 1; k >= 0; k--) {
        bool ends = ++w->index[k] == w->extent[k];
        for (int i = 0; i < w->n; i++)
            w->at[i] += ends ? -(w->extent[k] - 1) * w->stride[i][k] : w->stride[i][k];
        if (!ends)
            return;
        w->index[k] = 0;
    }
}

/* ---- Results. */

knx_buffer *knrng_room(knrng_call *c, kn_dtype d)
{
    kni_type t = kni_type_of(d, c->shape.ndim, c->shape.dim);
    knx_buffer *b = knx_buffer_new(kni_type_bytes(t));
    if (!b)
        kna_fail_with(&c->op, knx_error_nomem_for(kni_type_bytes(t), t.ndim, t.dim, d->name));
    return b;
}

void *knrng_out(knrng_call *c, kn_array out, kn_dtype d, bool any_order)
{
    kna_array *a = kna_array_of(&c->op, out);
    if (!a)
        return NULL;
    bool in_order = kna_is_contiguous(a->type, a->stride) || (any_order && knl_is_fortran(&c->op, out));
    if (!in_order || !a->writeable || a->storage->readonly)
        kna_fail(&c->op, KN_ERROR_VALUE,
                 "Supplied output array must be %scontiguous, writable, aligned, and in machine byte-order.",
                 any_order ? "" : "C-");
    else if (a->type.dtype != d)
        kna_fail(&c->op, KN_ERROR_TYPE, "Supplied output array has the wrong type. Expected %s, got %s", d->name,
                 a->type.dtype->name);
    else if (c->sized && !knrng_has_shape(a->type, c->shape.ndim, c->shape.dim))
        kna_fail(&c->op, KN_ERROR_VALUE, "size must match out.shape when used together");
    if (kna_failed(&c->op) || !kna_may_write(&c->op, a))
        return NULL;
    knrng_set_shape(&c->shape, a->type);
    c->sized = true;
    void *data = NULL;
    knx_error *e = kna_pin_storage(a, true, &data);
    if (e)
        kna_fail_with(&c->op, e);
    return e ? NULL : data;
}

/* ---- Distributions. */

/* What f draws of its parameters, into out. */
#define FILL()                                                            \
    do {                                                                  \
        knrng_number a[KNRNG_MAX_PARAMS] = {{0}};                         \
        knrng_walk w;                                                     \
        bool scalars = knrng_all_scalars(d->n, p);                        \
        for (int k = 0; k < d->n && scalars; k++)                         \
            a[k] = p[k].v[0];                                             \
        if (!scalars)                                                     \
            knrng_walk_begin(&w, &c->shape, d->n, p);                     \
        knrng_expect(&c->r, n);                                           \
        for (size_t i = 0; i < n && scalars; i++)                         \
            out[i] = f(&c->r, a);                                         \
        for (size_t i = 0; i < n && !scalars; i++, knrng_walk_next(&w)) { \
            for (int k = 0; k < d->n; k++)                                \
                a[k] = p[k].v[w.at[k]];                                   \
            out[i] = f(&c->r, a);                                         \
        }                                                                 \
        knrng_give_back(&c->r);                                           \
    } while (0)

static void fill_units(knrng_reader *r, size_t n, void *out, const void *env)
{
    (void)env;
    knrng_fill_units(r, n, out);
}

void knrng_fill_real(knrng_call *c, const knrng_distribution *d, const knrng_param *p, size_t n, double *out)
{
    knrng_real *f = c->g->legacy && d->legacy_real ? d->legacy_real : d->real;
    if (d->standard && knrng_all_scalars(d->n, p) && !(c->g->legacy && d->legacy_real)) {
        if (d->standard == knrng_fill_units)
            knrng_fill_in_pieces(&c->r, &(const knrng_task){fill_units, NULL, sizeof *out, false}, n, out);
        else
            d->standard(&c->r, n, out);
        double scale = p[d->n - 1].v[0].d, from = p[0].v[0].d;
        if (d->n == 1)
            for (size_t i = 0; i < n; i++)
                out[i] = scale * out[i];
        else
            for (size_t i = 0; i < n; i++)
                out[i] = from + scale * out[i];
        return;
    }
    FILL();
}

static void fill_counts(knrng_call *c, const knrng_distribution *d, const knrng_param *p, size_t n, int64_t *out)
{
    knrng_count *f = c->g->legacy && d->legacy_count ? d->legacy_count : d->count;
    FILL();
}
#undef FILL

kn_array knrng_draw_taken(knrng_call *c, const knrng_distribution *d, knrng_param *p)
{
    kn_dtype dtype = d->real ? KN_DT(F64) : KN_DT(I64);
    knx_buffer *b = knrng_result_shape(c, d->n, p, true) ? knrng_room(c, dtype) : NULL;
    kni_type t = kni_type_of(dtype, c->shape.ndim, c->shape.dim);
    if (b && d->real)
        knrng_fill_real(c, d, p, (size_t)kni_type_size(t), b->data);
    else if (b)
        fill_counts(c, d, p, (size_t)kni_type_size(t), b->data);
    knrng_forget(d->n, p);
    return b ? kna_from_buffer(&c->op, t, b) : knrng_failed(c);
}

kn_array knrng_draw(const knrng_distribution *d, const void *handle, bool legacy, const kn_shape *size, kn_array x,
                    kn_array y, kn_array z)
{
    knrng_call c;
    knrng_param p[KNRNG_MAX_PARAMS] = {{0}};
    const kn_array given[KNRNG_MAX_PARAMS] = {x, y, z};
    bool ok = knrng_begin(&c, d->name, handle, legacy, size);
    for (int i = 0; i < d->n && ok; i++)
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a row has as many parameters as there are at most
        ok = knrng_take(&c, given[i], d->rule[i].is_count, d->rule[i].otherwise, &p[i]);
    bool scalars = knrng_all_scalars(d->n, p);
    for (int i = 0; i < d->n && ok; i++)
        ok = knrng_check(&c.op, &p[i], d->rule[i].name, d->rule[i].constraint, scalars, d->rule[i].is_count);
    if (ok)
        return knrng_draw_taken(&c, d, p);
    knrng_forget(d->n, p);
    return knrng_failed(&c);
}
