/* SPDX-License-Identifier: Apache-2.0
 * move.c -- values from one layout into another: parts are joined, gathered, exchanged and cut.
 *
 * An axis that only goes to another dimension is an all_to_all, one that leaves an all_gather, one that comes a cut,
 * which costs no communication. Sums that have yet to be joined are a reduce_scatter where the axis comes, else a psum.
 * Of an extent that its parts do not divide the parts of a shorter list are no unions of those of a longer one: it is
 * gathered as a whole, and cut anew. */
#include "shard/write.h"
#include <string.h>

kni_names knshard_names(knshard_writer *w, kni_mesh_axes a)
{
    const char **v = knx_arena_alloc(w->arena, ((size_t)a.n + 1) * sizeof *v);
    if (!v) {
        knb_fail(&w->b, knx_error_nomem());
        return (kni_names){0, NULL};
    }
    for (int i = 0; i < a.n; i++)
        v[i] = w->mesh->name[a.axis[i]];
    return (kni_names){a.n, v};
}

kni_ints knshard_sizes(knshard_writer *w, kni_mesh_axes a)
{
    int64_t *v = knx_arena_alloc(w->arena, ((size_t)a.n + 1) * sizeof *v);
    if (!v) {
        knb_fail(&w->b, knx_error_nomem());
        return (kni_ints){0, NULL};
    }
    for (int i = 0; i < a.n; i++)
        v[i] = w->mesh->size[a.axis[i]];
    return (kni_ints){a.n, v};
}

static kni_mesh_axes axes_of_set(const kni_mesh *m, uint32_t set)
{
    kni_mesh_axes a = {0};
    for (int i = 0; i < m->n_axis; i++)
        if (set >> i & 1)
            a.axis[a.n++] = (uint8_t)i;
    return a;
}

static kni_mesh_axes behind(kni_mesh_axes a, int n)
{
    kni_mesh_axes rest = {0};
    for (int i = n; i < a.n; i++)
        rest.axis[rest.n++] = a.axis[i];
    return rest;
}

/* ---- Movements along one dimension. */

static kni_atom gather(knshard_writer *w, kni_atom x, int d, kni_mesh_axes axes)
{
    kni_ints sizes = knshard_sizes(w, axes);
    const kni_p_all_gather p = {.all_gather_dimension = d,
                                .axis_name = knshard_names(w, axes),
                                .sizes = sizes,
                                .axis_size = kni_mesh_parts(w->mesh, axes),
                                .mesh = w->mesh,
                                .tiled = true};
    return knb_all_gather(&w->b, x, &p);
}

static kni_atom scatter_sum(knshard_writer *w, kni_atom x, int d, kni_mesh_axes axes, bool minus)
{
    kni_ints sizes = knshard_sizes(w, axes);
    const kni_p_reduce_scatter p = {.axis_name = knshard_names(w, axes),
                                    .sizes = sizes,
                                    .axis_size = kni_mesh_parts(w->mesh, axes),
                                    .mesh = w->mesh,
                                    .scatter_dimension = d,
                                    .tiled = true,
                                    .minus_zeros = minus};
    return knb_reduce_scatter(&w->b, x, &p);
}

static kni_atom exchange(knshard_writer *w, kni_atom x, int from, int to, kni_mesh_axes axes)
{
    kni_ints sizes = knshard_sizes(w, axes);
    const kni_p_all_to_all p = {.axis_name = knshard_names(w, axes),
                                .sizes = sizes,
                                .axis_size = kni_mesh_parts(w->mesh, axes),
                                .mesh = w->mesh,
                                .concat_axis = from,
                                .split_axis = to,
                                .tiled = true};
    return knb_all_to_all(&w->b, x, &p);
}

/* This device's part of what all of the axes' devices have. */
static kni_atom cut(knshard_writer *w, kni_atom x, int d, kni_mesh_axes axes)
{
    int64_t extent = knshard_extent(w, x, d), parts = kni_mesh_parts(w->mesh, axes);
    int64_t part = kni_part_extent(extent, parts);
    x = knshard_widen(w, x, d, 0, part * parts - extent);
    return knshard_slice_at(w, x, d, knshard_first(w, axes, part), part);
}

/* ---- Joining. */

kni_atom knshard_gather_front(knshard_writer *w, kni_atom x, kni_mesh_axes axes)
{
    kni_ints sizes = knshard_sizes(w, axes);
    const kni_p_all_gather p = {.axis_name = knshard_names(w, axes),
                                .sizes = sizes,
                                .axis_size = kni_mesh_parts(w->mesh, axes),
                                .mesh = w->mesh};
    return knb_all_gather(&w->b, x, &p);
}

static kni_atom join_here(knshard_writer *w, kni_atom x, kni_factor_kind join, kni_mesh_axes axes)
{
    const int64_t front = 0;
    kni_atom all = knshard_gather_front(w, x, axes);
    switch (join) {
    case KNI_MAX: return knb_reduce_max(&w->b, all, 1, &front);
    case KNI_MIN: return knb_reduce_min(&w->b, all, 1, &front);
    case KNI_AND: return knb_reduce_and(&w->b, all, 1, &front);
    case KNI_OR: return knb_reduce_or(&w->b, all, 1, &front);
    case KNI_XOR: return knb_reduce_xor(&w->b, all, 1, &front);
    case KNI_PROD: return knb_reduce_prod(&w->b, all, 1, &front);
    default: return knb_reduce_sum(&w->b, all, 1, &front);
    }
}

static kni_atom join_all(knshard_writer *w, kni_atom x, kni_factor_kind join, bool minus, uint32_t set)
{
    kni_mesh_axes axes = axes_of_set(w->mesh, set);
    kn_dtype dtype = knb_type(&w->b, x).dtype;
    bool truth = dtype->kind == KN_KIND_BOOL, complex = dtype->kind == KN_KIND_COMPLEX;
    if (join == KNI_SUM)
        return (minus ? knb_psum_minus_zeros : knb_psum)(&w->b, x, knshard_names(w, axes), w->mesh);
    if ((join == KNI_MAX && !complex) || (join == KNI_OR && truth))
        return knb_pmax(&w->b, x, knshard_names(w, axes), w->mesh);
    if ((join == KNI_MIN && !complex) || (join == KNI_AND && truth))
        return knb_pmin(&w->b, x, knshard_names(w, axes), w->mesh);
    return join_here(w, x, join, axes);
}

/* Elements as unsigned integers, of which a sum is exact where all but one are zero; those of complex numbers are
 * pairs. */
static kni_atom as_bits(kni_builder *b, kni_atom x)
{
    static const knx_dtype_id word[] = {[1] = KN_ID_U8, [2] = KN_ID_U16, [4] = KN_ID_U32, [8] = KN_ID_U64};
    kni_type t = knb_type(b, x);
    if (!knx_is_inexact(t.dtype) || b->error)
        return x;
    kn_dtype bits = &knx_dtype_table[word[knx_component(t.dtype)->size]];
    return knx_is_complex(t.dtype) ? knb_bitcast_last_axis(b, knb_expand_dims(b, x, t.ndim), bits)
                                   : knb_bitcast(b, x, bits);
}

static kni_atom from_bits(kni_builder *b, kni_atom x, kn_dtype d)
{
    kni_type t = knb_type(b, x);
    if (!knx_is_inexact(d) || b->error)
        return x;
    if (!knx_is_complex(d))
        return knb_bitcast(b, x, d);
    return knb_squeeze(b, knb_bitcast_last_axis(b, x, d), 1, &(const int64_t){t.ndim - 1});
}

/* Sums: where axes that have yet to be joined come to a dimension, its parts are joined where they belong. */
static kni_atom join(knshard_writer *w, const knshard_value *v, const knshard_lay *to, knshard_lay *now)
{
    bool one = v->join == KNI_ONE;
    kni_factor_kind how = one ? KNI_SUM : (kni_factor_kind)v->join;
    kni_atom x = one ? as_bits(&w->b, v->part) : v->part;
    uint32_t left = v->partial;
    for (int d = 0; d < now->ndim && how == KNI_SUM; d++) {
        kni_mesh_axes come = behind(to->dim[d], now->dim[d].n);
        uint32_t set = kni_mesh_axes_set(come);
        int64_t parts = kni_mesh_parts(w->mesh, to->dim[d]);
        if (!come.n || !knshard_is_prefix(now->dim[d], to->dim[d]) || (set & ~left) || v->type.dim[d] % parts)
            continue;
        x = scatter_sum(w, x, d, come, v->minus);
        now->dim[d] = to->dim[d];
        left &= ~set;
    }
    if (v->source && left == v->partial && !(left & (left - 1))) /* nobody but one device has anything */
        return knb_pbroadcast(&w->b, v->part, knshard_names(w, axes_of_set(w->mesh, left)), v->source - 1, w->mesh);
    x = left ? join_all(w, x, how, v->minus, left) : x;
    return one ? from_bits(&w->b, x, v->type.dtype) : x;
}

/* ---- All dimensions. */

/* How many of the first axes stay: all are the same, and they cut evenly. */
static int kept(const knshard_writer *w, int64_t extent, kni_mesh_axes from, kni_mesh_axes to)
{
    int n = 0;
    if (kni_mesh_axes_equal(from, to))
        return from.n;
    if (extent % kni_mesh_parts(w->mesh, from) || extent % kni_mesh_parts(w->mesh, to))
        return 0;
    while (n < from.n && n < to.n && from.axis[n] == to.axis[n])
        n++;
    return n;
}

static void take_off(kni_mesh_axes *a, int n)
{
    memset(a->axis + n, 0, sizeof a->axis - (size_t)n);
    a->n = (uint8_t)n;
}

/* Dimension d takes its axes from another dimension that loses these, its last ones, both evenly. */
static void exchange_from(knshard_writer *w, const knshard_value *v, const knshard_lay *to, knshard_lay *now, int d,
                          kni_atom *x)
{
    kni_mesh_axes come = behind(to->dim[d], now->dim[d].n);
    if (!come.n || !knshard_is_prefix(now->dim[d], to->dim[d]) || v->type.dim[d] % kni_mesh_parts(w->mesh, to->dim[d]))
        return;
    for (int e = 0; e < now->ndim; e++) {
        int keep = e == d ? now->dim[e].n : kept(w, v->type.dim[e], now->dim[e], to->dim[e]);
        int rest = now->dim[e].n - come.n;
        if (rest < keep || !kni_mesh_axes_equal(behind(now->dim[e], rest), come) ||
            v->type.dim[e] % kni_mesh_parts(w->mesh, now->dim[e]))
            continue;
        *x = exchange(w, *x, e, d, come);
        take_off(&now->dim[e], rest);
        now->dim[d] = to->dim[d];
        return;
    }
}

static kni_atom gather_what_leaves(knshard_writer *w, const knshard_value *v, const knshard_lay *to, knshard_lay *now,
                                   kni_atom x)
{
    for (int d = 0; d < now->ndim; d++) {
        int keep = kept(w, v->type.dim[d], now->dim[d], to->dim[d]);
        if (keep == now->dim[d].n)
            continue;
        x = gather(w, x, d, behind(now->dim[d], keep));
        take_off(&now->dim[d], keep);
        if (!keep)
            x = knshard_slice(w, x, d, 0, v->type.dim[d]);
    }
    return x;
}

/* `free_only`: axes alone that cut nothing now. */
static kni_atom cut_what_comes(knshard_writer *w, const knshard_value *v, const knshard_lay *to, knshard_lay *now,
                               bool free_only, kni_atom x)
{
    for (int d = 0; d < now->ndim; d++) {
        kni_mesh_axes come = behind(to->dim[d], now->dim[d].n);
        bool even = v->type.dim[d] % kni_mesh_parts(w->mesh, to->dim[d]) == 0;
        if (!come.n || !knshard_is_prefix(now->dim[d], to->dim[d]) || (now->dim[d].n && !even) ||
            (free_only && (kni_mesh_axes_set(come) & knshard_lay_set(now))))
            continue;
        x = cut(w, x, d, come);
        now->dim[d] = to->dim[d];
    }
    return x;
}

knx_error *knshard_move(knshard_writer *w, const knshard_value *v, const knshard_lay *to, kni_atom *out)
{
    knshard_lay now;
    if (!knshard_lay_copy(w->arena, &v->lay, &now))
        return knx_error_nomem();
    kni_atom x = v->partial ? join(w, v, to, &now) : v->part;
    x = cut_what_comes(w, v, to, &now, true, x);
    for (int d = 0; d < now.ndim; d++)
        exchange_from(w, v, to, &now, d, &x);
    x = gather_what_leaves(w, v, to, &now, x);
    *out = cut_what_comes(w, v, to, &now, false, x);
    return NULL;
}

/* ---- Padding. */

static kni_atom identity_of(kni_builder *b, kn_dtype dtype, kni_factor_kind join)
{
    knx_scalar_bits bits = {.u = {0}};
    if (join == KNI_PROD)
        return knb_convert(b, knb_integer(b, KN_DT(I32), 1), dtype);
    switch (join) {
    case KNI_MAX: bits = knx_scalar_extreme(dtype, false); break;
    case KNI_MIN: bits = knx_scalar_extreme(dtype, true); break;
    case KNI_AND: memset(&bits, dtype->kind == KN_KIND_BOOL ? 1 : 0xff, dtype->size); break;
    default: break;
    }
    return knb_literal(b, dtype, false, bits);
}

kni_atom knshard_mask(knshard_writer *w, kni_atom part, int d, kni_mesh_axes axes, int64_t extent, kni_factor_kind join)
{
    kni_builder *b = &w->b;
    kni_type t = knb_type(b, part);
    int64_t size = knshard_extent(w, part, d);
    if (b->error || size * kni_mesh_parts(w->mesh, axes) == extent)
        return part;
    kni_atom left = knb_sub(b, knb_integer(b, KN_DT(I64), extent), knshard_first(w, axes, size));
    kni_atom inside = knb_lt(b, knb_iota(b, KN_DT(I64), t.ndim, t.dim, d), left);
    return knb_select(b, inside, part, identity_of(b, t.dtype, join));
}
