/* SPDX-License-Identifier: Apache-2.0
 * plans.c -- finding the plan of a cut, in the context's own plans and in those that default contexts share, or making
 * it; and saying why it had to be made. Those of the context need no lock. */
#include "array/plans.h"
#include "base/log.h"
#include "ir/ops.h"
#include <string.h>

enum { GONE = 64 };

typedef struct kept {
    kna_plan *plan;
    struct kept *newer, *older;
} kept;
static knx_global_lock shared_lock = KN_GLOBAL_LOCK_INIT; /* no fork leaves it taken */

struct kna_plans {
    bool shared;
    knx_table map;
    kept *newest, *oldest;
    kn_stats stats;
    uint64_t gone[GONE]; /* hashes of what went last */
};

/* ---- Plans. */

void kna_plan_release(kna_plan *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
        return;
    kni_release(p->jaxpr);
    knd_release(p->program);
    kna_kind_release(p->kind);
    knx_free((void *)(uintptr_t)p->extent);
    knx_free(p->donated);
    knx_free(p);
}

static kna_plan *retain(kna_plan *p)
{
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

/* ---- A collection of them. */

kna_plans *kna_plans_new(size_t limit, bool shared)
{
    kna_plans *c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->shared = shared;
    c->stats.limit = limit;
    return c;
}

static void lock(kna_plans *c)
{
    if (c->shared)
        knx_global_lock_take(&shared_lock);
}

static void unlock(kna_plans *c)
{
    if (c->shared)
        knx_global_unlock(&shared_lock);
}

static void unlink_kept(kna_plans *c, kept *k)
{
    *(k->newer ? &k->newer->older : &c->newest) = k->older;
    *(k->older ? &k->older->newer : &c->oldest) = k->newer;
}

static void link_newest(kna_plans *c, kept *k)
{
    k->newer = NULL;
    k->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = k;
    c->newest = k;
}

static kept *take_oldest(kna_plans *c)
{
    kept *k = c->oldest;
    unlink_kept(c, k);
    knx_table_remove(&c->map, k->plan->hash, k);
    c->stats.bytes -= k->plan->bytes;
    c->stats.entries--;
    return k;
}

/* Not under the lock: what a plan holds has locks of its own. */
static void free_list(kept *k)
{
    for (kept *older; k; k = older) {
        older = k->older;
        kna_plan_release(k->plan);
        knx_free(k);
    }
}

void kna_plans_free(kna_plans *c)
{
    if (!c)
        return;
    free_list(c->newest);
    knx_table_free(&c->map);
    knx_free(c);
}

/* Takes the oldest out until the rest fits; the newest, which is in use, stays. */
static kept *bound(kna_plans *c)
{
    kept *out = NULL;
    while (c->stats.bytes > c->stats.limit && c->oldest != c->newest) {
        kept *k = take_oldest(c);
        c->gone[c->stats.evicted++ % GONE] = k->plan->hash;
        k->older = out;
        out = k;
    }
    return out;
}

static bool add(kna_plans *c, kna_plan *p)
{
    kept *k = knx_alloc(sizeof *k);
    kept *out = NULL;
    if (k)
        *k = (kept){.plan = p};
    lock(c);
    bool fine = k && knx_table_add(&c->map, p->hash, k);
    if (fine) {
        retain(p);
        link_newest(c, k);
        c->stats.bytes += p->bytes;
        c->stats.entries++;
        out = bound(c);
    }
    unlock(c);
    free_list(out);
    if (!fine)
        knx_free(k);
    return fine;
}

bool kna_plans_drop_oldest(kna_plans *c)
{
    lock(c);
    kept *k = c->oldest != c->newest ? take_oldest(c) : NULL; /* the newest may be in use */
    if (k) {
        c->gone[c->stats.evicted++ % GONE] = k->plan->hash;
        k->older = NULL;
    }
    unlock(c);
    free_list(k);
    return k != NULL;
}

kn_stats kna_plans_stats(kna_plans *c)
{
    lock(c);
    kn_stats s = c->stats;
    unlock(c);
    return s;
}

size_t kna_plans_set_limit(kna_plans *c, size_t bytes)
{
    lock(c);
    size_t before = c->stats.limit;
    c->stats.limit = bytes;
    kept *out = bound(c);
    unlock(c);
    free_list(out);
    return before;
}

/* ---- Does a plan fit a cut? */

static uint64_t hash_type(kni_type t, uint64_t h)
{
    h = knx_hash_mix(h, (uint64_t)(uintptr_t)t.dtype ^ (uint64_t)t.ndim);
    for (int d = 0; d < t.ndim; d++)
        h = knx_hash_mix(h, (uint64_t)t.dim[d]);
    return h;
}

static uint64_t hash_cut(const kna_cut *c)
{
    uint64_t h = c->fuse ? 11 : 12;
    for (size_t i = 0; i < c->leaf.n; i++)
        h = hash_type(c->leaf.at[i]->type, h + (c->donated && c->donated[i]));
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; k++) {
        const kna_node *n = c->node.at[k];
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)n->prim);
        if (n->params)
            h = kni_params_hash(n->prim, n->params, h);
        for (uint32_t i = 0; i < n->n_in; i++, a++)
            h = knx_hash_mix(h, n->in[i] ? *a : n->literal[i].bits.u[0] ^ n->literal[i].bits.u[1] ^ KN_LITERAL_BIT);
    }
    for (size_t i = 0; i < c->out_atom.n; i++)
        h = knx_hash_mix(h, c->out_atom.at[i]);
    return h;
}

static bool same_literal(const kni_jaxpr *j, kni_atom a, const kni_literal *l)
{
    const kni_literal *m = &j->literal[a & ~KN_LITERAL_BIT];
    return m->type.dtype == l->type.dtype && m->type.weak == l->type.weak &&
           memcmp(&m->bits, &l->bits, sizeof l->bits) == 0;
}

typedef bool params_test(const kni_prim *p, const void *a, const void *b);

static bool same_equation(const kni_jaxpr *j, const kni_eqn *e, const kna_node *n, const kni_atom *a,
                          params_test *same_params)
{
    if (e->prim != n->prim || e->n_in != n->n_in || e->n_out != n->n_out)
        return false;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (n->in[i] ? e->in[i] != a[i] : !kni_is_literal(e->in[i]) || !same_literal(j, e->in[i], &n->literal[i]))
            return false;
    return same_params(n->prim, e->params, n->params);
}

static bool type_matches(kni_type a, kni_type b) { return a.dtype == b.dtype && kni_type_same_shape(a, b); }

static bool donates(const bool *donated, size_t i) { return donated && donated[i]; }

/* Are the cut's equations, operands and results the plan's, whatever their extents? */
static bool structure_fits(const kna_plan *p, const kna_cut *c, params_test *same_params)
{
    const kni_jaxpr *j = p->jaxpr;
    if (!j || p->fuse != c->fuse || p->device != kna_device() || j->n_in != c->leaf.n || j->n_eqn != c->node.n ||
        j->n_out != c->out_atom.n)
        return false;
    for (size_t i = 0; i < c->leaf.n; i++) {
        kni_type t = c->leaf.at[i]->type;
        if (j->type[i].dtype != t.dtype || j->type[i].ndim != t.ndim ||
            donates(p->donated, i) != donates(c->donated, i))
            return false;
    }
    for (size_t i = 0; i < c->out_atom.n; i++)
        if (j->out[i] != c->out_atom.at[i])
            return false;
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; a += c->node.at[k]->n_in, k++)
        if (!same_equation(j, &j->eqn[k], c->node.at[k], a, same_params))
            return false;
    return true;
}

static bool plan_fits(const kna_plan *p, const kna_cut *c)
{
    if (!p->program)
        return false;
    if (p->kind)
        return structure_fits(p, c, kni_params_alike) && kna_kind_has(p->kind, p->extent, c);
    if (!structure_fits(p, c, kni_params_equal))
        return false;
    for (size_t i = 0; i < c->leaf.n; i++)
        if (!kni_type_same_shape(p->jaxpr->type[i], c->leaf.at[i]->type))
            return false;
    return true;
}

/* A new reference, or NULL. */
static kna_plan *find(kna_plans *c, const kna_cut *cut, uint64_t hash)
{
    size_t cursor;
    kna_plan *found = NULL;
    lock(c);
    for (kept *k = knx_table_first(&c->map, hash, &cursor); k && !found; k = knx_table_next(&c->map, hash, &cursor))
        if (plan_fits(k->plan, cut)) {
            if (k != c->newest) {
                unlink_kept(c, k);
                link_newest(c, k);
            }
            found = retain(k->plan);
        }
    *(found ? &c->stats.hits : &c->stats.misses) += 1;
    unlock(c);
    return found;
}

/* ---- Kinds. A plan without a program stands for the kind of its hash: the kind itself, the reason why there is none,
 * or, with neither, that a cut of this kind was seen. */

typedef struct kind_match {
    kna_plan *plan;  /* whose kind fits; a reference */
    uint32_t others; /* kinds that do not fit */
    bool seen, refused;
} kind_match;

static void find_kind(kna_plans *c, const kna_cut *cut, uint64_t hash, knx_dim_value *value, int64_t *extent,
                      kind_match *m)
{
    size_t cursor;
    lock(c);
    for (kept *k = knx_table_first(&c->map, hash, &cursor); k && !m->plan; k = knx_table_next(&c->map, hash, &cursor)) {
        kna_plan *p = k->plan;
        if (p->program)
            continue;
        m->seen = true;
        if (!p->kind)
            continue;
        if (!p->kind->program) {
            m->refused = true;
        } else if (structure_fits(p, cut, kni_params_alike) && kna_kind_fits(p->kind, cut, value, extent)) {
            m->plan = retain(p);
            if (k != c->newest) {
                unlink_kept(c, k);
                link_newest(c, k);
            }
        } else {
            m->others++;
        }
    }
    unlock(c);
}

/* ---- Why there is none yet. */

static uint64_t likeness(const kna_cut *c)
{
    uint64_t h = c->leaf.n;
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; k++) {
        const kna_node *n = c->node.at[k];
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)n->prim);
        for (uint32_t i = 0; i < n->n_in; i++, a++)
            h = knx_hash_mix(h, n->in[i] ? *a : KN_LITERAL_BIT);
    }
    return h;
}

/* The type of leaf i, as the plan was made for it. dim: room. */
static kni_type leaf_type(const kna_plan *p, size_t i, int64_t *dim)
{
    kni_type t = p->jaxpr->type[i];
    const int64_t *at = p->extent;
    for (size_t k = 0; at && k < i; k++)
        at += p->jaxpr->type[k].ndim;
    if (at && t.ndim)
        t.dim = memcpy(dim, at, (size_t)t.ndim * sizeof *dim);
    return t;
}

/* How the cut differs from a plan of its likeness. */
static void show_difference(knx_text *t, const kna_plan *p, const kna_cut *c)
{
    const kni_jaxpr *j = p->jaxpr;
    for (size_t i = 0; i < c->leaf.n; i++) {
        knx_text now = {0}, before = {0};
        int64_t dim[KN_MAX_NDIM];
        kni_type a = c->leaf.at[i]->type, b = leaf_type(p, i, dim);
        a.weak = false;
        if (type_matches(a, b))
            continue;
        knx_text_add(t, "new %s of operand %zu: %s was %s", a.dtype != b.dtype ? "dtype" : "shape", i,
                     kni_type_text(&now, a, false), kni_type_text(&before, b, false));
        return;
    }
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; a += c->node.at[k]->n_in, k++)
        if (!same_equation(j, &j->eqn[k], c->node.at[k], a, p->kind ? kni_params_alike : kni_params_equal)) {
            knx_text_add(t, "new parameters or constants of %s", c->node.at[k]->prim->name);
            return;
        }
    if (p->fuse != c->fuse)
        knx_text_add(t, "different option: %s", c->fuse ? "fused" : "not fused");
    else if (j->n_out != c->out_atom.n || memcmp(j->out, c->out_atom.at, j->n_out * sizeof *j->out))
        knx_text_add(t, "other results are wanted");
    else
        knx_text_add(t, "other operands may be written over");
}

/* Against the plan that differs least, the newest of them. */
static void show_reason(knx_text *t, kna_plans *c, const kna_cut *cut, uint64_t hash)
{
    uint64_t like = likeness(cut);
    for (size_t i = 0; i < GONE && i < c->stats.evicted; i++)
        if (c->gone[i] == hash) {
            knx_text_add(t, "evicted before");
            return;
        }
    const kna_plan *best = NULL;
    size_t least = 0;
    int64_t dim[KN_MAX_NDIM];
    for (const kept *k = c->newest; k; k = k->older) {
        const kni_jaxpr *j = k->plan->jaxpr;
        if (!k->plan->program || k->plan->likeness != like || j->n_eqn != cut->node.n || j->n_in != cut->leaf.n)
            continue;
        size_t differ = 0;
        for (size_t i = 0; i < cut->leaf.n; i++)
            differ += !type_matches(leaf_type(k->plan, i, dim), cut->leaf.at[i]->type);
        if (best && differ >= least)
            continue;
        best = k->plan;
        least = differ;
    }
    if (best)
        show_difference(t, best, cut);
    else
        knx_text_add(t, "first time");
}

static void log_new_plan(kna_plans *c, const kna_cut *cut, uint64_t hash, const char *then)
{
    knx_text t = {0};
    const kna_node *last = cut->node.at[cut->node.n - 1];
    if (knx_debug_level < 1)
        return;
    show_reason(&t, c, cut, hash);
    KN_LOG(1, "plan: %s:%d: %zu operation%s up to %s: %s%s", last->place ? last->place->file : "?",
           last->place ? last->place->line : 0, cut->node.n, cut->node.n == 1 ? "" : "s",
           last->operation && *last->operation ? last->operation : last->prim->name, t.s, then);
}

/* ---- Making one. */

static knx_error *build_jaxpr(const kna_cut *c, kni_jaxpr **out)
{
    kni_builder b;
    knb_init(&b);
    for (size_t i = 0; i < c->leaf.n; i++) {
        kni_type t = c->leaf.at[i]->type;
        t.weak = false;
        knb_invar(&b, t);
    }
    size_t widest_in = 1, widest_out = 1;
    for (size_t k = 0; k < c->node.n; k++) {
        widest_in = c->node.at[k]->n_in > widest_in ? c->node.at[k]->n_in : widest_in;
        widest_out = c->node.at[k]->n_out > widest_out ? c->node.at[k]->n_out : widest_out;
    }
    kni_atom *in = knx_alloc(widest_in * sizeof *in), *y = knx_alloc(widest_out * sizeof *y);
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; in && y && k < c->node.n; a += c->node.at[k]->n_in, k++) {
        const kna_node *n = c->node.at[k];
        b.place = n->place;
        for (uint32_t i = 0; i < n->n_in; i++)
            in[i] = n->in[i] ? a[i]
                             : knb_literal(&b, n->literal[i].type.dtype, n->literal[i].type.weak, n->literal[i].bits);
        knb_emit(&b, n->prim, n->params, (int)n->n_in, in, y, (int)n->n_out);
    }
    knx_error *error = in && y ? knb_finish(&b, (int)c->out_atom.n, c->out_atom.at, "", false, out) : knx_error_nomem();
    knx_free(in);
    knx_free(y);
    knb_free(&b);
    return error;
}

static knx_error *make_plan(kna_cut *c, uint64_t hash, kna_plan **out)
{
    kna_plan *p = knx_alloc_zero(sizeof *p);
    if (!p)
        return knx_error_nomem();
    atomic_init(&p->refs, 1);
    p->hash = hash;
    p->likeness = likeness(c);
    p->fuse = c->fuse;
    p->device = kna_device();
    p->donated = c->donated;
    c->donated = NULL; /* the plan's now */
    knc_compile_options o = {.kernels = c->s->caches->kernels, .fuse = c->fuse, .donated = p->donated};
    knx_error *error = build_jaxpr(c, &p->jaxpr);
    if (!error)
        error = knd_compile(p->device, p->jaxpr, &o, &p->program);
    if (error) {
        c->donated = p->donated;
        p->donated = NULL;
        kna_plan_release(p);
        return error;
    }
    p->bytes = sizeof *p + sizeof(kept) + c->leaf.n + kni_bytes(p->jaxpr) + knd_bytes(p->program, p->jaxpr);
    *out = p;
    return NULL;
}

static kna_plan *plan_without_program(const kna_cut *c, uint64_t hash, kna_kind *kind)
{
    kna_plan *p = knx_alloc_zero(sizeof *p);
    if (!p)
        return NULL;
    atomic_init(&p->refs, 1);
    p->hash = hash;
    p->fuse = c->fuse;
    p->device = kna_device();
    p->kind = kind;
    p->jaxpr = kind && kind->jaxpr ? kni_retain(kind->jaxpr) : NULL;
    p->bytes = sizeof *p + sizeof(kept) + (kind ? kind->bytes : 0);
    if (kind && c->donated) {
        p->donated = knx_alloc(c->leaf.n + 1);
        if (!p->donated) {
            p->kind = NULL;
            kna_plan_release(p);
            return NULL;
        }
        memcpy(p->donated, c->donated, c->leaf.n);
    }
    return p;
}

/* The plan of a kind for the extents of the cut. */
static knx_error *make_instance(kna_cut *c, uint64_t hash, const kna_plan *of, const knx_dim_value *value,
                                const int64_t *extent, kna_plan **out)
{
    kna_kind *kind = of->kind;
    knc_program *program = NULL;
    kna_plan *p = knx_alloc_zero(sizeof *p);
    int64_t *mine = p ? knx_alloc((kind->n_place + 1) * sizeof *mine) : NULL;
    if (!mine) {
        knx_free(p);
        return knx_error_nomem();
    }
    memcpy(mine, extent, kind->n_place * sizeof *mine);
    atomic_init(&p->refs, 1);
    atomic_fetch_add_explicit(&kind->refs, 1, memory_order_relaxed);
    p->hash = hash;
    p->likeness = likeness(c);
    p->fuse = c->fuse;
    p->device = of->device;
    p->kind = kind;
    p->extent = mine;
    p->jaxpr = kni_retain(kind->jaxpr);
    p->donated = c->donated;
    c->donated = NULL; /* the plan's now */
    knx_error *error =
        knc_instantiate(kind->program, (int)kind->n_var, value, p->device->target(p->device)->alignment, &program);
    if (!error)
        error = knd_load(p->device, program, &p->program);
    knc_release(program);
    if (error) {
        c->donated = p->donated;
        p->donated = NULL;
        kna_plan_release(p);
        return error;
    }
    p->bytes = sizeof *p + sizeof(kept) + c->leaf.n + kind->n_place * sizeof *mine + knd_bytes(p->program, kind->jaxpr);
    *out = p;
    return NULL;
}

/* Do the nodes' parameters speak of plain things alone? What belongs to a context (the user's code, names, jaxprs with
 * their rules) stays in it. */
static bool can_be_shared(const kna_cut *c)
{
    for (size_t k = 0; k < c->node.n; k++) {
        const kni_prim *p = c->node.at[k]->prim;
        if (p->bits & KN_DEEP_BITS)
            return false;
        for (const kni_param_field *f = p->fields; f && f->name; f++)
            if (f->kind == KN_P_JAXPR || f->kind == KN_P_JAXPRS || f->kind == KN_P_THUNK || f->kind == KN_P_STRING ||
                f->kind == KN_P_NAMES)
                return false;
    }
    return true;
}

enum { MOST_KINDS = 6, MOST_VALUES = 64, MOST_EXTENTS = 512 };

bool kna_plan_kinds;

/* A plan for the extents of the cut, of its kind: one that is known, or that is made now since such a cut was seen
 * before. *out stays NULL where there is none; then the cut gets a plan of its own. */
static knx_error *plan_of_kind(kna_cut *c, uint64_t hash, kna_plans *own, kna_plans *shared, kna_plan **out)
{
    knx_dim_value value[MOST_VALUES];
    int64_t extent[MOST_EXTENTS];
    kind_match m = {0};
    if (!kna_plan_kinds)
        return NULL;
    uint64_t kind_hash = kna_kind_hash(c);
    find_kind(own, c, kind_hash, value, extent, &m);
    if (!m.plan && shared)
        find_kind(shared, c, kind_hash, value, extent, &m);
    if (!m.plan && (m.refused || m.others >= MOST_KINDS))
        return NULL;
    kna_kind *kind = NULL;
    if (!m.plan && m.seen)
        KN_TRY(kna_kind_make(c, kna_device(), &kind));
    if (!m.plan) {
        m.plan = plan_without_program(c, kind_hash, kind);
        if (!m.plan) {
            kna_kind_release(kind);
            return knx_error_nomem();
        }
        if (!add(own, m.plan) || (shared && !add(shared, m.plan))) {
            kna_plan_release(m.plan);
            return knx_error_nomem();
        }
        if (!kind || !kind->program || !kna_kind_fits(kind, c, value, extent)) {
            kna_plan_release(m.plan);
            return NULL;
        }
    }
    if (kind)
        log_new_plan(own, c, hash, "; from now on for all extents");
    knx_error *error = make_instance(c, hash, m.plan, value, extent, out);
    kna_plan_release(m.plan);
    return error;
}

static knx_error *new_plan(kna_cut *c, uint64_t hash, kna_plans *own, kna_plans *shared, kna_plan **out)
{
    KN_TRY(plan_of_kind(c, hash, own, shared, out));
    if (*out)
        return NULL;
    log_new_plan(own, c, hash, "");
    return make_plan(c, hash, out);
}

knx_error *kna_find_plan(kna_cut *c, kna_plan **out)
{
    kna_plans *own = c->s->plans, *shared = c->s->caches->plans;
    uint64_t h = hash_cut(c);
    *out = find(own, c, h);
    if (*out)
        return NULL;
    shared = shared && can_be_shared(c) ? shared : NULL;
    *out = shared ? find(shared, c, h) : NULL;
    if (*out) {
        own->stats.hits++;
        own->stats.misses--;
        (void)add(own, *out); /* without memory it is looked for there again */
        return NULL;
    }
    knx_error *error = new_plan(c, h, own, shared, out);
    if (error && error->kind == KN_ERROR_MEMORY && knx_give_back(0)) {
        knx_error_release(error);
        error = new_plan(c, h, own, shared, out);
    }
    if (error)
        return error;
    if (add(own, *out) && (!shared || add(shared, *out))) {
        kna_bound_kernels(NULL);
        return NULL;
    }
    kna_plan_release(*out);
    *out = NULL;
    return knx_error_nomem();
}
