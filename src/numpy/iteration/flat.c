/* SPDX-License-Identifier: Apache-2.0
 * flat.c -- x.flat, ndenumerate, and np.broadcast as an iterator. */
#include "numpy/iteration/flat.h"
#include "kiln/memory.h"
#include "lib/compose.h"
#include "tree/tree.h"
#include <string.h>

/* ---- Walking. */

void knn_flat_reset(knn_flat *f)
{
    f->index = 0;
    f->now = f->o.data;
    memset(f->at, 0, sizeof f->at);
}

void knn_flat_step(knn_flat *f)
{
    f->index++;
    for (int d = f->o.ndim; d-- > 0;) {
        f->now += f->o.stride[d];
        if (++f->at[d] < f->o.dim[d])
            return;
        f->now -= f->o.stride[d] * f->o.dim[d];
        f->at[d] = 0;
    }
}

void knn_flat_free(knn_flat *f)
{
    if (f) {
        knn_operand_close(&f->o);
        kn_release(f->array);
    }
    knx_free(f);
}

static void drop_flat(void *p) { knn_flat_free(p); }

kn_flatiter knn_flat_handle(knn_flat *f) { return kna_handle_new(KN_H_FLATITER, f, drop_flat); }

/* The operand with the axes of a shape to which it broadcasts. */
static void spread(knn_operand *o, const kn_shape *shape)
{
    int lead = shape->ndim - o->ndim;
    for (int d = shape->ndim; d-- > 0;) {
        o->stride[d] = d < lead || o->dim[d - lead] == 1 ? 0 : o->stride[d - lead];
        o->dim[d] = shape->dim[d];
    }
    o->ndim = shape->ndim;
}

bool knn_flat_open(kna_op *op, knn_flat *f)
{
    if (f->o.array)
        return knn_operand_refresh(op, &f->o);
    if (!knn_operand_open(op, f->array, false, &f->o))
        return false;
    spread(&f->o, &f->shape);
    f->now = f->o.data;
    return true;
}

knn_flat *knn_flat_new(kna_op *op, kn_array x, const kn_shape *shape)
{
    kni_type t = kna_type(op, x);
    knn_flat *f = kna_failed(op) ? NULL : knx_alloc_zero(sizeof *f);
    if (!f) {
        if (!kna_failed(op))
            kna_fail_with(op, knx_error_nomem());
        return NULL;
    }
    f->shape.ndim = t.ndim;
    if (t.ndim)
        memcpy(f->shape.dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    if (shape)
        f->shape = *shape;
    f->size = 1;
    for (int d = 0; d < f->shape.ndim; d++)
        f->size = knx_dim_mul(f->size, f->shape.dim[d]);
    f->array = kn_retain(kna_is_number(op, x) ? kn_copy(x, NULL) : x);
    return f;
}

static knn_flat *flat_in(kna_op *op, kn_flatiter it) { return kna_handle_in(op, KN_H_FLATITER, it); }

kn_flatiter kn_flat(kn_array x)
{
    knl_body c;
    knl_begin(&c, "flat");
    knn_flat *f = knn_flat_new(&c.op, x, NULL);
    knl_end_plain(&c);
    return f ? knn_flat_handle(f) : NULL;
}

/* ---- Elements. */

/* The address of the next element as one of this dtype (NULL: any), and on to the one behind it. */
static const void *next(kna_op *op, knn_flat *f, kn_dtype dtype, kn_shape *index)
{
    if (!f || (f->index == 0 && !knn_flat_open(op, f)) || f->index >= f->size)
        return NULL;
    if (dtype && f->o.dtype != dtype) {
        kna_fail(op, KN_ERROR_TYPE, "the array has dtype %s, not %s", f->o.dtype->name, dtype->name);
        return NULL;
    }
    const void *element = f->now;
    if (index) {
        index->ndim = f->o.ndim;
        memcpy(index->dim, f->at, (size_t)f->o.ndim * sizeof *f->at);
    }
    knn_flat_step(f);
    return element;
}

const void *kn_flatiter_next_bytes(kn_flatiter it, kn_dtype dtype)
{
    kna_op op;
    kna_begin(&op, "flatiter_next");
    const void *element = next(&op, flat_in(&op, it), dtype, NULL);
    return kna_end_plain(&op) ? element : NULL;
}

const void *kn_ndenumerate_bytes(kn_flatiter it, kn_shape *index, kn_dtype dtype)
{
    kna_op op;
    kna_begin(&op, "ndenumerate");
    if (!index)
        kna_fail(&op, KN_ERROR_TYPE, "null index");
    const void *element = kna_failed(&op) ? NULL : next(&op, flat_in(&op, it), dtype, index);
    return kna_end_plain(&op) ? element : NULL;
}

int64_t kn_flatiter_index(kn_flatiter it)
{
    kna_op op;
    kna_begin(&op, "flatiter_index");
    const knn_flat *f = flat_in(&op, it);
    int64_t index = f ? f->index : -1;
    return kna_end_plain(&op) ? index : -1;
}

kn_shape kn_flatiter_coords(kn_flatiter it)
{
    kna_op op;
    kn_shape at = {.ndim = -1};
    kna_begin(&op, "flatiter_coords");
    const knn_flat *f = flat_in(&op, it);
    if (f) {
        at.ndim = f->shape.ndim;
        memcpy(at.dim, f->at, (size_t)at.ndim * sizeof *f->at);
        if (at.ndim && f->size && f->index == f->size) /* behind the last one */
            at.dim[0] = f->shape.dim[0];
    }
    kna_end_plain(&op);
    return at;
}

kn_array kn_flatiter_base(kn_flatiter it)
{
    kna_op op;
    kna_begin(&op, "flatiter_base");
    const knn_flat *f = flat_in(&op, it);
    kni_atom a = f ? kna_in(&op, f->array) : KN_ATOM_NONE;
    return f ? kna_end_view(&op, f->array, a, a) : kna_end(&op, KN_ATOM_NONE);
}

/* The array with the iterator's shape. */
static kn_array array_of(kna_op *op, kn_flatiter it)
{
    const knn_flat *f = flat_in(op, it);
    if (!f)
        return NULL;
    kni_type t = kna_type(op, f->array);
    bool same = !kna_failed(op) && t.ndim == f->shape.ndim;
    for (int d = 0; same && d < t.ndim; d++)
        same = knx_dim_same(t.dim[d], f->shape.dim[d]);
    return same || kna_failed(op) ? f->array : kn_broadcast_to(f->array, &f->shape);
}

kn_array kn_flatiter_copy(kn_flatiter it)
{
    knl_body c;
    knl_begin(&c, "flatiter_copy");
    kn_array x = array_of(&c.op, it);
    return knl_end(&c, x ? kn_flatten(x, NULL) : NULL);
}

/* ---- x.flat[index]. */

/* Fills p with the index if it is one that flat iterators take: an integer, a slice, `...`, or one array. */
static bool read_index(kna_op *op, const char *index, int n, const kn_index_arg *args, int64_t size)
{
    knl_item item[KNL_MAX_ITEMS];
    int count = kna_failed(op) ? 0 : knl_parse_index(op, index, n, args, item);
    if (kna_failed(op))
        return false;
    if (count > 1) {
        kna_fail(op, KN_ERROR_INDEX,
                 "too many indices for flat iterator: flat iterator is 1-dimensional, but %d were indexed", count);
        return false;
    }
    if (count == 1 && item[0].kind == KNL_NEW_AXIS) {
        kna_fail(op, KN_ERROR_INDEX,
                 "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices");
        return false;
    }
    if (count == 1 && item[0].kind == KNL_INTEGER) {
        int64_t at = item[0].start.value;
        if (!knx_is_symbolic(size) && (at < -size || at >= size))
            kna_fail(op, KN_ERROR_INDEX, "index %lld is out of bounds for size %lld", (long long)at, (long long)size);
    }
    kni_type t = count == 1 && item[0].kind == KNL_ARRAY ? kna_type(op, item[0].array) : (kni_type){.ndim = -1};
    if (!kna_failed(op) && t.ndim >= 0 && t.dtype->kind == KN_KIND_BOOL && t.ndim != 1)
        kna_fail(op, KN_ERROR_INDEX,
                 "too many indices for flat iterator: flat iterator is 1-dimensional, but %d were indexed", t.ndim);
    return !kna_failed(op);
}

kn_array kn_flatiter_at(kn_flatiter it, const char *index, int n, const kn_index_arg *args)
{
    knl_body c;
    knl_begin(&c, "flatiter_at");
    kn_array x = array_of(&c.op, it);
    if (!x || !read_index(&c.op, index, n, args, kn_size(x)))
        return knl_end(&c, NULL);
    kn_array y = kn_at(kn_ravel(x, NULL), index, n, args);
    return knl_end(&c, kn_copy(y, NULL));
}

int kn_flatiter_set_at(kn_flatiter it, kn_array v, const char *index, int n, const kn_index_arg *args)
{
    knl_body c;
    knl_begin(&c, "flatiter_set_at");
    kn_array x = array_of(&c.op, it);
    int64_t size = x ? kn_size(x) : 0;
    int status = 0;
    if (x && knl_is_writeable(&c.op, x, "underlying array") && read_index(&c.op, index, n, args, size)) {
        kn_array all = kn_arange(kn_like_int(0), kn_like_int(size), kn_like_int(1), NULL);
        kn_array places = kn_ravel(kn_at(all, index, n, args), NULL);
        kn_array values = kn_ravel(kn_astype(v, kn_dtype_of(x), NULL), NULL);
        if (kn_ok(places) && kn_size(places) && kn_ok(values) && !kn_size(values))
            kna_fail(&c.op, KN_ERROR_VALUE, "Error setting single item of array.");
        else if (kn_ok(places) && kn_ok(values) && kn_size(places))
            status = kn_put(x, places, values, NULL);
        else
            status = kn_ok(places) && kn_ok(values) ? 0 : -1;
    }
    return knl_end_plain(&c) ? status : -1;
}

/* ---- Several operands. */

typedef struct joint {
    int n;
    int64_t index, size;
    knn_flat **flat;
    const void **element;
} joint;

static void drop_joint(void *p)
{
    joint *j = p;
    for (int i = 0; j->flat && i < j->n; i++)
        knn_flat_free(j->flat[i]);
    knx_free(j->flat);
    knx_free(j->element);
    knx_free(j);
}

static joint *joint_in(kna_op *op, kn_broadcast_iter it) { return kna_handle_in(op, KN_H_BROADCAST, it); }

static joint *new_joint(kna_op *op, int n, const kn_array *x, const kn_broadcast_result *all)
{
    joint *j = knx_alloc_zero(sizeof *j);
    if (j) {
        j->n = n;
        j->size = all->size;
        j->flat = knx_alloc_zero(((size_t)n + 1) * sizeof *j->flat);
        j->element = knx_alloc_zero(((size_t)n + 1) * sizeof *j->element);
    }
    bool ok = j && j->flat && j->element;
    if (!ok)
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; ok && i < n; i++)
        ok = (j->flat[i] = knn_flat_new(op, x[i], &all->shape)) != NULL;
    if (!ok && j)
        drop_joint(j);
    return ok ? j : NULL;
}

kn_broadcast_iter kn_broadcast_new(kn_list list)
{
    knl_body c;
    joint *j = NULL;
    const kn_array *x;
    knl_begin(&c, "broadcast");
    kn_broadcast_result all = kn_broadcast(list);
    int n = kntree_list_read(&c.op, list, &x);
    if (all.numiter >= 0 && !kna_failed(&c.op))
        j = new_joint(&c.op, n, x, &all);
    knl_end_plain(&c);
    return j ? kna_handle_new(KN_H_BROADCAST, j, drop_joint) : NULL;
}

const void *const *kn_broadcast_next(kn_broadcast_iter it)
{
    kna_op op;
    kna_begin(&op, "broadcast_next");
    joint *j = joint_in(&op, it);
    bool any = j && j->index < j->size;
    for (int i = 0; any && j->index == 0 && i < j->n; i++)
        any = knn_flat_open(&op, j->flat[i]);
    for (int i = 0; any && i < j->n; i++) {
        j->element[i] = j->flat[i]->now;
        knn_flat_step(j->flat[i]);
    }
    if (any)
        j->index++;
    return kna_end_plain(&op) && any ? j->element : NULL;
}

int64_t kn_broadcast_index(kn_broadcast_iter it)
{
    kna_op op;
    kna_begin(&op, "broadcast_index");
    const joint *j = joint_in(&op, it);
    int64_t index = j ? j->index : -1;
    return kna_end_plain(&op) ? index : -1;
}

kn_flatiter kn_broadcast_iters(kn_broadcast_iter it, int i)
{
    kna_op op;
    knn_flat *f = NULL;
    kna_begin(&op, "broadcast_iters");
    const joint *j = joint_in(&op, it);
    if (j && (i < 0 || i >= j->n))
        kna_fail(&op, KN_ERROR_INDEX, "tuple index out of range");
    if (!kna_failed(&op) && !(f = knx_alloc(sizeof *f)))
        kna_fail_with(&op, knx_error_nomem());
    if (f) {
        *f = *j->flat[i];
        kn_retain(f->array);
        knn_operand_keep(&f->o);
    }
    kna_end_plain(&op);
    return f ? knn_flat_handle(f) : NULL;
}

int kn_broadcast_reset(kn_broadcast_iter it)
{
    kna_op op;
    kna_begin(&op, "broadcast_reset");
    joint *j = joint_in(&op, it);
    for (int i = 0; j && i < j->n; i++) {
        if (j->flat[i]->o.array)
            knn_operand_refresh(&op, &j->flat[i]->o);
        knn_flat_reset(j->flat[i]);
    }
    if (j)
        j->index = 0;
    return kna_end_plain(&op) ? 0 : -1;
}
