/* SPDX-License-Identifier: Apache-2.0
 * wrap_more.c -- more transformations made of others: schedule_free, sam, partition, a condition on the step, one
 * vector of all parameters. As in wrap.c both branches are computed and selected from. */
#include "optim/optimizer.h"

static void layout(kno_layout *l, const kno_transform *t) { t->rule->layout(l, t); }

/* ---- schedule_free: p[] is learning_rate, b1, weight_lr_power. */

static void free_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"b1", "weight_sum", "step_count", "max_lr", "base_optimizer_state", "z"};
    kn_dtype d = kno_lowest_dtype(l);
    kno_lay(l, kni_scalar_type(d), t->p[1]);
    kno_lay_scalar(l, d);
    kno_lay(l, kni_scalar_type(KN_DT(I32)), 1);
    kno_lay_scalar(l, d);
    layout(l, t->child[0]);
    kno_lay_params(l);
    kno_lay_node(l, "ScheduleFreeState", 6, field);
}

/* weight / total, 0 where both are 0, NaN where one is. */
static kni_atom share_of(kni_builder *b, kni_atom weight, kni_atom total)
{
    kni_atom bad = knb_or(b, knb_ne(b, weight, weight), knb_ne(b, total, total));
    kni_atom part = knb_div(b, weight, total), defined = knb_eq(b, part, part);
    part = knb_select(b, defined, part, knb_like(b, part, 0));
    return knb_select(b, bad, knb_like(b, part, __builtin_nan("")), part);
}

static void free_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    double b1 = t->p[1];
    kni_atom kept = kno_take(s), sum = kno_take(s), count = kno_take(s), most = kno_take(s);
    most = knb_max(b, most, kno_spread(b, kno_rate(s, t, count), most));
    kni_atom weight = knb_pow(b, most, knb_like(b, most, t->p[2])), total = knb_add(b, sum, weight);
    kni_atom share = share_of(b, weight, total);
    kno_put(s, kept);
    kno_put(s, total);
    kno_put(s, kno_next_count(b, count));
    kno_put(s, most);
    kno_update(s, t->child[0]);
    for (int i = 0; i < n && !kna_failed(s->op); i++) {
        kni_atom p = s->param[i], old = kno_take(s), z = knb_add(b, old, s->u[i]);
        kni_atom before = knb_div(b, knb_sub(b, p, kno_times(b, 1 - b1, old)), knb_like(b, p, b1));
        kni_atom c = kno_spread(b, share, p), rest = knb_sub(b, knb_like(b, c, 1), c);
        kni_atom x = knb_mul(b, rest, before);
        x = knb_add(b, x, knb_mul(b, c, z));
        kno_put(s, z);
        s->u[i] = knb_sub(b, kno_weighted(b, b1, x, 1 - b1, z), p);
    }
}

const kno_rule kno_schedule_free = {"schedule_free", true, free_layout, free_update};

/* ---- sam: the optimizer, then the adversary; p[] is sync_period; flag[0]: reset_state. */

static void sam_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"steps_since_sync", "opt_state", "adv_state", "cache"};
    kno_lay_scalar(l, KN_DT(I32));
    layout(l, t->child[0]);
    layout(l, t->child[1]);
    kno_lay_params(l);
    kno_lay_node(l, "SAMState", 4, field);
}

static void first_state(kno_pass *s, const kno_transform *t, kni_atom *out)
{
    kno_layout l = {.n = s->n, .type = s->type};
    layout(&l, t);
    for (size_t i = 0; i < l.entry.n; i++)
        out[i] = kno_first_of(s->op, &l.entry.at[i], s->n, s->param);
    if (l.failed)
        kna_fail_with(s->op, knx_error_nomem());
    kno_layout_free(&l);
}

static void sam_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n;
    kni_atom *u = kno_room(s, (size_t)n, sizeof *u), *against = kno_room(s, (size_t)n, sizeof *against);
    kni_atom since = kno_take(s), first = knb_eq(b, since, knb_like(b, since, 0));
    kni_atom last = knb_eq(b, since, knb_like(b, since, t->p[0] - 1)), next = kno_plus(b, since, 1);
    kno_put(s, knb_select(b, last, knb_like(b, next, 0), next));
    const kni_atom *opt = s->state;
    kni_atom *new_opt = s->next;
    int states = 0;
    {
        kno_layout l = {.n = n, .type = s->type};
        layout(&l, t->child[0]);
        layout(&l, t->child[1]);
        states = (int)l.entry.n;
        kno_layout_free(&l);
    }
    const kni_atom *cache = opt + states;
    if (kna_failed(s->op))
        return;
    kno_child_step(s, t->child[0], cache, u);
    for (int i = 0; new_opt + i < s->next; i++)
        new_opt[i] = kno_where(b, last, new_opt[i], opt[i]);
    const kni_atom *adv = s->state;
    kni_atom *new_adv = s->next;
    kno_child_step(s, t->child[1], s->param, against);
    int n_adv = (int)(s->next - new_adv);
    kni_atom *fresh = kno_room(s, (size_t)n_adv, sizeof *fresh);
    if (t->flag[0])
        first_state(s, t->child[1], fresh);
    for (int i = 0; i < n_adv && !kna_failed(s->op); i++)
        new_adv[i] = kno_where(b, last, t->flag[0] ? fresh[i] : adv[i], new_adv[i]);
    for (int i = 0; i < n && !kna_failed(s->op); i++) {
        kni_atom old = kno_take(s), p = s->param[i], back = knb_add(b, knb_sub(b, old, p), u[i]);
        s->u[i] = kno_where(b, last, back, knb_neg(b, against[i]));
        kno_put(s, kno_where(b, first, p, old));
    }
}

const kno_rule kno_sam = {"sam", true, sam_layout, sam_update};

/* ---- partition: masked children, one after the other. */

static void partition_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"inner_states"};
    for (int i = 0; i < t->n_child; i++)
        layout(l, t->child[i]);
    kno_lay_node(l, NULL, t->n_child, NULL);
    kno_lay_node(l, "PartitionState", 1, field);
}

static void partition_update(kno_pass *s, const kno_transform *t)
{
    for (int i = 0; i < t->n_child; i++)
        kno_update(s, t->child[i]);
}

const kno_rule kno_partition = {"partition", false, partition_layout, partition_update};

/* ---- A condition on the step: p[] is from, to (not any more), every; flag[0]: zeros elsewhere (else the updates as
 * they are). */

static void when_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const mask[] = {"step", "inner_state"}, *const transform[] = {"inner_state", "step"};
    if (t->flag[0])
        kno_lay_scalar(l, KN_DT(I32));
    layout(l, t->child[0]);
    if (!t->flag[0])
        kno_lay_scalar(l, KN_DT(I32));
    kno_lay_node(l, t->flag[0] ? "ConditionallyMaskState" : "ConditionallyTransformState", 2,
                 t->flag[0] ? mask : transform);
}

static kni_atom holds(kni_builder *b, const kno_transform *t, kni_atom step)
{
    kni_atom at = knb_convert(b, step, KN_DT(I64)), from = knb_integer(b, KN_DT(I64), (int64_t)t->p[0]);
    kni_atom every = knb_integer(b, KN_DT(I64), (int64_t)t->p[2]), since = knb_sub(b, at, from);
    kni_atom due = knb_eq(b, knb_mul(b, knb_div(b, since, every), every), since);
    kni_atom begun = knb_ge(b, at, from), not_over = knb_lt(b, at, knb_integer(b, KN_DT(I64), (int64_t)t->p[1]));
    return knb_and(b, knb_and(b, begun, not_over), due);
}

static void when_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    int n = s->n, inner;
    {
        kno_layout l = {.n = n, .type = s->type};
        layout(&l, t->child[0]);
        inner = (int)l.entry.n;
        kno_layout_free(&l);
    }
    kni_atom step = t->flag[0] ? s->state[0] : s->state[inner], yes = holds(b, t, step);
    if (t->flag[0]) {
        s->state++;
        kno_put(s, kno_next_count(b, step));
    }
    const kni_atom *old = s->state;
    kni_atom *new = s->next, *u = kno_room(s, (size_t)n, sizeof *u);
    if (kna_failed(s->op))
        return;
    kno_child_step(s, t->child[0], s->param, u);
    for (int i = 0; new + i < s->next; i++)
        new[i] = kno_where(b, yes, new[i], old[i]);
    for (int i = 0; i < n; i++)
        s->u[i] = kno_where(b, yes, u[i], t->flag[0] ? knb_zeros(b, knb_type(b, s->u[i])) : s->u[i]);
    if (!t->flag[0]) {
        s->state++;
        kno_put(s, kno_next_count(b, step));
    }
}

const kno_rule kno_when = {"conditionally", false, when_layout, when_update};

/* ---- flatten: the child sees one vector of all parameters, of the dtype that they have together. */

static kn_dtype flat_dtype(int n, const kni_type *type)
{
    kn_dtype d = n ? type[0].dtype : KN_DT(F32);
    for (int i = 1; i < n; i++)
        d = knx_promote(d, type[i].dtype);
    return d;
}

static bool flat_type(kno_layout *l, kni_type *out)
{
    int64_t *size = knx_arena_zero(&l->arena, sizeof *size);
    l->failed = l->failed || !size;
    for (int i = 0; size && i < l->n; i++)
        *size += kni_type_size(l->type[i]);
    if (size)
        *out = kni_type_of(flat_dtype(l->n, l->type), 1, size);
    return size;
}

static void flatten_layout(kno_layout *l, const kno_transform *t)
{
    kno_layout whole = *l;
    kni_type flat;
    kntree_structure *leaf = l->like ? kntree_structure_one(KN_TREE_LEAF) : NULL;
    if (!flat_type(l, &flat) || (l->like && !leaf)) {
        l->failed = true;
        return;
    }
    l->n = 1;
    l->type = &flat;
    l->number = NULL;
    l->like = leaf;
    layout(l, t->child[0]);
    for (size_t i = whole.entry.n; i < l->entry.n && !l->failed; i++) {
        l->entry.at[i].owner = 0; /* it belongs to all of them */
        if (l->entry.at[i].first != KNO_NUMBER)
            kno_lay_wrong(l, knx_error_new(KN_ERROR_VALUE, "flatten: the inner transformation keeps parameters"));
        else
            l->failed = !kni_type_copy(&l->arena, l->entry.at[i].type, &l->entry.at[i].type);
    }
    kntree_structure_release(leaf);
    l->n = whole.n;
    l->type = whole.type;
    l->number = whole.number;
    l->like = whole.like;
}

static kni_atom flat_of(kno_pass *s, const kni_atom *x, kn_dtype d)
{
    kni_atom *part = kno_room(s, (size_t)s->n, sizeof *part);
    for (int i = 0; i < s->n && !kna_failed(s->op); i++) {
        int64_t size = kni_type_size(knb_type(s->b, x[i]));
        part[i] = knb_reshape(s->b, knb_convert(s->b, x[i], d), 1, &size);
    }
    return kna_failed(s->op) ? KN_ATOM_NONE : knb_concatenate(s->b, s->n, part, 0);
}

static void flatten_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kn_dtype d = flat_dtype(s->n, s->type);
    kni_atom u = flat_of(s, s->u, d), p = s->param ? flat_of(s, s->param, d) : KN_ATOM_NONE;
    if (kna_failed(s->op) || !s->n)
        return;
    kni_type type = knb_type(b, u);
    kno_pass in = *s;
    in.n = 1;
    in.u = &u;
    in.param = s->param ? &p : NULL;
    in.type = &type;
    in.hessian = NULL;
    kno_update(&in, t->child[0]);
    for (int64_t i = 0, at = 0, size; i < s->n && !kna_failed(s->op); i++, at += size) {
        kni_type own = knb_type(b, s->u[i]);
        size = kni_type_size(own);
        kni_atom part = knb_slice(b, u, &at, (int64_t[]){at + size}, NULL);
        s->u[i] = knb_convert(b, knb_reshape(b, part, own.ndim, own.dim), own.dtype);
    }
    s->state = in.state;
    s->next = in.next;
}

const kno_rule kno_flatten = {"flatten", false, flatten_layout, flatten_update};
