/* SPDX-License-Identifier: Apache-2.0
 * while.c -- while: a body that runs as long as a condition of its carry holds.
 *
 *     type       a carry keeps its type; the condition is one bool
 *     linearize  a second loop whose carry has tangents behind it. Which carries have one is a fixed point: those that
 *                begin with one, or get one from the body. In forward mode it is the only loop.
 *                With max_steps reverse mode is that of a scan of so many steps, each of which goes on or not.
 *     transpose  none: how often the body ran is not known
 *     batch      while_batch.c
 *     unfailing  one more carry, true after a step that would fail, which ends the loop
 *     prune      without carries that no one reads and nothing needs; one that never changes is a constant
 *     lower      a step that holds the programs of both jaxprs
 */
#include "prim/control/while.h"

typedef knp_while loop;

knp_while knp_while_of(const void *params, uint32_t n_in)
{
    const kni_p_while *p = params;
    return (knp_while){p, (uint32_t)p->cond_nconsts, (uint32_t)p->body_nconsts,
                       n_in - (uint32_t)p->cond_nconsts - (uint32_t)p->body_nconsts};
}

/* --- type ------------------------------------------------------------------------------------- */

static knx_error *check_counts(const kni_p_while *p, int n_in)
{
    const kni_jaxpr *c = p->cond_jaxpr, *b = p->body_jaxpr;
    if (!c || !b || c->n_const || b->n_const)
        return knx_error_new(KN_ERROR_VALUE, "while needs two jaxprs without constants");
    int64_t n = n_in - p->cond_nconsts - p->body_nconsts;
    if (p->cond_nconsts < 0 || p->body_nconsts < 0 || n < 0)
        return knx_error_new(KN_ERROR_VALUE, "%lld and %lld constants do not fit %d operands",
                             (long long)p->cond_nconsts, (long long)p->body_nconsts, n_in);
    if (b->n_out != n)
        return knx_error_new(KN_ERROR_TYPE, "the carry has %lld arrays, but the body returns %u", (long long)n,
                             b->n_out);
    if (c->n_in != p->cond_nconsts + n || b->n_in != p->body_nconsts + n)
        return knx_error_new(KN_ERROR_TYPE, "the condition takes %u and the body %u arrays, not %lld and %lld", c->n_in,
                             b->n_in, (long long)p->cond_nconsts + (long long)n,
                             (long long)p->body_nconsts + (long long)n);
    return NULL;
}

static knx_error *check_condition(const kni_jaxpr *c)
{
    knx_text t = {0};
    if (c->n_out != 1)
        return knx_error_new(KN_ERROR_TYPE, "cond_fun must return a boolean scalar, but got %u arrays", c->n_out);
    kni_type y = kni_out_type(c, 0);
    if (y.dtype == KN_DT(BOOL) && !y.ndim)
        return NULL;
    return knx_error_new(KN_ERROR_TYPE, "cond_fun must return a boolean scalar, but got output type %s",
                         kni_type_text(&t, y, true));
}

static knx_error *check_operands(const char *whose, const kni_jaxpr *j, uint32_t first, const kni_type *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!knp_same_type(x[i], kni_in_type(j, first + i))) {
            knx_text s = {0}, t = {0};
            return knx_error_new(KN_ERROR_TYPE, "input %u of the %s has type %s, but was given %s", first + i, whose,
                                 kni_type_text(&t, kni_in_type(j, first + i), true), kni_type_text(&s, x[i], true));
        }
    return NULL;
}

static knx_error *while_type(kni_rule *r, kni_type *y)
{
    KN_TRY(check_counts(r->params, r->n_in));
    loop l = knp_while_of(r->params, (uint32_t)r->n_in);
    const kni_jaxpr *cond = l.p->cond_jaxpr, *body = l.p->body_jaxpr;
    const kni_type *carry = r->xt + l.n_cond + l.n_body;
    KN_TRY(check_condition(cond));
    for (uint32_t i = 0; i < l.n; i++)
        KN_TRY(knp_check_carry(NULL, i, kni_in_type(body, l.n_body + i), kni_out_type(body, i)));
    KN_TRY(check_operands("condition", cond, 0, r->xt, l.n_cond));
    KN_TRY(check_operands("condition", cond, l.n_cond, carry, l.n));
    KN_TRY(check_operands("body", body, 0, r->xt + l.n_cond, l.n_body));
    KN_TRY(check_operands("body", body, l.n_body, carry, l.n));
    if ((uint32_t)r->n_out < l.n)
        return knx_error_new(KN_ERROR_VALUE, "while has more results than there is room for");
    for (uint32_t i = 0; i < l.n; i++)
        if (!kni_type_copy(r->arena, kni_in_type(body, l.n_body + i), &y[i]))
            return knx_error_nomem();
    r->n_out = (int)l.n;
    return NULL;
}

/* --- derivatives ------------------------------------------------------------------------------ */

typedef struct tangents {
    loop l;
    bool *has;    /* inputs of the body: constants, then carries */
    bool *out;    /* carries */
    uint32_t *at; /* inputs of the body: among its tangents */
    uint32_t n_const, n_carry;
    kni_jaxpr *joint, *cond; /* the body with tangents, the condition that takes them */
} tangents;

/* The body's derivative, over as many carries as turn out to have one. */
static knx_error *find_tangents(tangents *t)
{
    for (bool settled = false; !settled;) {
        kni_release(t->joint);
        t->joint = NULL;
        KN_TRY(knt_jvp_lazily(t->l.p->body_jaxpr, t->has, t->has + t->l.n_body, t->out, &t->joint));
        settled = true;
        for (uint32_t i = 0; i < t->l.n; i++)
            if (t->out[i] && !t->has[t->l.n_body + i])
                t->has[t->l.n_body + i] = true, settled = false;
    }
    for (uint32_t i = 0, n = 0; i < t->l.n_body + t->l.n; i++)
        if (t->has[i]) {
            t->at[i] = n++;
            *(i < t->l.n_body ? &t->n_const : &t->n_carry) += 1;
        }
    return NULL;
}

/* The joint body takes its inputs, then their tangents; in a loop constants and their tangents come first. */
static knx_error *order_inputs(tangents *t)
{
    knp_frame f;
    const kni_jaxpr *j = t->joint;
    uint32_t inputs = t->l.n_body + t->l.n;
    kni_jaxpr *ordered = NULL;
    knx_error *error = NULL;
    if (!knp_frame_begin(&f, j->n_in, j->n_out))
        error = knx_error_nomem();
    for (int carry = 0; !error && carry < 2; carry++) {
        uint32_t from = carry ? t->l.n_body : 0, to = carry ? inputs : t->l.n_body;
        for (uint32_t i = from; i < to; i++)
            f.in[i] = knb_invar(&f.b, kni_in_type(j, i));
        for (uint32_t i = from; i < to; i++)
            if (t->has[i])
                f.in[inputs + t->at[i]] = knb_invar(&f.b, kni_in_type(j, i));
    }
    if (!error) {
        knb_inline(&f.b, j, f.in, f.out);
        error = knp_frame_finish(&f, j->n_out, f.out, j->name, &ordered);
    }
    knp_frame_end(&f);
    if (!error) {
        kni_release(t->joint);
        t->joint = ordered;
    }
    return error;
}

static knx_error *widen_condition(tangents *t)
{
    knp_frame f;
    const kni_jaxpr *c = t->l.p->cond_jaxpr;
    knx_error *error = knp_frame_begin(&f, (size_t)c->n_in + t->l.n, c->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < c->n_in; i++)
            knp_frame_input(&f, kni_in_type(c, i));
        for (uint32_t i = 0; i < t->l.n; i++)
            if (t->has[t->l.n_body + i])
                knp_frame_input(&f, kni_in_type(c, t->l.n_cond + i));
        knb_inline(&f.b, c, f.in, f.out);
        error = knp_frame_finish(&f, 1, f.out, c->name, &t->cond);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_joint(const kni_rule *r, const tangents *t, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    const loop *l = &t->l;
    knx_arena *a = &r->b->arena;
    size_t room = 2 * ((size_t)r->n_in + 1);
    kni_atom *in = knx_arena_alloc(a, room * sizeof *in), *out = knx_arena_alloc(a, room * sizeof *out);
    if (!in || !out)
        return knx_error_nomem();
    uint32_t n = 0, carries = l->n + t->n_carry;
    knp_put_all(in, &n, r->x, l->n_cond + l->n_body);
    for (uint32_t i = 0; i < l->n_body; i++)
        if (t->has[i])
            in[n++] = tx[l->n_cond + i];
    knp_put_all(in, &n, r->x + l->n_cond + l->n_body, l->n);
    for (uint32_t i = l->n_body; i < l->n_body + l->n; i++)
        if (t->has[i])
            in[n++] = knb_instantiate(r->b, tx[l->n_cond + i], r->xt[l->n_cond + i]);
    for (uint32_t i = 0; i < carries; i++)
        out[i] = KN_ATOM_NONE;
    knb_while(r->b,
              &(kni_p_while){t->joint, (int64_t)l->n_body + t->n_const, t->cond, l->n_cond, l->p->max_steps,
                             l->p->accept, l->p->lanes},
              in, out);
    for (uint32_t i = 0, k = l->n; i < l->n; i++) {
        if (r->forward)
            y[i] = out[i];
        if (t->has[l->n_body + i])
            ty[i] = out[k++];
    }
    return NULL;
}

/* --- reverse mode, with a bound --------------------------------------------------------------- */

/* constants of both, carries -> the carries after a step, or, if the condition is false, as they are: a step of a scan
 * of max_steps. */
static knx_error *bounded_step(const loop *l, kni_jaxpr *stay, kni_jaxpr **out)
{
    knp_frame f;
    kni_jaxpr *branch[2] = {stay, l->p->body_jaxpr};
    uint32_t consts = l->n_cond + l->n_body, n = 0;
    knx_error *error = knp_frame_begin(&f, 2 * ((size_t)consts + l->n) + 1, l->n) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < l->n_cond; i++)
            knp_frame_input(&f, kni_in_type(l->p->cond_jaxpr, i));
        for (uint32_t i = 0; i < l->n_body + l->n; i++)
            knp_frame_input(&f, kni_in_type(l->p->body_jaxpr, i));
        kni_atom *x = f.in + consts + l->n, go;
        knp_put_all(x, &n, f.in, l->n_cond);
        knp_put_all(x, &n, f.in + consts, l->n);
        knb_inline(&f.b, l->p->cond_jaxpr, x, &go);
        x[0] = knb_convert(&f.b, go, KN_DT(I32));
        n = 1;
        knp_put_all(x, &n, f.in + l->n_cond, l->n_body + l->n);
        knb_cond(&f.b, &(kni_p_cond){.branches = {2, branch}}, x, f.out);
        error = knp_frame_finish(&f, l->n, f.out, l->p->body_jaxpr->name, out);
    }
    knp_frame_end(&f);
    return error;
}

/* The branch of a loop that is done: takes what the body takes. */
static knx_error *staying(const loop *l, kni_jaxpr **out)
{
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, (size_t)l->n_body + l->n, l->n) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < l->n_body + l->n; i++)
        knp_frame_input(&f, kni_in_type(l->p->body_jaxpr, i));
    if (!error)
        error = knp_frame_finish(&f, l->n, f.in + l->n_body, l->p->body_jaxpr->name, out);
    knp_frame_end(&f);
    return error;
}

static knx_error *bounded_loop(const loop *l, kni_jaxpr *step, kni_jaxpr **out)
{
    knp_frame f;
    kni_p_scan p = {
        .jaxpr = step, .length = l->p->max_steps, .num_carry = l->n, .num_consts = l->n_cond + l->n_body, .unroll = 1};
    knx_error *error = knp_frame_begin(&f, step->n_in, l->n) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < step->n_in; i++)
        knp_frame_input(&f, kni_in_type(step, i));
    if (!error) {
        knb_scan(&f.b, &p, f.in, f.out);
        error = knp_frame_finish(&f, l->n, f.out, step->name, out);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *linearize_bounded(const kni_rule *r, const loop *l, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    kni_jaxpr *stay = NULL, *step = NULL, *all = NULL;
    knx_error *error = staying(l, &stay);
    if (!error)
        error = bounded_step(l, stay, &step);
    if (!error)
        error = bounded_loop(l, step, &all);
    if (!error)
        error = knp_linearize_instead(r, all, tx, y, ty);
    kni_release(stay);
    kni_release(step);
    kni_release(all);
    return error;
}

static knx_error *while_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    tangents t = {.l = knp_while_of(r->params, (uint32_t)r->n_in)};
    const loop *l = &t.l;
    size_t room = (size_t)r->n_in + 1;
    t.has = knx_alloc_zero(room);
    t.out = knx_alloc_zero(room);
    t.at = knx_alloc_zero(room * sizeof *t.at);
    knx_error *error = t.has && t.out && t.at ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < l->n_body + l->n; i++)
        t.has[i] = tx[l->n_cond + i] != KN_ATOM_ZERO;
    if (!error)
        error = find_tangents(&t);
    bool joint = !error && t.n_carry;
    if (joint && !r->forward && l->p->max_steps) {
        error = linearize_bounded(r, l, tx, y, ty);
        joint = false;
    } else if (!error && !(joint && r->forward)) {
        knb_while(r->b, l->p, r->x, y);
    }
    if (joint)
        error = order_inputs(&t);
    if (!error && joint)
        error = widen_condition(&t);
    if (!error && joint)
        error = emit_joint(r, &t, tx, y, ty);
    kni_release(t.joint);
    kni_release(t.cond);
    knx_free(t.has);
    knx_free(t.out);
    knx_free(t.at);
    return error;
}

/* --- what no one needs ------------------------------------------------------------------------ */

/* What stays of a loop: a carry that is read, that the condition asks, or that one of these needs; but one that never
 * changes is a constant. */
typedef struct rest {
    loop l;
    bool *carry, *in_cond, *in_body; /* of all carries; of all inputs */
    uint32_t *pick_cond, *pick_body, *pick_out;
    kni_atom *in;
    uint32_t n_cond, n_body, n; /* constants, carries */
} rest;

static bool never_changes(const loop *l, uint32_t i) { return l->p->body_jaxpr->out[i] == l->n_body + i; }

static knx_error *find_rest(const kni_rule *r, const bool *read, rest *t)
{
    const loop *l = &t->l;
    knx_arena *a = &r->b->arena;
    size_t room = (size_t)r->n_in + 1;
    t->carry = knx_arena_zero(a, room);
    t->in_cond = knx_arena_zero(a, room);
    t->in_body = knx_arena_zero(a, room);
    if (!t->carry || !t->in_cond || !t->in_body)
        return knx_error_nomem();
    KN_TRY(knp_needs(l->p->cond_jaxpr, (const bool[]){true}, t->in_cond));
    for (uint32_t i = 0; i < l->n; i++)
        t->carry[i] = (read[i] || t->in_cond[l->n_cond + i]) && !never_changes(l, i);
    for (bool settled = false; !settled;) {
        settled = true;
        KN_TRY(knp_needs(l->p->body_jaxpr, t->carry, t->in_body));
        for (uint32_t i = 0; i < l->n; i++)
            if (t->in_body[l->n_body + i] && !t->carry[i] && !never_changes(l, i))
                t->carry[i] = true, settled = false;
    }
    return NULL;
}

/* Constants of the condition, or of the body, and the carries that have become some of them. */
static uint32_t pick_constants(const rest *t, uint32_t n_const, const bool *in, uint32_t *pick, const kni_atom *consts,
                               const kni_atom *carries, kni_atom *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_const + t->l.n; i++)
        if (in[i] && (i < n_const || !t->carry[i - n_const])) {
            to[n] = i < n_const ? consts[i] : carries[i - n_const];
            pick[n++] = i;
        }
    return n;
}

static knx_error *pick_rest(const kni_rule *r, rest *t)
{
    const loop *l = &t->l;
    knx_arena *a = &r->b->arena;
    size_t room = (size_t)r->n_in + 1;
    const kni_atom *carries = r->x + l->n_cond + l->n_body;
    t->pick_cond = knx_arena_alloc(a, room * sizeof *t->pick_cond);
    t->pick_body = knx_arena_alloc(a, room * sizeof *t->pick_body);
    t->pick_out = knx_arena_alloc(a, room * sizeof *t->pick_out);
    t->in = knx_arena_alloc(a, 3 * room * sizeof *t->in);
    if (!t->pick_cond || !t->pick_body || !t->pick_out || !t->in)
        return knx_error_nomem();
    t->n_cond = pick_constants(t, l->n_cond, t->in_cond, t->pick_cond, r->x, carries, t->in);
    t->n_body = pick_constants(t, l->n_body, t->in_body, t->pick_body, r->x + l->n_cond, carries, t->in + t->n_cond);
    for (uint32_t i = 0; i < l->n; i++)
        if (t->carry[i]) {
            t->pick_cond[t->n_cond + t->n] = l->n_cond + i;
            t->pick_body[t->n_body + t->n] = l->n_body + i;
            t->in[t->n_cond + t->n_body + t->n] = carries[i];
            t->pick_out[t->n++] = i;
        }
    return NULL;
}

static knx_error *while_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    rest t = {.l = knp_while_of(r->params, (uint32_t)r->n_in)};
    const loop *l = &t.l;
    KN_TRY(find_rest(r, read, &t));
    KN_TRY(pick_rest(r, &t));
    *pruned = t.n < l->n || t.n_cond < l->n_cond || t.n_body < l->n_body;
    if (!*pruned)
        return NULL;
    kni_p_while p = {.body_nconsts = t.n_body,
                     .cond_nconsts = t.n_cond,
                     .max_steps = l->p->max_steps,
                     .accept = l->p->accept,
                     .lanes = l->p->lanes};
    kni_atom *out = knx_arena_alloc(&r->b->arena, ((size_t)t.n + 1) * sizeof *out);
    knx_error *error = out ? NULL : knx_error_nomem();
    if (!error)
        error = knp_pick(l->p->cond_jaxpr, t.n_cond + t.n, t.pick_cond, 1, (const uint32_t[]){0}, &p.cond_jaxpr);
    if (!error)
        error = knp_pick(l->p->body_jaxpr, t.n_body + t.n, t.pick_body, t.n, t.pick_out, &p.body_jaxpr);
    if (!error && (t.n || kni_must_stay(r->prim, l->p)))
        knb_while(r->b, &p, t.in, out);
    for (uint32_t i = 0, k = 0; !error && i < l->n; i++)
        y[i] = t.carry[i] ? out[k++] : never_changes(l, i) ? r->x[l->n_cond + l->n_body + i] : KN_ATOM_NONE;
    kni_release(p.cond_jaxpr);
    kni_release(p.body_jaxpr);
    return error;
}

/* --- without errors --------------------------------------------------------------------------- */

typedef struct flagged {
    loop l;
    kni_jaxpr *cond, *body; /* with their flags as last results */
    kni_type flag;
} flagged;

/* its constants, carries, the flag -> goes it on? Not after a step that failed, nor where the question fails. */
static knx_error *flagged_condition(const flagged *t, kni_jaxpr **out)
{
    knp_frame f;
    uint32_t n = t->l.n_cond + t->l.n;
    KN_KNOWN(t->cond);
    knx_error *error = knp_frame_begin(&f, (size_t)n + 1, 2) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < n; i++)
            knp_frame_input(&f, kni_in_type(t->cond, i));
        knp_frame_input(&f, t->flag);
        knb_inline(&f.b, t->cond, f.in, f.out);
        kni_atom failed = knt_either_failed(&f.b, knt_any_failed(&f.b, f.in[n]), f.out[1]);
        kni_atom goes = knb_and(&f.b, f.out[0], knb_not(&f.b, knt_any_failed(&f.b, failed)));
        error = knp_frame_finish(&f, 1, &goes, t->cond->name, out);
    }
    knp_frame_end(&f);
    return error;
}

/* its constants, carries, the flag -> carries, the flag */
static knx_error *flagged_step(const flagged *t, kni_jaxpr **out)
{
    knp_frame f;
    uint32_t n = t->l.n_body + t->l.n;
    knx_error *error = knp_frame_begin(&f, (size_t)n + 1, (size_t)t->l.n + 1) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < n; i++)
            knp_frame_input(&f, kni_in_type(t->body, i));
        knp_frame_input(&f, t->flag);
        knb_inline(&f.b, t->body, f.in, f.out);
        f.out[t->l.n] = knb_or(&f.b, f.in[n], knt_failed_over(&f.b, f.out[t->l.n], t->flag));
        error = knp_frame_finish(&f, t->l.n + 1, f.out, t->body->name, out);
    }
    knp_frame_end(&f);
    return error;
}

/* The question of the last carries may be the one that failed. */
static knx_error *emit_flagged(const kni_rule *r, const flagged *t, kni_jaxpr *cond, kni_jaxpr *body, kni_atom *y,
                               kni_atom *failed)
{
    const loop *l = &t->l;
    kni_builder *b = r->b;
    size_t room = (size_t)r->n_in + 2;
    kni_atom *in = knp_room(b, room), *out = knp_room(b, room), *last = knp_room(b, room), asked[2];
    if (!in || !out || !last)
        return NULL; /* the builder has the error */
    uint32_t n = 0, k = 0;
    knp_put_all(in, &n, r->x, (uint32_t)r->n_in);
    in[n++] = knb_zeros(b, t->flag);
    for (uint32_t i = 0; i < l->n + 1; i++)
        out[i] = KN_ATOM_NONE;
    knb_while(b, &(kni_p_while){body, l->n_body, cond, l->n_cond, l->p->max_steps, l->p->accept, 0}, in, out);
    knp_put_all(last, &k, r->x, l->n_cond);
    knp_put_all(last, &k, out, l->n);
    knb_inline(b, t->cond, last, asked);
    k = 0;
    knp_put_all(y, &k, out, l->n);
    *failed = knt_either_failed(b, out[l->n], asked[1]);
    return NULL;
}

static knx_error *while_unfailing(const kni_rule *r, kni_atom *y, kni_atom *failed)
{
    flagged t = {.l = knp_while_of(r->params, (uint32_t)r->n_in)};
    kni_jaxpr *cond = NULL, *body = NULL;
    knx_error *error = knt_unfailing(t.l.p->cond_jaxpr, &t.cond);
    if (!error && t.cond)
        error = knt_unfailing(t.l.p->body_jaxpr, &t.body);
    if (!error && t.body) {
        t.flag = kni_scalar_type(KN_DT(BOOL));
        error = flagged_condition(&t, &cond);
        if (!error)
            error = flagged_step(&t, &body);
        if (!error)
            error = emit_flagged(r, &t, cond, body, y, failed);
    }
    kni_release(t.cond);
    kni_release(t.body);
    kni_release(cond);
    kni_release(body);
    return error;
}

/* --- the row ---------------------------------------------------------------------------------- */

static bool while_may_fail(const kni_rule *r)
{
    const kni_p_while *p = r->params;
    return knp_body_may_fail(p->cond_jaxpr) || knp_body_may_fail(p->body_jaxpr);
}

/* body, then condition: their constants and the carry */
static int while_body_types(const kni_rule *r, int which, kni_type *t)
{
    const kni_p_while *p = r->params;
    int64_t before = p->cond_nconsts + p->body_nconsts;
    if (p->cond_nconsts < 0 || p->body_nconsts < 0 || before > r->n_in)
        return 0;
    int n = 0;
    for (int64_t i = which ? 0 : p->cond_nconsts; i < (which ? p->cond_nconsts : before); i++)
        t[n++] = r->xt[i];
    for (int64_t i = before; i < r->n_in; i++)
        t[n++] = r->xt[i];
    return n;
}

const kni_prim knp_prim_while = {
    .name = "while",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_LOOPS | KN_CAN_FAIL,
    .loops = KN_LOOP_WHILE,
    .fields = kni_fields_while,
    .params_size = sizeof(kni_p_while),
    .doc = "runs a body on a carry as long as a condition of the carry holds (jax.lax.while_loop)",
    .no_transpose = "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic "
                    "start/stop values. Try using lax.scan, or using fori_loop with static start/stop.",
    .type = while_type,
    .linearize = while_linearize,
    .batch = knp_while_batch,
    .prune = while_prune,
    .may_fail = while_may_fail,
    .unfailing = while_unfailing,
    .body_types = while_body_types,
};
