/* SPDX-License-Identifier: Apache-2.0
 * draw.c -- the beginning of the functions that draw numbers: key, dtype, shape, parameters. */
#include "random/draw.h"
#include <math.h>
#include <string.h>

bool knrand_not_given(const kn_shape *shape) { return !shape || shape->ndim == -1; }

kn_shape knrand_shape_and(const kn_shape *shape, int64_t last)
{
    kn_shape more = *shape;
    if (more.ndim < KN_MAX_NDIM)
        more.dim[more.ndim++] = last;
    return more;
}

kn_array knrand_failed(knrand_draw *w) { return kna_end(&w->op, KN_ATOM_NONE); }

static void read_dtype(knrand_draw *w, knrand_dtypes kinds, kn_dtype given)
{
    static const char *const wanted[] = {"a float", "a float or complex", "an int"};
    w->d = given ? given : kinds == KNRAND_INTEGER || kinds == KNRAND_ANY ? KN_DT(I64) : kna_default_float();
    bool fits = kinds == KNRAND_INTEGER   ? knx_is_integer(w->d)
                : kinds == KNRAND_INEXACT ? knx_is_float(w->d) || knx_is_complex(w->d)
                : kinds == KNRAND_FLOAT   ? knx_is_float(w->d)
                                          : w->d->kind != KN_KIND_KEY;
    if (fits)
        return;
    if (kinds == KNRAND_ANY)
        kna_fail(&w->op, KN_ERROR_TYPE, "random numbers of dtype %s do not exist", w->d->name);
    else
        kna_fail(&w->op, KN_ERROR_VALUE, "dtype argument to `%s` must be %s dtype, got %s", w->of, wanted[kinds],
                 w->d->name);
    w->d = KN_DT(F32);
}

bool knrand_join(kn_shape *all, kn_type t)
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
        if (*d != t.dim[i] && *d != 1 && t.dim[i] != 1)
            return false;
        if (*d == 1)
            *d = t.dim[i];
    }
    return true;
}

static void shapes_do_not_fit(knrand_draw *w, const kn_shape *given, int n, const kn_array *parameters)
{
    kn_text list = {0};
    if (given)
        knx_show_shape(&list, given->ndim, given->dim);
    for (int i = 0; i < n; i++) {
        kn_type t = kna_type(&w->op, parameters[i]);
        if (list.length)
            knx_text_add(&list, ", ");
        knx_show_shape(&list, t.ndim, t.dim);
    }
    kna_fail(&w->op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s]", list.s);
}

bool knrand_shape_fits(knrand_draw *w, const kn_shape *given, const kn_shape *joined)
{
    bool same = given->ndim == joined->ndim;
    for (int i = 0; same && i < given->ndim; i++)
        same = given->dim[i] == joined->dim[i];
    kn_text got = {0}, asked = {0};
    if (!same)
        kna_fail(&w->op, KN_ERROR_VALUE,
                 "%s parameter shapes must be broadcast-compatible with shape argument, and the result of broadcasting "
                 "the shapes must equal the shape argument, but got result %s for shape argument %s.",
                 w->of, knx_show_shape(&got, joined->ndim, joined->dim),
                 knx_show_shape(&asked, given->ndim, given->dim));
    return same;
}

bool knrand_batch_shape(knrand_draw *w, const kn_shape *given, kn_shape *batch)
{
    w->shape = *batch;
    if (knrand_not_given(given))
        return true;
    if (!knrand_shape_ok(&w->op, given))
        return false;
    kn_text asked = {0}, has = {0};
    w->shape = *given;
    if (!knrand_join(&w->shape, kni_type(w->d, batch->ndim, batch->dim)))
        kna_fail(&w->op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s, %s]",
                 knx_show_shape(&asked, given->ndim, given->dim), knx_show_shape(&has, batch->ndim, batch->dim));
    else
        knrand_shape_fits(w, given, &w->shape);
    *batch = *given;
    return !kna_failed(&w->op);
}

static void read_shape(knrand_draw *w, const kn_shape *shape, int n, const kn_array *parameters)
{
    const kn_shape *given = knrand_not_given(shape) ? NULL : shape;
    if (given && !knrand_shape_ok(&w->op, given))
        return;
    if (given)
        w->shape = *given;
    for (int i = 0; i < n; i++)
        if (!knrand_join(&w->shape, kna_type(&w->op, parameters[i]))) {
            shapes_do_not_fit(w, given, n, parameters);
            return;
        }
    if (given)
        knrand_shape_fits(w, given, &w->shape);
    w->full = kni_type(w->d, w->shape.ndim, w->shape.dim);
}

bool knrand_begin(knrand_draw *w, const char *name, kn_array key, knrand_dtypes kinds, kn_dtype given,
                  const kn_shape *shape, int n, const kn_array *parameters)
{
    kna_begin(&w->op, name);
    w->b = w->op.b;
    w->of = name + strlen("random_");
    w->shape.ndim = 0;
    w->key = knrand_key_in(&w->op, key);
    read_dtype(w, kinds, given);
    for (int i = 0; i < n; i++)
        kna_type(&w->op, parameters[i]); /* errors that come in are first */
    if (!kna_failed(&w->op))
        read_shape(w, shape, n, parameters);
    return !kna_failed(&w->op);
}

bool knrand_safe(knrand_draw *w, int n, const kn_array *parameters)
{
    for (int i = 0; i < n && !kna_failed(&w->op); i++) {
        kn_type t = kna_type(&w->op, parameters[i]);
        bool safe =
            t.weak || !(knx_is_float(t.dtype) || knx_is_complex(t.dtype)) || (kn_promote_types)(t.dtype, w->d) == w->d;
        if (t.dtype->kind == KN_KIND_KEY || (knx_is_complex(t.dtype) && !knx_is_complex(w->d)))
            safe = false;
        if (!safe)
            kna_fail(&w->op, KN_ERROR_VALUE, "In arguments to %s, cannot safely cast argument of type %s to %s", w->of,
                     t.dtype->name, w->d->name);
    }
    return !kna_failed(&w->op);
}

kn_atom knrand_spread(kn_builder *b, kn_atom x, kn_type full)
{
    return knb_type(b, x).ndim ? knb_broadcast_to(b, x, full) : x;
}

kn_atom knrand_parameter(knrand_draw *w, kn_array x)
{
    return knrand_spread(w->b, kna_in_as(&w->op, x, w->d), w->full);
}

kn_atom knrand_inexact(knrand_draw *w, kn_array x)
{
    kn_type t = kna_type(&w->op, x);
    return knx_is_float(t.dtype) && !t.weak ? kna_in(&w->op, x) : kna_in_as(&w->op, x, kna_default_float());
}

knrand_form knrand_form_of(kn_dtype d)
{
    int m = d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52;
    int least = d == KN_DT(F16) ? -14 : d == KN_DT(F64) ? -1022 : -126;
    return (knrand_form){m, ldexp(1, -m), ldexp(1, -m - 1), ldexp(1, least)};
}
