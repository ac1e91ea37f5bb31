/* SPDX-License-Identifier: Apache-2.0
 * loop_numbers.c -- a jaxpr pass: numbers that bodies, conditions and branches were written with become operands of
 * their loop's equation, so that loops that differ in a number share their kernels, as other programs do (numbers.c).
 * The innermost loops come first: a number that such a loop gets is a literal operand in the body around it, and from
 * there becomes an operand of the outer loop. */
#include "compile/plan.h"
#include "ir/ops.h"
#include "transform/replay.h"
#include <string.h>

enum { MOST_HANDED = 8 }; /* numbers for each jaxpr of a loop; each is a buffer of the kernel */

/* Numbers of a jaxpr, each once. */
typedef struct numbers {
    const kni_literal *x[MOST_HANDED];
    int n;
} numbers;

static int find(const numbers *s, const kni_literal *x)
{
    for (int i = 0; i < s->n; i++)
        if (s->x[i]->type.dtype == x->type.dtype && s->x[i]->type.weak == x->type.weak &&
            !memcmp(&s->x[i]->bits, &x->bits, x->type.dtype->size))
            return i;
    return -1;
}

static const kni_literal *literal(const kni_jaxpr *j, kni_atom a)
{
    return kni_is_literal(a) ? &j->literal[a & ~KN_LITERAL_BIT] : NULL;
}

/* May the equation's numbers become operands? Expressions of many operations are shorter if they know a number. */
static bool takes(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a)
{
    if (e->prim->bits & KN_LOOPS)
        return true;
    bool any = false;
    for (uint32_t i = 0; i < e->n_in; i++)
        any |= kni_is_var(e->in[i]); /* else the result is a constant itself */
    return any && !e->prim->expand && knc_class_of(j, e) == KNC_ELEMENTWISE && knc_weight(j, e, a) <= KNC_CHEAP_OPS;
}

static void collect(const kni_jaxpr *j, numbers *s)
{
    knx_arena a = KN_ARENA_INIT;
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        bool any = takes(j, e, &a);
        for (uint32_t i = 0; any && i < e->n_in && s->n < MOST_HANDED; i++) {
            const kni_literal *x = literal(j, e->in[i]);
            if (x && knc_is_given(x) && find(s, x) < 0)
                s->x[s->n++] = x;
        }
    }
    knx_arena_free(&a);
}

/* j with further inputs, for these numbers, behind its first `at` inputs. */
static knx_error *with_inputs(const kni_jaxpr *j, uint32_t at, const numbers *s, kni_jaxpr **out)
{
    knt_replay r;
    kni_atom number[MOST_HANDED];
    knx_error *error = knt_replay_begin(&r, j, false);
    for (uint32_t i = 0; !error && i <= j->n_in; i++) {
        for (int n = 0; i == at && n < s->n; n++)
            number[n] = knb_invar(&r.b, s->x[n]->type);
        if (i < j->n_in)
            r.map[j->n_const + i] = knb_invar(&r.b, kni_in_type(j, i));
    }
    for (uint32_t k = 0; !error && k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        bool any = takes(j, e, &r.arena);
        knt_operands(&r, e);
        for (uint32_t i = 0; any && i < e->n_in; i++) {
            const kni_literal *x = literal(j, e->in[i]);
            int n = x ? find(s, x) : -1;
            if (n >= 0)
                r.in[i] = number[n];
        }
        knt_emit_same(&r, e);
        error = knb_take_error(&r.b);
    }
    r.b.whole = false;
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}

/* A jaxpr of a loop as its kernel evaluates it, after its inner loops got their numbers as operands. */
static knx_error *prepare(const kni_jaxpr *j, kni_jaxpr **out)
{
    static knt_pass *const pass[] = {knt_inline_calls, knt_simplify, knc_hand_numbers};
    return knt_passes(j, sizeof pass / sizeof *pass, pass, out);
}

/* Writes the numbers, as literals, to the operands `in` from n on; returns how many operands there are then. */
static uint32_t put(knt_replay *r, const numbers *s, kni_atom *in, uint32_t n)
{
    for (int i = 0; i < s->n; i++)
        in[n++] = knb_literal(&r->b, s->x[i]->type.dtype, s->x[i]->type.weak, s->x[i]->bits);
    return n;
}

/* Widens a parameter's list that has one number for each operand, by zeros for the `more` new operands behind the
 * first `at`. */
static knx_error *widen(knt_replay *r, kni_ints *v, int at, int more)
{
    if (!v->n || !more)
        return NULL;
    int64_t *wide = knx_arena_zero(&r->arena, (size_t)(v->n + more) * sizeof *wide);
    if (!wide)
        return knx_error_nomem();
    for (int i = 0; i < v->n; i++)
        wide[i < at ? i : i + more] = v->v[i];
    *v = (kni_ints){v->n + more, wide};
    return NULL;
}

static knx_error *hand_scan(knt_replay *r, const kni_eqn *e)
{
    kni_p_scan p = *(const kni_p_scan *)e->params;
    kni_jaxpr *body = NULL, *wider = NULL;
    numbers s = {.n = 0};
    uint32_t at = (uint32_t)p.num_consts, n = 0;
    kni_atom *in = knx_arena_alloc(&r->arena, ((size_t)e->n_in + MOST_HANDED) * sizeof *in);
    knx_error *error = in ? prepare(p.jaxpr, &body) : knx_error_nomem();
    if (!error) {
        collect(body, &s);
        error = with_inputs(body, at, &s, &wider);
    }
    if (!error)
        error = widen(r, &p.linear, (int)at, s.n);
    if (!error) {
        for (uint32_t i = 0; i < at; i++)
            in[n++] = r->in[i];
        n = put(r, &s, in, n);
        for (uint32_t i = at; i < e->n_in; i++)
            in[n++] = r->in[i];
        p.jaxpr = wider;
        p.num_consts += s.n;
        knb_emit(&r->b, e->prim, &p, (int)n, in, r->out, (int)e->n_out);
    }
    kni_release(body);
    kni_release(wider);
    return error;
}

static knx_error *hand_while(knt_replay *r, const kni_eqn *e)
{
    kni_p_while p = *(const kni_p_while *)e->params;
    kni_jaxpr *part[2] = {NULL, NULL}, *wider[2] = {NULL, NULL};
    numbers s[2] = {{.n = 0}, {.n = 0}};
    uint32_t count[2] = {(uint32_t)p.cond_nconsts, (uint32_t)p.body_nconsts}, n = 0, from = 0;
    kni_atom *in = knx_arena_alloc(&r->arena, ((size_t)e->n_in + 2 * MOST_HANDED) * sizeof *in);
    knx_error *error = in ? NULL : knx_error_nomem();
    for (int i = 0; !error && i < 2; i++) {
        error = prepare(i ? p.body_jaxpr : p.cond_jaxpr, &part[i]);
        if (!error) {
            collect(part[i], &s[i]);
            error = with_inputs(part[i], count[i], &s[i], &wider[i]);
        }
        for (uint32_t c = 0; !error && c < count[i]; c++)
            in[n++] = r->in[from++];
        if (!error)
            n = put(r, &s[i], in, n);
    }
    if (!error) {
        while (from < e->n_in)
            in[n++] = r->in[from++];
        p.cond_jaxpr = wider[0];
        p.body_jaxpr = wider[1];
        p.cond_nconsts += s[0].n;
        p.body_nconsts += s[1].n;
        knb_emit(&r->b, e->prim, &p, (int)n, in, r->out, (int)e->n_out);
    }
    for (int i = 0; i < 2; i++) {
        kni_release(part[i]);
        kni_release(wider[i]);
    }
    return error;
}

/* All branches get the numbers of every branch, as inputs behind their own. */
static knx_error *hand_cond(knt_replay *r, const kni_eqn *e)
{
    kni_p_cond p = *(const kni_p_cond *)e->params;
    size_t branches = (size_t)p.branches.n;
    kni_jaxpr **part = knx_arena_zero(&r->arena, (branches + 1) * sizeof(kni_jaxpr *)),
              **wider = knx_arena_zero(&r->arena, (branches + 1) * sizeof(kni_jaxpr *));
    kni_atom *in = knx_arena_alloc(&r->arena, ((size_t)e->n_in + MOST_HANDED) * sizeof *in);
    numbers s = {.n = 0};
    if (!part || !wider || !in)
        return knx_error_nomem();
    knx_error *error = NULL;
    for (size_t i = 0; !error && i < branches; i++) {
        error = prepare(p.branches.v[i], &part[i]);
        if (!error)
            collect(part[i], &s);
    }
    for (size_t i = 0; !error && i < branches; i++)
        error = with_inputs(part[i], part[i]->n_in, &s, &wider[i]);
    if (!error)
        error = widen(r, &p.linear, p.linear.n, s.n);
    if (!error) {
        for (uint32_t i = 0; i < e->n_in; i++)
            in[i] = r->in[i];
        uint32_t n = put(r, &s, in, e->n_in);
        p.branches.v = wider;
        p.consts = (kni_ints){0, NULL};
        knb_emit(&r->b, e->prim, &p, (int)n, in, r->out, (int)e->n_out);
    }
    for (size_t i = 0; i < branches; i++) {
        kni_release(part[i]);
        kni_release(wider[i]);
    }
    return error;
}

static knx_error *hand(knt_replay *r, const kni_eqn *e)
{
    switch (e->prim->loops) {
    case KN_LOOP_SCAN: return hand_scan(r, e);
    case KN_LOOP_WHILE: return hand_while(r, e);
    case KN_LOOP_COND: return hand_cond(r, e);
    default: knb_emit(&r->b, e->prim, e->params, (int)e->n_in, r->in, r->out, (int)e->n_out); return NULL;
    }
}

knx_error *knc_hand_numbers(const kni_jaxpr *j, kni_jaxpr **out)
{
    bool any = false;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        any |= j->eqn[k].prim->bits & KN_LOOPS;
    *out = any ? NULL : kni_retain(j);
    if (!any)
        return NULL;
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, true);
    for (uint32_t k = 0; !error && k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        knt_operands(&r, e);
        error = hand(&r, e);
        if (!error)
            knt_bind(&r, e, r.out);
        if (!error)
            error = knb_take_error(&r.b);
    }
    r.b.whole = false;
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}
