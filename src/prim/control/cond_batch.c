/* SPDX-License-Identifier: Apache-2.0
 * cond_batch.c -- cond over one more axis.
 *
 * With one index for all lanes it is one cond whose branches are batched; a result that one of them has batched is
 * batched in all. With an index for each lane every lane has its choice of what the branches give:
 *
 *     a cheap branch   elementwise, views, little of it, cannot fail: computed for all lanes
 *     any other one    a cond of its own, which runs it if a lane takes it. Lanes that do not take it repeat the
 *                      operands of the first one that does, so no errors come from them, no loops without an end and no
 *                      NaN
 *     effects          the lanes one after the other: a scan of the cond, so that each lane has those of its branch
 *
 * A branch that speaks of named axes sees all lanes as they are, so it is computed for all of them. What a branch is
 * given in lanes that do not take it is a constant in derivatives (as in JAX): there a slope that is infinite or NaN
 * does not meet the cotangent zero of the choice.
 */
#include "prim/control/cond.h"

enum { CHEAP = 1024 }; /* results of scalar operations */

static const kni_p_cond *params_of(const kni_rule *r) { return r->params; }

/* --- one index -------------------------------------------------------------------------------- */

static knx_error *batch_branches(const kni_rule *r, int64_t size, const int *axis, bool *any, int *axis_out,
                                 knp_branches *t)
{
    uint32_t results = (uint32_t)r->n_out;
    bool *mine = knx_arena_zero(&r->b->arena, (size_t)t->n * (results + 1));
    if (!mine)
        return knx_error_nomem();
    for (int k = 0; k < t->n; k++) {
        bool *was = mine + (size_t)k * results;
        KN_TRY(knt_batch_lazily(params_of(r)->branches.v[k], size, r->axis_name, axis + 1, was, &t->v[k]));
        for (uint32_t i = 0; i < results; i++)
            any[i] |= was[i];
    }
    for (uint32_t i = 0; i < results; i++)
        axis_out[i] = any[i] ? 0 : -1;
    for (int k = 0; k < t->n; k++) {
        bool same = true;
        for (uint32_t i = 0; i < results; i++)
            same = same && any[i] == mine[(size_t)k * results + i];
        if (same)
            continue;
        kni_release(t->v[k]);
        t->v[k] = NULL;
        KN_TRY(knt_batch(params_of(r)->branches.v[k], size, r->axis_name, axis + 1, axis_out, &t->v[k]));
    }
    return NULL;
}

static knx_error *one_index(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    knp_branches t;
    bool *any = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    if (!knp_branches_begin(&t, r->b, params_of(r)->branches.n) || !any)
        return knx_error_nomem();
    knx_error *error = batch_branches(r, size, axis, any, axis_out, &t);
    if (!error)
        knp_branches_emit(&t, r->b, r->x, 0, y);
    knp_branches_end(&t);
    return error;
}

/* --- what a branch is like -------------------------------------------------------------------- */

/* Results of scalar operations, or more than CHEAP if there is something in it that is not cheap. Unknown sizes, whose
 * handles are large numbers, are not. */
static double cost_of(const kni_jaxpr *j)
{
    double cost = 0;
    for (uint32_t i = 0; i < j->n_eqn && cost <= CHEAP; i++) {
        const kni_eqn *e = &j->eqn[i];
        bool choice = e->prim->loops == KN_LOOP_COND, calls = (e->prim->bits & KN_CALLS) != 0;
        if (kni_must_stay(e->prim, e->params) || (kni_bits(e->prim, e->params) & KN_DEEP_BITS))
            return 2 * CHEAP;
        if (!choice && !calls && !(e->prim->bits & (KN_ELEMENTWISE | KN_VIEW)))
            return 2 * CHEAP;
        for (const kni_param_field *f = e->prim->fields; (choice || calls) && f && f->name; f++) {
            kni_jaxprs inner = kni_field_jaxprs(f, e->params);
            for (int k = 0; k < inner.n; k++)
                cost += cost_of(inner.v[k]);
        }
        for (uint32_t k = 0; k < e->n_out; k++)
            cost += (double)kni_type_size(j->type[e->out + k]);
    }
    return cost;
}

/* --- an index for each lane ------------------------------------------------------------------- */

typedef struct lanes {
    const kni_rule *r;
    int64_t size;
    const int *axis; /* of the operands behind the index */
    kni_atom second; /* of two branches: is it the second one? */
    kni_atom *y;     /* per branch and result */
    bool *batched;
} lanes;

static kni_atom *results_of(const lanes *l, int k) { return l->y + (size_t)k * (uint32_t)l->r->n_out; }
static bool *batched_of(const lanes *l, int k) { return l->batched + (size_t)k * (uint32_t)l->r->n_out; }

/* Which lanes take branch k: the first one also with what is below, the last one with what is beyond. */
static kni_atom takes(const lanes *l, int k)
{
    kni_builder *b = l->r->b;
    int n = params_of(l->r)->branches.n;
    kni_atom index = l->r->x[0], number = knb_integer(b, KN_DT(I32), k);
    if (n == 2)
        return k ? l->second : knb_not(b, l->second);
    return !k ? knb_le(b, index, number) : k < n - 1 ? knb_eq(b, index, number) : knb_ge(b, index, number);
}

/* taken ? x : other, lane by lane. */
static kni_atom where_taken(kni_builder *b, kni_atom taken, kni_atom x, int axis, kni_atom other)
{
    kni_type t = knb_type(b, x);
    if (kni_has_tangent(t))
        other = knb_stop_gradient(b, other);
    if (t.ndim > 1)
        taken = knb_broadcast_in_dim(b, taken, t.ndim, t.dim, &(int64_t){axis});
    return knb_select_n(b, taken, 2, (kni_atom[]){other, x});
}

/* The operands of a branch that is computed for all lanes, and their axes. One that all lanes share has a cotangent
 * from each. */
static void guard(const lanes *l, int k, bool cheap, kni_atom *x, int *axis)
{
    const kni_rule *r = l->r;
    const kni_jaxpr *j = params_of(r)->branches.v[k];
    kni_atom taken = KN_ATOM_NONE;
    for (uint32_t i = 0; i < j->n_in; i++) {
        kni_type t = knb_type(r->b, r->x[1 + i]);
        x[i] = r->x[1 + i];
        axis[i] = l->axis[i];
        if (!j->n_eqn || !kni_has_tangent(t) || kni_is_literal(x[i]) ||
            (axis[i] < 0 && (!cheap || t.ndim >= KN_MAX_NDIM)))
            continue;
        if (axis[i] < 0) {
            x[i] = knp_batched_at(r, (int)i + 1, l->size, -1, 0);
            axis[i] = 0;
        }
        taken = taken == KN_ATOM_NONE ? takes(l, k) : taken;
        x[i] = where_taken(r->b, taken, x[i], axis[i], x[i]);
    }
}

static knx_error *for_all_lanes(lanes *l, int k, bool cheap)
{
    const kni_rule *r = l->r;
    kni_jaxpr *j = NULL;
    kni_atom *x = knp_atoms(r->b, (size_t)r->n_in);
    int *axis = knx_arena_alloc(&r->b->arena, (size_t)r->n_in * sizeof *axis);
    if (!x || !axis)
        return knx_error_nomem();
    guard(l, k, cheap, x, axis);
    KN_TRY(knt_batch_lazily(params_of(r)->branches.v[k], l->size, r->axis_name, axis, batched_of(l, k), &j));
    knb_inline(r->b, j, x, results_of(l, k));
    kni_release(j);
    return NULL;
}

/* x with what it is at one lane in all of them. */
static kni_atom repeated(kni_builder *b, kni_atom x, int axis, kni_atom lane)
{
    kni_type t = knb_type(b, x);
    kni_atom start[KN_MAX_NDIM];
    int64_t size[KN_MAX_NDIM], dims[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int d = 0; d < t.ndim; d++) {
        start[d] = d == axis ? lane : knb_integer(b, knb_type(b, lane).dtype, 0);
        size[d] = d == axis ? 1 : t.dim[d];
        dims[d] = d < axis ? d : d + 1;
    }
    kni_atom one = knb_squeeze(b, knb_dynamic_slice(b, x, start, size), 1, &(int64_t){axis});
    return knb_broadcast_in_dim(b, one, t.ndim, t.dim, dims);
}

/* The first lane that takes it; the last one if none does. */
static kni_atom first_lane(kni_builder *b, kni_atom taken, int64_t size)
{
    int64_t least, most;
    knx_dim_bounds(size, &least, &most);
    kn_dtype d = most <= INT32_MAX ? KN_DT(I32) : KN_DT(I64);
    kni_atom number = knb_iota(b, d, 1, &size, 0), last = knb_dimension(b, d, size - 1);
    return knb_reduce_min(b, knb_select(b, taken, number, last), 1, (const int64_t[]){0});
}

/* taken, operands -> results. */
static knx_error *branch_that_runs(const lanes *l, int k, kni_jaxpr **out)
{
    const kni_jaxpr *branch = params_of(l->r)->branches.v[k];
    kni_jaxpr *j = NULL;
    knp_frame f;
    KN_TRY(knt_batch_lazily(branch, l->size, l->r->axis_name, l->axis, batched_of(l, k), &j));
    knx_error *error = NULL;
    if (!knp_frame_begin(&f, 2 * ((size_t)branch->n_in + 1), branch->n_out))
        error = knx_error_nomem();
    if (!error) {
        kni_builder *b = &f.b;
        knp_frame_input(&f, kni_type_of(KN_DT(BOOL), 1, &l->size));
        for (uint32_t i = 0; i < branch->n_in; i++)
            knp_frame_input(&f, knb_type(l->r->b, l->r->x[1 + i]));
        kni_atom *x = f.in + 1 + branch->n_in, taken = f.in[0], lane = KN_ATOM_NONE;
        bool any = !knx_dim_eq(l->size, 0);
        if (any)
            lane = first_lane(b, taken, l->size);
        for (uint32_t i = 0; i < branch->n_in; i++) {
            kni_atom own = x[i] = f.in[1 + i];
            if (any && l->axis[i] >= 0)
                x[i] = where_taken(b, taken, own, l->axis[i], repeated(b, own, l->axis[i], lane));
        }
        knb_inline(b, j, x, f.out);
        error = knp_frame_finish(&f, branch->n_out, f.out, branch->name, out);
    }
    kni_release(j);
    knp_frame_end(&f);
    return error;
}

/* The same operands -> zeros. */
static knx_error *branch_that_rests(const kni_jaxpr *runs, kni_jaxpr **out)
{
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, runs->n_in, runs->n_out) ? NULL : knx_error_nomem();
    if (!error) {
        for (uint32_t i = 0; i < runs->n_in; i++)
            knp_frame_input(&f, kni_in_type(runs, i));
        for (uint32_t i = 0; i < runs->n_out; i++)
            f.out[i] = knp_blank(&f.b, kni_out_type(runs, i));
        error = knp_frame_finish(&f, runs->n_out, f.out, runs->name, out);
    }
    knp_frame_end(&f);
    return error;
}

static knx_error *if_any_lane_takes_it(lanes *l, int k)
{
    const kni_rule *r = l->r;
    knp_branches t;
    kni_atom *in = knp_atoms(r->b, (size_t)r->n_in + 1), taken = takes(l, k);
    if (!knp_branches_begin(&t, r->b, 2) || !in)
        return knx_error_nomem();
    KN_TRY(knb_take_error(r->b));
    knx_error *error = branch_that_runs(l, k, &t.v[1]);
    if (!error)
        error = branch_that_rests(t.v[1], &t.v[0]);
    if (!error) {
        in[0] = knb_convert(r->b, knb_reduce_or(r->b, taken, 1, (const int64_t[]){0}), KN_DT(I32));
        in[1] = taken;
        for (int i = 1; i < r->n_in; i++)
            in[1 + i] = r->x[i];
        knp_branches_emit(&t, r->b, in, 0, results_of(l, k));
    }
    knp_branches_end(&t);
    return error;
}

/* Result i of branch k with the lanes in front. */
static kni_atom with_lanes(const lanes *l, int k, int i, kni_type batched)
{
    int64_t dims[KN_MAX_NDIM];
    kni_atom a = results_of(l, k)[i];
    if (batched_of(l, k)[i])
        return a;
    for (int d = 1; d < batched.ndim; d++)
        dims[d - 1] = d;
    return knb_broadcast_in_dim(l->r->b, a, batched.ndim, batched.dim, dims);
}

static knx_error *choose_result(const lanes *l, int i, kni_atom *y)
{
    kni_builder *b = l->r->b;
    int n = params_of(l->r)->branches.n;
    kni_type t = l->r->yt[i];
    int64_t dim[KN_MAX_NDIM] = {l->size};
    kni_atom *cases = knp_atoms(b, (size_t)n), which = n == 2 ? l->second : l->r->x[0]; /* select_n clamps */
    if (!cases)
        return knx_error_nomem();
    if (t.ndim >= KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d", KN_MAX_NDIM,
                             t.ndim + 1);
    for (int d = 0; d < t.ndim; d++)
        dim[d + 1] = t.dim[d];
    kni_type batched = kni_type_of(t.dtype, t.ndim + 1, dim);
    for (int k = 0; k < n; k++)
        cases[k] = with_lanes(l, k, i, batched);
    if (t.ndim)
        which = knb_broadcast_in_dim(b, which, batched.ndim, dim, (const int64_t[]){0});
    *y = knb_select_n(b, which, n, cases);
    return NULL;
}

static knx_error *index_of_each_lane(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    int n = params_of(r)->branches.n;
    lanes l = {.r = r, .size = size, .axis = axis + 1, .second = KN_ATOM_NONE};
    l.y = knp_atoms(r->b, (size_t)n * (size_t)r->n_out);
    l.batched = knx_arena_zero(&r->b->arena, (size_t)n * (size_t)r->n_out + 1);
    if (!l.y || !l.batched)
        return knx_error_nomem();
    if (n == 2)
        l.second = knb_gt(r->b, r->x[0], knb_integer(r->b, KN_DT(I32), 0));
    for (int k = 0; k < n; k++) {
        const kni_jaxpr *j = params_of(r)->branches.v[k];
        bool cheap = cost_of(j) <= CHEAP, all = cheap || (j->has & KN_NAMES);
        KN_TRY(all ? for_all_lanes(&l, k, cheap) : if_any_lane_takes_it(&l, k));
    }
    for (int i = 0; i < r->n_out; i++) {
        KN_TRY(choose_result(&l, i, &y[i]));
        axis_out[i] = 0;
    }
    return NULL;
}

/* --- effects ---------------------------------------------------------------------------------- */

knx_error *knp_cond_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    uint32_t has = kni_bits(r->prim, r->params);
    if (axis[0] < 0 || params_of(r)->branches.n == 1) {
        kni_rule one = *r;
        kni_atom *x = knp_atoms(r->b, (size_t)r->n_in);
        if (!x)
            return knx_error_nomem();
        for (int i = 0; i < r->n_in; i++)
            x[i] = i || axis[0] < 0 ? r->x[i] : knb_integer(r->b, KN_DT(I32), 0);
        one.x = x;
        return one_index(&one, size, axis, y, axis_out);
    }
    if ((has & KN_EFFECT) && (has & KN_NAMES))
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                             "vmap of a cond with an index for each lane, whose branches have "
                             "effects and speak of named axes");
    return ((has & KN_EFFECT) ? knp_lane_by_lane : index_of_each_lane)(r, size, axis, y, axis_out);
}
