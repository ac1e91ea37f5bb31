/* SPDX-License-Identifier: Apache-2.0
 * cond.c -- cond: one of several jaxprs, chosen by an index.
 *
 *     type       the index is one int32; all branches take the operands behind it and give results of the same types
 *     linearize, transpose  cond_linear.c
 *     batch      cond_batch.c
 *     prune      a known choice, or one among equals, is its branch. Without results that no one reads or that are an
 *                operand in all branches, and without operands that no branch needs
 *     unfailing  the branches give one more result each
 *     body_types of the branches: the operands behind the index
 */
#include "prim/control/cond.h"

/* --- type ------------------------------------------------------------------------------------- */

static knx_error *check_branches(const kni_p_cond *p, int n_in)
{
    if (p->branches.n < 1 || n_in < 1)
        return knx_error_new(KN_ERROR_VALUE, "cond needs an index and at least one branch");
    for (int k = 0; k < p->branches.n; k++) {
        const kni_jaxpr *j = p->branches.v[k];
        if (!j || j->n_const)
            return knx_error_new(KN_ERROR_VALUE, "cond needs jaxprs without constants");
        if (j->n_in != (uint32_t)n_in - 1)
            return knx_error_new(KN_ERROR_TYPE, "branch %d takes %u arrays, not %d", k, j->n_in, n_in - 1);
        if (j->n_out != p->branches.v[0]->n_out)
            return knx_error_new(KN_ERROR_TYPE, "branch %d returns %u arrays, but branch 0 returns %u", k, j->n_out,
                                 p->branches.v[0]->n_out);
    }
    return NULL;
}

static knx_error *check_index(kni_type t)
{
    knx_text text = {0};
    if (t.dtype == KN_DT(I32) && !t.ndim)
        return NULL;
    return knx_error_new(KN_ERROR_TYPE, "the index of cond must be a scalar of type int32, not %s",
                         kni_type_text(&text, t, true));
}

static knx_error *check_inputs(const kni_p_cond *p, int n_in, const kni_type *x)
{
    for (int k = 0; k < p->branches.n; k++)
        for (int i = 1; i < n_in; i++) {
            kni_type t = kni_in_type(p->branches.v[k], (uint32_t)i - 1);
            knx_text has = {0}, given = {0};
            if (!knp_same_type(x[i], t))
                return knx_error_new(KN_ERROR_TYPE, "input %d of branch %d has type %s, but cond was given %s", i - 1,
                                     k, kni_type_text(&has, t, true), kni_type_text(&given, x[i], true));
        }
    return NULL;
}

/* The type of result i, which is a weak number only if all branches give one. */
static knx_error *result_type(const kni_p_cond *p, uint32_t i, kni_type *y)
{
    *y = kni_out_type(p->branches.v[0], i);
    for (int k = 1; k < p->branches.n; k++) {
        kni_type t = kni_out_type(p->branches.v[k], i);
        knx_text first = {0}, other = {0};
        if (!knp_same_type(*y, t)) {
            bool dtypes = t.dtype != y->dtype, shapes = !kni_type_same_shape(t, *y);
            return knx_error_new(
                KN_ERROR_TYPE,
                "branches of cond must return arrays of the same types, but result %u of branch 0 has type "
                "%s and that of branch %d has type %s, so %s",
                i, kni_type_text(&first, *y, true), k, kni_type_text(&other, t, true),
                dtypes && shapes ? "the dtypes do not match, and the shapes do not match"
                : dtypes         ? "the dtypes do not match"
                                 : "the shapes do not match");
        }
        y->weak = y->weak && t.weak;
    }
    return NULL;
}

static knx_error *cond_type(kni_rule *r, kni_type *y)
{
    const kni_p_cond *p = r->params;
    KN_TRY(check_branches(p, r->n_in));
    KN_TRY(check_index(r->xt[0]));
    KN_TRY(check_inputs(p, r->n_in, r->xt));
    uint32_t n = p->branches.v[0]->n_out;
    if ((uint32_t)r->n_out < n)
        return knx_error_new(KN_ERROR_VALUE, "cond has more results than there is room for");
    for (uint32_t i = 0; i < n; i++) {
        kni_type t;
        KN_TRY(result_type(p, i, &t));
        if (!kni_type_copy(r->arena, t, &y[i]))
            return knx_error_nomem();
    }
    r->n_out = (int)n;
    return NULL;
}

static int cond_body_types(const kni_rule *r, int which, kni_type *t)
{
    (void)which;
    for (int i = 1; i < r->n_in; i++)
        t[i - 1] = r->xt[i];
    return r->n_in > 0 ? r->n_in - 1 : 0;
}

/* --- what the rules share --------------------------------------------------------------------- */

bool knp_branches_begin(knp_branches *t, kni_builder *b, int n)
{
    *t = (knp_branches){n, knx_arena_zero(&b->arena, (size_t)n * sizeof *t->v)};
    return t->v != NULL;
}

void knp_branches_end(knp_branches *t)
{
    for (int k = 0; t->v && k < t->n; k++)
        kni_release(t->v[k]);
}

void knp_branches_emit(const knp_branches *t, kni_builder *b, const kni_atom *in, uint32_t n_linear, kni_atom *out)
{
    uint32_t n_in = t->v[0]->n_in;
    int64_t *linear = n_linear ? knx_arena_zero(&b->arena, n_in * sizeof *linear) : NULL;
    for (uint32_t i = linear && n_linear <= n_in ? n_in - n_linear : n_in; i < n_in; i++)
        linear[i] = 1;
    for (uint32_t i = 0; i < t->v[0]->n_out; i++)
        out[i] = KN_ATOM_NONE;
    knb_cond(b, &(kni_p_cond){.branches = {t->n, t->v}, .linear = {linear ? (int)n_in : 0, linear}}, in, out);
}

kni_atom knp_blank(kni_builder *b, kni_type t)
{
    int64_t dim[KN_MAX_NDIM];
    if (t.dtype != KN_DT(KEY))
        return knb_zeros(b, t);
    if (t.ndim >= KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "keys of %d dimensions are too many", t.ndim));
        return KN_ATOM_NONE;
    }
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[i];
    dim[t.ndim] = 2;
    return knb_random_wrap(b, knb_zeros(b, kni_type_of(KN_DT(U32), t.ndim + 1, dim)));
}

/* --- prune ------------------------------------------------------------------------------------ */

/* The branch that runs in any case, or -1. */
static int known_branch(const kni_rule *r)
{
    const kni_p_cond *p = r->params;
    knx_scalar_bits index;
    if (knb_literal_value(r->b, r->x[0], &index))
        return index.i32 < 0 ? 0 : index.i32 >= p->branches.n ? p->branches.n - 1 : (int)index.i32;
    for (int k = 1; k < p->branches.n; k++)
        if (!kni_equal(p->branches.v[0], p->branches.v[k]))
            return -1;
    return 0;
}

/* The operand that result i is whatever the branch, or -1. */
static int passed_on(const kni_p_cond *p, uint32_t i)
{
    const kni_jaxpr *j = p->branches.v[0];
    kni_atom a = j->out[i];
    if (!kni_is_var(a) || a >= j->n_in)
        return -1;
    for (int k = 1; k < p->branches.n; k++)
        if (p->branches.v[k]->out[i] != a)
            return -1;
    return 1 + (int)a;
}

/* What is left: results, and the inputs that some branch needs for them. */
typedef struct rest {
    uint32_t n_in, n_out, *in, *out;
} rest;

static knx_error *find_rest(const kni_rule *r, const bool *read, rest *t)
{
    const kni_p_cond *p = r->params;
    knx_arena *a = &r->b->arena;
    size_t inputs = (size_t)r->n_in, results = (size_t)r->n_out + 1;
    bool *out = knx_arena_zero(a, results), *one = knx_arena_zero(a, inputs), *any = knx_arena_zero(a, inputs);
    t->in = knx_arena_alloc(a, inputs * sizeof *t->in);
    t->out = knx_arena_alloc(a, results * sizeof *t->out);
    if (!out || !one || !any || !t->in || !t->out)
        return knx_error_nomem();
    for (uint32_t i = 0; i < (uint32_t)r->n_out; i++)
        if ((out[i] = read[i] && passed_on(p, i) < 0))
            t->out[t->n_out++] = i;
    for (int k = 0; k < p->branches.n; k++) {
        KN_TRY(knp_needs(p->branches.v[k], out, one));
        for (size_t i = 0; i + 1 < inputs; i++)
            any[i] |= one[i];
    }
    for (uint32_t i = 0; i + 1 < inputs; i++)
        if (any[i])
            t->in[t->n_in++] = i;
    return NULL;
}

static knx_error *write_rest(const kni_rule *r, const rest *t, knp_branches *b, kni_atom *y)
{
    kni_atom *in = knp_atoms(r->b, 1 + (size_t)t->n_in), *out = knp_atoms(r->b, t->n_out);
    if (!in || !out)
        return knx_error_nomem();
    in[0] = r->x[0];
    for (uint32_t i = 0; i < t->n_in; i++)
        in[1 + i] = r->x[1 + t->in[i]];
    for (int k = 0; k < b->n; k++)
        KN_TRY(knp_pick(((const kni_p_cond *)r->params)->branches.v[k], t->n_in, t->in, t->n_out, t->out, &b->v[k]));
    knp_branches_emit(b, r->b, in, 0, out);
    for (uint32_t i = 0; i < t->n_out; i++)
        y[t->out[i]] = out[i];
    return NULL;
}

static knx_error *cond_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    const kni_p_cond *p = r->params;
    int known = known_branch(r);
    *pruned = known >= 0;
    if (known >= 0) {
        knb_inline(r->b, p->branches.v[known], r->x + 1, y);
        return NULL;
    }
    rest t = {0};
    knp_branches b;
    KN_TRY(find_rest(r, read, &t));
    *pruned = t.n_in + 1 < (uint32_t)r->n_in || t.n_out < (uint32_t)r->n_out;
    if (!*pruned)
        return NULL;
    for (uint32_t i = 0; i < (uint32_t)r->n_out; i++)
        if (passed_on(p, i) >= 0)
            y[i] = r->x[passed_on(p, i)];
    if (!t.n_out && !kni_must_stay(r->prim, p))
        return NULL;
    if (!knp_branches_begin(&b, r->b, p->branches.n))
        return knx_error_nomem();
    knx_error *error = write_rest(r, &t, &b, y);
    knp_branches_end(&b);
    return error;
}

/* --- without errors --------------------------------------------------------------------------- */

/* The branches with flags over the axes that all flags share; *all stays false where one has no such form. */
static knx_error *flag_branches(const kni_p_cond *p, knp_branches *t, bool *all)
{
    kni_type flag = {.ndim = -1}; /* none yet */
    uint32_t n = p->branches.v[0]->n_out;
    for (int k = 0; k < t->n; k++) {
        KN_TRY(knt_unfailing(p->branches.v[k], &t->v[k]));
        if (!t->v[k])
            return NULL;
        kni_type mine = kni_out_type(t->v[k], n);
        if (!knp_body_may_fail(p->branches.v[k]))
            continue;
        if (flag.ndim < 0)
            flag = mine;
        else
            flag.ndim = (int8_t)knt_common_axes(flag, mine);
    }
    flag = flag.ndim < 0 ? kni_scalar_type(KN_DT(BOOL)) : flag;
    const knp_dims dims = knp_dims_of(flag); /* those it has go with the branches below */
    flag.dim = dims.v;
    for (int k = 0; k < t->n; k++) {
        kni_jaxpr *whole = NULL;
        KN_TRY(knp_flag_as(t->v[k], flag, &whole));
        kni_release(t->v[k]);
        t->v[k] = whole;
    }
    *all = true;
    return NULL;
}

static knx_error *cond_unfailing(const kni_rule *r, kni_atom *y, kni_atom *failed)
{
    const kni_p_cond *p = r->params;
    knp_branches t;
    bool all = false;
    kni_atom *out = knp_atoms(r->b, (size_t)r->n_out + 1);
    if (!out || !knp_branches_begin(&t, r->b, p->branches.n))
        return knx_error_nomem();
    knx_error *error = flag_branches(p, &t, &all);
    if (!error && all) {
        uint32_t n = 0;
        knp_branches_emit(&t, r->b, r->x, 0, out);
        knp_put_all(y, &n, out, (uint32_t)r->n_out);
        *failed = out[r->n_out];
    }
    knp_branches_end(&t);
    return error;
}

/* --- the row ---------------------------------------------------------------------------------- */

static bool cond_may_fail(const kni_rule *r)
{
    const kni_p_cond *p = r->params;
    for (int k = 0; k < p->branches.n; k++)
        if (knp_body_may_fail(p->branches.v[k]))
            return true;
    return false;
}

/* of the dearest branch */
static double cond_cost(const kni_rule *r)
{
    const kni_p_cond *p = r->params;
    double most = 0;
    for (int k = 0; k < p->branches.n; k++) {
        double cost = knp_body_cost(p->branches.v[k]);
        most = cost > most ? cost : most;
    }
    return most;
}

const kni_prim knp_prim_cond = {
    .name = "cond",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_LOOPS | KN_CAN_FAIL,
    .loops = KN_LOOP_COND,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_cond,
    .params_size = sizeof(kni_p_cond),
    .doc = "one of several jaxprs, chosen by an index (jax.lax.cond, jax.lax.switch)",
    .type = cond_type,
    .linearize = knp_cond_linearize,
    .transpose = knp_cond_transpose,
    .batch = knp_cond_batch,
    .prune = cond_prune,
    .may_fail = cond_may_fail,
    .unfailing = cond_unfailing,
    .body_types = cond_body_types,
    .cost = cond_cost,
};
