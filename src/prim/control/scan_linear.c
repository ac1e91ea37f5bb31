/* SPDX-License-Identifier: Apache-2.0
 * scan_linear.c -- derivatives of scan.
 *
 * Which carries have tangents is a fixed point: those that begin with one, and those that get one from the body. In
 * forward mode the derivative is one scan of the joint body. In reverse mode the body is linearized once:
 *
 *     primal   constants, carries, xs -> carries, ys, stacked residuals
 *     linear   residuals that do not change, tangents of constants; tangents of carries; stacked residuals, xs that are
 *              residuals, tangents of xs -> tangents of carries, of ys
 *
 * A residual that does not change from step to step (a constant, a carry that never changes, what is made of these
 * alone) is computed once, before the loop; one that is an element of an x is taken from there, and one that is an
 * output is taken from the stacked output.
 */
#include "prim/body.h"
#include "prim/control/scan.h"
#include "transform/replay.h"

typedef struct tangents {
    knp_scan s;
    bool *in, *out; /* inputs and results of the body */
    uint32_t n_const, n_carry, n_x;
} tangents;

static uint32_t count(const bool *of, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++)
        n += of[i];
    return n;
}

/* Carries that the body gives a tangent have one; true if there are new ones. */
static bool spread(tangents *t)
{
    bool more = false;
    for (uint32_t i = 0; i < t->s.n_carry; i++)
        if (t->out[i] && !t->in[t->s.n_const + i])
            t->in[t->s.n_const + i] = more = true;
    return more;
}

static void count_tangents(tangents *t)
{
    const knp_scan *s = &t->s;
    t->n_const = count(t->in, 0, s->n_const);
    t->n_carry = count(t->in, s->n_const, s->first_x);
    t->n_x = count(t->in, s->first_x, s->n_in);
}

/* --- forward mode ----------------------------------------------------------------------------- */

/* The joint body takes inputs, then tangents: the tangents of constants, carries and xs go behind these. */
static knx_error *order_joint(const tangents *t, knx_arena *a, kni_jaxpr **joint)
{
    const knp_scan *s = &t->s;
    uint32_t *in = knx_arena_alloc(a, (2 * (size_t)s->n_in + 1) * sizeof *in),
             *out = knx_arena_alloc(a, (2 * (size_t)s->n_out + 1) * sizeof *out), n_in = 0, n_out = 0, at = s->n_in;
    const uint32_t ends[4] = {0, s->n_const, s->first_x, s->n_in}, results[3] = {0, s->n_carry, s->n_out};
    if (!in || !out)
        return knx_error_nomem();
    for (int group = 0; group < 3; group++) {
        for (uint32_t i = ends[group]; i < ends[group + 1]; i++)
            in[n_in++] = i;
        for (uint32_t i = ends[group]; i < ends[group + 1]; i++)
            if (t->in[i])
                in[n_in++] = at++;
    }
    at = s->n_out;
    for (int group = 0; group < 2; group++) {
        for (uint32_t i = results[group]; i < results[group + 1]; i++)
            out[n_out++] = i;
        for (uint32_t i = results[group]; i < results[group + 1]; i++)
            if (t->out[i])
                out[n_out++] = at++;
    }
    kni_jaxpr *ordered = NULL;
    KN_TRY(knp_pick(*joint, n_in, in, n_out, out, &ordered));
    kni_release(*joint);
    *joint = ordered;
    return NULL;
}

static knx_error *emit_joint(const kni_rule *r, const tangents *t, kni_jaxpr *joint, const kni_atom *tx, kni_atom *y,
                             kni_atom *ty)
{
    const knp_scan *s = &t->s;
    kni_atom *in = knp_atoms(r->b, joint->n_in), *out = knp_atoms(r->b, joint->n_out);
    const uint32_t ends[4] = {0, s->n_const, s->first_x, s->n_in};
    int64_t *linear = knx_arena_zero(&r->b->arena, ((size_t)joint->n_in + 1) * sizeof *linear);
    uint32_t n = 0;
    if (!in || !out || !linear)
        return knx_error_nomem();
    for (int group = 0; group < 3; group++) {
        knp_put_all(in, &n, r->x + ends[group], ends[group + 1] - ends[group]);
        for (uint32_t i = ends[group]; i < ends[group + 1]; i++)
            if (t->in[i]) {
                linear[n] = 1;
                in[n++] = knb_instantiate(r->b, tx[i], r->xt[i]);
            }
    }
    kni_p_scan p = *s->p;
    p.jaxpr = joint;
    p.linear = (kni_ints){(int)n, linear};
    p.num_consts += t->n_const;
    p.num_carry += t->n_carry;
    knb_scan(r->b, &p, in, out);
    uint32_t at = 0, tangent = s->n_carry;
    for (uint32_t i = 0; i < s->n_out; i++) {
        if (i == s->n_carry) {
            at = s->n_carry + t->n_carry;
            tangent = at + s->n_y;
        }
        y[i] = out[at++];
        if (t->out[i])
            ty[i] = out[tangent++];
    }
    return NULL;
}

static knx_error *forward(const kni_rule *r, tangents *t, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    const knp_scan *s = &t->s;
    bool *wanted = knx_arena_zero(&r->b->arena, (size_t)s->n_out + 1);
    kni_jaxpr *joint = NULL;
    knx_error *error = wanted ? NULL : knx_error_nomem();
    do {
        kni_release(joint);
        joint = NULL;
        for (uint32_t i = 0; !error && i < s->n_carry; i++)
            wanted[i] = t->in[s->n_const + i];
        if (!error)
            error = knt_jvp_lazily(s->j, t->in, wanted, t->out, &joint);
    } while (!error && spread(t));
    if (!error) {
        count_tangents(t);
        error = order_joint(t, &r->b->arena, &joint);
    }
    if (!error)
        error = emit_joint(r, t, joint, tx, y, ty);
    kni_release(joint);
    return error;
}

/* --- residuals -------------------------------------------------------------------------------- */

/* Of each variable of the primal body that is a residual: where the linear body has it from. */
typedef struct residuals {
    const kni_jaxpr *j; /* the primal body: its results, then residuals */
    uint32_t n_value, n;
    bool *fixed;       /* per variable: does not change from step to step */
    bool *once;        /* fixed, and needed by the linear body */
    kni_atom *outside; /* per variable: its atom outside; an array of all steps if it is not fixed */
    kni_atom *inside;  /* per variable: its atom in the linear body */
    uint32_t *stacked; /* variables that become outputs */
    uint32_t n_stacked;
} residuals;

static bool is_x(const knp_scan *s, kni_atom v) { return v >= s->first_x && v < s->n_in; }

static bool all_fixed(const residuals *t, const kni_eqn *e)
{
    for (uint32_t i = 0; i < e->n_in; i++)
        if (kni_is_var(e->in[i]) && !t->fixed[e->in[i]])
            return false;
    return !kni_must_stay(e->prim, e->params) && !(kni_bits(e->prim, e->params) & KN_USER);
}

static knx_error *find_fixed(const knp_scan *s, residuals *t, knx_arena *a)
{
    const kni_jaxpr *j = t->j;
    size_t room = (size_t)j->n_var + 1;
    t->fixed = knx_arena_zero(a, room);
    t->once = knx_arena_zero(a, room);
    t->outside = knx_arena_alloc(a, room * sizeof *t->outside);
    t->inside = knx_arena_alloc(a, room * sizeof *t->inside);
    t->stacked = knx_arena_alloc(a, ((size_t)t->n + 1) * sizeof *t->stacked);
    if (!t->fixed || !t->once || !t->outside || !t->inside || !t->stacked)
        return knx_error_nomem();
    for (uint32_t v = 0; v < j->n_var; v++)
        t->outside[v] = t->inside[v] = KN_ATOM_NONE;
    for (uint32_t i = 0; i < s->first_x; i++) /* a carry that never changes is one of them */
        t->fixed[i] = i < s->n_const || j->out[i - s->n_const] == i;
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        bool fixed = all_fixed(t, &j->eqn[k]);
        for (uint32_t i = 0; i < j->eqn[k].n_out; i++)
            t->fixed[j->eqn[k].out + i] = fixed;
    }
    return NULL;
}

/* Writes into the rule's builder what of the body is fixed and needed. */
static knx_error *work_out_once(const kni_rule *r, residuals *t)
{
    const kni_jaxpr *j = t->j;
    uint32_t widest = 1, n_in;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        widest = j->eqn[k].n_in > widest ? j->eqn[k].n_in : widest;
    kni_atom *in = knp_atoms(r->b, widest);
    if (!in)
        return knx_error_nomem();
    for (uint32_t k = j->n_eqn; k-- > 0;)
        for (uint32_t i = 0; i < j->eqn[k].n_out; i++)
            for (uint32_t o = 0; t->once[j->eqn[k].out + i] && o < j->eqn[k].n_in; o++)
                if (kni_is_var(j->eqn[k].in[o]))
                    t->once[j->eqn[k].in[o]] = true;
    for (uint32_t i = 0; i < j->n_in; i++)
        if (t->once[i])
            t->outside[i] = r->x[i];
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        const kni_eqn *e = &j->eqn[k];
        bool needed = false;
        for (uint32_t i = 0; i < e->n_out; i++)
            needed = needed || t->once[e->out + i];
        if (!needed)
            continue;
        for (n_in = 0; n_in < e->n_in; n_in++) {
            kni_atom a = e->in[n_in];
            const kni_literal *l = &j->literal[a & ~KN_LITERAL_BIT];
            in[n_in] = kni_is_literal(a) ? knb_literal(r->b, l->type.dtype, l->type.weak, l->bits) : t->outside[a];
        }
        knb_emit(r->b, e->prim, e->params, (int)n_in, in, t->outside + e->out, (int)e->n_out);
    }
    return NULL;
}

/* Where residuals come from, but for those that the primal scan makes. */
static knx_error *sort_residuals(const kni_rule *r, const knp_scan *s, residuals *t)
{
    const kni_jaxpr *j = t->j;
    bool *seen = knx_arena_zero(&r->b->arena, (size_t)j->n_var + 1);
    KN_TRY(find_fixed(s, t, &r->b->arena));
    if (!seen)
        return knx_error_nomem();
    for (uint32_t i = s->first_x; i < s->n_in; i++)
        seen[i] = true;
    for (uint32_t i = s->n_carry; i < t->n_value; i++)
        if (kni_is_var(j->out[i]))
            seen[j->out[i]] = true;
    for (uint32_t i = 0; i < t->n; i++) {
        kni_atom v = j->out[t->n_value + i];
        if (kni_is_literal(v))
            continue;
        if (t->fixed[v])
            t->once[v] = true;
        else if (!seen[v])
            t->stacked[t->n_stacked++] = v;
        seen[v] = true;
    }
    return work_out_once(r, t);
}

/* --- reverse mode ----------------------------------------------------------------------------- */

/* The primal scan: its results, and residuals as further outputs. */
static knx_error *emit_primal(const kni_rule *r, const knp_scan *s, residuals *t, kni_atom *y)
{
    const kni_jaxpr *j = t->j;
    uint32_t n_out = t->n_value + t->n_stacked;
    knp_scan_writer w;
    kni_atom *out = knp_atoms(r->b, n_out);
    knx_error *error = knp_scan_begin(&w, r, s->n_in, (size_t)j->n_out) && out ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < s->n_in; i++)
            knp_scan_put(&w, r->x[i], kni_in_type(j, i));
        knb_inline(&w.f.b, j, w.f.in, w.f.out);
        for (uint32_t i = 0, n = 0; n < t->n_stacked; i++) /* the first residual of each variable */
            if (j->out[t->n_value + i] == t->stacked[n])
                w.f.out[t->n_value + n++] = w.f.out[t->n_value + i];
        error = knp_scan_write(&w, r, *s->p, j->name, n_out, out);
    }
    knp_scan_end(&w);
    if (error)
        return error;
    for (uint32_t i = 0; i < t->n_value; i++)
        y[i] = out[i];
    for (uint32_t i = s->first_x; i < s->n_in; i++)
        t->outside[i] = r->x[i];
    for (uint32_t i = s->n_carry; i < t->n_value; i++)
        if (kni_is_var(j->out[i]) && !t->fixed[j->out[i]] && !is_x(s, j->out[i]))
            t->outside[j->out[i]] = out[i];
    for (uint32_t n = 0; n < t->n_stacked; n++)
        t->outside[t->stacked[n]] = out[t->n_value + n];
    return NULL;
}

/* Puts down the residuals that are fixed, or those that are not, as inputs of the linear body. */
static void put_residuals(knp_scan_writer *w, residuals *t, bool fixed)
{
    for (uint32_t i = 0; i < t->n; i++) {
        kni_atom v = t->j->out[t->n_value + i];
        if (kni_is_var(v) && t->fixed[v] == fixed && t->inside[v] == KN_ATOM_NONE)
            t->inside[v] = knp_scan_put(w, t->outside[v], t->j->type[v]);
    }
}

static void put_tangents(knp_scan_writer *w, const kni_rule *r, const tangents *t, uint32_t from, uint32_t to,
                         const kni_atom *tx, kni_atom *x, uint32_t *n)
{
    w->tangents = true;
    for (uint32_t i = from; i < to; i++)
        if (t->in[i])
            x[(*n)++] = knp_scan_put(w, knb_instantiate(r->b, tx[i], r->xt[i]), kni_in_type(t->s.j, i));
    w->tangents = false;
}

static knx_error *write_linear(knp_scan_writer *w, const kni_rule *r, const tangents *t, residuals *u,
                               const knt_linearized *l, const kni_atom *tx, kni_atom *ty)
{
    const knp_scan *s = &t->s;
    kni_builder *b = &w->f.b;
    kni_atom *x = knx_arena_alloc(&w->f.arena, ((size_t)l->linear->n_in + l->linear->n_out + 1) * sizeof *x);
    kni_p_scan p = {.length = s->p->length, .reverse = s->p->reverse, .unroll = s->p->unroll};
    if (!x)
        return knx_error_nomem();
    uint32_t n = u->n, n_out = 0;
    put_residuals(w, u, true);
    put_tangents(w, r, t, 0, s->n_const, tx, x, &n);
    p.num_consts = w->n_in;
    put_tangents(w, r, t, s->n_const, s->first_x, tx, x, &n);
    p.num_carry = t->n_carry;
    put_residuals(w, u, false);
    put_tangents(w, r, t, s->first_x, s->n_in, tx, x, &n);
    for (uint32_t i = 0; i < u->n; i++) {
        kni_atom v = u->j->out[u->n_value + i];
        const kni_literal *of = &u->j->literal[v & ~KN_LITERAL_BIT];
        x[i] = kni_is_literal(v) ? knb_literal(b, of->type.dtype, of->type.weak, of->bits) : u->inside[v];
    }
    kni_atom *tangent = x + n;
    knb_inline(b, l->linear, x, tangent);
    for (uint32_t i = 0; i < s->n_out; i++) {
        bool carry = i < s->n_carry && t->in[s->n_const + i];
        if (t->out[i])
            w->f.out[n_out++] = *tangent++;
        else if (carry)
            w->f.out[n_out++] = knb_zeros(b, kni_out_type(s->j, i));
    }
    kni_atom *out = knp_atoms(r->b, n_out);
    if (!out)
        return knx_error_nomem();
    KN_TRY(knp_scan_write(w, r, p, s->j->name, n_out, out));
    for (uint32_t i = 0, k = 0; i < s->n_out; i++)
        if (t->out[i] || (i < s->n_carry && t->in[s->n_const + i]))
            ty[i] = out[k++];
    return NULL;
}

static knx_error *emit_parts(const kni_rule *r, const tangents *t, const knt_linearized *l, const kni_atom *tx,
                             kni_atom *y, kni_atom *ty)
{
    residuals u = {.n_value = t->s.n_out, .n = l->n_residual};
    kni_jaxpr *primal = NULL;
    KN_TRY(knt_simplify(l->primal, &primal)); /* equal residuals are one */
    u.j = primal;
    knx_error *error = sort_residuals(r, &t->s, &u);
    if (!error)
        error = emit_primal(r, &t->s, &u, y);
    if (!error) {
        knp_scan_writer w;
        error = knp_scan_begin(&w, r, (size_t)u.n + t->s.n_in, t->s.n_out) ? NULL : knx_error_nomem();
        if (!error)
            error = write_linear(&w, r, t, &u, l, tx, ty);
        knp_scan_end(&w);
    }
    kni_release(primal);
    return error;
}

static knx_error *reverse(const kni_rule *r, tangents *t, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    knt_linearized l = {0};
    knx_error *error = NULL;
    do {
        knt_linearized_free(&l);
        error = knt_linearize(t->s.j, t->in, &l);
        for (uint32_t i = 0; !error && i < t->s.n_out; i++)
            t->out[i] = l.out_tangent[i];
    } while (!error && spread(t));
    count_tangents(t);
    if (!error && !l.n_tangent_out && !t->n_carry)
        knb_scan(r->b, t->s.p, r->x, y);
    else if (!error)
        error = emit_parts(r, t, &l, tx, y, ty);
    knt_linearized_free(&l);
    return error;
}

static knx_error *in_chunks(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    kni_jaxpr *j = NULL;
    KN_TRY(knp_scan_in_chunks(r, &j));
    knx_error *error = knp_linearize_instead(r, j, tx, y, ty);
    kni_release(j);
    return error;
}

/* Of no steps: the carry's tangents are those that it begins with, and nothing else is looked at. */
static void without_steps(const kni_rule *r, const knp_scan *s, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    knb_emit(r->b, &knp_prim_scan, r->params, r->n_in, r->x, y, r->n_out);
    for (uint32_t i = 0; i < s->n_out; i++)
        ty[i] = i < s->n_carry ? tx[s->n_const + i] : KN_ATOM_ZERO;
}

knx_error *knp_scan_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    tangents t = {.s = knp_scan_of(r->params)};
    t.in = knx_arena_zero(&r->b->arena, (size_t)t.s.n_in + 1);
    t.out = knx_arena_zero(&r->b->arena, (size_t)t.s.n_out + 1);
    if (!t.in || !t.out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < t.s.n_in; i++)
        t.in[i] = tx[i] != KN_ATOM_ZERO;
    if (!t.s.p->length) {
        without_steps(r, &t.s, tx, y, ty);
        return NULL;
    }
    if (r->forward)
        return forward(r, &t, tx, y, ty);
    return t.s.p->checkpoint ? in_chunks(r, tx, y, ty) : reverse(r, &t, tx, y, ty);
}
