/* SPDX-License-Identifier: Apache-2.0
 * plans.c -- finding the plan of a cut, in the context's own plans and in those that default contexts share, or making
 * it; and saying why it had to be made. Those of the context need no lock.
 *
 * The first cut of a kind gets a plan for its extents. With the second one, which has others, a plan for the kind is
 * made; if that holds under conditions that other numbers do not meet, up to MOST_KINDS of them. */
#include "array/plans.h"
#include "base/log.h"
#include "ir/ops.h"
#include <string.h>

enum { GONE = 64, MOST_KINDS = 6 };

typedef struct kept {
    kna_plan *plan;
    kna_instances *instances; /* of a kind, in a context's own plans */
    bool first;               /* a plan for one set of extents that was the first of its kind: in `kind`, too */
    bool refused;             /* the first: there is no plan for the kind */
    struct kept *newer, *older;
} kept;
static knx_global_lock shared_lock = KN_GLOBAL_LOCK_INIT; /* no fork leaves it taken */

struct kna_plans {
    bool shared;
    knx_table map;  /* plans for one set of extents */
    knx_table kind; /* plans for a kind, and the first of those that have none */
    kept *newest, *oldest;
    kn_stats stats;
    uint64_t gone[GONE]; /* hashes of what went last */
};

/* ---- Plans. */

KNX_HOT void kna_plan_release(kna_plan *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
        return;
    kni_release(p->jaxpr);
    knd_release(p->program);
    kna_kind_free(p->kind);
    knx_free(p->donated);
    kni_key_free(&p->key);
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

/* With its slots in the tables, which are half full. */
static size_t bytes_of(const kept *k)
{
    size_t own = sizeof *k + 4 * sizeof(struct knx_table_slot);
    return own + k->plan->bytes + kna_instances_bytes(k->instances);
}

static kept *take_oldest(kna_plans *c)
{
    kept *k = c->oldest;
    const kna_plan *p = k->plan;
    unlink_kept(c, k);
    if (!p->kind)
        knx_table_remove(&c->map, p->hash, k);
    if (p->kind || k->first)
        knx_table_remove(&c->kind, p->kind_hash, k);
    c->stats.bytes -= bytes_of(k);
    c->stats.entries--;
    c->gone[c->stats.evicted++ % GONE] = p->kind ? p->kind_hash : p->hash;
    return k;
}

/* Not under the lock: what a plan holds has locks of its own. */
static void free_list(kept *k)
{
    for (kept *older; k; k = older) {
        older = k->older;
        kna_instances_free(k->instances);
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
    knx_table_free(&c->kind);
    knx_free(c);
}

/* Takes the oldest out until the rest fits; the newest, which is in use, stays. */
static kept *bound(kna_plans *c)
{
    kept *out = NULL;
    while (c->stats.bytes > c->stats.limit && c->oldest != c->newest) {
        kept *k = take_oldest(c);
        k->older = out;
        out = k;
    }
    return out;
}

static bool add_to_tables(kna_plans *c, kept *k)
{
    const kna_plan *p = k->plan;
    if (!p->kind && !knx_table_add(&c->map, p->hash, k))
        return false;
    if ((p->kind || k->first) && !knx_table_add(&c->kind, p->kind_hash, k)) {
        if (!p->kind)
            knx_table_remove(&c->map, p->hash, k);
        return false;
    }
    return true;
}

/* Without memory NULL. */
static kept *add(kna_plans *c, kna_plan *p)
{
    size_t cursor;
    kept *k = knx_alloc(sizeof *k), *out = NULL;
    if (k)
        *k = (kept){.plan = p};
    lock(c);
    if (k)
        k->first = !p->kind && !knx_table_first(&c->kind, p->kind_hash, &cursor);
    bool fine = k && add_to_tables(c, k);
    if (fine) {
        retain(p);
        link_newest(c, k);
        c->stats.bytes += bytes_of(k);
        c->stats.entries++;
        out = bound(c);
    }
    unlock(c);
    free_list(out);
    if (!fine)
        knx_free(k);
    return fine ? k : NULL;
}

bool kna_plans_drop_oldest(kna_plans *c)
{
    lock(c);
    kept *k = c->oldest != c->newest ? take_oldest(c) : NULL; /* the newest may be in use */
    if (k)
        k->older = NULL;
    unlock(c);
    free_list(k);
    if (k || c->shared || !c->newest)
        return k != NULL;
    c->stats.bytes -= kna_instances_bytes(c->newest->instances);
    bool went = kna_instances_drop(c->newest->instances);
    c->stats.bytes += kna_instances_bytes(c->newest->instances);
    return went;
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

/* ---- Finding. */

static void use(kna_plans *c, kept *k)
{
    if (k == c->newest)
        return;
    unlink_kept(c, k);
    link_newest(c, k);
}

static kept *look_up(kna_plans *c, const kna_cut *cut)
{
    size_t cursor;
    for (kept *k = knx_table_first(&c->map, cut->hash, &cursor); k; k = knx_table_next(&c->map, cut->hash, &cursor))
        if (kna_plan_fits(k->plan, cut))
            return k;
    return NULL;
}

/* A new reference, or NULL. */
static KNX_HOT kna_plan *find(kna_plans *c, const kna_cut *cut)
{
    kna_plan *found = NULL;
    lock(c);
    kept *k = look_up(c, cut);
    if (k) {
        use(c, k);
        found = retain(k->plan);
    }
    unlock(c);
    return found;
}

/* What there is of a cut's kind. */
typedef struct kind_match {
    kna_plan *plan;       /* that fits; a reference */
    knd_loaded *instance; /* of it, for these numbers; a reference; NULL: there is none yet */
    kept *kept;           /* in the context's own plans */
    uint32_t others;      /* plans whose conditions the numbers do not meet */
    bool seen;            /* some cut of this kind has a plan */
    bool refused;         /* there is no plan for the kind */
    int64_t number[KNA_KIND_VARIABLES];
} kind_match;

/* The kinds first: most cuts have one, and then what else is there of the kind does not matter. */
static KNX_HOT void find_kind(kna_plans *c, const kna_cut *cut, kind_match *m)
{
    size_t cursor;
    uint64_t h = cut->kind;
    uint32_t others = 0;
    kept *k;
    lock(c);
    for (k = knx_table_first(&c->kind, h, &cursor); k && !m->plan; k = knx_table_next(&c->kind, h, &cursor)) {
        const kna_kind *kind = k->plan->kind;
        if (!kind || !kna_plan_fits_kind(k->plan, cut))
            continue;
        m->seen = true;
        m->refused |= k->refused;
        bool fits = kna_kind_numbers(kind, cut, m->number);
        m->instance = fits ? kna_instance_find(k->instances, m->number) : NULL;
        if (!m->instance && !(fits && knx_dim_conditions_hold(&kind->conditions, m->number))) {
            others++;
            continue;
        }
        m->plan = retain(k->plan);
        m->kept = c->shared ? NULL : k;
        use(c, k);
    }
    for (k = m->plan ? NULL : knx_table_first(&c->kind, h, &cursor); k; k = knx_table_next(&c->kind, h, &cursor))
        if (!k->plan->kind && kna_plan_fits_kind(k->plan, cut)) {
            m->seen = true;
            m->refused |= k->refused;
        }
    m->others = others > m->others ? others : m->others;
    unlock(c);
}

/* There will be no plan for the kind of the cut. */
static void refuse_kind(kna_plans *c, const kna_cut *cut)
{
    size_t cursor;
    lock(c);
    for (kept *k = knx_table_first(&c->kind, cut->kind, &cursor); k; k = knx_table_next(&c->kind, cut->kind, &cursor))
        k->refused |= kna_plan_fits_kind(k->plan, cut);
    unlock(c);
}

/* ---- Why there is none yet. */

/* Against the plan that differs least, the newest of them. */
static void show_reason(knx_text *t, kna_plans *c, const kna_cut *cut)
{
    uint64_t like = kna_cut_likeness(cut);
    for (size_t i = 0; i < GONE && i < c->stats.evicted; i++)
        if (c->gone[i] == cut->hash || c->gone[i] == cut->kind) {
            knx_text_add(t, "evicted before");
            return;
        }
    const kna_plan *best = NULL;
    size_t least = SIZE_MAX;
    for (const kept *k = c->newest; k; k = k->older) {
        size_t differ = k->plan->likeness == like ? kna_count_differences(k->plan, cut) : SIZE_MAX;
        if (differ < least) {
            best = k->plan;
            least = differ;
        }
    }
    if (best)
        kna_show_difference(t, best, cut);
    else
        knx_text_add(t, "first time");
}

static void log_new_plan(kna_plans *c, const kna_cut *cut, const char *then)
{
    knx_text t = {0};
    const kna_node *last = cut->node.at[cut->node.n - 1];
    if (knx_debug_level < 1)
        return;
    show_reason(&t, c, cut);
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

static knx_error *make_plan(kna_cut *c, kna_plan **out)
{
    kna_plan *p = knx_alloc_zero(sizeof *p);
    if (!p)
        return knx_error_nomem();
    atomic_init(&p->refs, 1);
    p->hash = c->hash;
    p->kind_hash = c->kind;
    p->likeness = kna_cut_likeness(c);
    p->fuse = c->key.fuse;
    p->device = c->device;
    p->donated = c->donated ? knx_alloc(c->leaf.n + 1) : NULL;
    if (p->donated)
        memcpy(p->donated, c->donated, c->leaf.n);
    knc_compile_options o = {.kernels = c->s->caches->kernels, .fuse = c->key.fuse, .donated = p->donated};
    bool fine = !c->donated == !p->donated && kni_key_copy(&c->key, &p->key);
    knx_error *error = fine ? build_jaxpr(c, &p->jaxpr) : knx_error_nomem();
    if (!error)
        error = knd_compile(p->device, p->jaxpr, &o, &p->program);
    if (error) {
        kna_plan_release(p);
        return error;
    }
    p->bytes = sizeof *p + c->leaf.n + kni_key_bytes(&p->key) + kni_bytes(p->jaxpr) + knd_bytes(p->program, p->jaxpr);
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

/* A plan for the kind of the cut, into m: one that is known, or one that is made since such a cut was seen before. It
 * stays NULL where there is none; then the cut gets a plan for its extents. */
static knx_error *plan_of_kind(kna_cut *c, kna_plans *own, kna_plans *shared, kind_match *m)
{
    if (!m->seen || m->refused || m->others >= MOST_KINDS || c->device->compile)
        return NULL;
    KN_TRY(kna_kind_make(c, &m->plan));
    if (m->plan && (!kna_kind_numbers(m->plan->kind, c, m->number) ||
                    !knx_dim_conditions_hold(&m->plan->kind->conditions, m->number))) {
        kna_plan_release(m->plan); /* not even its sample meets its conditions: a number is too large */
        m->plan = NULL;
    }
    if (!m->plan) {
        refuse_kind(own, c);
        if (shared)
            refuse_kind(shared, c);
        return NULL;
    }
    log_new_plan(own, c, "; from now on for all extents");
    m->kept = add(own, m->plan);
    return m->kept && (!shared || add(shared, m->plan)) ? NULL : knx_error_nomem();
}

static knx_error *new_plan(kna_cut *c, kna_plans *own, kna_plans *shared, kind_match *m)
{
    KN_TRY(plan_of_kind(c, own, shared, m));
    if (m->plan)
        return NULL;
    log_new_plan(own, c, "");
    KN_TRY(make_plan(c, &m->plan));
    return add(own, m->plan) && (!shared || add(shared, m->plan)) ? NULL : knx_error_nomem();
}

/* Makes the instance of m's plan for its numbers. */
static KNX_HOT knx_error *make_instance(kna_plans *own, kind_match *m)
{
    kept *k = m->kept;
    const kna_kind *kind = k->plan->kind;
    knx_dim_value value[KNA_KIND_VARIABLES];
    for (uint32_t i = 0; i < kind->n_var; i++)
        value[i] = (knx_dim_value){kind->var[i], m->number[i]};
    const kna_instance_of of = {k->plan->device, kind->program, kind->n_var, value};
    own->stats.bytes -= kna_instances_bytes(k->instances);
    knx_error *error = kna_instance_make(&k->instances, &of, &m->instance);
    own->stats.bytes += kna_instances_bytes(k->instances);
    free_list(bound(own));
    return error;
}

/* A known plan, into m; shared: NULL if there are none. */
static knx_error *find_shared(const kna_cut *c, kna_plans *own, kna_plans *shared, kind_match *m)
{
    if (!shared)
        return NULL;
    m->plan = find(shared, c);
    if (!m->plan)
        find_kind(shared, c, m);
    if (m->plan)
        m->kept = add(own, m->plan); /* without memory a plan for one set of extents is found there again */
    return m->plan && m->plan->kind && !m->kept ? knx_error_nomem() : NULL;
}

/* Into m; *made: it was not known. */
static KNX_HOT knx_error *find_or_make(kna_cut *c, kind_match *m, bool *made)
{
    kna_plans *own = c->s->plans, *shared = NULL;
    knx_error *error = NULL;
    m->instance = NULL;
    m->kept = NULL;
    m->others = 0;
    m->seen = m->refused = *made = false;
    m->plan = find(own, c);
    if (!m->plan)
        find_kind(own, c, m);
    if (!m->plan) {
        shared = can_be_shared(c) ? c->s->caches->plans : NULL;
        error = find_shared(c, own, shared, m);
        *made = !error && !m->plan;
    }
    if (*made)
        error = new_plan(c, own, shared, m);
    if (!error && m->kept && m->plan->kind && !m->instance)
        error = make_instance(own, m);
    if (error)
        kna_plan_release(m->plan);
    return error;
}

KNX_HOT knx_error *kna_find_plan(kna_cut *c, kna_plan **plan, knd_loaded **instance)
{
    kn_stats *stats = &c->s->plans->stats;
    kind_match m;
    bool made;
    if (!kna_cut_key(c))
        return knx_error_nomem();
    knx_error *error = find_or_make(c, &m, &made);
    if (error && error->kind == KN_ERROR_MEMORY && knx_give_back(0)) {
        knx_error_release(error);
        error = find_or_make(c, &m, &made);
    }
    *(made ? &stats->misses : &stats->hits) += 1;
    if (error)
        return error;
    *plan = m.plan;
    *instance = m.instance;
    if (made)
        kna_bound_kernels(NULL);
    return NULL;
}
