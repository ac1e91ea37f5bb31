/* SPDX-License-Identifier: Apache-2.0
 * scan.c -- jax.lax.associative_scan. Pairs of neighbours are combined and scanned, which gives every other element of
 * the result; each of the others is one of those combined with an element in between. JAX's equations, in its order. */
#include "function/function.h"
#include "lax/internal.h"
#include <string.h>

typedef struct scan {
    kna_op op;
    knf_fn *f;
    int n, axis; /* arrays of an element */
} scan;

static kni_atom *room(scan *s)
{
    kni_atom *a = knx_alloc((size_t)s->n * sizeof *a);
    if (!a)
        kna_fail_with(&s->op, knx_error_nomem());
    return a;
}

static int64_t extent(scan *s, kni_atom a) { return knb_type(s->op.b, a).dim[s->axis]; }

/* y = f(a, b), all of n arrays. */
static void combine(scan *s, const kni_atom *a, const kni_atom *b, kni_atom *y)
{
    int n = s->n, captured = s->f->core->n_captured;
    if (kna_failed(&s->op))
        return;
    kna_value **v = knx_alloc_zero(((size_t)captured + 3 * (size_t)n) * sizeof *v),
              **out = v ? v + captured + 2 * n : v;
    knx_error *error = v ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < captured; i++)
        v[i] = kna_value_retain(s->f->captured[i]);
    for (int i = 0; !error && i < 2 * n; i++)
        if (!(v[captured + i] = kna_atom_value(&s->op, i < n ? a[i] : b[i - n])))
            error = knx_error_nomem();
    if (!error)
        error = knf_apply(s->f->core, v, out);
    if (error)
        kna_fail_with(&s->op, error);
    for (int i = 0; !error && i < n; i++)
        y[i] = kna_value_atom(&s->op, out[i]);
    for (int i = 0; v && i < captured + (error ? 2 : 3) * n; i++)
        kna_value_release(v[i]);
    knx_free(v);
}

static void check_results(scan *s, const kni_atom *a, const kni_atom *y)
{
    for (int i = 0; i < s->n && !kna_failed(&s->op); i++) {
        kni_type t = knb_type(s->op.b, y[i]), want = knb_type(s->op.b, a[i]);
        knx_text u = {0}, v = {0};
        if (t.dtype != want.dtype || !kni_type_same_shape(t, want))
            kna_fail(&s->op, KN_ERROR_TYPE, "the function gives %s where its arguments are %s",
                     kni_type_text(&u, t, true), kni_type_text(&v, want, true));
    }
}

/* Every stride-th element from `start` on. */
static kni_atom cut(scan *s, kni_atom a, int64_t start, int64_t limit, int64_t stride)
{
    kn_shape from = {0}, to = {0}, steps = {0};
    kni_type t = knb_type(s->op.b, a);
    if (kna_failed(&s->op))
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++) {
        to.dim[i] = t.dim[i];
        steps.dim[i] = 1;
    }
    from.dim[s->axis] = start;
    to.dim[s->axis] = limit;
    steps.dim[s->axis] = stride;
    kni_p_slice p = {{t.ndim, to.dim}, {t.ndim, from.dim}, {t.ndim, steps.dim}};
    return knb_emit1(s->op.b, &knp_prim_slice, &p, 1, &a);
}

/* a[0], b[0], a[1], b[1], ... */
static kni_atom interleave(scan *s, kni_atom a, kni_atom b)
{
    kni_builder *k = s->op.b;
    kni_type t = knb_type(k, a);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {0}, between[KN_MAX_NDIM] = {0};
    if (kna_failed(&s->op))
        return KN_ATOM_NONE;
    bool same = t.dim[s->axis] == knb_type(k, b).dim[s->axis], bits = t.dtype->kind == KN_KIND_BOOL;
    kni_atom zero = knb_like(k, a, 0);
    between[s->axis] = 1;
    hi[s->axis] = same;
    a = knb_pad(k, a, zero, lo, hi, between);
    lo[s->axis] = 1;
    hi[s->axis] = !same;
    b = knb_pad(k, b, zero, lo, hi, between);
    return bits ? knb_or(k, a, b) : knb_add(k, a, b);
}

/* Replaces the elements by their scan. As deep as the extent has bits. */
static void run(scan *s, kni_atom *elems)
{
    if (kna_failed(&s->op) || extent(s, elems[0]) < 2)
        return;
    int64_t n = extent(s, elems[0]);
    kni_atom *a = room(s), *b = a ? room(s) : NULL, *odd = b ? room(s) : NULL;
    for (int i = 0; odd && i < s->n; i++)
        a[i] = cut(s, elems[i], 0, n - 1, 2);
    for (int i = 0; odd && i < s->n; i++)
        b[i] = cut(s, elems[i], 1, n, 2);
    if (odd) {
        combine(s, a, b, odd);
        check_results(s, a, odd);
        run(s, odd);
    }
    for (int i = 0; odd && i < s->n && !kna_failed(&s->op); i++)
        a[i] = n % 2 ? odd[i] : cut(s, odd[i], 0, n / 2 - 1, 1);
    for (int i = 0; odd && i < s->n; i++)
        b[i] = cut(s, elems[i], 2, n, 2);
    if (odd)
        combine(s, a, b, a);
    for (int i = 0; odd && i < s->n && !kna_failed(&s->op); i++) {
        kni_atom both[] = {cut(s, elems[i], 0, 1, 1), a[i]};
        a[i] = knb_concatenate(s->op.b, 2, both, s->axis);
    }
    for (int i = 0; odd && i < s->n; i++)
        elems[i] = interleave(s, a[i], odd[i]);
    knx_free(a);
    knx_free(b);
    knx_free(odd);
}

static void reverse(scan *s, kni_atom *a)
{
    for (int i = 0; i < s->n && !kna_failed(&s->op); i++)
        a[i] = knb_rev(s->op.b, a[i], 1, (int64_t[]){s->axis});
}

static void check_extents(scan *s, const kni_atom *a, kn_axes axis)
{
    knx_text t = {0};
    bool same = true;
    s->axis = knlax_axis(&s->op, axis, knb_type(s->op.b, a[0]).ndim, 0);
    for (int i = 0; i < s->n && !kna_failed(&s->op); i++) {
        kni_type x = knb_type(s->op.b, a[i]);
        if (s->axis >= x.ndim)
            kna_normalize_axis(&s->op, s->axis, x.ndim);
        else
            same &= knx_dim_eq(x.dim[s->axis], extent(s, a[0]));
        knlax_tuple((knx_text_add(&t, "%s", i ? ", " : ""), &t), x.ndim, x.dim);
    }
    if (!kna_failed(&s->op))
        kna_need_number(&s->op, extent(s, a[0]), "associative_scan is written out, as deep as the extent has bits");
    if (!same && !kna_failed(&s->op))
        kna_fail(&s->op, KN_ERROR_VALUE,
                 "Array inputs to associative_scan must have the same first dimension. (saw: [%s])", t.s);
}

static knx_error *scan_all(scan *s, const kn_outs *outs, const kn_args *elems, const kn_lax_cumulative_opts *o);

static void write_results(scan *s, const kn_outs *outs, const kn_args *elems, kna_value **out)
{
    const kn_args twice = {2, {elems->part[0], elems->part[0]}};
    kntree_structure *whole = knf_result_structure(s->f->core, &twice);
    knf_write_results(outs, 0, s->n, out, whole);
    kntree_structure_release(whole);
}

/* A function of trees: what it is for these. */
static knx_error *scan_tree(scan *s, const kn_outs *outs, const kn_args *elems, const kn_lax_cumulative_opts *o)
{
    if (!elems || elems->n != 1)
        return knx_error_new(KN_ERROR_TYPE, "takes one struct of arrays");
    const kn_args twice = {2, {elems->part[0], elems->part[0]}};
    knf_fn fitted = {NULL, s->f->captured}, *open = s->f;
    KN_TRY(knf_fit_call(s->f, &twice, KNF_FIT_CALL, &fitted.core));
    s->f = &fitted;
    knx_error *error = scan_all(s, outs, elems, o);
    s->f = open;
    knf_fit_end(fitted.core);
    return error;
}

static knx_error *scan_all(scan *s, const kn_outs *outs, const kn_args *elems, const kn_lax_cumulative_opts *o)
{
    knf_core *f = s->f->core;
    s->n = f->n_out;
    if (knf_is_open(f))
        return scan_tree(s, outs, elems, o);
    if (f->n_args != 2 || f->arrays[0] != s->n || f->arrays[1] != s->n || !s->n)
        return knx_error_new(KN_ERROR_TYPE, "the function must take two arguments and return what they are");
    if (!elems || elems->n != 1)
        return knx_error_new(KN_ERROR_TYPE, "takes one struct of arrays");
    KN_TRY(knf_check_outs(f->name, s->n, outs));
    kna_value **v = knx_alloc_zero(3 * (size_t)s->n * sizeof *v), **out = v ? v + 2 * s->n : NULL;
    kni_atom *a = v ? room(s) : NULL;
    knx_error *error = a ? NULL : knx_error_nomem();
    const kn_args twice = {2, {elems->part[0], elems->part[0]}};
    bool read = !error && !(error = knf_read_args(f->name, f, &twice, v));
    for (int i = 0; read && i < s->n; i++)
        a[i] = kna_value_atom(&s->op, v[i]);
    if (read && !kna_failed(&s->op)) {
        check_extents(s, a, o->axis);
        if (o->reverse)
            reverse(s, a);
        run(s, a);
        if (o->reverse)
            reverse(s, a);
    }
    if (!error)
        error = kna_take_error(&s->op);
    int made = 0;
    for (; !error && made < s->n; made++)
        if (!(out[made] = kna_atom_value(&s->op, a[made]))) {
            error = knx_error_nomem();
            break;
        }
    if (!error)
        error = kna_settle(s->n, out);
    if (error)
        knf_release_values(made, out);
    else
        write_results(s, outs, elems, out);
    if (read)
        knf_release_values(2 * s->n, v);
    knx_free(a);
    knx_free(v);
    return error;
}

int kn_associative_scan(kn_fn fn, const kn_outs *outs, const kn_args *elems, const kn_lax_cumulative_opts *opts)
{
    KNX_OPTS(kn_lax_cumulative_opts, o, opts);
    scan s = {0};
    kna_begin(&s.op, "associative_scan");
    s.f = kna_failed(&s.op) ? NULL : knf_fn_get(&s.op, fn);
    knx_error *error = s.f ? scan_all(&s, outs, elems, &o) : NULL;
    if (!error)
        error = kna_take_error(&s.op);
    if (error)
        knf_write_error(outs, error);
    knx_error_release(error);
    kna_leave(&s.op);
    return error ? -1 : 0;
}
