/* SPDX-License-Identifier: Apache-2.0
 * collectives.c -- the public collectives: names are looked up among the axes that are bound, and become parameters of
 * the rows of prim/collective/collective.c. */
#include "array/op.h"
#include "array/state.h"
#include "base/options.h"
#include "kiln/lax.h"
#include <string.h>

/* ---- Names. */

typedef struct axes {
    kni_names names;
    int64_t size[KN_MAX_ARGS], all; /* extents and their product */
    int n;
} axes;

static const kna_named_axis *find(const char *name)
{
    const kna_named_axis *a = kna_state_get()->axes;
    while (a && strcmp(a->name, name))
        a = a->outer;
    return a;
}

static void read_names(kna_op *op, const kn_axis_names *given, axes *a)
{
    *a = (axes){.names = {given->n, given->name}, .all = 1, .n = given->n};
    if (given->n < 0 || given->n > KN_MAX_ARGS)
        kna_fail(op, KN_ERROR_VALUE, "%d axis names are too many", given->n);
    for (int i = 0; i < given->n && !kna_failed(op); i++) {
        const kna_named_axis *axis = given->name[i] ? find(given->name[i]) : NULL;
        if (!given->name[i])
            kna_fail(op, KN_ERROR_TYPE, "null axis name");
        else if (!axis)
            kna_fail(op, KN_ERROR_NAME, "unbound axis name: %s", given->name[i]);
        for (int k = 0; k < i && axis; k++)
            if (!strcmp(given->name[k], given->name[i]))
                kna_fail(op, KN_ERROR_VALUE, "duplicate value in 'axes': %s", given->name[i]);
        if (!kna_failed(op))
            a->all = knx_dim_mul(a->all, a->size[i] = axis->size);
    }
}

static kni_ints sizes_of(const axes *a) { return (kni_ints){a->n, a->size}; }

static void need_names(kna_op *op, const axes *a)
{
    if (!kna_failed(op) && !a->n)
        kna_fail(op, KN_ERROR_VALUE, "no axis is named");
}

static void check_groups(kna_op *op, const kn_axis_groups *g, bool number)
{
    int lanes = g->n > 0 && g->size > 0 ? g->n * g->size : 0;
    if (!g->n || kna_failed(op))
        return;
    for (int lane = 0; lane < lanes && g->lane; lane++) {
        int found = 0;
        for (int i = 0; i < lanes; i++)
            found += g->lane[i] == lane;
        if (found != 1)
            lanes = 0;
    }
    if (!lanes || !g->lane)
        kna_fail(op, KN_ERROR_VALUE, "axis_index_groups must cover all indices exactly once");
    else if (!number)
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "axis_index_groups not supported in vmap collectives");
}

/* ---- Reductions. */

/* A C number times the lanes: a number again, so that dividing by kn_lax_psum(1, "i") keeps a dtype. */
static kn_array times(kna_op *op, kn_array x, kni_type t, int64_t lanes)
{
    knx_scalar_bits bits = {.u = {0}};
    const void *data = kna_look(op, x, &t);
    if (knx_is_symbolic(lanes) && t.dtype == KN_DT(I64) && data) { /* an extent again, or a number of them */
        int64_t n;
        memcpy(&n, data, sizeof n);
        bits.i64 = knx_dim_mul(n, lanes);
        return kna_end_plain(op) ? kna_from_number(KN_DT(I64), true, bits) : NULL;
    }
    if (knx_is_symbolic(lanes))
        return kna_end(op, knb_mul(op->b, kna_in(op, x), knb_dimension(op->b, kna_strong_dtype(t), lanes)));
    kn_dtype d = t.dtype == KN_DT(BOOL) ? KN_DT(I64) : t.dtype;
    if (data)
        knx_convert(t.dtype, data, d, &bits);
    if (d == KN_DT(I64) || d == KN_DT(U64))
        bits.u[0] *= (uint64_t)lanes;
    else
        bits.c128.re *= (double)lanes, bits.c128.im *= (double)lanes;
    if (d == KN_DT(F64))
        bits.u[1] = 0;
    return kna_end_plain(op) ? kna_from_number(d, true, bits) : NULL;
}

/* The operand: booleans are counted, weak numbers get their dtype. */
static kni_atom countable(kna_op *op, kn_array x)
{
    kni_type t = kna_type(op, x);
    return t.dtype == KN_DT(BOOL) ? kna_in_as(op, x, KN_DT(I32)) : kna_in(op, x);
}

typedef struct reduction {
    kna_op op;
    axes a;
    kni_type t;
    bool number; /* the operand is a C number */
    kn_lax_psum_opts o;
} reduction;

static void begin(reduction *r, const char *name, kn_array x, const kn_axis_names *names, const kn_lax_psum_opts *opts)
{
    kna_begin(&r->op, name);
    r->o = kn_lax_psum_opts_default();
    knx_read_options(&r->o, sizeof r->o, opts);
    r->t = kna_type(&r->op, x);
    read_names(&r->op, names, &r->a);
    r->number = kna_is_number(&r->op, x);
    check_groups(&r->op, &r->o.axis_index_groups, r->number);
}

kn_array kn_lax_psum(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts)
{
    reduction r;
    begin(&r, "psum", x, &axis, opts);
    if (!kna_failed(&r.op) && r.number)
        return times(&r.op, x, r.t, r.o.axis_index_groups.n ? r.o.axis_index_groups.size : r.a.all);
    kni_atom a = r.a.n ? countable(&r.op, x) : kna_in(&r.op, x);
    return kna_end(&r.op, r.a.n ? knb_psum(r.op.b, a, r.a.names, NULL) : a);
}

kn_array kn_lax_pmean(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts)
{
    reduction r;
    begin(&r, "pmean", x, &axis, opts);
    kn_dtype d = knx_is_inexact(r.t.dtype) ? kna_strong_dtype(r.t) : kna_default_float();
    kni_atom a = countable(&r.op, x);
    if (r.a.n)
        a = knb_psum(r.op.b, a, r.a.names, NULL);
    a = knb_convert(r.op.b, a, d);
    if (r.a.n)
        a = knb_div(r.op.b, a, knb_dimension(r.op.b, d, r.a.all));
    return kna_end(&r.op, a);
}

static kn_array extremum(const char *name, kni_atom (*emit)(kni_builder *, kni_atom, kni_names, const kni_mesh *),
                         kn_array x, const kn_axis_names *axis, const kn_lax_psum_opts *opts)
{
    reduction r;
    begin(&r, name, x, axis, opts);
    kni_atom a = kna_in(&r.op, x);
    return kna_end(&r.op, r.a.n ? emit(r.op.b, a, r.a.names, NULL) : a);
}

kn_array kn_lax_pmax(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts)
{
    return extremum("pmax", knb_pmax, x, &axis, opts);
}

kn_array kn_lax_pmin(kn_array x, kn_axis_names axis, const kn_lax_psum_opts *opts)
{
    return extremum("pmin", knb_pmin, x, &axis, opts);
}

/* ---- Moving parts. */

kn_array kn_lax_all_gather(kn_array x, kn_axis_names axis, const kn_lax_all_gather_opts *opts)
{
    kna_op op;
    axes a;
    kn_lax_all_gather_opts o = kn_lax_all_gather_opts_default();
    kna_begin(&op, "all_gather");
    knx_read_options(&o, sizeof o, opts);
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    check_groups(&op, &o.axis_index_groups, false);
    kni_atom in = kna_in(&op, x);
    int dimension = kna_failed(&op) ? 0 : kna_axis(&op, o.axis, knb_type(op.b, in).ndim + !o.tiled, 0);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(
        &op, knb_all_gather(op.b, in, &(kni_p_all_gather){dimension, a.names, sizes_of(&a), a.all, o.tiled, NULL}));
}

/* A new axis of one element. */
static kni_atom expand(kni_builder *b, kni_atom x, int at)
{
    kni_type t = knb_type(b, x);
    int64_t shape[KN_MAX_NDIM + 1], dims[KN_MAX_NDIM];
    for (int i = 0; i <= t.ndim; i++)
        shape[i] = i == at ? 1 : t.dim[i - (i > at)];
    for (int i = 0; i < t.ndim; i++)
        dims[i] = i + (i >= at);
    return knb_broadcast_in_dim(b, x, t.ndim + 1, shape, dims);
}

/* An axis that goes comes back along concat_axis: the row neither adds nor drops one, so an axis of one element makes
 * the room first. */
static kni_atom exchange(kna_op *op, kni_atom x, const axes *a, int split, int concat, bool tiled)
{
    kni_p_all_to_all p = {a->names, sizes_of(a), a->all, concat, split, tiled, NULL};
    if (!tiled && split != concat) {
        p.concat_axis += split < concat;
        p.split_axis += split > concat;
        x = expand(op->b, x, (int)p.concat_axis);
    }
    x = knb_all_to_all(op->b, x, &p);
    return !tiled && split != concat ? knb_squeeze(op->b, x, 1, &p.split_axis) : x;
}

static kn_array all_to_all(const char *name, kn_array x, const kn_axis_names *axis, int split, int concat,
                           const kn_lax_all_to_all_opts *opts)
{
    kna_op op;
    axes a;
    kn_lax_all_to_all_opts o = kn_lax_all_to_all_opts_default();
    kna_begin(&op, name);
    knx_read_options(&o, sizeof o, opts);
    read_names(&op, axis, &a);
    need_names(&op, &a);
    check_groups(&op, &o.axis_index_groups, false);
    kni_atom in = kna_in(&op, x);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, in);
    split = kna_normalize_axis(&op, split, t.ndim);
    concat = kna_failed(&op) ? 0 : kna_normalize_axis(&op, concat, t.ndim);
    if (!kna_failed(&op) && !o.tiled && !knx_dim_eq(t.dim[split], a.all)) {
        knx_text s = {0}, u = {0};
        kna_fail(&op, KN_ERROR_VALUE,
                 "all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], but they are "
                 "%s and %s respectively.",
                 knx_dim_show(&s, a.all), knx_dim_show(&u, t.dim[split]));
    }
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : exchange(&op, in, &a, split, concat, o.tiled));
}

kn_array kn_lax_all_to_all(kn_array x, kn_axis_names axis, int split_axis, int concat_axis,
                           const kn_lax_all_to_all_opts *opts)
{
    return all_to_all("all_to_all", x, &axis, split_axis, concat_axis, opts);
}

kn_array kn_lax_pswapaxes(kn_array x, kn_axis_names name, int axis)
{
    return all_to_all("pswapaxes", x, &name, axis, axis, NULL);
}

kn_array kn_lax_psum_scatter(kn_array x, kn_axis_names axis, const kn_lax_psum_scatter_opts *opts)
{
    kna_op op;
    axes a;
    kn_lax_psum_scatter_opts o = kn_lax_psum_scatter_opts_default();
    kna_begin(&op, "psum_scatter");
    knx_read_options(&o, sizeof o, opts);
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    check_groups(&op, &o.axis_index_groups, false);
    kni_atom in = countable(&op, x);
    int dimension = kna_failed(&op) ? 0 : kna_normalize_axis(&op, o.scatter_dimension, knb_type(op.b, in).ndim);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(
        &op, knb_reduce_scatter(
                 op.b, in, &(kni_p_reduce_scatter){a.names, sizes_of(&a), a.all, dimension, o.tiled, NULL, false}));
}

/* ---- From lane to lane. */

static kn_array permute(kna_op *op, kn_array x, const axes *a, int n, const kn_lane_pair *pair)
{
    kni_atom in = kna_in(op, x);
    int64_t *perm = knx_alloc((2 * (size_t)n + 1) * sizeof *perm);
    if (!perm)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; perm && i < n; i++) {
        perm[2 * i] = pair[i].source;
        perm[2 * i + 1] = pair[i].destination;
    }
    kni_atom y =
        kna_failed(op)
            ? KN_ATOM_NONE
            : knb_ppermute(
                  op->b, in,
                  &(kni_p_ppermute){a->names, {2 * n, perm}, NULL, a->names.n > 1 ? sizes_of(a) : (kni_ints){0, NULL}});
    knx_free(perm);
    return kna_end(op, y);
}

kn_array kn_lax_ppermute(kn_array x, kn_axis_names axis, kn_lane_pairs perm)
{
    kna_op op;
    axes a;
    kna_begin(&op, "ppermute");
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    if (perm.n < 0 || (perm.n && !perm.pair))
        kna_fail(&op, KN_ERROR_TYPE, "null perm");
    return permute(&op, x, &a, kna_failed(&op) ? 0 : perm.n, perm.pair);
}

static bool is_permutation(kn_lanes perm)
{
    for (int i = 0; i < perm.n; i++) {
        if (perm.lane[i] < 0 || perm.lane[i] >= perm.n)
            return false;
        for (int k = 0; k < i; k++)
            if (perm.lane[k] == perm.lane[i])
                return false;
    }
    return true;
}

kn_array kn_lax_pshuffle(kn_array x, kn_axis_names axis, kn_lanes perm)
{
    kna_op op;
    axes a;
    kn_lane_pair *pair = perm.n > 0 ? knx_alloc((size_t)perm.n * sizeof *pair) : NULL;
    kna_begin(&op, "pshuffle");
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    if (perm.n > 0 && !pair)
        kna_fail_with(&op, knx_error_nomem());
    else if (!kna_failed(&op) && kna_need_number(&op, a.all, "a permutation of the lanes") &&
             (perm.n != a.all || (perm.n && !perm.lane) || !is_permutation(perm)))
        kna_fail(&op, KN_ERROR_VALUE, "`perm` does not represent a permutation of %lld lanes", (long long)a.all);
    int n = kna_failed(&op) ? 0 : perm.n;
    for (int i = 0; i < n; i++)
        pair[i] = (kn_lane_pair){perm.lane[i], i};
    kn_array y = permute(&op, x, &a, n, pair);
    knx_free(pair);
    return y;
}

kn_array kn_lax_pbroadcast(kn_array x, kn_axis_names axis, int64_t source)
{
    kna_op op;
    axes a;
    kna_begin(&op, "pbroadcast");
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    kni_atom in = kna_in(&op, x);
    if (!kna_failed(&op) && (source < 0 || !knx_dim_lt(source, a.all)))
        kna_fail(&op, KN_ERROR_VALUE, "collective broadcast doesn't fit in the axis size!");
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_pbroadcast(op.b, in, a.names, source, NULL));
}

/* ---- Which lane. */

kn_array kn_lax_axis_index(kn_axis_names axis)
{
    kna_op op;
    axes a;
    kna_begin(&op, "axis_index");
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (a.n == 1)
        return kna_end(&op, knb_axis_index(op.b, a.names, NULL));
    kni_atom all = knb_integer(op.b, KN_DT(I32), 0);
    int64_t lanes = 1;
    for (int i = a.n; i-- > 0; lanes *= a.size[i]) {
        kni_atom one = knb_axis_index(op.b, (kni_names){1, a.names.v + i}, NULL);
        all = knb_add(op.b, all, knb_mul(op.b, one, knb_integer(op.b, KN_DT(I32), lanes)));
    }
    return kna_end(&op, all);
}

int64_t kn_lax_axis_size(kn_axis_names axis)
{
    kna_op op;
    axes a;
    kna_begin(&op, "axis_size");
    read_names(&op, &axis, &a);
    need_names(&op, &a);
    return kna_end_plain(&op) ? a.all : -1;
}
