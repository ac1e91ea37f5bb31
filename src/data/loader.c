/* SPDX-License-Identifier: Apache-2.0
 * loader.c -- loaders as handles: what they are made of, the next batch, their place as a tree. */
#include "data/loader.h"
#include "array/handle.h"
#include "array/state.h"
#include "array/storage.h"
#include "base/context.h"
#include "base/options.h"
#include "dist/dist.h"
#include "kiln/extend.h"
#include "kiln/random.h"
#include "tree/tree.h"
#include <limits.h>
#include <string.h>

enum { MOST_WORKERS = 1024, MOST_WAITING = 1 << 20 };

static const char type_name[] = "loader";

typedef struct loader {
    kndata_source s;
    int64_t at; /* the next batch */
    int workers, prefetch;
    kndata_ring *ring; /* NULL: not begun, or there are no threads */
} loader;

static void drop(void *p)
{
    loader *l = p;
    kndata_ring_free(l->ring);
    for (int i = 0; l->s.rows && i < l->s.n_leaf; i++)
        kna_value_release(l->s.rows[i].value);
    kntree_structure_release(l->s.structure);
    knx_arena_free(&l->s.arena);
    knx_free(l);
}

/* ---- Options. */

static void read_key(kna_op *op, kn_array key, kndata_source *s)
{
    kni_type t;
    const uint32_t *word = kna_look(op, key, &t);
    if (!word)
        return;
    bool is_key = t.dtype->kind == KN_KIND_KEY && !t.ndim;
    bool is_raw = t.dtype == KN_DT(U32) && t.ndim == 1 && t.dim[0] == 2;
    if (is_key || is_raw) {
        memcpy(s->key, word, sizeof s->key);
        s->has_key = true;
    } else {
        knx_text text = {0};
        kna_fail(op, KN_ERROR_TYPE, "the key of a loader is one of kn_random_key, but this is %s",
                 kni_type_text(&text, t, true));
    }
}

static void at_least(kna_op *op, const char *what, int64_t v, int64_t least, int64_t most)
{
    if (v < least || v > most)
        kna_fail(op, KN_ERROR_VALUE,
                 v < least ? "%s must be at least %lld, but is %lld" : "%s must be at most %lld, but is %lld", what,
                 (long long)(v < least ? least : most), (long long)v);
}

static void read_options(kna_op *op, loader *l, const kn_loader_opts *o)
{
    kndata_source *s = &l->s;
    const kndist_job *job = kndist_job_now();
    s->batch_size = o->batch_size;
    s->epochs = o->epochs;
    s->drop_remainder = o->drop_remainder;
    s->shards = o->shards ? o->shards : job->n_process;
    s->shard = o->shards ? o->shard : job->process;
    s->map = o->map;
    s->map_env = o->map_env;
    l->workers = o->workers;
    l->prefetch = o->prefetch;
    at_least(op, "batch_size", s->batch_size, 1, INT64_MAX);
    at_least(op, "epochs", s->epochs, 0, INT64_MAX);
    at_least(op, "shards", s->shards, 1, INT64_MAX);
    if (!kna_failed(op))
        at_least(op, "shard", s->shard, 0, s->shards - 1);
    at_least(op, "workers", l->workers, 0, MOST_WORKERS);
    at_least(op, "prefetch", l->prefetch, 1, MOST_WAITING);
    if (o->key && !kna_failed(op))
        read_key(op, o->key, s);
}

/* How many batches an epoch has. */
static void count_batches(kna_op *op, kndata_source *s)
{
    int64_t mine = s->n / s->shards;
    if (s->n > INT64_MAX / 4)
        kna_fail(op, KN_ERROR_VALUE, "%lld examples are too many", (long long)s->n);
    else if (!mine)
        kna_fail(op, KN_ERROR_VALUE, "%lld examples are too few for %lld shards", (long long)s->n,
                 (long long)s->shards);
    else
        s->per_epoch = mine / s->batch_size + (!s->drop_remainder && mine % s->batch_size ? 1 : 0);
    if (!kna_failed(op) && !s->per_epoch)
        kna_fail(op, KN_ERROR_VALUE, "%lld examples are less than a batch of %lld, and drop_remainder drops them",
                 (long long)mine, (long long)s->batch_size);
}

static kn_loader finish(kna_op *op, loader *l, const kn_loader_opts *o)
{
    if (!l)
        kna_fail_with(op, knx_error_nomem());
    else if (!kna_failed(op)) {
        read_options(op, l, o);
        if (!kna_failed(op))
            count_batches(op, &l->s);
    }
    if (kna_end_plain(op))
        return kn_object_new(type_name, l, drop);
    if (l)
        drop(l);
    return NULL;
}

/* ---- Arrays. */

static knx_error *read_rows(kndata_source *s, int k, kn_array x)
{
    kndata_rows *r = &s->rows[k];
    KN_TRY(kna_array_value(x, &r->value));
    if (r->value->type.weak)
        KN_TRY(kna_value_as(&r->value, kna_strong_dtype(r->value->type)));
    KN_TRY(kna_force_here(1, &r->value));
    if (!kni_type_copy(&s->arena, r->value->type, &s->type[k]))
        return knx_error_nomem();
    kni_type t = s->type[k];
    if (!t.ndim)
        return knx_error_new(KN_ERROR_VALUE, "leaf %d has no axis that counts examples", k);
    if (t.dtype->kind == KN_KIND_KEY)
        return knx_error_new(KN_ERROR_TYPE, "leaf %d has random keys, which are no part of a batch", k);
    if (!k)
        s->n = t.dim[0];
    if (t.dim[0] != s->n)
        return knx_error_new(KN_ERROR_VALUE, "leaf %d has %lld examples, but leaf 0 has %lld", k, (long long)t.dim[0],
                             (long long)s->n);
    if (!s->n)
        return knx_error_new(KN_ERROR_VALUE, "there are no examples");
    r->from = kna_elements(r->value);
    r->bytes = (size_t)(kni_type_bytes(t) / (uint64_t)s->n);
    return NULL;
}

static void read_arrays(kna_op *op, kndata_source *s, const kntree_tree *t)
{
    s->rows = knx_arena_zero(&s->arena, ((size_t)t->n + 1) * sizeof *s->rows);
    s->type = knx_arena_zero(&s->arena, ((size_t)t->n + 1) * sizeof *s->type);
    knx_error *e = s->rows && s->type ? NULL : knx_error_nomem();
    if (!e && !t->n)
        e = knx_error_new(KN_ERROR_VALUE, "a loader of no arrays");
    s->n_leaf = e ? 0 : t->n;
    for (int k = 0; k < s->n_leaf && !e; k++)
        e = read_rows(s, k, t->at[k]);
    if (e)
        kna_fail_with(op, e);
}

kn_loader kn_loader_new(kn_tree examples, const kn_loader_opts *opts)
{
    kna_op op;
    KNX_OPTS(kn_loader_opts, o, opts);
    kntree_tree *t = kntree_tree_get("loader_new", examples);
    const kntree_structure *structure = t ? kntree_structure_in("loader_new", t) : NULL;
    if (!structure)
        return NULL;
    kna_begin(&op, "loader_new");
    loader *l = knx_alloc_zero(sizeof *l);
    if (l) {
        l->s.structure = kntree_structure_retain((kntree_structure *)(uintptr_t)structure);
        read_arrays(&op, &l->s, t);
    }
    return finish(&op, l, &o);
}

kn_loader kn_loader_of(int64_t n, kn_example_function example, void *env, const kn_loader_opts *opts)
{
    kna_op op;
    KNX_OPTS(kn_loader_opts, o, opts);
    kna_begin(&op, "loader_of");
    loader *l = knx_alloc_zero(sizeof *l);
    if (!example)
        kna_null(&op, "example");
    at_least(&op, "n", n, 1, INT64_MAX);
    if (l) {
        l->s.n = n;
        l->s.example = example;
        l->s.env = env;
    }
    return finish(&op, l, &o);
}

/* ---- Batches. */

static loader *get(const char *operation, kn_loader handle) { return kn_object_get(operation, type_name, handle); }

static void take(loader *l, kndata_batch *b)
{
    if (l->workers && !l->ring)
        l->ring = kndata_ring_new(&l->s, l->at, l->workers, l->prefetch);
    if (l->ring && kndata_ring_take(l->ring, b))
        return;
    l->ring = NULL; /* of a process before a fork: this one makes its batches itself */
    l->workers = 0;
    kndata_make(&l->s, l->at, b);
}

/* The error of a batch as the caller's: one of a thread was told there, to nobody. */
static void tell(knx_error *e)
{
    knx_error *mine = e;
    if (e->reported) {
        mine = knx_error_again(e);
        if (atomic_load(&mine->refs) > 0) {
            mine->operation = e->operation;
            mine->place = e->place;
        }
        knx_error_release(e);
    }
    kntree_tree_failed("loader_next", mine);
}

kn_tree kn_loader_next(kn_loader handle)
{
    loader *l = get("loader_next", handle);
    kndata_batch b;
    if (!l || l->at >= kndata_batches(&l->s))
        return NULL;
    uint64_t reports = knx_context()->reports;
    take(l, &b);
    if (b.error) {
        knx_error *e = b.error;
        b.error = NULL;
        kndata_ring_free(l->ring);
        l->ring = NULL;                  /* it begins anew with the next call */
        if (knx_reported_since(reports)) /* made here: the context has it */
            knx_error_release(e);
        else
            tell(e);
        return NULL;
    }
    kn_tree tree = kndata_tree(&b);
    kndata_batch_free(&b);
    if (!tree) { /* the threads are behind that batch, but the loader is not */
        kndata_ring_free(l->ring);
        l->ring = NULL;
    }
    l->at += tree != NULL;
    return tree;
}

int64_t kn_loader_length(kn_loader handle)
{
    const loader *l = get("loader_length", handle);
    return l ? l->s.per_epoch : -1;
}

/* ---- The place. */

static const char *const fields[] = {"batch", "batch_size", "epoch", "key", "length", "shards"};
enum { BATCH, BATCH_SIZE, EPOCH, KEY, LENGTH, SHARDS, FIELDS };

kn_tree kn_loader_state(kn_loader handle)
{
    const loader *l = get("loader_state", handle);
    if (!l)
        return NULL;
    const int64_t number[FIELDS] = {
        l->at % l->s.per_epoch, l->s.batch_size, l->at / l->s.per_epoch, 0, l->s.n, l->s.shards};
    kn_scope scope = kn_scope_begin();
    kn_tree_item item[FIELDS];
    kn_shape scalar = {.ndim = 0}, words = {.ndim = 1, .dim = {l->s.has_key ? 2 : 0}}; /* without a key none */
    for (int i = 0; i < FIELDS; i++) {
        kn_array x =
            i == KEY ? kn_from_memory(l->s.key, &words, KN_DT(U32)) : kn_from_memory(&number[i], &scalar, KN_DT(I64));
        item[i] = (kn_tree_item){fields[i], kn_tree_leaf(x)};
    }
    kn_tree tree = kn_tree_dict(FIELDS, item);
    if (tree)
        kn_keep_handle(tree);
    kn_scope_end(&scope);
    return tree;
}

/* number[KEY]: how many words of a key there are, 2 or 0. */
static void read_state(kna_op *op, const kn_array *x, int64_t number[FIELDS], uint32_t key[2])
{
    for (int i = 0; i < FIELDS && !kna_failed(op); i++) {
        kni_type t;
        const void *p = kna_look(op, x[i], &t);
        bool well = p && (i == KEY ? t.dtype == KN_DT(U32) && t.ndim == 1 && (t.dim[0] == 2 || t.dim[0] == 0)
                                   : t.dtype == KN_DT(I64) && t.ndim == 0);
        if (p && !well)
            kna_fail(op, KN_ERROR_VALUE, "%s of the state is %s", fields[i], i == KEY ? "no key" : "no int64");
        else if (well && i == KEY)
            memcpy(key, p, (size_t)(number[KEY] = t.dim[0]) * sizeof *key);
        else if (well)
            memcpy(&number[i], p, sizeof number[i]);
    }
}

static void check_state(kna_op *op, const kndata_source *s, const int64_t number[FIELDS])
{
    static const struct {
        int field;
        const char *text;
    } same[] = {{LENGTH, "the state is of a loader of %lld examples, but this one has %lld"},
                {BATCH_SIZE, "the state is of a loader of batches of %lld, but this one has batches of %lld"},
                {SHARDS, "the state is of one of %lld shards, but this loader is one of %lld"}};
    const int64_t mine[] = {s->n, s->batch_size, s->shards};
    int64_t epoch = number[EPOCH], batch = number[BATCH], at;
    for (int i = 0; i < 3 && !kna_failed(op); i++)
        if (number[same[i].field] != mine[i])
            kna_fail(op, KN_ERROR_VALUE, same[i].text, (long long)number[same[i].field], (long long)mine[i]);
    if (kna_failed(op))
        return;
    if (epoch < 0 || batch < 0 || batch >= s->per_epoch || __builtin_mul_overflow(epoch, s->per_epoch, &at) ||
        __builtin_add_overflow(at, batch, &at))
        kna_fail(op, KN_ERROR_VALUE, "there is no batch %lld of epoch %lld", (long long)batch, (long long)epoch);
}

int kn_loader_restore(kn_loader handle, kn_tree state)
{
    loader *l = get("loader_restore", handle);
    if (!l || !kntree_tree_get("loader_restore", state))
        return -1;
    kn_scope scope = kn_scope_begin();
    kn_array x[FIELDS] = {0};
    int64_t number[FIELDS] = {0};
    uint32_t key[2] = {0};
    bool well = true;
    int lacks = -1;
    for (int i = 0; i < FIELDS && well && lacks < 0; i++) {
        lacks = kn_tree_has(state, fields[i]) ? -1 : i;
        x[i] = lacks < 0 ? kn_tree_at(state, fields[i]) : NULL;
        well = lacks >= 0 || kn_ok(x[i]);
    }
    if (well) {
        kna_op op;
        kna_begin(&op, "loader_restore");
        if (lacks >= 0)
            kna_fail(&op, KN_ERROR_KEY, "this is no state of a loader: it has no '%s'", fields[lacks]);
        read_state(&op, x, number, key);
        if (!kna_failed(&op))
            check_state(&op, &l->s, number);
        well = kna_end_plain(&op);
    }
    kn_scope_end(&scope);
    if (!well)
        return -1;
    kndata_ring_free(l->ring);
    l->ring = NULL;
    l->at = number[EPOCH] * l->s.per_epoch + number[BATCH];
    memcpy(l->s.key, key, sizeof key);
    l->s.has_key = number[KEY] != 0;
    return 0;
}
