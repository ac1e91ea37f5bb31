/* SPDX-License-Identifier: Apache-2.0
 * while_batch.c -- a while loop of many lanes. Which carries are batched is a fixed point. With a batched condition all
 * of them are; the loop runs until the last lane is done, and lanes that are done keep their carry.
 *
 * What a lane that is done would do is not done: an error of its step is none, and if steps have effects, or errors
 * that are known only by running them, the lanes run one after the other (a scan), each as it would alone. */
#include "prim/control/while.h"

typedef knp_while loop;

typedef struct batching {
    loop l;
    int64_t size;
    const char *name;           /* of the axis */
    int *cond_axis, *body_axis; /* of all inputs; a batched carry has its axis in front */
    int *out_axis;
    bool *was, each; /* each: a predicate for each lane */
    kni_jaxpr *cond, *body;
    kni_jaxpr *unfailing; /* of one lane: the body without its errors; NULL: it cannot fail */
} batching;

static bool is_batched(const batching *t, uint32_t carry) { return t->body_axis[t->l.n_body + carry] >= 0; }

static void batch_carry(batching *t, uint32_t carry)
{
    t->body_axis[t->l.n_body + carry] = t->cond_axis[t->l.n_cond + carry] = 0;
}

static knx_error *find_batched(batching *t)
{
    for (bool settled = false; !settled;) {
        settled = true;
        kni_release(t->body);
        t->body = NULL;
        KN_TRY(knt_batch_lazily(t->l.p->body_jaxpr, t->size, t->name, t->body_axis, t->was, &t->body));
        for (uint32_t i = 0; i < t->l.n; i++)
            if (t->was[i] && !is_batched(t, i))
                batch_carry(t, i), settled = false;
    }
    KN_TRY(knt_batch_lazily(t->l.p->cond_jaxpr, t->size, t->name, t->cond_axis, &t->each, &t->cond));
    for (uint32_t i = 0; t->each && i < t->l.n; i++)
        batch_carry(t, i);
    if (t->each) {
        kni_release(t->cond);
        t->cond = NULL;
        KN_TRY(knt_batch(t->l.p->cond_jaxpr, t->size, t->name, t->cond_axis, (const int[]){0}, &t->cond));
    }
    for (uint32_t i = 0; i < t->l.n; i++)
        t->out_axis[i] = is_batched(t, i) ? 0 : -1;
    kni_release(t->body);
    t->body = NULL;
    return knt_batch(t->l.p->body_jaxpr, t->size, t->name, t->body_axis, t->out_axis, &t->body);
}

/* pred ? new : old, lane by lane. */
static kni_atom keep_if_done(kni_builder *b, kni_atom pred, kni_atom new, kni_atom old)
{
    kni_type t = knb_type(b, old);
    kni_atom which = t.ndim == 1 ? pred : knb_broadcast_in_dim(b, pred, t.ndim, t.dim, (const int64_t[]){0});
    return knb_select_n(b, which, 2, (const kni_atom[]){old, new});
}

/* ---- Errors of steps. Those of lanes that are done are none, so the steps are written without errors, and behind them
 * stands a branch that runs the step of the lanes that fail for its error. */

/* A jaxpr that takes what j takes and gives nothing; with `runs` it runs j. */
static knx_error *without_results(const kni_jaxpr *j, bool runs, kni_jaxpr **out)
{
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < j->n_in; i++)
        knp_frame_input(&f, kni_in_type(j, i));
    if (!error && runs)
        knb_inline(&f.b, j, f.in, f.out);
    if (!error)
        error = knp_frame_finish(&f, 0, f.out, j->name, out);
    knp_frame_end(&f);
    return error;
}

/* index, what the body takes -> nothing; the body is run if the index is 1. */
static knx_error *raising(const batching *t, kni_jaxpr **out)
{
    const kni_jaxpr *j = t->l.p->body_jaxpr;
    kni_jaxpr *way[2] = {NULL, NULL}, *one = NULL;
    knx_error *error = NULL;
    for (int k = 0; !error && k < 2; k++)
        error = without_results(j, k, &way[k]);
    knp_frame f = {0};
    if (!error)
        error = knp_frame_begin(&f, (size_t)j->n_in + 1, 1) ? NULL : knx_error_nomem();
    if (!error) {
        knp_frame_input(&f, kni_scalar_type(KN_DT(I32)));
        for (uint32_t i = 0; i < j->n_in; i++)
            knp_frame_input(&f, kni_in_type(j, i));
        knb_cond(&f.b, &(kni_p_cond){.branches = {2, way}}, f.in, f.out);
        error = knp_frame_finish(&f, 0, f.out, j->name, &one);
    }
    knp_frame_end(&f);
    int *in_axis = error ? NULL : knx_alloc(((size_t)j->n_in + 1) * sizeof *in_axis);
    if (!error && !in_axis)
        error = knx_error_nomem();
    if (!error) {
        in_axis[0] = 0;
        for (uint32_t i = 0; i < j->n_in; i++)
            in_axis[i + 1] = t->body_axis[i];
        error = knt_batch(one, t->size, t->name, in_axis, in_axis, out);
    }
    knx_free(in_axis);
    kni_release(one);
    kni_release(way[0]);
    kni_release(way[1]);
    return error;
}

/* in: what the body takes; which: the lanes whose step fails. */
static knx_error *raise_where(batching *t, knp_frame *f, kni_atom which, const kni_atom *in)
{
    kni_jaxpr *way[2] = {NULL, NULL};
    KN_TRY(raising(t, &way[1]));
    knx_error *error = without_results(way[1], false, &way[0]);
    uint32_t n_in = t->l.p->body_jaxpr->n_in, n = 0;
    kni_atom *x = error ? NULL : knp_atoms(&f->b, (size_t)n_in + 2);
    if (x) {
        x[n++] = knb_convert(&f->b, knt_any_failed(&f->b, which), KN_DT(I32));
        x[n++] = knb_convert(&f->b, which, KN_DT(I32));
        knp_put_all(x, &n, in, n_in);
        knb_cond(&f->b, &(kni_p_cond){.branches = {2, way}}, x, f->out);
    } else if (!error) {
        error = knx_error_nomem();
    }
    kni_release(way[0]);
    kni_release(way[1]);
    return error;
}

/* The batched body without its errors, in its place; its last result says which lanes fail. */
static knx_error *leave_errors_out(batching *t)
{
    kni_jaxpr *batched = NULL;
    t->out_axis[t->l.n] = 0;
    knx_error *error = knt_batch(t->unfailing, t->size, t->name, t->body_axis, t->out_axis, &batched);
    if (!error) {
        kni_release(t->body);
        t->body = batched;
    }
    return error;
}

/* ---- Lanes that are done. */

/* The body that changes only the lanes that are not done. It asks the condition, so it has its constants in front. */
static knx_error *write_kept(batching *t, knp_frame *f, kni_jaxpr **kept)
{
    const loop *l = &t->l;
    size_t inputs = (size_t)l->n_cond + l->n_body + l->n;
    for (uint32_t i = 0; i < l->n_cond; i++)
        knp_frame_input(f, kni_in_type(t->cond, i));
    for (uint32_t i = 0; i < l->n_body + l->n; i++)
        knp_frame_input(f, kni_in_type(t->body, i));
    const kni_atom *carry = f->in + l->n_cond + l->n_body;
    kni_atom pred, *x = f->in + inputs;
    uint32_t n = 0;
    knp_put_all(x, &n, f->in, l->n_cond);
    knp_put_all(x, &n, carry, l->n);
    knb_inline(&f->b, t->cond, x, &pred);
    knb_inline(&f->b, t->body, f->in + l->n_cond, f->out);
    if (t->unfailing) {
        kni_atom failed = knt_failed_over(&f->b, f->out[l->n], knb_type(&f->b, pred));
        KN_TRY(raise_where(t, f, knb_and(&f->b, pred, failed), f->in + l->n_cond));
    }
    for (uint32_t i = 0; i < l->n; i++)
        f->out[i] = keep_if_done(&f->b, pred, f->out[i], carry[i]);
    return knp_frame_finish(f, l->n, f->out, t->body->name, kept);
}

static knx_error *keep_done_lanes(batching *t)
{
    knp_frame f;
    const loop *l = &t->l;
    kni_jaxpr *kept = NULL;
    size_t inputs = (size_t)l->n_cond + l->n_body + l->n;
    if (t->unfailing)
        KN_TRY(leave_errors_out(t));
    knx_error *error = knp_frame_begin(&f, 2 * inputs, (size_t)l->n + 1) ? NULL : knx_error_nomem();
    if (!error)
        error = write_kept(t, &f, &kept);
    knp_frame_end(&f);
    if (!error) {
        kni_release(t->body);
        t->body = kept;
    }
    return error;
}

/* Any over the lanes in front; over all axes at once where x is any over others. */
static kni_atom any_of(kni_builder *b, kni_atom x)
{
    int64_t axis[KN_MAX_NDIM] = {0};
    int n = 1;
    const kni_draft_eqn *last = b->eqn.n ? &b->eqn.at[b->eqn.n - 1] : NULL;
    if (last && last->prim == &knp_prim_reduce_or && last->out == x) {
        const kni_p_reduce *p = last->params;
        for (int i = 0; i < p->axes.n; i++)
            axis[n++] = p->axes.v[i];
        x = last->in[0];
    }
    return knb_reduce_or(b, x, n, axis);
}

/* The condition: is any lane not done? */
static knx_error *any_lane(batching *t)
{
    knp_frame f;
    kni_jaxpr *any = NULL;
    knx_error *error = knp_frame_begin(&f, t->cond->n_in, 1) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < t->cond->n_in; i++)
            knp_frame_input(&f, kni_in_type(t->cond, i));
        knb_inline(&f.b, t->cond, f.in, f.out);
        kni_atom y = any_of(&f.b, f.out[0]);
        error = knp_frame_finish(&f, 1, &y, t->cond->name, &any);
    }
    knp_frame_end(&f);
    if (!error) {
        kni_release(t->cond);
        t->cond = any;
    }
    return error;
}

static knx_error *emit_batched(const kni_rule *r, batching *t, const int *axis, kni_atom *y, int *axis_out)
{
    const loop *l = &t->l;
    kni_atom *in = knx_arena_alloc(&r->b->arena, 2 * ((size_t)r->n_in + 1) * sizeof *in);
    if (!in)
        return knx_error_nomem();
    uint32_t n = 0, consts = l->n_cond + l->n_body;
    knp_put_all(in, &n, r->x, l->n_cond);
    bool kept = t->each && !l->p->lanes; /* else lanes that are done are left alone already */
    if (kept)
        knp_put_all(in, &n, r->x, l->n_cond);
    knp_put_all(in, &n, r->x + l->n_cond, l->n_body);
    for (uint32_t i = 0; i < l->n; i++)
        in[n++] =
            is_batched(t, i) ? knp_batched_at(r, (int)(consts + i), t->size, axis[consts + i], 0) : r->x[consts + i];
    knb_while(r->b,
              &(kni_p_while){t->body, (int64_t)l->n_body + (kept ? l->n_cond : 0), t->cond, l->n_cond, l->p->max_steps,
                             l->p->accept, t->each ? l->p->lanes + 1 : 0},
              in, y);
    for (uint32_t i = 0; i < l->n; i++)
        axis_out[i] = is_batched(t, i) ? 0 : -1;
    return NULL;
}

/* ---- Lanes one after the other. */

/* Must they? What a lane that is done would do beside its results cannot be left out of a step of all. */
static bool goes_lane_by_lane(const batching *t)
{
    uint32_t bits = kni_bits(&knp_prim_while, t->l.p);
    bool fails = knp_body_may_fail(t->l.p->body_jaxpr);
    return t->each && !(bits & KN_NAMES) && ((bits & KN_EFFECT) || (fails && !t->unfailing));
}

knx_error *knp_while_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    batching t = {.l = knp_while_of(r->params, (uint32_t)r->n_in), .size = size, .name = r->axis_name};
    const loop *l = &t.l;
    size_t room = (size_t)r->n_in + 1;
    t.cond_axis = knx_alloc(room * sizeof *t.cond_axis);
    t.body_axis = knx_alloc(room * sizeof *t.body_axis);
    t.out_axis = knx_alloc((room + 1) * sizeof *t.out_axis);
    t.was = knx_alloc_zero(room);
    knx_error *error = t.cond_axis && t.body_axis && t.out_axis && t.was ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < l->n_cond; i++)
            t.cond_axis[i] = axis[i];
        for (uint32_t i = 0; i < l->n_body; i++)
            t.body_axis[i] = axis[l->n_cond + i];
        for (uint32_t i = 0; i < l->n; i++)
            t.cond_axis[l->n_cond + i] = t.body_axis[l->n_body + i] = axis[l->n_cond + l->n_body + i] >= 0 ? 0 : -1;
        error = find_batched(&t);
    }
    if (!error && t.each && knp_body_may_fail(l->p->body_jaxpr))
        error = knt_unfailing(l->p->body_jaxpr, &t.unfailing);
    bool lane_by_lane = !error && goes_lane_by_lane(&t);
    if (!error && t.each && !lane_by_lane && !l->p->lanes)
        error = keep_done_lanes(&t);
    if (!error && t.each && !lane_by_lane)
        error = any_lane(&t);
    if (!error)
        error = lane_by_lane ? knp_lane_by_lane(r, size, axis, y, axis_out) : emit_batched(r, &t, axis, y, axis_out);
    kni_release(t.unfailing);
    kni_release(t.cond);
    kni_release(t.body);
    knx_free(t.cond_axis);
    knx_free(t.body_axis);
    knx_free(t.out_axis);
    knx_free(t.was);
    return error;
}
