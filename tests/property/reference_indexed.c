/* SPDX-License-Identifier: Apache-2.0
 * reference_indexed.c -- gather, scatter-add and dynamic slices by their definitions in jax.lax (XLA's semantics), and
 * the random bits of jax.random with partitionable threefry. */
#include "cases.h"

#include <math.h>
#include <string.h>

static bool among(kni_ints v, int64_t k)
{
    for (int i = 0; i < v.n; i++)
        if (v.v[i] == k)
            return true;
    return false;
}

/* What gather and scatter say in different words. An index of the array of windows (gather's result, scatter's
 * updates) has window dimensions, the others name a point of the indices. */
typedef struct windows {
    kni_ints window_dims, collapsed, start_map, operand_batch, index_batch;
    int64_t mode;
    bool wraps;
    const tensor *operand, *indices;
    int64_t size[MAX_RANK]; /* of a window, per dimension of the operand */
} windows;

/* Where index `at` (of `ndim`) lies in the operand; false if its whole window does not fit into the operand (with
 * CLIP it is moved). */
static bool find_element(const windows *w, int ndim, const int64_t *at, int64_t *to)
{
    int64_t start[MAX_RANK] = {0}, point[MAX_RANK] = {0}, in_window[MAX_RANK] = {0};
    int points = 0, inner = 0;
    for (int k = 0; k < ndim; k++)
        if (among(w->window_dims, k))
            in_window[inner++] = at[k];
        else
            point[points++] = at[k];
    for (int k = 0; k < w->start_map.n; k++) {
        point[points] = k;
        start[w->start_map.v[k]] = (int64_t)w->indices->at[tensor_offset(w->indices, point)].bits;
    }
    bool fits = true;
    inner = 0;
    for (int k = 0; k < w->operand->ndim; k++) {
        int64_t last = w->operand->dim[k] - w->size[k];
        if (w->wraps && start[k] < 0)
            start[k] += w->operand->dim[k];
        if (w->mode == KN_GATHER_CLIP)
            start[k] = start[k] < 0 ? 0 : start[k] > last ? last : start[k];
        fits &= start[k] >= 0 && start[k] <= last;
        to[k] = start[k];
        if (!among(w->collapsed, k) && !among(w->operand_batch, k))
            to[k] += in_window[inner++];
    }
    for (int k = 0; k < w->operand_batch.n; k++)
        to[w->operand_batch.v[k]] = point[w->index_batch.v[k]];
    return fits;
}

static num fill_value(kn_dtype d, int64_t mode) /* jax.lax.gather's defaults */
{
    if (mode == KN_GATHER_FILL_ZERO)
        return (num){0};
    if (knx_is_inexact(d))
        return (num){.re = NAN, .im = knx_is_complex(d) ? NAN : 0};
    return of_int(d, d->kind == KN_KIND_INT ? (uint64_t)1 << (8 * d->size - 1) : ~(uint64_t)0);
}

void ref_gather(call *c)
{
    const kni_p_gather *p = c->params;
    windows w = {p->offset_dims,
                 p->collapsed_slice_dims,
                 p->start_index_map,
                 p->operand_batching_dims,
                 p->start_indices_batching_dims,
                 p->mode,
                 p->wraps,
                 &c->x[0],
                 &c->x[1],
                 {0}};
    int ndim = p->offset_dims.n + c->x[1].ndim - 1, points = 0, inner = 0;
    int64_t dim[MAX_RANK];
    for (int k = 0; k < p->slice_sizes.n; k++)
        w.size[k] = p->slice_sizes.v[k];
    for (int k = 0; k < ndim; k++) {
        if (!among(p->offset_dims, k)) {
            dim[k] = c->x[1].dim[points++];
            continue;
        }
        while (among(p->collapsed_slice_dims, inner) || among(p->operand_batching_dims, inner))
            inner++;
        dim[k] = p->slice_sizes.v[inner++];
    }
    tensor *y = result(c, c->x[0].dtype, ndim, dim);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK], from[MAX_RANK];
        tensor_index(y, i, at);
        bool fits = find_element(&w, ndim, at, from);
        y->at[i] = fits ? c->x[0].at[tensor_offset(&c->x[0], from)] : fill_value(y->dtype, p->mode);
    }
}

/* What the primitive does with an element and an update. */
static num combine(const char *name, kn_dtype d, num x, num update)
{
    if (!strcmp(name, "scatter"))
        return update;
    if (!strcmp(name, "scatter-add"))
        return num_add(d, x, update);
    if (!strcmp(name, "scatter-sub"))
        return knx_is_inexact(d) ? (num){.re = (double)x.re - (double)update.re, .im = (double)x.im - (double)update.im}
                                 : of_int(d, x.bits - update.bits);
    if (!strcmp(name, "scatter-mul"))
        return num_mul(d, x, update);
    if (num_is_nan(d, x) || num_is_nan(d, update))
        return num_is_nan(d, x) ? x : update;
    bool less = !strcmp(name, "scatter-min") ? num_less(d, update, x) : num_less(d, x, update);
    return less ? update : x;
}

void ref_scatter(call *c)
{
    const kni_p_scatter *p = c->params;
    const tensor *updates = &c->x[2];
    windows w = {p->update_window_dims,
                 p->inserted_window_dims,
                 p->scatter_dims_to_operand_dims,
                 p->operand_batching_dims,
                 p->scatter_indices_batching_dims,
                 p->mode,
                 p->wraps,
                 &c->x[0],
                 &c->x[1],
                 {0}};
    tensor *y = result(c, c->x[0].dtype, c->x[0].ndim, c->x[0].dim);
    for (int k = 0, inner = 0; k < y->ndim; k++)
        w.size[k] =
            among(w.collapsed, k) || among(w.operand_batch, k) ? 1 : updates->dim[p->update_window_dims.v[inner++]];
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = c->x[0].at[i];
    for (int64_t i = 0; i < updates->n; i++) {
        int64_t at[MAX_RANK], to[MAX_RANK];
        char bytes[16];
        tensor_index(updates, i, at);
        if (!find_element(&w, updates->ndim, at, to))
            continue;
        num *at_y = &y->at[tensor_offset(y, to)]; /* each step rounds */
        tensor_store(y->dtype, combine(c->sample->prim->name, y->dtype, *at_y, updates->at[i]), bytes);
        *at_y = tensor_load(y->dtype, bytes);
    }
}

/* The start of a window of these extents, moved so that it lies inside of x. Unsigned starts are never negative. */
static void clamped_start(const call *c, int first, const int64_t *size, int64_t *start)
{
    for (int k = 0; k < c->x[0].ndim; k++) {
        const tensor *s = &c->x[first + k];
        int64_t last = c->x[0].dim[k] - size[k];
        bool huge = s->dtype->kind == KN_KIND_UINT && s->at[0].bits >> 63;
        int64_t v = huge ? INT64_MAX : (int64_t)s->at[0].bits;
        start[k] = v < 0 ? 0 : v > last ? last : v;
    }
}

void ref_dynamic_slice(call *c)
{
    const kni_p_dynamic_slice *p = c->params;
    const tensor *x = &c->x[0];
    int64_t start[MAX_RANK] = {0};
    clamped_start(c, 1, p->slice_sizes.v, start);
    tensor *y = result(c, x->dtype, x->ndim, p->slice_sizes.v);
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK];
        tensor_index(y, i, at);
        for (int k = 0; k < x->ndim; k++)
            at[k] += start[k];
        y->at[i] = x->at[tensor_offset(x, at)];
    }
}

static void update_by_strides(call *c, const int64_t *stride)
{
    const tensor *x = &c->x[0], *update = &c->x[1];
    int64_t start[MAX_RANK] = {0}, span[MAX_RANK] = {0};
    for (int k = 0; k < x->ndim; k++)
        span[k] = update->dim[k] ? (update->dim[k] - 1) * stride[k] + 1 : 0;
    clamped_start(c, 2, span, start);
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i] = x->at[i];
    for (int64_t i = 0; i < update->n; i++) {
        int64_t at[MAX_RANK];
        tensor_index(update, i, at);
        for (int k = 0; k < x->ndim; k++)
            at[k] = start[k] + at[k] * stride[k];
        y->at[tensor_offset(y, at)] = update->at[i];
    }
}

void ref_dynamic_update_slice(call *c)
{
    static const int64_t ones[MAX_RANK] = {[0 ... MAX_RANK - 1] = 1};
    update_by_strides(c, ones);
}

void ref_strided_update(call *c) { update_by_strides(c, ((const kni_p_strided_update *)c->params)->strides.v); }

/* --- random bits ------------------------------------------------------------------------------ */

/* Threefry-2x32 as its paper writes it: 20 rounds, a key injection after every fourth. */
void ref_threefry(const uint32_t key[2], uint32_t x[2])
{
    static const int turn[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    uint32_t k[3] = {key[0], key[1], 0x1bd11bdau ^ key[0] ^ key[1]};
    x[0] += k[0];
    x[1] += k[1];
    for (int round = 0; round < 20; round++) {
        x[0] += x[1];
        x[1] = (x[1] << turn[round % 8] | x[1] >> (32 - turn[round % 8])) ^ x[0];
        if (round % 4 == 3) {
            int i = round / 4 + 1;
            x[0] += k[i % 3];
            x[1] += k[(i + 1) % 3] + (uint32_t)i;
        }
    }
}

void ref_threefry2x32(call *c)
{
    const tensor *shape = &c->x[0];
    for (int i = 1; i < 4; i++)
        shape = c->x[i].ndim > shape->ndim ? &c->x[i] : shape;
    tensor *y = result(c, KN_DT(U32), shape->ndim, shape->dim), *z = result(c, KN_DT(U32), shape->ndim, shape->dim);
    for (int64_t i = 0; i < shape->n; i++) {
        uint32_t v[4];
        for (int k = 0; k < 4; k++)
            v[k] = (uint32_t)c->x[k].at[c->x[k].ndim ? i : 0].bits;
        ref_threefry(v, v + 2);
        y->at[i].bits = v[2];
        z->at[i].bits = v[3];
    }
}

void ref_random_bits(call *c) /* of each key: the counter is the element's number; both words are joined */
{
    const kni_p_random_bits *p = c->params;
    const tensor *key = &c->x[0];
    kn_dtype d = p->bit_width == 64   ? KN_DT(U64)
                 : p->bit_width == 32 ? KN_DT(U32)
                 : p->bit_width == 16 ? KN_DT(U16)
                                      : KN_DT(U8);
    int64_t dim[MAX_RANK], each = 1;
    int n = 0;
    for (; n < key->ndim; n++)
        dim[n] = key->dim[n];
    for (int k = 0; k < p->shape.n; k++) {
        each *= p->shape.v[k];
        dim[n++] = p->shape.v[k];
    }
    tensor *y = result(c, d, n, dim);
    for (int64_t i = 0; i < y->n; i++) {
        uint64_t k = key->at[i / each].bits, count = (uint64_t)(i % each);
        uint32_t words[2] = {(uint32_t)(k >> 32), (uint32_t)k}, x[2] = {(uint32_t)(count >> 32), (uint32_t)count};
        ref_threefry(words, x);
        y->at[i] = of_int(d, d->size == 8 ? (uint64_t)x[0] << 32 | x[1] : x[0] ^ x[1]);
    }
}

void ref_random_wrap(call *c)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, KN_DT(KEY), x->ndim - 1, x->dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i].bits = x->at[2 * i].bits << 32 | x->at[2 * i + 1].bits;
}

void ref_random_unwrap(call *c)
{
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK];
    for (int k = 0; k < x->ndim; k++)
        dim[k] = x->dim[k];
    dim[x->ndim] = 2;
    tensor *y = result(c, KN_DT(U32), x->ndim + 1, dim);
    for (int64_t i = 0; i < x->n; i++) {
        y->at[2 * i].bits = x->at[i].bits >> 32;
        y->at[2 * i + 1].bits = (uint32_t)x->at[i].bits;
    }
}
