/* SPDX-License-Identifier: Apache-2.0
 * cond_linear.c -- the derivatives of cond.
 *
 *     forward    one cond whose branches give results and tangents; a branch without a tangent that another one has
 *                gives zeros
 *     reverse    each branch is linearized. Its residuals are operands, results, or further results of the first cond,
 *                which branches share: each gives zeros for those that only others have. The linear parts are the
 *                branches of a second cond on the same index
 *     transpose  the branches transposed, of the results that have cotangents and of the operands that these need
 */
#include "prim/control/cond.h"

static const kni_p_cond *params_of(const kni_rule *r) { return r->params; }
static uint32_t inputs_of(const kni_rule *r) { return (uint32_t)r->n_in - 1; }

/* --- forward ---------------------------------------------------------------------------------- */

static uint32_t count(const bool *v, uint32_t n)
{
    uint32_t marked = 0;
    for (uint32_t i = 0; i < n; i++)
        marked += v[i];
    return marked;
}

/* The branches with tangents of the same results: any[]. */
static knx_error *joint_branches(const kni_rule *r, const bool *has, bool *any, knp_branches *t)
{
    uint32_t n_out = (uint32_t)r->n_out;
    bool *none = knx_arena_zero(&r->b->arena, n_out + 1), *mine = knx_arena_zero(&r->b->arena, n_out + 1);
    if (!none || !mine)
        return knx_error_nomem();
    for (int k = 0; k < t->n; k++) {
        KN_TRY(knt_jvp_lazily(params_of(r)->branches.v[k], has, none, mine, &t->v[k]));
        for (uint32_t i = 0; i < n_out; i++)
            any[i] |= mine[i];
    }
    for (int k = 0; k < t->n; k++) {
        if (t->v[k]->n_out == n_out + count(any, n_out))
            continue;
        kni_release(t->v[k]);
        t->v[k] = NULL;
        KN_TRY(knt_jvp_lazily(params_of(r)->branches.v[k], has, any, mine, &t->v[k]));
    }
    return NULL;
}

static void put_tangents(const kni_rule *r, const kni_atom *tx, kni_atom *in, uint32_t *n)
{
    for (int i = 1; i < r->n_in; i++)
        if (tx[i] != KN_ATOM_ZERO)
            in[(*n)++] = tx[i];
}

static void get_tangents(const kni_rule *r, const bool *any, const kni_atom *out, kni_atom *ty)
{
    for (int i = 0; i < r->n_out; i++)
        if (any[i])
            ty[i] = *out++;
}

static knx_error *forward(const kni_rule *r, const bool *has, bool *any, const kni_atom *tx, kni_atom *y, kni_atom *ty,
                          knp_branches *t)
{
    KN_TRY(joint_branches(r, has, any, t));
    uint32_t n = 0, results = (uint32_t)r->n_out;
    kni_atom *in = knp_atoms(r->b, 2 * (size_t)r->n_in), *out = knp_atoms(r->b, 2 * (size_t)results);
    if (!in || !out)
        return knx_error_nomem();
    knp_put_all(in, &n, r->x, (uint32_t)r->n_in);
    put_tangents(r, tx, in, &n);
    knp_branches_emit(t, r->b, in, n - (uint32_t)r->n_in, out);
    n = 0;
    knp_put_all(y, &n, out, results);
    get_tangents(r, any, out + results, ty);
    return NULL;
}

/* --- reverse ---------------------------------------------------------------------------------- */

/* An operand of the linear cond between index and tangents: an operand of the first cond, a result of it, or a further
 * result, which is given by each branch that has a residual for it. */
typedef enum wire_kind { OF_OPERAND, OF_RESULT, OF_RESIDUAL } wire_kind;
typedef struct wire {
    wire_kind kind;
    uint32_t index; /* of the operand or result; among the further results */
    kni_type type;
} wire;
/* Wires OF_RESIDUAL of one type, in the order in which a branch takes them. */
typedef struct shelf {
    kni_type type;
    KN_VEC(uint32_t) wire;
    size_t taken; /* by the branch `user` */
    int user;
} shelf;

typedef struct parts {
    const kni_rule *r;
    int n;
    knt_linearized *branch;
    uint32_t **wire_of; /* per branch and residual */
    KN_VEC(wire) wire;
    KN_VEC(shelf) shelf;
    uint32_t *of_operand, *of_result; /* 1 + wire; 0: there is none */
    uint32_t n_residual;              /* further results */
    bool *any;
    uint32_t n_any, n_tangent;
} parts;

static bool add_wire(parts *p, wire_kind kind, uint32_t index, kni_type type, uint32_t *at)
{
    *at = (uint32_t)p->wire.n;
    return KN_VEC_PUSH(&p->wire, ((wire){kind, index, type}));
}

static bool known_wire(parts *p, wire_kind kind, uint32_t *known, uint32_t index, kni_type type, uint32_t *at)
{
    if (!*known) {
        if (!add_wire(p, kind, index, type, at))
            return false;
        *known = 1 + *at;
    }
    *at = *known - 1;
    return true;
}

/* The next wire of this type that branch k has not taken yet. */
static bool free_wire(parts *p, int k, kni_type type, uint32_t *at)
{
    size_t i = 0;
    while (i < p->shelf.n && !knp_same_type(p->shelf.at[i].type, type))
        i++;
    if (i == p->shelf.n && !KN_VEC_PUSH(&p->shelf, ((shelf){.type = type, .user = k})))
        return false;
    shelf *s = &p->shelf.at[i];
    if (s->user != k)
        s->user = k, s->taken = 0;
    if (s->taken == s->wire.n) {
        uint32_t made;
        if (!add_wire(p, OF_RESIDUAL, p->n_residual, type, &made) || !KN_VEC_PUSH(&s->wire, made))
            return false;
        p->n_residual++;
    }
    *at = s->wire.at[s->taken++];
    return true;
}

/* Where the residuals of branch k come from. */
static knx_error *wire_residuals(parts *p, int k)
{
    const knt_linearized *l = &p->branch[k];
    const kni_jaxpr *j = l->primal;
    uint32_t results = (uint32_t)p->r->n_out;
    knx_arena *a = &p->r->b->arena;
    uint32_t *result = knx_arena_zero(a, ((size_t)j->n_var + 1) * sizeof *result); /* 1 + which one a variable is */
    p->wire_of[k] = knx_arena_alloc(a, ((size_t)l->n_residual + 1) * sizeof **p->wire_of);
    if (!result || !p->wire_of[k])
        return knx_error_nomem();
    for (uint32_t m = results; m-- > 0;)
        if (kni_is_var(j->out[m]))
            result[j->out[m]] = 1 + m;
    for (uint32_t i = 0; i < l->n_residual; i++) {
        kni_atom v = j->out[results + i];
        kni_type t = kni_in_type(l->linear, i);
        uint32_t *at = &p->wire_of[k][i], m = kni_is_var(v) ? result[v] : 0;
        bool done = kni_is_var(v) && v < j->n_in ? known_wire(p, OF_OPERAND, &p->of_operand[v], v, t, at)
                    : m                          ? known_wire(p, OF_RESULT, &p->of_result[m - 1], m - 1, t, at)
                                                 : free_wire(p, k, t, at);
        if (!done)
            return knx_error_nomem();
    }
    return NULL;
}

static knx_error *linearize_branches(parts *p, const bool *has)
{
    knx_arena *a = &p->r->b->arena;
    p->branch = knx_arena_zero(a, (size_t)p->n * sizeof *p->branch);
    p->wire_of = knx_arena_zero(a, (size_t)p->n * sizeof *p->wire_of);
    p->of_operand = knx_arena_zero(a, (size_t)p->r->n_in * sizeof *p->of_operand);
    p->of_result = knx_arena_zero(a, ((size_t)p->r->n_out + 1) * sizeof *p->of_result);
    if (!p->branch || !p->wire_of || !p->of_operand || !p->of_result) {
        p->n = 0;
        return knx_error_nomem();
    }
    for (int k = 0; k < p->n; k++) {
        knt_linearized *l = &p->branch[k];
        KN_TRY(knt_linearize(params_of(p->r)->branches.v[k], has, l));
        KN_TRY(wire_residuals(p, k));
        for (int i = 0; i < p->r->n_out; i++)
            p->any[i] |= l->out_tangent[i];
        p->n_tangent = l->n_tangent_in;
    }
    p->n_any = count(p->any, (uint32_t)p->r->n_out);
    return NULL;
}

/* Operands -> results, further results. */
static knx_error *primal_branch(const parts *p, int k, kni_jaxpr **out)
{
    const knt_linearized *l = &p->branch[k];
    const kni_jaxpr *j = l->primal;
    uint32_t results = (uint32_t)p->r->n_out, n = results + p->n_residual;
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, j->n_in, (size_t)j->n_out + n) ? NULL : knx_error_nomem();
    if (!error) {
        kni_atom *own = f.out, *y = f.out + j->n_out;
        for (uint32_t i = 0; i < j->n_in; i++)
            knp_frame_input(&f, kni_in_type(j, i));
        knb_inline(&f.b, j, f.in, own);
        for (uint32_t i = 0; i < n; i++)
            y[i] = i < results ? own[i] : KN_ATOM_NONE;
        for (uint32_t i = 0; i < l->n_residual; i++) {
            const wire *w = &p->wire.at[p->wire_of[k][i]];
            if (w->kind == OF_RESIDUAL)
                y[results + w->index] = own[results + i];
        }
        for (uint32_t i = 0; i < p->wire.n; i++) {
            const wire *w = &p->wire.at[i];
            if (w->kind == OF_RESIDUAL && y[results + w->index] == KN_ATOM_NONE)
                y[results + w->index] = knp_blank(&f.b, w->type);
        }
        error = knp_frame_finish(&f, n, y, j->name, out);
    }
    knp_frame_end(&f);
    return error;
}

/* Wires, tangents -> tangents of the results that have one in some branch. */
static knx_error *linear_branch(const parts *p, int k, kni_jaxpr **out)
{
    const knt_linearized *l = &p->branch[k];
    const kni_jaxpr *j = l->linear;
    uint32_t n_wire = (uint32_t)p->wire.n, n = 0;
    knp_frame f;
    knx_error *error = NULL;
    if (!knp_frame_begin(&f, (size_t)n_wire + p->n_tangent + j->n_in, (size_t)j->n_out + p->n_any))
        error = knx_error_nomem();
    if (!error) {
        kni_atom *own = f.out, *y = f.out + j->n_out, *x = f.in + n_wire + p->n_tangent;
        for (uint32_t w = 0; w < n_wire; w++)
            knp_frame_input(&f, p->wire.at[w].type);
        for (uint32_t i = 0; i < p->n_tangent; i++)
            knp_frame_input(&f, kni_in_type(j, l->n_residual + i));
        for (uint32_t i = 0; i < l->n_residual; i++)
            x[i] = f.in[p->wire_of[k][i]];
        for (uint32_t i = 0; i < p->n_tangent; i++)
            x[l->n_residual + i] = f.in[n_wire + i];
        knb_inline(&f.b, j, x, own);
        for (uint32_t i = 0, t = 0; i < (uint32_t)p->r->n_out; i++) {
            bool mine = l->out_tangent[i];
            if (p->any[i])
                y[n++] = mine ? own[t] : knb_zeros(&f.b, p->r->yt[i]);
            t += mine;
        }
        error = knp_frame_finish(&f, n, y, j->name, out);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *emit_parts(const parts *p, const kni_atom *tx, kni_atom *y, kni_atom *ty, knp_branches *primal,
                             knp_branches *linear)
{
    const kni_rule *r = p->r;
    uint32_t results = (uint32_t)r->n_out, n = 0;
    kni_atom *out = knp_atoms(r->b, (size_t)results + p->n_residual), *t = knp_atoms(r->b, p->n_any);
    kni_atom *in = knp_atoms(r->b, 1 + p->wire.n + p->n_tangent);
    if (!out || !t || !in)
        return knx_error_nomem();
    for (int k = 0; k < p->n; k++)
        KN_TRY(primal_branch(p, k, &primal->v[k]));
    knp_branches_emit(primal, r->b, r->x, 0, out);
    knp_put_all(y, &n, out, results);
    if (!p->n_any)
        return NULL;
    for (int k = 0; k < p->n; k++)
        KN_TRY(linear_branch(p, k, &linear->v[k]));
    n = 0;
    in[n++] = r->x[0];
    for (uint32_t w = 0; w < p->wire.n; w++) {
        const wire *one = &p->wire.at[w];
        in[n++] = one->kind == OF_OPERAND  ? r->x[1 + one->index]
                  : one->kind == OF_RESULT ? out[one->index]
                                           : out[results + one->index];
    }
    put_tangents(r, tx, in, &n);
    knp_branches_emit(linear, r->b, in, p->n_tangent, t);
    get_tangents(r, p->any, t, ty);
    return NULL;
}

static knx_error *reverse(const kni_rule *r, const bool *has, bool *any, const kni_atom *tx, kni_atom *y, kni_atom *ty,
                          knp_branches *primal)
{
    parts p = {.r = r, .n = params_of(r)->branches.n, .any = any};
    knp_branches linear;
    knx_error *error = knp_branches_begin(&linear, r->b, p.n) ? linearize_branches(&p, has) : knx_error_nomem();
    if (!error)
        error = emit_parts(&p, tx, y, ty, primal, &linear);
    for (int k = 0; k < p.n && p.branch; k++)
        knt_linearized_free(&p.branch[k]);
    KN_VEC_FREE(&p.wire);
    for (size_t i = 0; i < p.shelf.n; i++)
        KN_VEC_FREE(&p.shelf.at[i].wire);
    KN_VEC_FREE(&p.shelf);
    knp_branches_end(&linear);
    return error;
}

knx_error *knp_cond_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    bool *has = knx_arena_zero(&r->b->arena, (size_t)r->n_in),
         *any = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    knp_branches t;
    if (!knp_branches_begin(&t, r->b, params_of(r)->branches.n) || !has || !any)
        return knx_error_nomem();
    for (int i = 1; i < r->n_in; i++)
        has[i - 1] = tx[i] != KN_ATOM_ZERO;
    knx_error *error = (r->forward ? forward : reverse)(r, has, any, tx, y, ty, &t);
    knp_branches_end(&t);
    return error;
}

/* --- transpose -------------------------------------------------------------------------------- */

/* Which operands and results take part. */
typedef struct transposition {
    bool *out, *in, *one; /* results with a cotangent; inputs that some branch needs for them; room */
    bool *linear;         /* of the inputs picked */
    uint32_t *pick_in, *pick_out, n_in, n_out;
} transposition;

static knx_error *find_parts(const kni_rule *r, const kni_atom *ct, transposition *t)
{
    knx_arena *a = &r->b->arena;
    size_t inputs = inputs_of(r) + 1u, results = (size_t)r->n_out + 1;
    t->out = knx_arena_zero(a, results);
    t->in = knx_arena_zero(a, inputs);
    t->one = knx_arena_zero(a, inputs);
    t->linear = knx_arena_zero(a, inputs);
    t->pick_in = knx_arena_alloc(a, inputs * sizeof *t->pick_in);
    t->pick_out = knx_arena_alloc(a, results * sizeof *t->pick_out);
    if (!t->out || !t->in || !t->one || !t->linear || !t->pick_in || !t->pick_out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < (uint32_t)r->n_out; i++)
        if ((t->out[i] = ct[i] != KN_ATOM_ZERO))
            t->pick_out[t->n_out++] = i;
    for (int k = 0; k < params_of(r)->branches.n; k++) {
        KN_TRY(knp_needs(params_of(r)->branches.v[k], t->out, t->one));
        for (uint32_t i = 0; i < inputs_of(r); i++)
            t->in[i] |= t->one[i];
    }
    for (uint32_t i = 0; i < inputs_of(r); i++)
        if (t->in[i]) {
            t->linear[t->n_in] = r->x[1 + i] == KN_ATOM_LINEAR;
            t->pick_in[t->n_in++] = i;
        }
    return NULL;
}

static knx_error *transposed_branch(const kni_jaxpr *j, const transposition *t, kni_jaxpr **out)
{
    kni_jaxpr *picked = NULL;
    knx_error *error = knp_pick(j, t->n_in, t->pick_in, t->n_out, t->pick_out, &picked);
    if (!error)
        error = knt_transpose(picked, t->linear, out);
    kni_release(picked);
    return error;
}

static knx_error *emit_transposed(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in, const transposition *t,
                                  knp_branches *b)
{
    kni_atom *in = knp_atoms(r->b, 1 + (size_t)t->n_in + t->n_out), *out = knp_atoms(r->b, t->n_in);
    if (!in || !out)
        return knx_error_nomem();
    for (int k = 0; k < b->n; k++)
        KN_TRY(transposed_branch(params_of(r)->branches.v[k], t, &b->v[k]));
    uint32_t n = 0;
    in[n++] = r->x[0];
    for (uint32_t i = 0; i < t->n_in; i++)
        if (!t->linear[i])
            in[n++] = r->x[1 + t->pick_in[i]];
    for (uint32_t i = 0; i < t->n_out; i++)
        in[n++] = ct[t->pick_out[i]];
    knp_branches_emit(b, r->b, in, t->n_out, out);
    for (uint32_t i = 0, k = 0; i < t->n_in; i++)
        if (t->linear[i])
            ct_in[1 + t->pick_in[i]] = out[k++];
    return NULL;
}

knx_error *knp_cond_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    transposition t = {.n_in = 0};
    knp_branches b;
    KN_TRY(find_parts(r, ct, &t));
    if (!count(t.linear, t.n_in))
        return NULL;
    if (!knp_branches_begin(&b, r->b, params_of(r)->branches.n))
        return knx_error_nomem();
    knx_error *error = emit_transposed(r, ct, ct_in, &t, &b);
    knp_branches_end(&b);
    return error;
}
