/* SPDX-License-Identifier: Apache-2.0
 * wrap.c -- transformations made of others: chain, masked, apply_if_finite, apply_every, MultiSteps, lookahead. Where
 * optax takes one of two branches both are computed here and the arrays are selected. */
#include "optim/optimizer.h"

static void layout(kno_layout *l, const kno_transform *t) { t->rule->layout(l, t); }

void kno_update(kno_pass *s, const kno_transform *t)
{
    if (kna_failed(s->op))
        return;
    if (t->rule->needs_params && !s->param)
        kna_fail(s->op, KN_ERROR_VALUE,
                 "You are using a transformation that requires the current value of parameters, but you are not "
                 "passing `params` when calling `update`.");
    else
        t->rule->update(s, t);
}

void kno_child_step(kno_pass *s, const kno_transform *child, const kni_atom *param, kni_atom *u)
{
    kno_pass in = *s;
    in.u = u;
    in.param = param;
    for (int i = 0; i < s->n; i++)
        u[i] = s->u[i];
    kno_update(&in, child);
    s->state = in.state;
    s->next = in.next;
}

/* ---- chain. */

static void chain_layout(kno_layout *l, const kno_transform *t)
{
    for (int i = 0; i < t->n_child; i++)
        layout(l, t->child[i]);
    kno_lay_node(l, NULL, t->n_child, NULL);
}

static void chain_update(kno_pass *s, const kno_transform *t)
{
    for (int i = 0; i < t->n_child; i++)
        kno_update(s, t->child[i]);
}

const kno_rule kno_chained = {"chain", false, chain_layout, chain_update};

/* ---- masked: the child sees the parameters whose mask is true. */

/* flag[1]: by the number of dimensions: the child sees matrices (flag[2]), or all but those. */
static bool masked_in(const kno_transform *t, int i, kni_type type)
{
    if (t->flag[1])
        return (type.ndim == 2) == t->flag[2];
    return t->n_mask == 1 ? t->mask[0] : i < t->n_mask && t->mask[i];
}

static void masked_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"inner_state"};
    int n = l->n, m = 0;
    const kni_type *type = l->type;
    const int *number = l->number;
    kntree_structure *like = l->like;
    kni_type *some = knx_arena_alloc(&l->arena, ((size_t)n + 1) * sizeof *some);
    int *which = knx_arena_alloc(&l->arena, ((size_t)n + 1) * sizeof *which);
    l->failed = l->failed || !some || !which;
    for (int i = 0; some && which && i < n; i++)
        if (masked_in(t, i, type[i])) {
            which[m] = number ? number[i] : i;
            some[m++] = type[i];
        }
    l->n = m;
    l->type = some;
    l->number = which;
    if (like && m != n)
        l->like = kntree_structure_flat(KN_TREE_LIST, m);
    l->failed = l->failed || (like && !l->like);
    if (!l->failed)
        layout(l, t->child[0]);
    if (like && m != n)
        kntree_structure_release(l->like);
    l->n = n;
    l->type = type;
    l->number = number;
    l->like = like;
    kno_lay_node(l, "MaskedState", 1, field);
}

static void masked_update(kno_pass *s, const kno_transform *t)
{
    if (!t->flag[1] && t->n_mask != 1 && t->n_mask != s->n) {
        kna_fail(s->op, KN_ERROR_VALUE, "the mask has %d leaves, but there are %d parameters", t->n_mask, s->n);
        return;
    }
    kno_pass in = *s;
    kni_atom *u = in.u = kno_room(s, (size_t)s->n, sizeof *u), *param = kno_room(s, (size_t)s->n, sizeof *param);
    kni_type *type = kno_room(s, (size_t)s->n, sizeof *type);
    kni_atom *hessian = s->hessian ? kno_room(s, (size_t)s->n, sizeof *hessian) : NULL;
    if (kna_failed(s->op))
        return;
    in.n = 0;
    for (int i = 0; i < s->n; i++) {
        if (!masked_in(t, i, s->type[i]))
            continue;
        u[in.n] = s->u[i];
        type[in.n] = s->type[i];
        if (hessian)
            hessian[in.n] = s->hessian[i];
        param[in.n++] = s->param ? s->param[i] : KN_ATOM_NONE;
    }
    in.param = s->param ? param : NULL;
    in.type = type;
    in.hessian = hessian;
    kno_update(&in, t->child[0]);
    for (int i = 0, m = 0; i < s->n; i++)
        if (masked_in(t, i, s->type[i]))
            s->u[i] = u[m++];
    s->state = in.state;
    s->next = in.next;
}

const kno_rule kno_masked = {"masked", false, masked_layout, masked_update};

/* ---- Steps of a child that count only where `yes`: its new state, or the old one. */

static void update_child(kno_pass *s, const kno_transform *t, kni_atom yes)
{
    const kni_atom *old = s->state;
    kni_atom *new = s->next;
    kno_update(s, t->child[0]);
    for (int i = 0; new + i < s->next; i++)
        new[i] = kno_where(s->b, yes, new[i], old[i]);
}

static void if_finite_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"notfinite_count", "last_finite", "total_notfinite", "inner_state"};
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay(l, kni_scalar_type(KN_DT(BOOL)), 1);
    kno_lay_scalar(l, KN_DT(I32));
    layout(l, t->child[0]);
    kno_lay_node(l, "ApplyIfFiniteState", 4, field);
}

static kni_atom all_finite(kni_builder *b, kni_atom x)
{
    int64_t axes[KN_MAX_NDIM];
    kni_atom size = knb_abs(b, x), finite = knb_lt(b, size, knb_like(b, size, __builtin_inf()));
    int n = knb_type(b, finite).ndim;
    for (int i = 0; i < n; i++)
        axes[i] = i;
    return n ? knb_reduce_and(b, finite, n, axes) : finite;
}

/* p[] is max_consecutive_errors */
static void if_finite_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom finite = knb_number(b, KN_DT(BOOL), 1), count = s->state[0], total = s->state[2];
    for (int i = 0; i < s->n; i++)
        finite = knb_and(b, finite, all_finite(b, s->u[i]));
    s->next[0] = count = knb_select(b, finite, knb_like(b, count, 0), kno_next_count(b, count));
    s->next[1] = finite;
    s->next[2] = knb_select(b, finite, total, kno_next_count(b, total));
    s->state += 3;
    s->next += 3;
    kni_atom yes = knb_or(b, finite, knb_gt(b, count, knb_like(b, count, t->p[0])));
    update_child(s, t, yes);
    for (int i = 0; i < s->n; i++)
        s->u[i] = kno_where(b, yes, s->u[i], knb_zeros(b, knb_type(b, s->u[i])));
}

const kno_rule kno_if_finite = {"apply_if_finite", false, if_finite_layout, if_finite_update};

/* ---- apply_every: p[] is k. */

static void every_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "grad_acc"};
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_node(l, "ApplyEvery", 2, field);
}

/* (count + 1) % k for counts below k */
static kni_atom next_of(kni_builder *b, kni_atom count, double k)
{
    kni_atom next = kno_plus(b, count, 1);
    return knb_select(b, knb_ge(b, next, knb_like(b, next, k)), knb_like(b, next, 0), next);
}

static void every_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom count = kno_take(s), again = knb_ne(b, count, knb_like(b, count, 0)),
             emit = knb_eq(b, count, knb_like(b, count, t->p[0] - 1));
    kno_put(s, next_of(b, count, t->p[0]));
    for (int i = 0; i < s->n; i++) {
        kni_atom sum = knb_add(b, knb_mul(b, kno_spread(b, again, s->u[i]), kno_take(s)), s->u[i]);
        kno_put(s, sum);
        s->u[i] = knb_mul(b, kno_spread(b, emit, sum), sum);
    }
}

const kno_rule kno_apply_every = {"apply_every", false, every_layout, every_update};

/* ---- MultiSteps: p[] is k, flag[0]: use_grad_mean. Sums are kept as float32. */

static kn_dtype sums_in(kn_dtype d) { return knx_is_complex(d) ? d : KN_DT(F32); }

static void multi_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"mini_step", "gradient_step", "inner_opt_state", "acc_grads", "skip_state"};
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_scalar(l, KN_DT(I32));
    layout(l, t->child[0]);
    for (int i = 0; i < l->n; i++) {
        kni_type sum = l->type[i];
        sum.dtype = sums_in(sum.dtype);
        size_t from = l->entry.n;
        kno_lay(l, sum, 0);
        kno_lay_owner(l, from, i);
    }
    kno_lay_node(l, NULL, l->n, NULL);
    kno_lay_node(l, NULL, 0, NULL);
    kno_lay_node(l, "MultiStepsState", 5, field);
}

int kno_state_size(kno_pass *s, const kno_transform *t)
{
    kno_layout l = {.n = s->n, .type = s->type};
    layout(&l, t);
    int n = (int)l.entry.n;
    if (l.failed)
        kna_fail_with(s->op, knx_error_nomem());
    kno_layout_free(&l);
    return n;
}

static void multi_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int inner = kno_state_size(s, t->child[0]);
    kni_atom mini = s->state[0], step = s->state[1];
    const kni_atom *sum = s->state + 2 + inner;
    kni_atom *new_sum = s->next + 2 + inner, emit = knb_eq(b, mini, knb_like(b, mini, t->p[0] - 1));
    kni_atom one = knb_like(b, mini, 1);
    s->next[0] = next_of(b, mini, t->p[0]);
    s->next[1] = knb_select(b, emit, kno_next_count(b, step), step);
    s->state += 2;
    s->next += 2;
    for (int i = 0; i < s->n; i++) {
        kn_dtype d = knb_type(b, s->u[i]).dtype, both = knx_promote(d, knb_type(b, sum[i]).dtype);
        kni_atom g = knb_convert(b, s->u[i], both), acc = knb_convert(b, sum[i], both);
        kni_atom n = knb_convert(b, knb_add(b, mini, one), both);
        acc = t->flag[0] ? knb_add(b, acc, knb_div(b, knb_sub(b, g, acc), n)) : knb_add(b, g, acc);
        kni_atom rest = knb_convert(b, knb_sub(b, one, knb_convert(b, emit, KN_DT(I32))), both);
        new_sum[i] = knb_convert(b, knb_mul(b, rest, acc), knb_type(b, sum[i]).dtype);
        s->u[i] = knb_convert(b, acc, d);
    }
    update_child(s, t, emit);
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_mul(b, kno_spread(b, emit, s->u[i]), s->u[i]);
    s->state += s->n;
    s->next += s->n;
}

const kno_rule kno_multi_steps = {"MultiSteps", false, multi_layout, multi_update};

/* ---- lookahead: p[] is sync_period, slow_step_size; flag[0]: reset_state. Parameters and updates are those of the
 * fast ones, then of the slow ones; gradients of the fast ones. */

static void lookahead_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"fast_state", "steps_since_sync"};
    layout(l, t->child[0]);
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_node(l, "LookaheadState", 2, field);
}

/* The state begins anew where `sync`. */
static void reset(kno_pass *s, const kno_transform *t, kni_atom *state, kni_atom sync)
{
    kno_layout l = {.n = s->n, .type = s->type};
    layout(&l, t->child[0]);
    for (size_t i = 0; i < l.entry.n; i++)
        if (l.entry.at[i].type.dtype->kind != KN_KIND_KEY)
            state[i] = kno_where(s->b, sync, kno_first_of(s->op, &l.entry.at[i], s->n, s->param), state[i]);
    kno_layout_free(&l);
}

static void lookahead_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom *fast_state = s->next;
    kno_update(s, t->child[0]);
    kni_atom since = kno_take(s), sync = knb_eq(b, since, knb_like(b, since, t->p[0] - 1));
    if (t->flag[0])
        reset(s, t, fast_state, sync);
    for (int i = 0; i < n && !kna_failed(s->op); i++) {
        kni_atom u = s->u[i], on = kno_spread(b, sync, u);
        kni_atom difference = knb_sub(b, knb_add(b, s->param[i], u), s->param[n + i]);
        s->u[n + i] = knb_mul(b, kno_times(b, t->p[1], on), difference);
        s->u[i] = knb_sub(b, u, knb_mul(b, knb_mul(b, on, knb_like(b, u, 1 - t->p[1])), difference));
    }
    kno_put(s, next_of(b, since, t->p[0]));
}

const kno_rule kno_lookahead = {"lookahead", true, lookahead_layout, lookahead_update};
