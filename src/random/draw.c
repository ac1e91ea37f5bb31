/* SPDX-License-Identifier: Apache-2.0
 * draw.c -- the beginning of the functions that draw numbers: key, dtype, shape, parameters. */
#include "random/draw.h"
#include <math.h>
#include <string.h>

bool knrandom_not_given(const kn_shape *shape) { return !shape || shape->ndim == -1; }

kn_shape knrandom_shape_and(const kn_shape *shape, int64_t last)
{
    kn_shape more = *shape;
    if (more.ndim < KN_MAX_NDIM)
        more.dim[more.ndim++] = last;
    return more;
}

kn_array knrandom_failed(knrandom_draw *w) { return kna_end(&w->op, KN_ATOM_NONE); }

static void read_dtype(knrandom_draw *w, knrandom_dtypes kinds, kn_dtype given)
{
    static const char *const wanted[] = {"a float", "a float or complex", "an int"};
    w->d = given ? given : kinds == KNRANDOM_INTEGER || kinds == KNRANDOM_ANY ? KN_DT(I64) : kna_default_float();
    bool fits = kinds == KNRANDOM_INTEGER   ? knx_is_integer(w->d)
                : kinds == KNRANDOM_INEXACT ? knx_is_float(w->d) || knx_is_complex(w->d)
                : kinds == KNRANDOM_FLOAT   ? knx_is_float(w->d)
                                            : w->d->kind != KN_KIND_KEY;
    if (fits)
        return;
    if (kinds == KNRANDOM_ANY)
        kna_fail(&w->op, KN_ERROR_TYPE, "random numbers of dtype %s do not exist", w->d->name);
    else
        kna_fail(&w->op, KN_ERROR_VALUE, "dtype argument to `%s` must be %s dtype, got %s", w->of, wanted[kinds],
                 w->d->name);
    w->d = KN_DT(F32);
}

bool knrandom_join(kn_shape *all, kni_type t)
{
    int more = t.ndim - all->ndim;
    if (more > 0) {
        memmove(all->dim + more, all->dim, (size_t)all->ndim * sizeof *all->dim);
        for (int i = 0; i < more; i++)
            all->dim[i] = 1;
        all->ndim = t.ndim;
    }
    for (int i = 0; i < t.ndim; i++) {
        int64_t *d = &all->dim[all->ndim - t.ndim + i];
        if (!knx_dim_eq(*d, t.dim[i]) && !knx_dim_eq(*d, 1) && !knx_dim_eq(t.dim[i], 1))
            return false;
        if (knx_dim_eq(*d, 1))
            *d = t.dim[i];
    }
    return true;
}

static void shapes_do_not_fit(knrandom_draw *w, const kn_shape *given, int n, const kn_array *parameters)
{
    knx_text list = {0};
    if (given)
        knx_show_shape(&list, given->ndim, given->dim);
    for (int i = 0; i < n; i++) {
        kni_type t = kna_type(&w->op, parameters[i]);
        if (list.length)
            knx_text_add(&list, ", ");
        knx_show_shape(&list, t.ndim, t.dim);
    }
    kna_fail(&w->op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s]", list.s);
}

bool knrandom_shape_fits(knrandom_draw *w, const kn_shape *given, const kn_shape *joined)
{
    bool same = given->ndim == joined->ndim;
    for (int i = 0; same && i < given->ndim; i++)
        same = knx_dim_eq(given->dim[i], joined->dim[i]);
    knx_text got = {0}, asked = {0};
    if (!same)
        kna_fail(&w->op, KN_ERROR_VALUE,
                 "%s parameter shapes must be broadcast-compatible with shape argument, and the result of broadcasting "
                 "the shapes must equal the shape argument, but got result %s for shape argument %s.",
                 w->of, knx_show_shape(&got, joined->ndim, joined->dim),
                 knx_show_shape(&asked, given->ndim, given->dim));
    return same;
}

bool knrandom_batch_shape(knrandom_draw *w, const kn_shape *given, kn_shape *batch)
{
    w->shape = *batch;
    if (knrandom_not_given(given))
        return true;
    if (!knrandom_shape_ok(&w->op, given))
        return false;
    knx_text asked = {0}, has = {0};
    w->shape = *given;
    if (!knrandom_join(&w->shape, kni_type_of(w->d, batch->ndim, batch->dim)))
        kna_fail(&w->op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s, %s]",
                 knx_show_shape(&asked, given->ndim, given->dim), knx_show_shape(&has, batch->ndim, batch->dim));
    else
        knrandom_shape_fits(w, given, &w->shape);
    *batch = *given;
    return !kna_failed(&w->op);
}

static void read_shape(knrandom_draw *w, const kn_shape *shape, int n, const kn_array *parameters)
{
    const kn_shape *given = knrandom_not_given(shape) ? NULL : shape;
    if (given && !knrandom_shape_ok(&w->op, given))
        return;
    if (given)
        w->shape = *given;
    for (int i = 0; i < n; i++)
        if (!knrandom_join(&w->shape, kna_type(&w->op, parameters[i]))) {
            shapes_do_not_fit(w, given, n, parameters);
            return;
        }
    if (given)
        knrandom_shape_fits(w, given, &w->shape);
    w->full = kni_type_of(w->d, w->shape.ndim, w->shape.dim);
}

bool knrandom_begin(knrandom_draw *w, const char *name, kn_array key, knrandom_dtypes kinds, kn_dtype given,
                    const kn_shape *shape, int n, const kn_array *parameters)
{
    kna_begin(&w->op, name);
    w->b = w->op.b;
    w->of = name + strlen("random_");
    w->shape.ndim = 0;
    w->key = knrandom_key_in(&w->op, key);
    read_dtype(w, kinds, given);
    for (int i = 0; i < n; i++)
        kna_type(&w->op, parameters[i]); /* errors that come in are first */
    if (!kna_failed(&w->op))
        read_shape(w, shape, n, parameters);
    return !kna_failed(&w->op);
}

bool knrandom_safe(knrandom_draw *w, int n, const kn_array *parameters)
{
    for (int i = 0; i < n && !kna_failed(&w->op); i++) {
        kni_type t = kna_type(&w->op, parameters[i]);
        bool safe = t.weak || !(knx_is_float(t.dtype) || knx_is_complex(t.dtype)) || knx_promote(t.dtype, w->d) == w->d;
        if (t.dtype->kind == KN_KIND_KEY || (knx_is_complex(t.dtype) && !knx_is_complex(w->d)))
            safe = false;
        if (!safe)
            kna_fail(&w->op, KN_ERROR_VALUE, "In arguments to %s, cannot safely cast argument of type %s to %s", w->of,
                     t.dtype->name, w->d->name);
    }
    return !kna_failed(&w->op);
}

kni_atom knrandom_spread(kni_builder *b, kni_atom x, kni_type full)
{
    return knb_type(b, x).ndim ? knb_broadcast_to(b, x, full) : x;
}

kni_atom knrandom_parameter(knrandom_draw *w, kn_array x)
{
    return knrandom_spread(w->b, kna_in_as(&w->op, x, w->d), w->full);
}

kni_atom knrandom_inexact(knrandom_draw *w, kn_array x)
{
    kni_type t = kna_type(&w->op, x);
    return knx_is_float(t.dtype) && !t.weak ? kna_in(&w->op, x) : kna_in_as(&w->op, x, kna_default_float());
}

knrandom_form knrandom_form_of(kn_dtype d)
{
    int m = d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52;
    int least = d == KN_DT(F16) ? -14 : d == KN_DT(F64) ? -1022 : -126;
    return (knrandom_form){m, ldexp(1, -m), ldexp(1, -m - 1), ldexp(1, least)};
}
