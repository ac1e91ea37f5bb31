/* SPDX-License-Identifier: Apache-2.0
 * scalar_scopes.c -- jaxprs in jaxprs: a loop becomes a loop of the kernel, a branch a select. The loops of a jaxpr are
 * written in the order of its equations, before any reader of their results is evaluated: so no loop begins inside of
 * another one that it does not belong to. */
#include "compile/loops/scope.h"
#include "transform/transform.h"

/* ---- Scopes. */

static knx_error *run_passes(const kni_jaxpr *source, kni_jaxpr **out)
{
    static knt_pass *const pass[] = {knt_inline_calls, knt_expand, knt_inline_calls, knt_simplify_opened};
    return knt_passes(source, sizeof pass / sizeof *pass, pass, out);
}

static const knc_passed *passed(kni_lower *l, const kni_jaxpr *source)
{
    struct knc_points *s = l->points;
    knc_passed x = {.source = source};
    for (size_t i = 0; i < s->passed.n; i++)
        if (s->passed.at[i].source == source)
            return &s->passed.at[i];
    s->error = run_passes(source, &x.j);
    if (!s->error)
        x.maker = knx_alloc((x.j->n_var + 1) * sizeof *x.maker);
    if (!x.maker || !KN_VEC_PUSH(&s->passed, x)) {
        kni_release(x.j);
        knx_free(x.maker);
        l->failed = true;
        return NULL;
    }
    for (uint32_t k = 0; k < x.j->n_eqn; k++)
        for (uint32_t i = 0; i < x.j->eqn[k].n_out; i++)
            x.maker[x.j->eqn[k].out + i] = k;
    return &s->passed.at[s->passed.n - 1];
}

/* ---- Values that can be evaluated at any position: those that depend on no carry and on no loop's results. */

static bool moves(const knc_scope *s, kni_atom a) { return kni_is_literal(a) || !s->maker || s->moves[a]; }

static void find_moves(knc_scope *s)
{
    for (uint32_t i = 0; i < s->j->n_in; i++)
        s->moves[i] = s->leaf[i].kind != KNC_LEAF_ELEMENTS && moves(s->leaf[i].scope, s->leaf[i].atom);
    for (uint32_t k = 0; k < s->j->n_eqn; k++) {
        const kni_eqn *e = &s->j->eqn[k];
        bool all = !(e->prim->bits & KN_LOOPS);
        for (uint32_t i = 0; all && i < e->n_in; i++)
            all = moves(s, e->in[i]);
        for (uint32_t i = 0; i < e->n_out; i++)
            s->moves[e->out + i] = all;
    }
}

static void open_inside(kni_lower *l, knc_scope *s, uint32_t k);

static void look_at_rows(kni_lower *l, const kni_jaxpr *j)
{
    for (uint32_t k = 0; k < j->n_eqn && !l->failed; k++) {
        const kni_eqn *e = &j->eqn[k];
        bool acts = (kni_bits(e->prim, e->params) & (KN_EFFECT | KN_USER)) ||
                    (!(e->prim->bits & KN_LOOPS) && kni_can_fail(e->prim, e->params));
        l->points->products += e->prim->product != NULL;
        if (acts)
            knc_refuse(l, "the body has %s", e->prim->name);
    }
}

/* Makes the scope of a jaxpr with these inputs, and the scopes of the loops and branches in it. */
static const knc_scope *open_scope(kni_lower *l, const kni_jaxpr *source, const knc_leaf *leaf, knk_node taken)
{
    const knc_passed *x = l->failed ? NULL : passed(l, source);
    knc_scope *s = x ? knx_arena_zero(&l->arena, sizeof *s) : NULL;
    if (!s) {
        l->failed = true;
        return NULL;
    }
    *s = (knc_scope){.j = x->j, .first = l->points->numbers, .maker = x->maker, .leaf = leaf, .taken = taken};
    s->inside = knx_arena_zero(&l->arena, (s->j->n_eqn + 1) * sizeof *s->inside);
    s->moves = knx_arena_zero(&l->arena, s->j->n_var + 1);
    s->read = knc_find_read(s->j, &l->arena);
    l->points->numbers += s->j->n_var;
    if (!s->inside || !s->moves || !s->read) {
        l->failed = true;
        return NULL;
    }
    if (l->points->numbers > KNC_MOST_VALUES)
        knc_refuse(l, "more than %d values at a point", KNC_MOST_VALUES);
    look_at_rows(l, s->j);
    find_moves(s);
    for (uint32_t k = 0; k < s->j->n_eqn && !l->failed; k++)
        if (s->j->eqn[k].prim->bits & KN_LOOPS)
            open_inside(l, s, k);
    return l->failed ? NULL : s;
}

/* ---- The parameters of loops. */

typedef struct form {
    const kni_jaxpr *cond, *body;
    uint32_t n_cond, n_body, n, n_x, n_y; /* numbers of constants (of both), carries, inputs, outputs */
    int64_t length;
    bool reverse;
} form;

static form form_of(const kni_eqn *e)
{
    if (e->prim->loops == KN_LOOP_SCAN) {
        const kni_p_scan *p = e->params;
        uint32_t consts = (uint32_t)p->num_consts, n = (uint32_t)p->num_carry;
        return (form){NULL, p->jaxpr, 0, consts, n, e->n_in - consts - n, e->n_out - n, p->length, p->reverse};
    }
    const kni_p_while *p = e->params;
    return (form){p->cond_jaxpr,
                  p->body_jaxpr,
                  (uint32_t)p->cond_nconsts,
                  (uint32_t)p->body_nconsts,
                  e->n_out,
                  0,
                  0,
                  p->max_steps > 0 ? p->max_steps : KNK_NO_LIMIT,
                  false};
}

static knc_leaf same(const knc_scope *s, kni_atom a)
{
    return (knc_leaf){.kind = KNC_LEAF_SAME, .scope = s, .atom = a};
}

/* ---- Carries. */

/* Room for the elements, at a point, of values that have the types of inputs [first, first + n) of j. */
static knc_elements *elements_of(kni_lower *l, const kni_jaxpr *j, uint32_t first, uint32_t n)
{
    knc_elements *x = knx_arena_zero(&l->arena, ((size_t)n + 1) * sizeof *x);
    for (uint32_t i = 0; x && i < n; i++) {
        kni_type t = kni_in_type(j, first + i);
        x[i] = (knc_elements){.type = t, .points = knc_has_points(l, t)};
        x[i].n = knc_count_written(l, t, x[i].points);
        if (x[i].n < 0) {
            knc_refuse(l, "a carry has more than %d elements at a point", KNC_MOST_ELEMENTS);
            return NULL;
        }
        x[i].v = knx_arena_alloc(&l->arena, (size_t)(x[i].n + 1) * sizeof *x[i].v);
        if (!x[i].v)
            x = NULL;
    }
    if (!x)
        l->failed = true;
    return x;
}

static void evaluate_all(kni_lower *l, const knc_scope *s, const kni_atom *a, uint32_t n, knc_elements *x)
{
    for (uint32_t i = 0; i < n; i++)
        for (int64_t e = 0; e < x[i].n && !l->failed; e++)
            x[i].v[e] = knc_value_at(l, s, a[i], knc_element_point(l, &x[i], e));
}

typedef knk_node on_part(kni_lower *l, knk_node x, knk_node y);
static knk_node carry(kni_lower *l, knk_node x, knk_node y) { return (void)y, knk_carry(l->k, x); }
static knk_node last(kni_lower *l, knk_node x, knk_node y) { return (void)y, knk_last(l->k, x); }
static knk_node next(kni_lower *l, knk_node x, knk_node y) { return knk_next(l->k, x, y), x; }

/* to = f(x, y) for all parts of all elements */
static void for_parts(kni_lower *l, uint32_t n, on_part *f, knc_elements *to, const knc_elements *x,
                      const knc_elements *y)
{
    for (uint32_t i = 0; i < n && !l->failed; i++)
        for (int64_t e = 0; e < x[i].n; e++) {
            kni_pair a = x[i].v[e], b = y ? y[i].v[e] : a;
            to[i].v[e].re = f(l, a.re, b.re);
            to[i].v[e].im = a.im < 0 ? KNK_NONE : f(l, a.im, b.im);
        }
}

/* ---- Loops of the kernel. */

typedef struct turning {
    const knc_scope *outer;
    const kni_eqn *e;
    form f;
    int loop;
    bool computed;
    const bool *read;
    knc_elements *now, *next, *last;
} turning;

static knc_leaf *leaves_of(kni_lower *l, const turning *t, bool cond)
{
    const form *f = &t->f;
    const kni_atom *in = t->e->in;
    uint32_t consts = cond ? f->n_cond : f->n_body, before = f->n_cond + f->n_body, n = 0;
    knc_leaf *leaf = knx_arena_alloc(&l->arena, ((size_t)consts + f->n + f->n_x + 1) * sizeof *leaf);
    if (!leaf) {
        l->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < consts; i++)
        leaf[n++] = same(t->outer, in[cond ? i : f->n_cond + i]);
    for (uint32_t i = 0; i < f->n; i++)
        leaf[n++] = (knc_leaf){.kind = KNC_LEAF_ELEMENTS, .elements = &t->now[i]};
    for (uint32_t i = 0; !cond && i < f->n_x; i++)
        leaf[n++] = (knc_leaf){.kind = KNC_LEAF_TURN,
                               .reverse = f->reverse,
                               .computed = t->computed,
                               .loop = t->loop,
                               .at = f->length,
                               .atom = in[before + f->n + i],
                               .scope = t->outer};
    return leaf;
}

static bool begin_loop(kni_lower *l, turning *t)
{
    struct knc_points *s = l->points;
    uint32_t first = t->f.n_cond + t->f.n_body;
    t->now = elements_of(l, t->f.body, t->f.n_body, t->f.n);
    t->next = t->now ? elements_of(l, t->f.body, t->f.n_body, t->f.n) : NULL;
    t->last = t->next ? elements_of(l, t->f.body, t->f.n_body, t->f.n) : NULL;
    if (!t->last)
        return false;
    evaluate_all(l, t->outer, t->e->in + first, t->f.n, t->now);
    if (l->n_turn == KNC_MAX_TURNS || s->open == KNK_MAX_NESTED)
        knc_refuse(l, "more than %d loops, or %d in each other", KNC_MAX_TURNS, KNK_MAX_NESTED);
    if (l->failed)
        return false;
    t->loop = knk_loop_begin(l->k);
    t->computed = s->asks;
    s->turn[l->n_turn++] = t->f.length;
    s->open++;
    for_parts(l, t->f.n, carry, t->now, t->now, NULL);
    return true;
}

static void ask(kni_lower *l, const turning *t)
{
    const knc_leaf *leaf = leaves_of(l, t, true);
    uint32_t loops = (uint32_t)l->n_turn;
    const knc_scope *cond = leaf ? open_scope(l, t->f.cond, leaf, t->outer->taken) : NULL;
    knk_node go = cond ? knc_condition(l, cond) : KNK_NONE;
    if (loops != (uint32_t)l->n_turn)
        knc_refuse(l, "the condition of a loop has a loop");
    if (l->failed)
        return;
    if (t->outer->taken >= 0)
        go = knk_binary(l->k, KNK_AND, t->outer->taken, go);
    knk_while(l->k, go);
}

/* Stores the elements of a scan's outputs that a turn of the body gives. */
static void store_outputs(kni_lower *l, const turning *t, const knc_scope *body)
{
    for (uint32_t i = 0; i < t->f.n_y && !l->failed; i++) {
        uint32_t result = t->f.n + i;
        kni_type element = kni_out_type(body->j, result), whole = l->p->j->type[t->e->out + result];
        bool points = knc_has_points(l, element);
        int64_t n = knc_count_written(l, element, points); /* not too many: scalar.c has asked */
        if (!t->read[result])
            continue;
        int buffer = knc_buffer_of(l, t->e->n_in + result, 0, element.dtype, true);
        for (int64_t x = 0; x < n && !l->failed; x++) {
            const knc_point *from = knc_one_point(l, knc_element_index(l, element, points, x, 0), KNK_NONE);
            kni_index *to = knc_element_index(l, element, points, x, 1);
            kni_pair v = knc_value_at(l, body, body->j->out[result], from);
            if (!to || l->failed)
                break;
            to->axis[0].offset = t->f.reverse ? t->f.length - 1 : 0;
            to->axis[0].coef[l->n_par + t->loop] = t->f.reverse ? -1 : 1;
            l->scope = body;
            knc_store(l, buffer, whole, &(knc_point){to, KNK_NONE}, v);
            l->scope = NULL;
        }
    }
}

/* Writes a loop of the kernel. top: it is the kernel's own equation, whose outputs are stored. */
static void run_loop(kni_lower *l, turning *t, bool top)
{
    struct knc_points *s = l->points;
    bool asked = s->asks;
    s->masks = 0;
    s->mask = KNK_NONE;
    if (!begin_loop(l, t))
        return;
    if (t->f.cond) {
        s->asks = true;
        ask(l, t);
    }
    knk_node mask = s->mask;
    const knc_leaf *leaf = l->failed ? NULL : leaves_of(l, t, false);
    const knc_scope *body = leaf ? open_scope(l, t->f.body, leaf, t->outer->taken) : NULL;
    if (!body)
        return;
    evaluate_all(l, body, body->j->out, t->f.n, t->next);
    if (top)
        store_outputs(l, t, body);
    s->mask = mask;
    if (!l->failed && mask >= 0)
        knc_check_kept(l, t->f.n, t->now, t->next, t->read);
    for_parts(l, t->f.n, next, t->last, t->now, t->next);
    if (l->failed)
        return;
    knk_loop_end(l->k);
    for_parts(l, t->f.n, last, t->last, t->now, NULL);
    s->open--;
    s->asks = asked;
}

/* ---- Inside of another scope. */

/* A scan whose turns are written out, each as a scope: its outputs can be nodes then, and so can its inputs. */
static void unroll(kni_lower *l, const knc_scope *s, const kni_eqn *e, const form *f, knc_inner *in)
{
    const knc_scope **turn = knx_arena_zero(&l->arena, (size_t)(f->length + 1) * sizeof *turn);
    uint32_t inputs = f->n_body + f->n;
    for (int64_t i = 0; turn && i < f->length && !l->failed; i++) {
        knc_leaf *leaf = knx_arena_alloc(&l->arena, ((size_t)e->n_in + 1) * sizeof *leaf);
        if (!leaf) {
            turn = NULL;
            break;
        }
        for (uint32_t k = 0; k < e->n_in; k++) {
            leaf[k] = same(s, e->in[k]);
            if (k >= f->n_body && k < inputs && i)
                leaf[k] = same(turn[i - 1], turn[i - 1]->j->out[k - f->n_body]);
            if (k < inputs)
                continue;
            leaf[k].kind = KNC_LEAF_ELEMENT;
            leaf[k].at = f->reverse ? f->length - 1 - i : i;
        }
        turn[i] = open_scope(l, f->body, leaf, s->taken);
    }
    if (!turn)
        l->failed = true;
    *in = (knc_inner){.scope = turn, .n = f->length, .n_carry = f->n, .first = f->n_body, .reverse = f->reverse};
}

static bool has_to_unroll(const knc_scope *s, const kni_eqn *e, const form *f)
{
    for (uint32_t i = 0; i < f->n_y; i++)
        if (s->read[e->out + f->n + i])
            return true;
    for (uint32_t i = 0; i < f->n_x; i++)
        if (!moves(s, e->in[f->n_body + f->n + i]))
            return true;
    return false;
}

/* A node: is branch i of n the one that is taken? The index is clamped. */
static knk_node is_branch(kni_lower *l, knk_node index, int64_t i, int64_t n)
{
    knk_node here = knk_const_int(l->k, knk_dtype(l->k, index), i);
    return knk_binary(l->k, i == n - 1 || !i ? KNK_LE : KNK_EQ, i && i == n - 1 ? here : index,
                      i && i == n - 1 ? index : here);
}

static bool has_loops(const kni_jaxpr *j)
{
    for (uint32_t k = 0; k < j->n_eqn; k++)
        if (j->eqn[k].prim->bits & (KN_LOOPS | KN_CALLS))
            return true;
    return false;
}

static void open_branches(kni_lower *l, const knc_scope *s, const kni_eqn *e, knc_inner *in)
{
    const kni_p_cond *p = e->params;
    const knc_scope **branch = knx_arena_zero(&l->arena, ((size_t)p->branches.n + 1) * sizeof *branch);
    knc_leaf *leaf = knx_arena_alloc(&l->arena, ((size_t)e->n_in + 1) * sizeof *leaf);
    if (!branch || !leaf) {
        l->failed = true;
        return;
    }
    for (uint32_t k = 1; k < e->n_in; k++)
        leaf[k - 1] = same(s, e->in[k]);
    for (int i = 0; i < p->branches.n && !l->failed; i++) {
        knk_node taken = s->taken;
        if (has_loops(p->branches.v[i])) { /* its loops run where the branch is taken */
            kni_pair index = knc_value_at(l, s, e->in[0], l->scalar);
            if (l->failed)
                return;
            knk_node here = is_branch(l, index.re, i, p->branches.n);
            taken = taken < 0 ? here : knk_binary(l->k, KNK_AND, taken, here);
        }
        branch[i] = open_scope(l, p->branches.v[i], leaf, taken);
    }
    *in = (knc_inner){.scope = branch, .n = p->branches.n};
}

static void open_loop(kni_lower *l, const knc_scope *s, const kni_eqn *e, knc_inner *in)
{
    turning t = {.outer = s, .e = e, .f = form_of(e)};
    if (e->prim->loops == KN_LOOP_SCAN && has_to_unroll(s, e, &t.f)) {
        if (!knx_is_symbolic(t.f.length) && t.f.length <= KNC_MOST_UNROLLED)
            unroll(l, s, e, &t.f, in);
        else
            knc_refuse(l, "an inner scan has outputs, or inputs that are not in memory, and more than %d turns",
                       KNC_MOST_UNROLLED);
        return;
    }
    bool *read = knx_arena_alloc(&l->arena, (size_t)e->n_out + 1);
    if (!read) {
        l->failed = true;
        return;
    }
    for (uint32_t i = 0; i < e->n_out; i++)
        read[i] = s->read[e->out + i];
    t.read = read;
    run_loop(l, &t, false);
    *in = (knc_inner){.carry = t.last, .n_carry = t.f.n};
}

static void open_inside(kni_lower *l, knc_scope *s, uint32_t k)
{
    const kni_eqn *e = &s->j->eqn[k];
    knc_inner *in = knx_arena_zero(&l->arena, sizeof *in);
    if (!in) {
        l->failed = true;
        return;
    }
    if (e->prim->loops == KN_LOOP_COND)
        open_branches(l, s, e, in);
    else
        open_loop(l, s, e, in);
    s->inside[k] = in;
}

/* ---- The outside. */

static void run_branches(kni_lower *l, const knc_scope *s)
{
    const kni_eqn *e = l->points->e;
    for (uint32_t i = 0; i < e->n_out && !l->failed; i++) {
        if (!s->read[e->out + i])
            continue;
        kni_type t = l->p->j->type[e->out + i];
        knc_elements x = {.type = t, .points = knc_has_points(l, t)};
        int buffer = knc_buffer_of(l, e->n_in + i, 0, t.dtype, true);
        x.n = knc_count_written(l, t, x.points);
        for (int64_t k = 0; k < x.n && !l->failed; k++) {
            const knc_point *at = knc_element_point(l, &x, k);
            kni_pair v = l->failed ? (kni_pair){KNK_NONE, KNK_NONE} : knc_value_at(l, s, e->out + i, at);
            l->scope = s;
            if (!l->failed)
                knc_store(l, buffer, t, at, v);
            l->scope = NULL;
        }
    }
}

static void store_carries(kni_lower *l, const turning *t)
{
    for (uint32_t i = 0; i < t->f.n && !l->failed; i++) {
        if (!t->read[i])
            continue;
        KN_KNOWN(t->last); /* else the loop has failed */
        int buffer = knc_buffer_of(l, t->e->n_in + i, 0, t->last[i].type.dtype, true);
        l->scope = t->outer;
        for (int64_t e = 0; e < t->last[i].n && !l->failed; e++) {
            const knc_point *at = knc_element_point(l, &t->last[i], e);
            if (!l->failed)
                knc_store(l, buffer, t->last[i].type, at, t->last[i].v[e]);
        }
        l->scope = NULL;
    }
}

void knc_run_outside(kni_lower *l)
{
    const kni_eqn *e = l->points->e;
    knc_scope *s = knx_arena_zero(&l->arena, sizeof *s);
    knc_inner *in = knx_arena_zero(&l->arena, sizeof *in);
    bool *read = knx_arena_alloc(&l->arena, (size_t)e->n_out + 1);
    if (!s || !in || !read || !(s->inside = knx_arena_zero(&l->arena, sizeof *s->inside)) ||
        !(s->read = knc_read(l->p))) {
        l->failed = true;
        return;
    }
    s->j = l->p->j;
    s->inside[0] = in;
    s->taken = KNK_NONE;
    l->points->numbers = s->j->n_var;
    for (uint32_t i = 0; i < e->n_out; i++)
        read[i] = s->read[e->out + i];
    if (e->prim->loops == KN_LOOP_COND) {
        open_branches(l, s, e, in);
        run_branches(l, s);
        return;
    }
    turning t = {.outer = s, .e = e, .f = form_of(e), .read = read};
    run_loop(l, &t, true);
    if (!l->failed)
        store_carries(l, &t);
}

/* ---- Results. */

static double cost_of(const kni_jaxpr *j)
{
    double cost = 0;
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        int64_t n = knx_dim_hint(kni_type_size(j->type[e->out]));
        kni_type x[8];
        if (!e->prim->cost || e->n_in > 8) {
            cost += !(e->prim->bits & KN_VIEW);
            continue;
        }
        for (uint32_t i = 0; i < e->n_in; i++)
            x[i] = kni_atom_type(j, e->in[i]);
        kni_rule r = kni_rule_of(e, x, &j->type[e->out]);
        cost += e->prim->cost(&r) / (double)(n ? n : 1);
    }
    return cost;
}

/* A result of a branch equation: a select from the branches. Cheap branches are always computed, others only where a
 * point takes them. */
static bool branch_value(kni_lower *l, const knc_scope *s, const kni_eqn *e, uint32_t result, const knc_point *at,
                         kni_pair *value)
{
    enum { CHEAP = 12 };
    const double most =
        /* the kernel's own equation has one index for all points: only the branch that is taken is computed */
        s->maker ? CHEAP : 0;
    const knc_inner *in = s->inside[s->maker ? e - s->j->eqn : 0];
    kn_dtype d = s->j->type[e->out + result].dtype;
    kni_pair index, y = {KNK_NONE, KNK_NONE}, v;
    bool all = knc_ready_in(l, s, e->in[0], l->scalar, &index);
    for (int64_t i = 0; i < in->n; i++)
        all &= knc_ready_in(l, in->scope[i], in->scope[i]->j->out[result], at, &v);
    if (!all)
        return false;
    for (int64_t i = 0; i < in->n; i++) {
        bool cold = in->n > 1 && cost_of(in->scope[i]->j) > most;
        knc_ready_in(l, in->scope[i], in->scope[i]->j->out[result], at, &v);
        if (y.re < 0 && !cold) {
            y = v;
            continue;
        }
        knk_node here = is_branch(l, index.re, i, in->n);
        y = y.re < 0 ? knc_zero(l, d) : y;
        y.re = cold ? knk_select_cold(l->k, here, v.re, y.re) : knk_select(l->k, here, v.re, y.re);
        if (v.im >= 0)
            y.im = cold ? knk_select_cold(l->k, here, v.im, y.im) : knk_select(l->k, here, v.im, y.im);
    }
    *value = y;
    return true;
}

/* Output number `result` of a scan that is written out: the result of the turn whose number is the first axis'
 * position. */
static bool output_value(kni_lower *l, const knc_inner *in, uint32_t result, const knc_point *at, kni_pair *value)
{
    const kni_index_axis *a = &at->index->axis[0];
    kni_index *i = kni_lower_index(l, at->index->ndim - 1, at->index);
    if (!i)
        return false;
    if (!knc_no_loops(at->index, 0) || a->node >= 0 || a->offset < 0 || a->offset >= in->n) {
        knc_refuse(l, "outputs of an inner scan are read at computed places");
        return false;
    }
    for (int d = 0; d < i->ndim; d++)
        i->axis[d] = at->index->axis[d + 1];
    const knc_scope *turn = in->scope[in->reverse ? in->n - 1 - a->offset : a->offset];
    const knc_point *there = knc_one_point(l, i, at->pred);
    return there && knc_ready_in(l, turn, turn->j->out[result], there, value);
}

bool knc_inside_value(kni_lower *l, const knc_scope *s, uint32_t eqn, uint32_t result, const knc_point *at,
                      kni_pair *value)
{
    const kni_eqn *e = s->maker ? &s->j->eqn[eqn] : l->points->e;
    const knc_inner *in = s->inside[eqn];
    if (e->prim->loops == KN_LOOP_COND)
        return branch_value(l, s, e, result, at, value);
    if (in->carry) {
        *value = knc_element(l, &in->carry[result], at);
        return !l->failed;
    }
    if (result >= in->n_carry)
        return output_value(l, in, result, at, value);
    const knc_scope *turn = in->n ? in->scope[in->n - 1] : s;
    return knc_ready_in(l, turn, in->n ? turn->j->out[result] : e->in[in->first + result], at, value);
}
