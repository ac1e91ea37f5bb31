/* SPDX-License-Identifier: Apache-2.0
 * step.c -- transformations as objects, the layout of their states, and the arithmetic that their rules share. */
#include "array/handle.h"
#include "optim/optimizer.h"
#include <string.h>

/* ---- Objects. */

kno_transform *kno_new(const kno_rule *rule, int n_child, kno_transform *const *child)
{
    bool ok = true;
    for (int i = 0; i < n_child; i++)
        ok = ok && child[i];
    kno_transform *t = ok ? knx_alloc_zero(sizeof *t + (size_t)n_child * sizeof *child) : NULL;
    if (!t) {
        for (int i = 0; i < n_child; i++)
            kno_release(child[i]);
        return NULL;
    }
    atomic_init(&t->refs, 1);
    t->rule = rule;
    for (int i = 0; i < n_child; i++)
        t->child[t->n_child++] = child[i];
    return t;
}

kno_transform *kno_with(kno_transform *t, const double p[KNO_NUMBERS])
{
    if (t)
        memcpy(t->p, p, sizeof t->p);
    return t;
}

kno_transform *kno_retain(kno_transform *t)
{
    if (t)
        atomic_fetch_add(&t->refs, 1);
    return t;
}

/* Transformations are as deep in each other as somebody wrote calls. */
void kno_release(kno_transform *t)
{
    if (!t || atomic_fetch_sub(&t->refs, 1) != 1)
        return;
    for (int i = 0; i < t->n_child; i++)
        kno_release(t->child[i]);
    kno_schedule_release(t->schedule);
    kna_value_release(t->number);
    knx_free(t->mask);
    knx_free(t->sides);
    knx_free(t);
}

kno_transform *kno_chain(int n, kno_transform *const *part) { return kno_new(&kno_chained, n, part); }

kno_transform *kno_get(kna_op *op, kn_optimizer o) { return kna_handle_in(op, KN_H_OPTIMIZER, o); }

static void drop_transform(void *t) { kno_release(t); }

kn_optimizer kno_finish(kna_op *op, kno_transform *t)
{
    if (!t)
        kna_fail_with(op, knx_error_nomem());
    if (kna_end_handle(op))
        return kna_handle_new(KN_H_OPTIMIZER, t, drop_transform);
    kno_release(t);
    return NULL;
}

/* ---- Layouts. */

static void lay_part(kno_layout *l, kntree_structure *s)
{
    if (!s || !KN_VEC_PUSH(&l->part, s)) {
        kntree_structure_release(s);
        l->failed = true;
    }
}

static void lay_entry(kno_layout *l, kni_type type, double fill)
{
    type.weak = false;
    kno_entry e = {.type = type, .fill = fill};
    if (!KN_VEC_PUSH(&l->entry, e))
        l->failed = true;
}

void kno_lay_owner(kno_layout *l, size_t from, int i)
{
    for (; from < l->entry.n && !l->failed; from++)
        l->entry.at[from].owner = 1 + (l->number ? l->number[i] : i);
}

void kno_lay(kno_layout *l, kni_type type, double fill)
{
    lay_entry(l, type, fill);
    if (l->like)
        lay_part(l, kntree_structure_one(KN_TREE_LEAF));
}

void kno_lay_wrong(kno_layout *l, knx_error *e)
{
    l->failed = true;
    if (l->error)
        knx_error_release(e);
    else
        l->error = e;
}

void kno_lay_key(kno_layout *l, uint64_t seed, kna_value *key)
{
    size_t at = l->entry.n;
    kno_lay_scalar(l, key ? key->type.dtype : KN_DT(KEY));
    if (l->failed)
        return;
    l->entry.at[at].seed = seed;
    l->entry.at[at].key = key;
}

void kno_lay_scalar(kno_layout *l, kn_dtype d) { kno_lay(l, kni_scalar_type(d), 0); }

void kno_lay_like(kno_layout *l, double fill)
{
    size_t from = l->entry.n;
    for (int i = 0; i < l->n; i++, from++) {
        lay_entry(l, l->type[i], fill);
        kno_lay_owner(l, from, i);
    }
    if (l->like)
        lay_part(l, kntree_structure_retain(l->like));
}

void kno_lay_none(kno_layout *l)
{
    if (l->like)
        lay_part(l, kntree_structure_one(KN_TREE_NONE));
}

void kno_lay_stacked(kno_layout *l, int64_t size)
{
    for (int i = 0; i < l->n; i++) {
        kni_type t = l->type[i];
        int64_t *dim = knx_arena_alloc(&l->arena, ((size_t)t.ndim + 1) * sizeof *dim);
        l->failed = l->failed || !dim || t.ndim == KN_MAX_NDIM;
        if (l->failed)
            return;
        dim[0] = size;
        for (int d = 0; d < t.ndim; d++)
            dim[d + 1] = t.dim[d];
        lay_entry(l, kni_type_of(t.dtype, t.ndim + 1, dim), 0);
    }
    if (l->like)
        lay_part(l, kntree_structure_retain(l->like));
}

/* The last n entries begin as what the parameters are. */
static void begin_as(kno_layout *l, int n, kno_first first, double v)
{
    for (int i = 0; i < n && !l->failed; i++) {
        kno_entry *e = &l->entry.at[l->entry.n - (size_t)(n - i)];
        e->first = first;
        e->fill = v;
        e->number = l->number ? l->number[i] : i;
    }
}

void kno_lay_params(kno_layout *l)
{
    kno_lay_like(l, 0);
    begin_as(l, l->n, KNO_PARAMETER, 0);
}

void kno_lay_norm_of_all(kno_layout *l, kn_dtype d, double v)
{
    kno_lay_scalar(l, d);
    begin_as(l, 1, KNO_NORM_OF_ALL, v);
    if (l->failed)
        return;
    l->entry.at[l->entry.n - 1].n = l->n;
    l->entry.at[l->entry.n - 1].numbers = l->number;
}

void kno_lay_norms(kno_layout *l, double v)
{
    kno_lay_scalars(l, NULL);
    begin_as(l, l->n, KNO_NORM, v);
}

void kno_lay_vector(kno_layout *l, kn_dtype d, const int64_t *n, const double *v)
{
    kno_lay(l, kni_type_of(d, 1, n), 0);
    if (l->failed)
        return;
    l->entry.at[l->entry.n - 1].first = KNO_VECTOR;
    l->entry.at[l->entry.n - 1].vector = v;
}

static kn_dtype extreme_dtype(const kno_layout *l, bool highest)
{
    kn_dtype d = l->n ? l->type[0].dtype : KN_DT(F32);
    for (int i = 1; i < l->n; i++) {
        kn_dtype other = l->type[i].dtype, both = knx_promote(d, other);
        if (highest ? both != d : both == d)
            d = other;
    }
    return d;
}

kn_dtype kno_lowest_dtype(const kno_layout *l) { return extreme_dtype(l, false); }
kn_dtype kno_highest_dtype(const kno_layout *l) { return extreme_dtype(l, true); }

static kni_atom short_vector(kni_builder *b, const kno_entry *e)
{
    enum { MOST = 8 };
    kni_atom x[MOST];
    int n = (int)e->type.dim[0];
    for (int i = 0; i < n && i < MOST; i++)
        x[i] = knb_full(b, kni_type_of(e->type.dtype, 1, (int64_t[]){1}), e->vector[i]);
    return knb_concatenate(b, n, x, 0);
}

static kni_atom random_key(kni_builder *b, uint64_t seed)
{
    kni_atom word[2];
    for (int i = 0; i < 2; i++) {
        uint32_t half = (uint32_t)(i ? seed : seed >> 32);
        word[i] = knb_reshape(b, knb_integer(b, KN_DT(U32), half), 1, (int64_t[]){1});
    }
    return knb_random_wrap(b, knb_concatenate(b, 2, word, 0));
}

/* A parameter, or the part of it that an entry means. */
static kni_atom parameter_of(kni_builder *b, const kni_atom *param, int number)
{
    kni_atom p = param[KNO_NUMBER_OF(number)];
    return number & KNO_REAL ? knb_real(b, p) : number & KNO_IMAGINARY ? knb_imag(b, p) : p;
}

static kni_atom norm_of_all(kna_op *op, const kno_entry *e, int n, const kni_atom *param)
{
    kno_pass s = {.op = op, .b = op->b, .n = e->numbers ? e->n : n};
    kni_atom *some = knx_alloc(((size_t)s.n + 1) * sizeof *some);
    if (!some) {
        kna_fail_with(op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    for (int i = 0; i < s.n; i++)
        some[i] = parameter_of(op->b, param, e->numbers ? e->numbers[i] : i);
    kni_atom norm = knb_sqrt(op->b, kno_norm_squared(&s, some));
    knx_free(some);
    return norm;
}

kni_atom kno_first_of(kna_op *op, const kno_entry *e, int n, const kni_atom *param)
{
    kni_builder *b = op->b;
    if (e->type.dtype->kind == KN_KIND_KEY)
        return e->key ? kna_value_atom(op, e->key) : random_key(b, e->seed);
    if (e->first == KNO_VECTOR)
        return short_vector(b, e);
    if (e->first == KNO_NUMBER)
        return knb_full(b, e->type, e->fill);
    if (e->first == KNO_PARAMETER)
        return knb_convert(b, parameter_of(b, param, e->number), e->type.dtype);
    kni_atom norm =
        e->first == KNO_NORM ? kno_norm(b, parameter_of(b, param, e->number)) : norm_of_all(op, e, n, param);
    return knb_convert(b, kno_times(b, e->fill, kno_plus(b, norm, 1)), e->type.dtype);
}

void kno_lay_scalars(kno_layout *l, kn_dtype d)
{
    size_t from = l->entry.n;
    for (int i = 0; i < l->n; i++, from++) {
        lay_entry(l, kni_scalar_type(d ? d : l->type[i].dtype), 0);
        kno_lay_owner(l, from, i);
    }
    if (l->like)
        lay_part(l, kntree_structure_retain(l->like));
}

void kno_lay_node(kno_layout *l, const char *type, int n, const char *const *field)
{
    if (!l->like || l->failed)
        return;
    kntree_structure **child = l->part.at ? l->part.at + l->part.n - n : NULL;
    kntree_structure *s = kntree_structure_join(type ? KN_TREE_STRUCT : KN_TREE_TUPLE, type, n, child, field);
    for (int i = 0; child && i < n; i++)
        kntree_structure_release(child[i]);
    l->part.n -= (size_t)n;
    lay_part(l, s);
}

void kno_layout_free(kno_layout *l)
{
    for (size_t i = 0; i < l->part.n; i++)
        kntree_structure_release(l->part.at[i]);
    KN_VEC_FREE(&l->part);
    KN_VEC_FREE(&l->entry);
    knx_error_release(l->error);
    knx_arena_free(&l->arena);
}

/* ---- Arithmetic. */

void kno_put_key(kno_pass *s, kni_atom next, kni_atom *used)
{
    const kni_atom both[2] = {next, *used};
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    knb_optimization_barrier(s->b, 2, both, out);
    kno_put(s, out[0]);
    *used = out[1];
}

void *kno_room(kno_pass *s, size_t n, size_t size)
{
    size_t bytes;
    void *p = knx_mul_overflows(n + 1, size, &bytes) ? NULL : knx_arena_zero(s->arena, bytes);
    if (!p)
        kna_fail_with(s->op, knx_error_nomem());
    return p ? p : s->nothing; /* so that rules need no checks */
}

kni_atom kno_operand(kno_pass *s, double v)
{
    kna_value *n = kna_value_number(KN_DT(F64), false, knx_scalar_from_double(KN_DT(F64), v));
    if (!n) {
        kna_fail_with(s->op, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    kni_atom a = kna_value_atom(s->op, n);
    kna_value_release(n);
    return a;
}

kni_atom kno_times(kni_builder *b, double factor, kni_atom x) { return knb_mul(b, knb_like(b, x, factor), x); }

kni_atom kno_plus(kni_builder *b, kni_atom x, double number) { return knb_add(b, x, knb_like(b, x, number)); }

/* Emitted in this order whatever the compiler. */
kni_atom kno_weighted(kni_builder *b, double p, kni_atom x, double q, kni_atom y)
{
    kni_atom first = kno_times(b, p, x), second = kno_times(b, q, y);
    return knb_add(b, first, second);
}

kni_atom kno_real_squared(kni_builder *b, kni_atom x)
{
    return knx_is_complex(knb_type(b, x).dtype) ? knb_real(b, knb_mul(b, x, knb_conj(b, x))) : knb_mul(b, x, x);
}

kni_atom kno_squared(kni_builder *b, kni_atom g)
{
    return knb_convert(b, kno_real_squared(b, g), knb_type(b, g).dtype);
}

kni_atom kno_sum(kni_builder *b, kni_atom x)
{
    int64_t axes[KN_MAX_NDIM];
    int n = knb_type(b, x).ndim;
    for (int i = 0; i < n; i++)
        axes[i] = i;
    return n ? knb_reduce_sum(b, x, n, axes) : x;
}

kni_atom kno_count_like(kni_builder *b, kni_atom x, int ndim, const int64_t *dim)
{
    double n = 1;
    if (knx_has_symbolic(ndim, dim))
        return knb_dimension(b, knb_type(b, x).dtype, knx_dim_size(ndim, dim));
    for (int i = 0; i < ndim; i++)
        n *= (double)dim[i];
    return knb_like(b, x, n);
}

kni_atom kno_mean(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    kni_atom sum = kno_sum(b, x);
    return knb_div(b, sum, kno_count_like(b, sum, t.ndim, t.dim));
}

kni_atom kno_norm_squared(kno_pass *s, const kni_atom *x)
{
    kni_builder *b = s->b;
    kni_atom all = KN_ATOM_NONE;
    for (int i = 0; i < s->n; i++) {
        kni_atom one = kno_sum(b, kno_real_squared(b, x[i]));
        if (i) {
            kn_dtype d = knx_promote(knb_type(b, all).dtype, knb_type(b, one).dtype);
            all = knb_add(b, knb_convert(b, all, d), knb_convert(b, one, d));
        } else {
            all = one;
        }
    }
    return s->n ? all : knb_number(b, kna_default_float(), 0);
}

kni_atom kno_norm(kni_builder *b, kni_atom x) { return knb_sqrt(b, kno_sum(b, kno_real_squared(b, x))); }

kni_atom kno_spread(kni_builder *b, kni_atom scalar, kni_atom like)
{
    return knb_convert(b, scalar, knb_type(b, like).dtype);
}

kni_atom kno_where(kni_builder *b, kni_atom condition, kni_atom yes, kni_atom no)
{
    kni_type t = knb_type(b, yes);
    if (t.ndim)
        condition = knb_broadcast_to(b, condition, t);
    return knb_select(b, condition, yes, no);
}

kni_atom kno_next_count(kni_builder *b, kni_atom count)
{
    return knb_add(b, knb_min(b, count, knb_integer(b, KN_DT(I32), INT32_MAX - 1)), knb_integer(b, KN_DT(I32), 1));
}

kni_atom kno_correction(kni_builder *b, double decay, kni_atom count)
{
    kni_atom one = knb_number(b, KN_DT(F64), 1),
             power = knb_pow(b, knb_number(b, KN_DT(F64), decay), knb_convert(b, count, KN_DT(F64)));
    return knb_sub(b, one, power);
}

kni_atom kno_corrected(kni_builder *b, kni_atom moment, kni_atom correction)
{
    return knb_div(b, moment, kno_spread(b, correction, moment));
}

kni_atom kno_rate(kno_pass *s, const kno_transform *t, kni_atom count)
{
    if (t->number)
        return kna_value_atom(s->op, t->number);
    return t->schedule ? kno_schedule_at(s, t->schedule, count) : kno_operand(s, t->p[0]);
}
