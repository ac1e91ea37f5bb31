/* SPDX-License-Identifier: Apache-2.0
 * scans.h -- for tests of loops' rules on jaxprs: bodies of scans, scans written out, derivatives, and programs of both
 * run on the same values. */
#ifndef KN_TEST_SCANS_H
#define KN_TEST_SCANS_H
#include "support/programs.h"
#include "prim/control/scan.h"
#include "transform/replay.h"

/* --- scans, written out ----------------------------------------------------------------------- */

static inline kni_atom no_elements_of(kni_builder *b, kni_type t)
{
    return t.dtype->kind != KN_KIND_KEY ? knb_zeros(b, t)
                                        : knb_random_wrap(b, knb_zeros(b, kni_type_of(KN_DT(U32), 2, (int64_t[]){0, 2})));
}

static inline void write_steps(knt_replay *r, const kni_eqn *e)
{
    knp_scan s = knp_scan_of(e->params);
    kni_builder *b = &r->b;
    kni_atom in[MANY], out[MANY], carry[MANY], y[MANY][16];
    assert_true(s.p->length <= 16 && s.n_in < MANY && s.n_out < MANY);
    for (uint32_t i = 0; i < s.n_carry; i++)
        carry[i] = r->in[s.n_const + i];
    for (int64_t k = 0; k < s.p->length; k++) {
        int64_t at = s.p->reverse ? s.p->length - 1 - k : k;
        for (uint32_t i = 0; i < s.n_in; i++) {
            kni_type t = r->in_type[i];
            int64_t start[KN_MAX_NDIM] = {at}, end[KN_MAX_NDIM] = {at + 1};
            for (int d = 1; d < t.ndim; d++)
                end[d] = t.dim[d];
            in[i] = i < s.n_const   ? r->in[i]
                    : i < s.first_x ? carry[i - s.n_const]
                                    : knb_squeeze(b, knb_slice(b, r->in[i], start, end, NULL), 1, (int64_t[]){0});
        }
        knb_inline(b, s.j, in, out);
        for (uint32_t i = 0; i < s.n_carry; i++)
            carry[i] = out[i];
        for (uint32_t i = s.n_carry; i < s.n_out; i++)
            y[i][at] = out[i];
    }
    for (uint32_t i = 0; i < s.n_out; i++)
        r->out[i] = i < s.n_carry ? carry[i]
                    : s.p->length ? knb_stack(b, (int)s.p->length, y[i], 0)
                                  : no_elements_of(b, r->out_type[i]);
    knt_bind(r, e, r->out);
}

static inline bool has_scan(const kni_jaxpr *j)
{
    for (uint32_t k = 0; k < j->n_eqn; k++)
        if (j->eqn[k].prim == &knp_prim_scan)
            return true;
    return false;
}

static inline kni_jaxpr *write_scans(kni_jaxpr *j)
{
    kni_jaxpr *flat = NULL;
    knt_replay r;
    test_ok(knt_replay_begin(&r, j, true));
    for (uint32_t k = 0; k < j->n_eqn; k++) {
        knt_operands(&r, &j->eqn[k]);
        if (j->eqn[k].prim == &knp_prim_scan)
            write_steps(&r, &j->eqn[k]);
        else
            knt_emit_same(&r, &j->eqn[k]);
    }
    test_ok(knt_replay_finish(&r, &flat));
    knt_replay_end(&r);
    kni_release(j);
    return flat;
}

/* j without scans, also those in calls; takes j over. */
static inline kni_jaxpr *written_out(kni_jaxpr *j)
{
    for (bool more = true; more; more = has_scan(j)) {
        while (has_scan(j))
            j = write_scans(j);
        kni_jaxpr *flat = NULL;
        test_ok((j->has & KN_NAMES ? knt_inline_calls : knt_expand)(j, &flat)); /* names are of a vmap to come */
        kni_release(j);
        j = flat;
    }
    return j;
}

/* --- bodies ----------------------------------------------------------------------------------- */

typedef struct body {
    const char *name;
    kni_type in[8];
    int n_const, n_carry, n_x;
    int (*write)(kni_builder *b, const kni_atom *x, kni_atom *y); /* returns how many results */
    bool curved;                                               /* its second derivatives are not all zero */
} body;
static const int64_t dims[] = {3, 3, 2, 0}, wide_dims[] = {2, 18, 18};
#define V3                                          \
    {                                               \
        .dtype = KN_DT(F64), .ndim = 1, .dim = dims \
    }
#define M3                                          \
    {                                               \
        .dtype = KN_DT(F64), .ndim = 2, .dim = dims \
    }
#define V2                                              \
    {                                                   \
        .dtype = KN_DT(F64), .ndim = 1, .dim = dims + 2 \
    }
#define V0                                              \
    {                                                   \
        .dtype = KN_DT(F64), .ndim = 1, .dim = dims + 3 \
    }
#define W                                                    \
    {                                                        \
        .dtype = KN_DT(F64), .ndim = 2, .dim = wide_dims + 1 \
    }
#define H                                                \
    {                                                    \
        .dtype = KN_DT(F64), .ndim = 2, .dim = wide_dims \
    }
#define K                   \
    {                       \
        .dtype = KN_DT(KEY) \
    }
#define S                   \
    {                       \
        .dtype = KN_DT(F64) \
    }
#define C                    \
    {                        \
        .dtype = KN_DT(C128) \
    }
#define I                   \
    {                       \
        .dtype = KN_DT(I32) \
    }
#define B                    \
    {                        \
        .dtype = KN_DT(BOOL) \
    }

static inline kni_atom matvec(kni_builder *b, kni_atom w, kni_atom x)
{
    return knb_dot_general(
        b, w, x, &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){0}}});
}
/* W, u; h; x -> tanh(W h + u x), which is an output, too */
static inline int rnn(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = y[1] = knb_tanh(b, knb_add(b, matvec(b, x[0], x[2]), knb_mul(b, x[1], x[3])));
    return 2;
}
static inline int no_inputs(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = knb_mul(b, knb_sin(b, x[1]), x[0]);
    return 1;
}
static inline int no_carries(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = y[1] = knb_mul(b, knb_mul(b, x[1], x[1]), x[0]);
    return 2;
}
static inline int no_outputs(kni_builder *b, const kni_atom *x,
                             kni_atom *y) /* a count, a flag and a vector; their inputs */
{
    y[0] = knb_add(b, x[0], knb_integer(b, KN_DT(I32), 1));
    y[1] = knb_gt(b, knb_reduce_sum(b, x[2], 1, (int64_t[]){0}), x[3]);
    y[2] = knb_mul(b, knb_sin(b, x[2]), knb_convert(b, x[0], KN_DT(F64)));
    return 3;
}
static inline int many_outputs(kni_builder *b, const kni_atom *x,
                               kni_atom *y) /* the carry before, an input, a constant, a number */
{
    y[0] = knb_mul(b, x[1], x[2]);
    y[1] = x[1];
    y[2] = x[2];
    y[3] = x[0];
    y[4] = knb_number(b, KN_DT(F64), 2);
    return 5;
}
static inline int stays(kni_builder *b, const kni_atom *x, kni_atom *y) /* the first carry never changes */
{
    y[0] = x[0];
    y[1] = knb_mul(b, knb_sin(b, x[0]), knb_add(b, x[1], x[2]));
    y[2] = knb_mul(b, x[0], x[1]);
    return 3;
}
static inline int trade(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = x[2];
    y[1] = knb_add(b, knb_mul(b, x[1], x[0]), knb_sin(b, x[2]));
    y[2] = x[1];
    return 3;
}
static inline int resets(kni_builder *b, const kni_atom *x, kni_atom *y) /* a carry that forgets what it was */
{
    y[0] = knb_number(b, KN_DT(F64), 0.5);
    y[1] = knb_mul(b, x[0], knb_add(b, x[1], x[2]));
    return 2;
}
static inline int no_elements(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = knb_add(b, x[0], knb_reduce_sum(b, x[1], 1, (int64_t[]){0}));
    y[1] = knb_sin(b, x[1]);
    return 2;
}
static inline int made_of_constants(kni_builder *b, const kni_atom *x, kni_atom *y) /* exp(W)'s derivative is exp(W) */
{
    y[0] = matvec(b, knb_exp(b, x[0]), x[1]);
    y[1] = knb_sin(b, y[0]);
    return 2;
}
static inline int complex_numbers(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    y[0] = knb_mul(b, knb_sin(b, x[1]), knb_add(b, x[0], x[2]));
    y[1] = knb_mul(b, y[0], x[1]);
    return 2;
}
static inline int scans(kni_builder *b, const kni_atom *x, kni_atom *y) /* a scan over the elements of x */
{
    kni_builder in;
    knb_init(&in);
    kni_atom w = knb_invar(&in, (kni_type)S), c = knb_invar(&in, (kni_type)S), e = knb_invar(&in, (kni_type)S);
    kni_atom next = knb_sin(&in, knb_add(&in, knb_mul(&in, w, c), e));
    kni_jaxpr *j = FINISH(&in, next, knb_mul(&in, next, e));
    knb_scan(b, &(kni_p_scan){.jaxpr = j, .length = 3, .num_carry = 1, .num_consts = 1, .reverse = true}, x, y);
    kni_release(j);
    return 2;
}

static inline int keys(kni_builder *b, const kni_atom *x, kni_atom *y) /* a key that is split, and noise of it */
{
    kni_atom two = knb_random_split(b, x[0], 1, (int64_t[]){2}), each[2];
    knb_unstack(b, two, 0, 2, each);
    y[0] = each[0];
    kni_atom noise = knb_random_unit(b, each[1], KN_DT(F64), 1, (int64_t[]){3});
    y[1] = knb_mul(b, knb_sin(b, x[1]), knb_add(b, noise, x[2]));
    y[2] = each[1];
    return 3;
}

/* h W + x W^T / 2: the gradient of W is the sum of two products a step, which is made after the loop. */
static inline int wide(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_p_dot_general by_rows = {.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){0}}},
                     by_columns = {.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){1}}};
    kni_atom half = knb_mul(b, knb_dot_general(b, x[2], x[0], &by_columns), knb_number(b, KN_DT(F64), 0.5));
    y[0] = y[1] = knb_tanh(b, knb_add(b, knb_dot_general(b, x[1], x[0], &by_rows), half));
    return 2;
}

/* n (no tangent); c; x: a count that scales, and a linear carry -> count, carry, x n + c. Linear in c and x. */
static inline int counted(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom n = knb_convert(b, x[0], KN_DT(F64));
    y[0] = knb_add(b, x[0], knb_integer(b, KN_DT(I32), 1));
    y[1] = knb_add(b, knb_mul(b, x[1], n), x[2]);
    y[2] = knb_add(b, knb_mul(b, x[2], n), x[1]);
    return 3;
}
static const body counting = {"counted", {I, V3, V3}, 0, 2, 1, counted, false};

static const body bodies[] = {
    {"rnn", {M3, V3, V3, V3}, 2, 1, 1, rnn, true},
    {"no_inputs", {S, S}, 1, 1, 0, no_inputs, true},
    {"no_carries", {V3, V3}, 1, 0, 1, no_carries, true},
    {"no_outputs", {I, B, V2, S}, 0, 3, 1, no_outputs, true},
    {"many_outputs", {V2, V3, V3}, 1, 1, 1, many_outputs, true},
    {"stays", {V2, V2, V2}, 0, 2, 1, stays, true},
    {"trade", {S, S, S}, 1, 2, 0, trade, true},
    {"resets", {S, S, S}, 1, 1, 1, resets, true},
    {"no_elements", {S, V0}, 0, 1, 1, no_elements, false},
    {"made_of_constants", {M3, V3}, 1, 1, 0, made_of_constants, true},
    {"complex_numbers", {C, C, C}, 1, 1, 1, complex_numbers, true},
    {"scans", {S, S, V3}, 1, 1, 1, scans, true},
    {"keys", {K, V3, V3}, 0, 2, 1, keys, true},
    {"wide", {W, H, H}, 1, 1, 1, wide, true},
};
enum { MOST = 4096 /* residuals of a body written out */, N_BODIES = sizeof bodies / sizeof *bodies };

static inline kni_jaxpr *body_of(const body *d)
{
    kni_builder b;
    kni_atom x[8], y[8];
    knb_init(&b);
    for (int i = 0; i < d->n_const + d->n_carry + d->n_x; i++)
        x[i] = knb_invar(&b, d->in[i]);
    int n = d->write(&b, x, y);
    return test_finish(&b, n, y);
}

static inline kni_jaxpr *scan_of(const body *d, int64_t length, bool reverse, int64_t checkpoint)
{
    kni_jaxpr *j = body_of(d);
    kni_p_scan p = {.jaxpr = j,
                   .length = length,
                   .num_carry = d->n_carry,
                   .num_consts = d->n_const,
                   .reverse = reverse,
                   .checkpoint = checkpoint};
    kni_builder b;
    kni_atom x[8], y[8];
    knb_init(&b);
    for (int i = 0; i < (int)j->n_in; i++) {
        kni_type t = d->in[i];
        int64_t dim[KN_MAX_NDIM] = {length};
        for (int k = 0; k < t.ndim; k++)
            dim[k + 1] = t.dim[k];
        x[i] = knb_invar(&b, i < d->n_const + d->n_carry ? t : kni_type_of(t.dtype, t.ndim + 1, dim));
    }
    knb_scan(&b, &p, x, y);
    int n = (int)j->n_out;
    kni_release(j);
    return test_finish(&b, n, y);
}

/* --- transformations -------------------------------------------------------------------------- */

/* Inputs, cotangents of all results that can have one -> cotangents of the inputs marked; takes j over. */
static inline kni_jaxpr *pullback(kni_jaxpr *j, const bool *tangent)
{
    knt_linearized l;
    kni_jaxpr *back = NULL;
    static bool linear[MOST];
    static kni_atom x[MOST], y[MOST], z[MOST];
    kni_builder b;
    test_ok(knt_linearize(j, tangent, &l));
    assert_true(j->n_out + l.linear->n_in < MOST);
    for (uint32_t i = 0; i < l.linear->n_in; i++)
        linear[i] = i >= l.n_residual;
    test_ok(knt_transpose(l.linear, linear, &back));
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        x[i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, l.primal, x, y);
    uint32_t n = j->n_out + l.n_residual;
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_atom ct = kni_has_tangent(kni_out_type(j, i)) ? knb_invar(&b, kni_out_type(j, i)) : KN_ATOM_NONE;
        if (l.out_tangent[i])
            y[n++] = ct;
    }
    knb_inline(&b, back, y + j->n_out, z);
    kni_jaxpr *f = test_finish(&b, (int)back->n_out, z);
    kni_release(back), kni_release(j);
    knt_linearized_free(&l);
    return f;
}

static inline int mark_tangents(const kni_jaxpr *j, bool *tangent)
{
    int n = 0;
    for (uint32_t i = 0; i < j->n_in; i++)
        n += tangent[i] = kni_has_tangent(kni_in_type(j, i));
    return n;
}

static inline kni_jaxpr *forward(kni_jaxpr *j, const bool *tangent)
{
    kni_jaxpr *f = NULL;
    test_ok(knt_jvp(j, tangent, &f));
    kni_release(j);
    return f;
}

/* --- running ---------------------------------------------------------------------------------- */

typedef struct values {
    int n;
    knx_buffer *at[MANY];
} values;

static inline values make_values(const kni_jaxpr *j, uint64_t seed)
{
    values v = {.n = (int)j->n_in};
    for (int i = 0; i < v.n; i++) {
        kni_type t = kni_in_type(j, (uint32_t)i);
        kn_dtype part = knx_component(t.dtype);
        v.at[i] = knx_buffer_new(kni_type_bytes(t));
        if (t.dtype->kind == KN_KIND_KEY)
            test_fill(t.dtype, (size_t)kni_type_size(t), v.at[i]->data, &seed);
        for (size_t k = 0; t.dtype->kind != KN_KIND_KEY && k < kni_type_bytes(t) / part->size; k++) {
            knx_scalar_bits s = knx_scalar_from_double(
                part, knx_is_float(part) ? (test_below(&seed, 4001) - 2000) / 2000.0 : test_below(&seed, 2));
            memcpy((char *)v.at[i]->data + k * part->size, s.bytes, part->size);
        }
    }
    return v;
}

static inline values run(const kni_jaxpr *j, const values *x)
{
    values y = {.n = (int)j->n_out};
    knd_operand in[MANY];
    knd_loaded *p = test_compile(j, true);
    for (int i = 0; i < x->n; i++)
        in[i] = (knd_operand){.buffer = x->at[i], .data = x->at[i]->data};
    test_ok(knd_run(p, in, y.at, NULL));
    knd_release(p);
    return y;
}
static inline void drop(values *v) { test_release(v->n, v->at); }

/* The largest difference of the two, of numbers beyond 1 as a part of them; -1 where bits differ and `exact`. */
static inline double difference(const kni_jaxpr *j, const values *a, const values *b, bool exact)
{
    double worst = 0;
    for (int i = 0; i < a->n; i++) {
        kni_type t = kni_out_type(j, (uint32_t)i);
        kn_dtype part = knx_component(t.dtype);
        size_t n = kni_type_bytes(t) / part->size;
        for (size_t k = 0; k < n; k++) {
            const char *p = (char *)a->at[i]->data + k * part->size, *q = (char *)b->at[i]->data + k * part->size;
            if (exact && !test_same_number(part, p, q))
                return -1;
            knx_scalar_bits s = {.u = {0, 0}}, r = s;
            memcpy(&s, p, part->size), memcpy(&r, q, part->size);
            if (t.dtype->kind == KN_KIND_KEY)
                continue;
            double u = knx_scalar_to_double(part, s), w = knx_scalar_to_double(part, r);
            worst = fmax(worst, u == w ? 0 : fabs(u - w) / fmax(1, fabs(w)));
            if (isnan(u) != isnan(w))
                return INFINITY;
        }
    }
    return worst;
}

/* Both run on the same values; takes them over. */
static inline double run_both(kni_jaxpr *j, kni_jaxpr *k, bool exact)
{
    test_ok(kni_check(j));
    values x = make_values(j, 5), y = run(j, &x), z = run(k, &x);
    double off = y.n == z.n ? difference(j, &y, &z, exact) : INFINITY;
    drop(&x), drop(&y), drop(&z);
    kni_release(j), kni_release(k);
    return off;
}
#endif
