/* SPDX-License-Identifier: Apache-2.0
 * force.c -- runs nodes that were recorded lazily. The nodes that some values wait for are the cut. A cut is looked up
 * by its structure, without the values of its leaves (the known operands): there is a compiled program for it, or one
 * is made, which then runs with the leaves as operands. */
#include "array/plans.h"
#include "array/storage.h"
#include "ir/text/print.h"
#include "device/device.h"
#include <string.h>

static void free_room(kna_cut *c)
{
    KN_VEC_FREE(&c->node);
    KN_VEC_FREE(&c->first_var);
    KN_VEC_FREE(&c->leaf);
    KN_VEC_FREE(&c->out);
    KN_VEC_FREE(&c->out_atom);
    KN_VEC_FREE(&c->stack);
    KN_VEC_FREE(&c->atom);
    kni_key_free(&c->key);
    KN_VEC_FREE(&c->old);
    knx_free(c);
}

void kna_cut_room_free(kna_state *s)
{
    if (s->cut_room)
        free_room(s->cut_room);
    s->cut_room = NULL;
}

/* The state keeps the lists of a cut for the next one, so that most cuts allocate nothing; a cut inside of a cut has
 * lists of its own. NULL without memory. */
static inline kna_cut *cut_begin(kna_state *s, uint16_t site, bool fuse)
{
    kna_cut *c = s->cut_room;
    s->cut_room = NULL;
    if (!c)
        c = knx_alloc_zero(sizeof *c);
    if (c) {
        c->s = s;
        c->site = site;
        c->device = kna_device_at(site);
        c->key.fuse = fuse;
    }
    return c;
}

static KNX_HOT void cut_end(kna_cut *c)
{
    enum { KEEP = 4096 }; /* operands of nodes; the lists of cuts with more are freed */
    kna_state *s = c->s;
    for (size_t i = 0; i < c->out.n; i++)
        kna_value_release(c->out.at[i]);
    knx_table_free(&c->leaf_index);
    if (c->donated != c->few_donated)
        knx_free(c->donated);
    c->donated = NULL;
    c->node.n = c->first_var.n = c->leaf.n = c->out.n = c->out_atom.n = c->stack.n = c->atom.n = c->old.n = 0;
    if (s->cut_room || c->atom.cap > KEEP)
        free_room(c);
    else
        s->cut_room = c;
}

/* ---- Cutting. */

enum { FEW_LEAVES = 16 };

static __attribute__((noinline)) bool find_among_many(const kna_cut *c, const kna_value *v, uint32_t *index)
{
    size_t cursor;
    uint64_t h = knx_hash_mix(3, (uint64_t)(uintptr_t)v);
    for (void *p = knx_table_first(&c->leaf_index, h, &cursor); p; p = knx_table_next(&c->leaf_index, h, &cursor))
        if (c->leaf.at[(uintptr_t)p - 1] == v) {
            *index = (uint32_t)((uintptr_t)p - 1);
            return true;
        }
    return false;
}

static inline bool find_leaf(const kna_cut *c, const kna_value *v, uint32_t *index)
{
    if (c->leaf.n > FEW_LEAVES)
        return find_among_many(c, v, index);
    for (size_t i = 0; i < c->leaf.n; i++)
        if (c->leaf.at[i] == v) {
            *index = (uint32_t)i;
            return true;
        }
    return false;
}

static bool index_leaf(kna_cut *c, size_t i)
{
    return knx_table_add(&c->leaf_index, knx_hash_mix(3, (uint64_t)(uintptr_t)c->leaf.at[i]), (void *)(i + 1));
}

static KNX_HOT bool add_leaf(kna_cut *c, kna_value *v)
{
    uint32_t unused;
    if (find_leaf(c, v, &unused))
        return true;
    if (!KN_VEC_PUSH(&c->leaf, v))
        return false;
    if (c->leaf.n == FEW_LEAVES + 1) {
        for (size_t i = 0; i < c->leaf.n; i++)
            if (!index_leaf(c, i))
                return false;
    } else if (c->leaf.n > FEW_LEAVES) {
        return index_leaf(c, c->leaf.n - 1);
    }
    return true;
}

/* Visits the operands of the node on top of the stack: known ones are leaves; an operand that waits puts its node on
 * the stack. A node whose operands are all visited joins the cut. False without memory. */
static bool advance(kna_cut *c)
{
    kna_visit *top = &c->stack.at[c->stack.n - 1];
    kna_node *n = top->node;
    while (top->next < n->n_in) {
        kna_value *v = n->in[top->next++];
        if (!v)
            continue;
        if (v->state != KN_V_PENDING) {
            if (!add_leaf(c, v))
                return false;
            continue;
        }
        if (v->pending.node->collected_in != c->s->mark) {
            kna_visit deeper = {v->pending.node, 0};
            deeper.node->collected_in = c->s->mark;
            return KN_VEC_PUSH(&c->stack, deeper);
        }
    }
    c->stack.n--;
    n->position = (uint32_t)c->node.n;
    return KN_VEC_PUSH(&c->node, n);
}

static KNX_HOT bool collect(kna_cut *c, kna_node *root)
{
    if (root->collected_in == c->s->mark)
        return true;
    root->collected_in = c->s->mark;
    kna_visit first = {root, 0};
    if (!KN_VEC_PUSH(&c->stack, first))
        return false;
    while (c->stack.n)
        if (!advance(c))
            return false;
    return true;
}

/* ---- Updates: a cut that writes over an old value also runs all waiting nodes that read it, before the update. */

static bool is_updated_leaf(const kna_cut *c, const kna_value *v)
{
    for (size_t i = 0; i < c->old.n; i++)
        if (c->old.at[i] == v)
            return true;
    return false;
}

/* Notes the old value of an update: in the value itself if it waits; in a list if it is a leaf, which may belong to
 * other threads, too. The update of a view updates the value that the view shows: both are old values then. */
static bool note_old(kna_cut *c, kna_value *old, bool *readers)
{
    while (old && old->state == KN_V_PENDING) {
        const kna_node *n = old->pending.node;
        *readers = *readers || old->refs > 1;
        old->updated_in = c->s->mark;
        old = n->prim->bits & KN_VIEW ? n->in[0] : NULL;
    }
    if (!old || old->state != KN_V_BUFFER)
        return true;
    *readers = *readers || old->refs > 1;
    return is_updated_leaf(c, old) || KN_VEC_PUSH(&c->old, old);
}

static bool note_updates(kna_cut *c, size_t from, bool *readers)
{
    for (size_t k = from; k < c->node.n; k++) {
        kna_node *n = c->node.at[k];
        if (n->prim->updates && !note_old(c, n->in[n->prim->updates - 1], readers))
            return false;
    }
    return true;
}

/* Adds the waiting nodes that read a value which the cut updates; their operands may be updates themselves. */
static bool collect_readers(kna_cut *c)
{
    bool readers = false;
    for (size_t seen = 0; seen < c->node.n;) {
        size_t from = seen;
        seen = c->node.n;
        if (!note_updates(c, from, &readers))
            return false;
        for (kna_node *w = readers ? c->s->waiting : NULL; w; w = w->next)
            for (uint32_t i = 0; i < w->n_in && w->collected_in != c->s->mark; i++) {
                const kna_value *v = w->in[i];
                bool old = v && (v->state == KN_V_PENDING ? v->updated_in == c->s->mark : is_updated_leaf(c, v));
                if (old && kna_are_together(w->site, c->site) && !collect(c, w))
                    return false;
            }
    }
    return true;
}

/* Does only this cut refer to the leaf? Then all references are operands of the cut's nodes, which go with it. */
static bool only_cut_has(const kna_cut *c, const kna_value *v)
{
    uint32_t readers = 0;
    for (size_t k = 0; k < c->node.n; k++)
        for (uint32_t i = 0; i < c->node.at[k]->n_in; i++)
            readers += c->node.at[k]->in[i] == v;
    return kna_only_referred_by(v, readers);
}

static bool is_output(const kna_cut *c, const kna_value *v)
{
    for (size_t i = 0; i < c->out.n; i++)
        if (c->out.at[i] == v)
            return true;
    return false;
}

/* Memory that the user sees may be written over only by the value that belongs there: a chain of updates, each the only
 * one of its old value, leads from v to it. */
static bool stays_in_pin(const kna_cut *c, kna_value *v)
{
    const kna_pin *p = v->pin;
    if (atomic_load(&p->refs) == 1 && !p->foreign)
        return true; /* the user does not see this memory any more */
    v->n_updates = 0;
    for (size_t k = 0; k < c->node.n; k++)
        if (c->node.at[k]->out[0])
            c->node.at[k]->out[0]->n_updates = 0;
    for (size_t k = 0; k < c->node.n; k++) {
        kna_value *old = c->node.at[k]->prim->updates ? c->node.at[k]->in[c->node.at[k]->prim->updates - 1] : NULL;
        if (old && (old == v || old->state == KN_V_PENDING))
            old->n_updates++;
    }
    for (size_t k = 0; k < c->node.n; k++) { /* operands come before their users */
        const kna_node *n = c->node.at[k];
        if (!n->prim->updates || n->in[n->prim->updates - 1] != v)
            continue;
        if (v->n_updates != 1 || !(v = n->out[0]))
            return false;
        if (v->pin == p)
            return true;
        if (is_output(c, v))
            return false;
    }
    return false;
}

static bool can_fail(const kna_cut *c)
{
    for (size_t k = 0; k < c->node.n; k++)
        if (kni_can_fail(c->node.at[k]->prim, c->node.at[k]->params))
            return true;
    return false;
}

/* Chooses the leaves whose memory the program may write over. After a failure the nodes of a cut run one by one and
 * need the leaves again: a cut that can fail donates none. */
static bool choose_donated(kna_cut *c)
{
    if (!c->old.n || can_fail(c))
        return true;
    bool few = c->leaf.n <= sizeof c->few_donated / sizeof *c->few_donated;
    c->donated = few ? c->few_donated : knx_alloc(c->leaf.n * sizeof *c->donated);
    for (size_t i = 0; c->donated && i < c->leaf.n; i++) {
        kna_value *v = c->leaf.at[i];
        c->donated[i] = v->state == KN_V_BUFFER && is_updated_leaf(c, v) && only_cut_has(c, v) &&
                        (!kna_lies_in_pin(v) || stays_in_pin(c, v));
    }
    return c->donated != NULL;
}

static bool is_target(int n, kna_value *const *values, const kna_value *v)
{
    for (int i = 0; i < n; i++)
        if (values[i] == v)
            return true;
    return false;
}

/* Does the node read an old value that this cut may write over, or a result that is computed from such a value and not
 * kept? Then its results cannot be computed after the cut. */
static bool reads_old(const kna_cut *c, const kna_node *n)
{
    for (uint32_t i = 0; i < n->n_in; i++) {
        const kna_value *v = n->in[i];
        if (v && (v->state == KN_V_PENDING ? v->needs_old : is_updated_leaf(c, v)))
            return true;
    }
    return false;
}

/* Is the primitive a view? A view that is computed again costs as much as the elements that are read through it, so a
 * second computation is no reason to store all of its result. */
static bool only_shows(const kni_prim *p) { return p->put && (p->bits & (KN_VIEW | KN_WINDOW | KN_COMPONENT)); }

/* Views of views that are composed again and again; then they are worth storing. */
enum { MOST_VIEWS = 8 };

/* Is the node worked out for the second time, or does it read what is and is not kept? Then its own results are run for
 * the first time, perhaps, but what is behind them is not, and grows with each round of a loop whose state has a handle
 * in one cut and none in the next. */
static bool runs_again(kna_node *n)
{
    bool shows = only_shows(n->prim), again = n->ran && !shows;
    n->views = 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (n->in[i] && n->in[i]->state == KN_V_PENDING) {
            const kna_node *of = n->in[i]->pending.node;
            again = again || of->again;
            n->views = shows && of->views > n->views ? of->views : n->views;
        }
    n->views += n->ran && shows && n->views <= MOST_VIEWS;
    return again || n->views > MOST_VIEWS;
}

/* Chooses the results that are kept: those that the caller asks for; and of the results that have handles outside of
 * the cut those that were handed on, whose node or what it reads has run before, or whose operands the cut writes over.
 * The other results stay recorded, so a temporary that no one reads costs no store. */
static bool choose_outputs(kna_cut *c, int n, kna_value *const *values)
{
    for (size_t k = 0; k < c->node.n; k++) { /* operands come before their users */
        kna_node *node = c->node.at[k];
        bool again = runs_again(node), once = c->old.n && reads_old(c, node);
        node->ran = true;
        node->again = false;
        for (uint32_t i = 0; i < node->n_out; i++) {
            kna_value *v = node->out[i];
            bool outside = v && (uint32_t)v->refs > v->n_readers;
            bool keep = outside && (once || v->kept || again || is_target(n, values, v));
            if (v) {
                v->needs_old = once && !keep;
                node->again = node->again || (again && !keep);
            }
            if (!keep)
                continue;
            kni_atom a = c->first_var.at[k] + i;
            if (!KN_VEC_PUSH(&c->out, v))
                return false;
            kna_value_retain(v);
            if (!KN_VEC_PUSH(&c->out_atom, a))
                return false;
        }
        if (again && !node->again) /* it is kept */
            node->views = 0;
    }
    return true;
}

/* Counts how often each result is an operand, on the way. */
static KNX_HOT bool number_variables(kna_cut *c)
{
    uint32_t var = (uint32_t)c->leaf.n;
    if (!KN_VEC_RESERVE(&c->first_var, c->node.n))
        return false;
    for (size_t k = 0; k < c->node.n; k++) {
        const kna_node *n = c->node.at[k];
        c->first_var.at[c->first_var.n++] = var;
        var += n->n_out;
        for (uint32_t i = 0; i < n->n_out; i++)
            if (n->out[i])
                n->out[i]->n_readers = 0;
    }
    for (size_t k = 0; k < c->node.n; k++) {
        kna_node *n = c->node.at[k];
        if (!KN_VEC_RESERVE(&c->atom, n->n_in))
            return false;
        for (uint32_t i = 0; i < n->n_in; i++) {
            kna_value *v = n->in[i];
            uint32_t a = KN_LITERAL_BIT;
            if (v && v->state == KN_V_PENDING) {
                a = c->first_var.at[v->pending.node->position] + v->pending.index;
                v->n_readers++;
            } else if (v && !find_leaf(c, v, &a))
                return false;
            c->atom.at[c->atom.n++] = a;
        }
    }
    return true;
}

/* ---- Running. */

/* Result i, in buffer b: if b is the pinned memory of another result, the result gets a copy in a buffer of its own.
 * Returns the buffer that it has; NULL without memory. */
static knx_buffer *unshare(const kna_cut *c, size_t i, knx_buffer *b)
{
    bool shares = false;
    for (size_t k = 0; k < c->out.n && !shares; k++) {
        const kna_pin *p = c->out.at[k]->pin;
        shares = p && p != c->out.at[i]->pin && p->buffer == b;
    }
    if (!shares)
        return b;
    uint64_t bytes = kni_type_bytes(c->out.at[i]->type);
    knx_buffer *own = knx_buffer_new(bytes);
    if (own)
        memcpy(own->data, b->data, bytes);
    knx_buffer_release(b);
    return own;
}

/* After the program has run: gives each output value its buffer, and moves results with a pin to their pinned
 * memory. */
static knx_error *take_results(kna_cut *c, knx_buffer **out)
{
    knx_error *error = NULL;
    bool pins = false;
    for (size_t i = 0; i < c->out.n; i++)
        pins = pins || c->out.at[i]->pin;
    for (size_t i = 0; pins && i < c->out.n; i++)
        out[i] = unshare(c, i, out[i]);
    for (size_t i = 0; i < c->out.n; i++) {
        kna_value *v = c->out.at[i];
        kna_node_done(v->pending.node, v);
        if (out[i])
            v->buffer = out[i];
        else
            v->error = error = knx_error_nomem();
        kna_publish(v, out[i] ? KN_V_BUFFER : KN_V_ERROR);
    }
    for (size_t i = 0; pins && i < c->out.n; i++) {
        kna_value *v = c->out.at[i];
        knx_error *e = v->state == KN_V_BUFFER && v->pin ? kna_pin_land(v) : NULL;
        error = error ? error : e;
    }
    return error;
}

/* Whose the equation is that has this place in a cut's plan, which may have been made for an equal cut of other lines:
 * then it is the first node's that can fail. */
static void whose(void *env, const kn_place **place, const char **operation)
{
    const kna_cut *c = env;
    const kna_node *found = NULL;
    for (size_t k = 0; k < c->node.n; k++) {
        const kna_node *n = c->node.at[k];
        if (!kni_can_fail(n->prim, n->params))
            continue;
        bool inside = kni_place_inside(n->prim, n->params, *place);
        if (inside || n->place == *place) {
            *operation = n->operation ? n->operation : "";
            return;
        }
        found = found ? found : n;
    }
    if (!found)
        return;
    *place = found->place ? found->place : *place;
    *operation = found->operation ? found->operation : "";
}

static KNX_HOT knx_error *run_plan(kna_cut *c, const kna_plan *p, const knd_loaded *program)
{
    knd_operand few[16], *in = c->leaf.n <= 16 ? few : knx_alloc(c->leaf.n * sizeof *in);
    knx_buffer *few_out[16], **out = c->out.n <= 16 ? few_out : knx_alloc(c->out.n * sizeof *out);
    knx_error *error = in && out ? NULL : knx_error_nomem();
    bool checks = knx_context()->watched && c->node.n == 1;
    const knd_options how = {.threads = knx_context()->threads,
                             .on_step = kna_step_hook(),
                             .on_step_env = knx_context()->step_env,
                             .whose = whose,
                             .whose_env = c};
    for (size_t i = 0; !error && i < c->leaf.n; i++)
        kna_operand_of(&in[i], c->leaf.at[i], p->donated && p->donated[i]);
    if (!error)
        error = checks ? kna_run_checked(program, c->node.at[0], in, out) : knd_run_with(program, in, out, &how);
    if (!error)
        error = take_results(c, out);
    if (in != few)
        knx_free(in);
    if (out != few_out)
        knx_free(out);
    return error;
}

static knx_error *leaf_error(const kna_cut *c)
{
    for (size_t i = 0; i < c->leaf.n; i++)
        if (c->leaf.at[i]->state == KN_V_ERROR)
            return c->leaf.at[i]->error;
    return NULL;
}

static KNX_HOT knx_error *run_cut(kna_cut *c)
{
    kna_plan *plan;
    knd_loaded *instance;
    KN_TRY(kna_find_plan(c, &plan, &instance));
    knx_error *error = run_plan(c, plan, instance ? instance : plan->program);
    knd_release(instance);
    kna_plan_release(plan);
    return error;
}

static void set_error(kna_value *v, knx_error *e)
{
    kna_node *n = v->pending.node;
    kna_node_done(n, v);
    v->error = knx_error_retain(e);
    kna_publish(v, KN_V_ERROR);
}

/* Runs one node alone and keeps all its results. An error gets the node's line of source, unless it is an operand's
 * error (*from_operand) or comes from a line inside of the node's body. */
static knx_error *run_node(kna_cut *c, kna_node *n, bool *from_operand)
{
    n->position = 0;
    bool ok = KN_VEC_PUSH(&c->node, n);
    for (uint32_t i = 0; ok && i < n->n_in; i++)
        ok = !n->in[i] || add_leaf(c, n->in[i]);
    ok = ok && number_variables(c);
    for (uint32_t i = 0; ok && i < n->n_out; i++)
        if (n->out[i]) {
            ok = KN_VEC_PUSH(&c->out_atom, c->first_var.at[0] + i) && KN_VEC_PUSH(&c->out, n->out[i]);
            if (ok)
                kna_value_retain(n->out[i]);
        }
    knx_error *error = ok ? knx_error_retain(leaf_error(c)) : knx_error_nomem();
    *from_operand = ok && error;
    if (!error)
        error = run_cut(c);
    if (error && !*from_operand && atomic_load(&error->refs) > 0) {
        if (!error->reported && !error->late && !kni_place_inside(n->prim, n->params, error->place))
            error->place = n->place ? n->place : error->place; /* not the plan's, which may come from an equal cut */
        if (!*error->operation) /* else a routine has named the operation: the node calls a traced function */
            error->operation = n->operation ? n->operation : "";
    }
    return error;
}

/* Runs one node of a cut that failed. An error becomes the error of the node's results, and is reported unless it is an
 * operand's. */
static void run_alone(kna_state *s, kna_node *n, bool fuse)
{
    kna_cut *c = cut_begin(s, n->site, fuse);
    bool from_operand = false;
    knx_error *error = c ? run_node(c, n, &from_operand) : knx_error_nomem();
    if (error && !from_operand)
        knx_report(error);
    for (size_t i = 0; error && c && i < c->out.n; i++)
        set_error(c->out.at[i], error);
    knx_error_release(error);
    if (c)
        cut_end(c);
}

knx_error *kna_run_now(const kni_prim *prim, const void *params, const kn_place *place, const char *operation,
                       uint32_t n_in, kna_value *const *in, const kni_literal *literals, uint32_t n_out,
                       const kni_type *out_type, kna_value **out)
{
    kna_state *s = kna_state_get();
    for (uint32_t i = 0; i < n_in; i++)
        KN_TRY(in[i] ? kna_force(1, &in[i]) : NULL);
    KN_TRY(kna_node_new(prim, params, place, operation, n_in, in, literals, n_out, out_type, out));
    kna_node *n = s->waiting;
    bool from_operand = false;
    kna_cut *c = cut_begin(s, n->site, knx_context()->lazy);
    knx_error *error = c ? run_node(c, n, &from_operand) : knx_error_nomem();
    if (c)
        cut_end(c);
    if (!n_out)
        kna_node_drop(n);
    for (uint32_t i = 0; error && i < n_out; i++) {
        kna_value_release(out[i]);
        out[i] = NULL;
    }
    return error;
}

/* The cut failed: runs each node alone, in order, so that only results which depend on the failed node get its
 * error. */
static void run_one_by_one(kna_cut *c)
{
    for (size_t k = 0; k < c->node.n; k++) { /* a node is kept while its results are held */
        kna_node *n = c->node.at[k];
        for (uint32_t i = 0; i < n->n_out; i++)
            kna_value_retain(n->out[i]);
    }
    KN_VEC(kna_value *) held = {0};
    bool ok = true;
    for (size_t k = 0; k < c->node.n; k++)
        for (uint32_t i = 0; i < c->node.at[k]->n_out; i++)
            if (c->node.at[k]->out[i])
                ok = ok && KN_VEC_PUSH(&held, c->node.at[k]->out[i]);
    for (size_t k = 0; ok && k < c->node.n; k++)
        run_alone(c->s, c->node.at[k], c->key.fuse);
    for (size_t i = 0; ok && i < held.n; i++)
        kna_value_release(held.at[i]);
    if (!ok) /* no memory for the list: no node has run, so the references are given back through the nodes */
        for (size_t k = 0; k < c->node.n; k++)
            for (uint32_t i = 0; i < c->node.at[k]->n_out; i++)
                kna_value_release(c->node.at[k]->out[i]);
    KN_VEC_FREE(&held);
}

/* The user ended what ran (kn_set_poll): it is the error of all results, since operands may be written over. */
static void give_up(kna_cut *c, knx_error *e)
{
    KN_VEC(kna_value *) held = {0}; /* a node is kept while its results are held */
    bool ok = true;
    for (size_t k = 0; k < c->node.n; k++)
        for (uint32_t i = 0; ok && i < c->node.at[k]->n_out; i++)
            if (c->node.at[k]->out[i] && (ok = KN_VEC_PUSH(&held, c->node.at[k]->out[i])))
                kna_value_retain(c->node.at[k]->out[i]);
    for (size_t i = 0; ok && i < held.n; i++)
        set_error(held.at[i], e);
    for (size_t i = 0; i < held.n; i++)
        kna_value_release(held.at[i]);
    KN_VEC_FREE(&held);
}

static knx_error *first_error(int n, kna_value *const *values)
{
    bool known;
    for (int i = 0; i < n; i++)
        if (values[i]->state == KN_V_ERROR)
            return kna_error_of(values[i], &known);
    return NULL;
}

/* What waits for other devices than that of `site` runs there. */
static __attribute__((noinline)) knx_error *force_others(int n, kna_value *const *values, uint16_t site)
{
    knx_error *error = NULL;
    for (int i = 0; i < n && !error; i++)
        if (values[i]->state == KN_V_PENDING && !kna_are_together(values[i]->pending.node->site, site)) {
            error = kna_force(1, &values[i]);
            if (error && values[i]->state == KN_V_ERROR) { /* the first one is told of when all have run */
                knx_error_release(error);
                error = NULL;
            }
        }
    return error;
}

KNX_HOT knx_error *kna_force(int n, kna_value *const *values)
{
    const kna_node *any = NULL;
    for (int i = 0; i < n; i++) {
        if (values[i]->state == KN_V_PENDING)
            any = values[i]->pending.node;
        if (kna_must_land(values[i]))
            KN_TRY(kna_pin_land(values[i]));
    }
    if (!any)
        return first_error(n, values);
    kna_state *s = kna_state_get();
    if (!s)
        return knx_error_nomem();
    if (__builtin_expect(n > 1, 0))
        KN_TRY(force_others(n, values, any->site));
    bool checks = knx_context()->watched;
    kna_cut *c = cut_begin(s, any->site, knx_context()->lazy);
    if (!c)
        return knx_error_nomem();
    s->mark++;
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        if (values[i]->state == KN_V_PENDING)
            ok = collect(c, values[i]->pending.node);
    ok = ok && collect_readers(c) && number_variables(c) && choose_outputs(c, n, values) && choose_donated(c);
    knx_error *error = !ok ? knx_error_nomem() : NULL;
    if (!error && (checks || leaf_error(c)))
        run_one_by_one(c);
    else if (!error) {
        error = run_cut(c);
        if (error && error->interruption) {
            give_up(c, error);
        } else if (error && error->kind != KN_ERROR_MEMORY) {
            knx_error_release(error);
            error = NULL;
            run_one_by_one(c);
        }
    }
    cut_end(c);
    return error ? error : first_error(n, values);
}

KNX_HOT knx_error *kna_force_here(int n, kna_value *const *values)
{
    KN_TRY(kna_force(n, values));
    for (int i = 0; i < n; i++)
        if (values[i]->state == KN_V_BUFFER && __builtin_expect(values[i]->buffer->away != NULL, 0))
            KN_TRY(knd_fetch(values[i]->buffer));
    return NULL;
}

knx_error *kna_doubt(const kna_value *v)
{
    return v->state == KN_V_BUFFER && v->buffer->away ? knd_be_sure(v->buffer) : NULL;
}

void kna_force_readers(const kna_value *v)
{
    KN_VEC(kna_value *) result = {0};
    kna_state *s = kna_state_get();
    bool ok = s != NULL;
    for (kna_node *n = ok ? s->waiting : NULL; n; n = n->next) {
        bool reads = false;
        for (uint32_t i = 0; i < n->n_in && !reads; i++)
            reads = n->in[i] == v;
        for (uint32_t i = 0; reads && i < n->n_out; i++)
            if (n->out[i] && (ok = ok && KN_VEC_PUSH(&result, n->out[i])))
                kna_value_retain(n->out[i]);
    }
    if (ok && result.n)
        knx_error_release(kna_force((int)result.n, result.at));
    for (size_t i = 0; i < result.n; i++)
        kna_value_release(result.at[i]);
    KN_VEC_FREE(&result);
}
