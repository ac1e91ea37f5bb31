/* SPDX-License-Identifier: Apache-2.0
 * batch.c -- one batch: rows of arrays, or what the user's function makes of indices, and what the user's map makes of
 * that. It is made by any thread, in that thread's context; what remains of it is bytes. */
#include "array/handle.h"
#include "base/context.h"
#include "data/loader.h"
#include "kiln/random.h"
#include "tree/tree.h"
#include <string.h>

static const char operation[] = "loader_next";

void kndata_batch_free(kndata_batch *b)
{
    for (int i = 0; b->buffer && i < b->n; i++)
        knx_buffer_release(b->buffer[i]);
    kntree_structure_release(b->structure);
    knx_error_release(b->error);
    knx_arena_free(&b->arena);
    *b = (kndata_batch){0};
}

int64_t kndata_batches(const kndata_source *s)
{
    int64_t n;
    return !s->epochs || __builtin_mul_overflow(s->epochs, s->per_epoch, &n) ? INT64_MAX : n;
}

/* ---- Which examples. */

typedef struct span {
    int64_t epoch, first, count; /* in the part of the order that is the loader's */
} span;

static span span_of(const kndata_source *s, int64_t at)
{
    int64_t mine = s->n / s->shards, first = at % s->per_epoch * s->batch_size, rest = mine - first;
    return (span){at / s->per_epoch, first, rest < s->batch_size ? rest : s->batch_size};
}

static int64_t example_at(const kndata_source *s, span p, int64_t i)
{
    int64_t place = (p.first + i) * s->shards + s->shard;
    return s->has_key ? kndata_shuffled(s->n, s->key, p.epoch, place) : place;
}

/* ---- Room. */

static knx_error *begin_batch(kndata_batch *b, int n, const kntree_structure *s)
{
    b->n = n;
    b->type = knx_arena_zero(&b->arena, ((size_t)n + 1) * sizeof *b->type);
    b->buffer = knx_arena_zero(&b->arena, ((size_t)n + 1) * sizeof(knx_buffer *));
    b->structure = kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    return b->type && b->buffer ? NULL : knx_error_nomem();
}

/* Leaf k: `count` examples of this type. */
static knx_error *begin_leaf(kndata_batch *b, int k, int64_t count, kn_dtype dtype, int ndim, const int64_t *dim)
{
    int64_t *to = knx_arena_alloc(&b->arena, ((size_t)ndim + 1) * sizeof *to);
    if (!to)
        return knx_error_nomem();
    to[0] = count;
    if (ndim)
        memcpy(to + 1, dim, (size_t)ndim * sizeof *dim);
    b->type[k] = kni_type_of(dtype, ndim + 1, to);
    KN_TRY(kni_type_check_size(b->type[k]));
    b->buffer[k] = knx_buffer_new(kni_type_bytes(b->type[k]));
    return b->buffer[k] ? NULL : knx_error_nomem();
}

static knx_error *gather(const kndata_source *s, span p, kndata_batch *b)
{
    KN_TRY(begin_batch(b, s->n_leaf, s->structure));
    for (int k = 0; k < s->n_leaf; k++)
        KN_TRY(begin_leaf(b, k, p.count, s->type[k].dtype, s->type[k].ndim - 1, s->type[k].dim + 1));
    for (int64_t i = 0; i < p.count; i++) {
        size_t from = (size_t)example_at(s, p, i);
        for (int k = 0; k < s->n_leaf; k++) {
            size_t bytes = s->rows[k].bytes;
            if (bytes)
                memcpy((char *)b->buffer[k]->data + (size_t)i * bytes, s->rows[k].from + from * bytes, bytes);
        }
    }
    return NULL;
}

/* ---- The user's functions. */

/* What went wrong inside of a function of the user, or that it gave nothing. */
static knx_error *users_error(uint64_t reports, const char *function)
{
    kn_context c = knx_context();
    if (knx_reported_since(reports))
        return knx_error_retain(c->first);
    return knx_error_new(KN_ERROR_RUNTIME, "the function of %s gave no tree and no error", function);
}

/* The arrays of a tree, looked at one after the other. */
typedef knx_error *(*leaf_function)(void *env, int k, kni_type t, const void *elements);

static knx_error *look_at_leaves(kn_tree tree, uint64_t reports, leaf_function f, void *env)
{
    kna_op op;
    int n = kntree_tree_size(tree);
    if (n < 0)
        return knx_error_new(KN_ERROR_TYPE, "the function gave something that is no tree");
    knx_error *error = NULL;
    kna_begin(&op, operation);
    for (int k = 0; k < n && !error && !kna_failed(&op); k++) {
        kni_type t;
        const void *p = kna_look(&op, kntree_tree_at(tree, k), &t);
        if (p && t.dtype->kind == KN_KIND_KEY)
            error = knx_error_new(KN_ERROR_TYPE, "leaf %d is a random key, which is no part of a batch", k);
        else if (p)
            error = f(env, k, t, p);
    }
    if (!kna_end_plain(&op) && !error)
        error = users_error(reports, "the loader");
    return error;
}

static knx_error *same_structure(const kntree_structure *want, kn_tree tree, int64_t index)
{
    kntree_tree *t = kntree_tree_get(operation, tree);
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    if (!s)
        return knx_error_nomem();
    return kntree_structure_equal(want, s) ? NULL
                                           : knx_error_new(KN_ERROR_VALUE,
                                                           "example %lld is a tree of another structure than the "
                                                           "examples before it in its batch",
                                                           (long long)index);
}

typedef struct stacking {
    kndata_batch *b;
    int64_t i, count, index; /* which example of how many */
} stacking;

static knx_error *stack_leaf(void *env, int k, kni_type t, const void *elements)
{
    const stacking *s = env;
    kn_dtype dtype = kna_strong_dtype(t);
    if (!s->i)
        KN_TRY(begin_leaf(s->b, k, s->count, dtype, t.ndim, t.dim));
    kni_type all = s->b->type[k], want = kni_type_of(all.dtype, all.ndim - 1, all.dim + 1);
    if (want.dtype != dtype || !kni_type_same_shape(want, t)) {
        knx_text a = {0}, b = {0};
        return knx_error_new(KN_ERROR_VALUE, "leaf %d of example %lld is %s, but %s before", k, (long long)s->index,
                             kni_type_text(&a, t, true), kni_type_text(&b, want, true));
    }
    size_t bytes = (size_t)kni_type_bytes(want);
    if (bytes)
        memcpy((char *)s->b->buffer[k]->data + (size_t)s->i * bytes, elements, bytes);
    return NULL;
}

static knx_error *stack_example(const kndata_source *s, stacking *at)
{
    kn_scope scope = kn_scope_begin();
    uint64_t reports = knx_context()->reports;
    kn_tree tree = s->example(s->env, at->index);
    knx_error *e = tree && !knx_reported_since(reports) ? NULL : users_error(reports, "examples");
    if (!e && !at->i) {
        kntree_tree *t = kntree_tree_get(operation, tree);
        const kntree_structure *structure = t ? kntree_structure_in(operation, t) : NULL;
        e = structure ? begin_batch(at->b, t->n, structure) : users_error(reports, "examples");
    } else if (!e) {
        e = same_structure(at->b->structure, tree, at->index);
    }
    if (!e)
        e = look_at_leaves(tree, reports, stack_leaf, at);
    kn_scope_end(&scope);
    return e;
}

static knx_error *stack_examples(const kndata_source *s, span p, kndata_batch *b)
{
    for (int64_t i = 0; i < p.count; i++) {
        stacking at = {b, i, p.count, example_at(s, p, i)};
        KN_TRY(stack_example(s, &at));
    }
    return NULL;
}

/* ---- Map. */

static kn_tree tree_of(kndata_batch *b)
{
    kn_array *x = knx_alloc_zero(((size_t)b->n + 1) * sizeof *x);
    kn_tree tree = NULL;
    if (!x) {
        kntree_tree_failed(operation, knx_error_nomem());
        return NULL;
    }
    for (int k = 0; k < b->n; k++) {
        kna_op op;
        kna_begin(&op, operation);
        x[k] = kna_from_buffer(&op, b->type[k], b->buffer[k]);
        b->buffer[k] = NULL;
    }
    tree = kntree_tree_new(operation, kntree_structure_retain(b->structure), x);
    knx_free(x);
    return tree;
}

kn_tree kndata_tree(kndata_batch *b)
{
    kn_scope scope = kn_scope_begin();
    kn_tree tree = tree_of(b);
    if (tree)
        kn_keep_handle(tree);
    kn_scope_end(&scope);
    return tree;
}

static kn_array batch_key(const kndata_source *s, int64_t at)
{
    if (!s->has_key)
        return NULL;
    const int64_t two = 2;
    kn_shape shape = {.ndim = 1, .dim = {two}};
    kn_array words = kn_from_memory(s->key, &shape, KN_DT(U32));
    kn_array key = kn_random_wrap_key_data(words, NULL);
    key = kn_random_fold_in(key, kn_like_int(at / s->per_epoch));
    return kn_random_fold_in(key, kn_like_int(at % s->per_epoch));
}

static knx_error *copy_leaf(void *env, int k, kni_type t, const void *elements)
{
    kndata_batch *b = env;
    int64_t *dim = knx_arena_alloc(&b->arena, ((size_t)t.ndim + 1) * sizeof *dim);
    if (!dim)
        return knx_error_nomem();
    if (t.ndim)
        memcpy(dim, t.dim, (size_t)t.ndim * sizeof *dim);
    b->type[k] = kni_type_of(kna_strong_dtype(t), t.ndim, dim);
    size_t bytes = (size_t)kni_type_bytes(b->type[k]);
    b->buffer[k] = knx_buffer_new(bytes);
    if (!b->buffer[k])
        return knx_error_nomem();
    if (bytes)
        memcpy(b->buffer[k]->data, elements, bytes);
    return NULL;
}

static knx_error *map(const kndata_source *s, int64_t at, kndata_batch *b)
{
    kn_scope scope = kn_scope_begin();
    uint64_t reports = knx_context()->reports;
    kndata_batch out = {0};
    kn_tree in = tree_of(b), tree = in ? s->map(s->map_env, in, batch_key(s, at)) : NULL;
    knx_error *e = tree && !knx_reported_since(reports) ? NULL : users_error(reports, "map");
    kntree_tree *t = e ? NULL : kntree_tree_get(operation, tree);
    const kntree_structure *structure = t ? kntree_structure_in(operation, t) : NULL;
    if (!e)
        e = structure ? begin_batch(&out, t->n, structure) : users_error(reports, "map");
    if (!e)
        e = look_at_leaves(tree, reports, copy_leaf, &out);
    kn_scope_end(&scope);
    kndata_batch_free(b);
    *b = out;
    return e;
}

void kndata_make(const kndata_source *s, int64_t at, kndata_batch *out)
{
    kn_context c = s->example || s->map ? knx_context() : NULL;
    const kn_place *here = c ? c->here : NULL;
    *out = (kndata_batch){0};
    span p = span_of(s, at);
    knx_error *e = s->example ? stack_examples(s, p, out) : gather(s, p, out);
    if (!e && s->map)
        e = map(s, at, out);
    if (c)
        c->here = here;
    if (e)
        kndata_batch_free(out);
    out->error = e;
}
