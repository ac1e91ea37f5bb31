/* SPDX-License-Identifier: Apache-2.0
 * test_scan_rules.c -- the rules of scan on jaxprs: against the same transformation of the body written out `length`
 * times, which knows nothing of scan, and against differences; what is stacked, with checkpoints, too; what is pruned. */
#include "programs.h"
#include "prim/scan.h"
#include "transform/replay.h"

/* --- scans, written out ----------------------------------------------------------------------- */

static void write_steps(knt_replay *r, const kn_eqn *e)
{
    knp_scan s = knp_scan_of(e->params);
    kn_builder *b = &r->b;
    kn_atom in[MANY], out[MANY], carry[MANY], y[MANY][16];
    assert_true(s.p->length <= 16 && s.n_in < MANY && s.n_out < MANY);
    for (uint32_t i = 0; i < s.n_carry; i++)
        carry[i] = r->in[s.n_const + i];
    for (int64_t k = 0; k < s.p->length; k++) {
        int64_t at = s.p->reverse ? s.p->length - 1 - k : k;
        for (uint32_t i = 0; i < s.n_in; i++) {
            kn_type t = r->in_type[i];
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
                                  : knb_zeros(b, r->out_type[i]);
    knt_bind(r, e, r->out);
}

static bool has_scan(const kni_jaxpr *j)
{
    for (uint32_t k = 0; k < j->n_eqn; k++)
        if (j->eqn[k].prim == &kn_prim_scan)
            return true;
    return false;
}

/* j without scans, also those in calls; takes j over. */
static kni_jaxpr *written_out(kni_jaxpr *j)
{
    for (bool more = true; more;) {
        kni_jaxpr *flat = NULL;
        knt_replay r;
        test_ok(knt_expand(j, &flat));
        kni_release(j);
        test_ok(knt_replay_begin(&r, flat, true));
        more = has_scan(flat);
        for (uint32_t k = 0; k < flat->n_eqn; k++) {
            knt_operands(&r, &flat->eqn[k]);
            if (flat->eqn[k].prim == &kn_prim_scan)
                write_steps(&r, &flat->eqn[k]);
            else
                knt_emit_same(&r, &flat->eqn[k]);
        }
        test_ok(knt_replay_finish(&r, &j));
        knt_replay_end(&r);
        kni_release(flat);
    }
    return j;
}

/* --- bodies ----------------------------------------------------------------------------------- */

typedef struct body {
    const char *name;
    kn_type in[8];
    int n_const, n_carry, n_x;
    int (*write)(kn_builder *b, const kn_atom *x, kn_atom *y); /* returns how many results */
    bool curved;                                               /* its second derivatives are not all zero */
} body;
static const int64_t dims[] = {3, 3, 2, 0};
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

static kn_atom matvec(kn_builder *b, kn_atom w, kn_atom x)
{
    return knb_dot_general(
        b, w, x, &(kn_p_dot_general){.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){0}}});
}
/* W, u; h; x -> tanh(W h + u x), which is an output, too */
static int rnn(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    y[0] = y[1] = knb_tanh(b, knb_add(b, matvec(b, x[0], x[2]), knb_mul(b, x[1], x[3])));
    return 2;
}
static int no_inputs(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    y[0] = knb_mul(b, knb_sin(b, x[1]), x[0]);
    return 1;
}
static int no_carries(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    y[0] = y[1] = knb_mul(b, knb_mul(b, x[1], x[1]), x[0]);
    return 2;
}
static int no_outputs(kn_builder *b, const kn_atom *x, kn_atom *y) /* a count, a flag and a vector; their inputs */
{
    y[0] = knb_add(b, x[0], knb_integer(b, KN_DT(I32), 1));
    y[1] = knb_gt(b, knb_reduce_sum(b, x[2], 1, (int64_t[]){0}), x[3]);
    y[2] = knb_mul(b, knb_sin(b, x[2]), knb_convert(b, x[0], KN_DT(F64)));
    return 3;
}
static int many_outputs(kn_builder *b, const kn_atom *x,
                        kn_atom *y) /* the carry before, an input, a constant, a number */
{
    y[0] = knb_mul(b, x[1], x[2]);
    y[1] = x[1];
    y[2] = x[2];
    y[3] = x[0];
    y[4] = knb_number(b, KN_DT(F64), 2);
    return 5;
}
static int stays(kn_builder *b, const kn_atom *x, kn_atom *y) /* the first carry never changes */
{
    y[0] = x[0];
    y[1] = knb_mul(b, knb_sin(b, x[0]), knb_add(b, x[1], x[2]));
    y[2] = knb_mul(b, x[0], x[1]);
    return 3;
}
static int trade(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    y[0] = x[2];
    y[1] = knb_add(b, knb_mul(b, x[1], x[0]), knb_sin(b, x[2]));
    y[2] = x[1];
    return 3;
}
static int resets(kn_builder *b, const kn_atom *x, kn_atom *y) /* a carry that forgets what it was */
{
    y[0] = knb_number(b, KN_DT(F64), 0.5);
    y[1] = knb_mul(b, x[0], knb_add(b, x[1], x[2]));
    return 2;
}
static int no_elements(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    y[0] = knb_add(b, x[0], knb_reduce_sum(b, x[1], 1, (int64_t[]){0}));
    y[1] = knb_sin(b, x[1]);
    return 2;
}
static int made_of_constants(kn_builder *b, const kn_atom *x, kn_atom *y) /* exp(W)'s derivative is exp(W) */
{
    y[0] = matvec(b, knb_exp(b, x[0]), x[1]);
    y[1] = knb_sin(b, y[0]);
    return 2;
}
static int complex_numbers(kn_builder *b, const kn_atom *x, kn_atom *y)
{
    y[0] = knb_mul(b, knb_sin(b, x[1]), knb_add(b, x[0], x[2]));
    y[1] = knb_mul(b, y[0], x[1]);
    return 2;
}
static int scans(kn_builder *b, const kn_atom *x, kn_atom *y) /* a scan over the elements of x */
{
    kn_builder in;
    knb_init(&in);
    kn_atom w = knb_invar(&in, (kn_type)S), c = knb_invar(&in, (kn_type)S), e = knb_invar(&in, (kn_type)S);
    kn_atom next = knb_sin(&in, knb_add(&in, knb_mul(&in, w, c), e));
    kni_jaxpr *j = FINISH(&in, next, knb_mul(&in, next, e));
    knb_scan(b, &(kn_p_scan){.jaxpr = j, .length = 3, .num_carry = 1, .num_consts = 1, .reverse = true}, x, y);
    kni_release(j);
    return 2;
}

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
};
enum { MOST = 4096 /* residuals of a body written out */, N_BODIES = sizeof bodies / sizeof *bodies };

static kni_jaxpr *body_of(const body *d)
{
    kn_builder b;
    kn_atom x[8], y[8];
    knb_init(&b);
    for (int i = 0; i < d->n_const + d->n_carry + d->n_x; i++)
        x[i] = knb_invar(&b, d->in[i]);
    int n = d->write(&b, x, y);
    return test_finish(&b, n, y);
}

static kni_jaxpr *scan_of(const body *d, int64_t length, bool reverse, int64_t checkpoint)
{
    kni_jaxpr *j = body_of(d);
    kn_p_scan p = {.jaxpr = j,
                   .length = length,
                   .num_carry = d->n_carry,
                   .num_consts = d->n_const,
                   .reverse = reverse,
                   .checkpoint = checkpoint};
    kn_builder b;
    kn_atom x[8], y[8];
    knb_init(&b);
    for (int i = 0; i < (int)j->n_in; i++) {
        kn_type t = d->in[i];
        int64_t dim[KN_MAX_NDIM] = {length};
        for (int k = 0; k < t.ndim; k++)
            dim[k + 1] = t.dim[k];
        x[i] = knb_invar(&b, i < d->n_const + d->n_carry ? t : kni_type(t.dtype, t.ndim + 1, dim));
    }
    knb_scan(&b, &p, x, y);
    int n = (int)j->n_out;
    kni_release(j);
    return test_finish(&b, n, y);
}

/* --- transformations -------------------------------------------------------------------------- */

/* Inputs, cotangents of all results that can have one -> cotangents of the inputs marked; takes j over. */
static kni_jaxpr *pullback(kni_jaxpr *j, const bool *tangent)
{
    kn_linearized l;
    kni_jaxpr *back = NULL;
    static bool linear[MOST];
    static kn_atom x[MOST], y[MOST], z[MOST];
    kn_builder b;
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
        kn_atom ct = kni_has_tangent(kni_out_type(j, i)) ? knb_invar(&b, kni_out_type(j, i)) : KN_ATOM_NONE;
        if (l.out_tangent[i])
            y[n++] = ct;
    }
    knb_inline(&b, back, y + j->n_out, z);
    kni_jaxpr *f = test_finish(&b, (int)back->n_out, z);
    kni_release(back), kni_release(j);
    knt_linearized_free(&l);
    return f;
}

static int mark_tangents(const kni_jaxpr *j, bool *tangent)
{
    int n = 0;
    for (uint32_t i = 0; i < j->n_in; i++)
        n += tangent[i] = kni_has_tangent(kni_in_type(j, i));
    return n;
}

static kni_jaxpr *forward(kni_jaxpr *j, const bool *tangent)
{
    kni_jaxpr *f = NULL;
    test_ok(knt_jvp(j, tangent, &f));
    kni_release(j);
    return f;
}

/* --- running ---------------------------------------------------------------------------------- */

typedef struct values {
    int n;
    kn_buffer *at[MANY];
} values;

static values make_values(const kni_jaxpr *j, uint64_t seed)
{
    values v = {.n = (int)j->n_in};
    for (int i = 0; i < v.n; i++) {
        kn_type t = kni_in_type(j, (uint32_t)i);
        kn_dtype part = knx_component(t.dtype);
        v.at[i] = knx_buffer_new(kni_type_bytes(t));
        for (size_t k = 0; k < kni_type_bytes(t) / part->size; k++) {
            kn_scalar_bits s = knx_scalar_from_double(
                part, knx_is_float(part) ? (test_below(&seed, 4001) - 2000) / 2000.0 : test_below(&seed, 2));
            memcpy((char *)v.at[i]->data + k * part->size, s.bytes, part->size);
        }
    }
    return v;
}

static values run(const kni_jaxpr *j, const values *x)
{
    values y = {.n = (int)j->n_out};
    kn_operand in[MANY];
    kn_program *p = test_compile(j, true);
    for (int i = 0; i < x->n; i++)
        in[i] = (kn_operand){x->at[i]->data, x->at[i]};
    test_ok(knd_run(p, in, y.at, NULL));
    knc_release(p);
    return y;
}
static void drop(values *v) { test_release(v->n, v->at); }

/* The largest difference of the two, of numbers beyond 1 as a part of them; -1 where bits differ and `exact`. */
static double difference(const kni_jaxpr *j, const values *a, const values *b, bool exact)
{
    double worst = 0;
    for (int i = 0; i < a->n; i++) {
        kn_type t = kni_out_type(j, (uint32_t)i);
        kn_dtype part = knx_component(t.dtype);
        size_t n = kni_type_bytes(t) / part->size;
        for (size_t k = 0; k < n; k++) {
            const char *p = (char *)a->at[i]->data + k * part->size, *q = (char *)b->at[i]->data + k * part->size;
            if (exact && !test_same_number(part, p, q))
                return -1;
            kn_scalar_bits s = {.u = {0, 0}}, r = s;
            memcpy(&s, p, part->size), memcpy(&r, q, part->size);
            double u = knx_scalar_to_double(part, s), w = knx_scalar_to_double(part, r);
            worst = fmax(worst, u == w ? 0 : fabs(u - w) / fmax(1, fabs(w)));
            if (isnan(u) != isnan(w))
                return INFINITY;
        }
    }
    return worst;
}

typedef struct scene {
    const body *d;
    int64_t length;
    bool reverse;
    int64_t checkpoint;
    const char *what;
} scene;

/* Both run on the same values; takes them over. */
static void expect_same(const scene *s, kni_jaxpr *j, kni_jaxpr *k, bool exact)
{
    test_ok(kni_check(j));
    values x = make_values(j, 5), y = run(j, &x), z = run(k, &x);
    double off = y.n == z.n ? difference(j, &y, &z, exact) : INFINITY;
    if (off < 0 || off > 1e-12)
        fail_msg("%s, %s, %d steps%s, checkpoint %d: off by %g", s->what, s->d->name, (int)s->length,
                 s->reverse ? " in reverse" : "", (int)s->checkpoint, off);
    drop(&x), drop(&y), drop(&z);
    kni_release(j), kni_release(k);
}

static void each_scene(void (*check)(scene *s), const char *what)
{
    static const int64_t lengths[] = {0, 1, 2, 7};
    for (int d = 0; d < N_BODIES; d++)
        for (int l = 0; l < 4; l++)
            for (int reverse = 0; reverse < 2; reverse++)
                check(&(scene){&bodies[d], lengths[l], reverse, 0, what});
}
static kni_jaxpr *of(const scene *s) { return scan_of(s->d, s->length, s->reverse, s->checkpoint); }

/* --- against the body written out ------------------------------------------------------------- */

static void value_of(scene *s) { expect_same(s, of(s), written_out(of(s)), true); }
static void values_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(value_of, "value");
}

/* With tangents of everything, of constants, of carries, of xs alone. */
static int choose_tangents(const scene *s, const kni_jaxpr *j, int which, bool *tangent)
{
    int n = 0, ends[4] = {0, s->d->n_const, s->d->n_const + s->d->n_carry, (int)j->n_in};
    for (int i = 0; i < (int)j->n_in; i++) {
        bool in = which == 3 || (i >= ends[which] && i < ends[which + 1]);
        n += tangent[i] = in && kni_has_tangent(kni_in_type(j, (uint32_t)i));
    }
    return n;
}

static void jvp_of(scene *s)
{
    bool tangent[MANY] = {0};
    for (int which = 0; which < 4; which++) {
        kni_jaxpr *j = of(s);
        if (choose_tangents(s, j, which, tangent))
            expect_same(s, forward(kni_retain(j), tangent), forward(written_out(kni_retain(j)), tangent), false);
        kni_release(j);
    }
}
static void tangents_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(jvp_of, "jvp");
}

static void gradient_of(scene *s)
{
    bool tangent[MANY] = {0};
    for (int which = 0; which < 4; which++) {
        kni_jaxpr *j = of(s);
        if (choose_tangents(s, j, which, tangent)) {
            kni_jaxpr *back = pullback(kni_retain(j), tangent);
            expect_same(s, kni_retain(back), pullback(written_out(kni_retain(j)), tangent), false);
            expect_same(s, back, written_out(kni_retain(back)), false);
        }
        kni_release(j);
    }
}
static void gradients_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(gradient_of, "gradient");
}

static void second_of(scene *s)
{
    bool tangent[MANY] = {0}, all[MANY] = {0};
    kni_jaxpr *j = of(s), *steps = written_out(of(s));
    int n = mark_tangents(j, tangent);
    kni_jaxpr *back = pullback(kni_retain(j), tangent), *back_steps = pullback(kni_retain(steps), tangent);
    mark_tangents(back, all);
    if (n) {
        expect_same(s, forward(kni_retain(back), all), forward(kni_retain(back_steps), all), false);
        expect_same(s, pullback(kni_retain(back), tangent), pullback(kni_retain(back_steps), tangent), false);
        kni_jaxpr *f = forward(kni_retain(j), tangent), *g = forward(kni_retain(steps), tangent);
        expect_same(s, pullback(f, tangent), pullback(g, tangent), false);
    }
    kni_release(j), kni_release(steps), kni_release(back), kni_release(back_steps);
}
static void second_derivatives_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(second_of, "second derivative");
}

static void batch_of(scene *s)
{
    uint64_t seed = 3;
    for (int turn = 0; turn < 6; turn++) {
        kni_jaxpr *j = of(s), *steps = written_out(of(s)), *batched = NULL, *batched_steps = NULL;
        int axis[MANY], any = 0;
        for (uint32_t i = 0; i < j->n_in; i++) {
            axis[i] = turn ? test_below(&seed, kni_in_type(j, i).ndim + 2) - 1 : 0;
            any += axis[i] >= 0;
        }
        if (any) {
            test_ok(knt_batch(j, 3, NULL, axis, NULL, &batched));
            test_ok(knt_batch(steps, 3, NULL, axis, NULL, &batched_steps));
            expect_same(s, batched, batched_steps, true);
        }
        kni_release(j), kni_release(steps);
    }
}
static void lanes_are_those_of_the_steps(void **state)
{
    (void)state;
    each_scene(batch_of, "vmap");
}

/* --- against differences ---------------------------------------------------------------------- */

/* <ct, f(x + h u) - f(x - h u)> / 2 h against <pullback(x, ct), u>, and against the jvp. */
static void slope_of(scene *s)
{
    bool tangent[MANY] = {0};
    kni_jaxpr *j = of(s);
    mark_tangents(j, tangent);
    kni_jaxpr *back = pullback(kni_retain(j), tangent);
    values x = make_values(back, 9), u = make_values(j, 11), grad = run(back, &x);
    double along = 0, h = 1e-5, slope = 0;
    for (int i = 0, k = 0; i < (int)j->n_in; i++) {
        const double *a = tangent[i] ? grad.at[k++]->data : NULL, *d = u.at[i]->data;
        for (size_t e = 0; a && e < kni_type_bytes(kni_in_type(j, (uint32_t)i)) / 8; e++)
            along += a[e] * d[e];
    }
    for (int side = -1; side <= 1; side += 2) {
        values moved = make_values(j, 9);
        for (int i = 0; i < moved.n; i++)
            for (size_t e = 0; tangent[i] && e < kni_type_bytes(kni_in_type(j, (uint32_t)i)) / 8; e++)
                ((double *)moved.at[i]->data)[e] += side * h * ((double *)u.at[i]->data)[e];
        values y = run(j, &moved);
        for (int i = 0, k = (int)j->n_in; i < y.n; i++) {
            if (!kni_has_tangent(kni_out_type(j, (uint32_t)i)))
                continue;
            const double *ct = x.at[k++]->data;
            for (size_t e = 0; e < kni_type_bytes(kni_out_type(j, (uint32_t)i)) / 8; e++)
                slope += side * ct[e] * ((double *)y.at[i]->data)[e] / (2 * h);
        }
        drop(&moved), drop(&y);
    }
    if (fabs(along - slope) > 1e-7 * fmax(1, fabs(slope)))
        fail_msg("%s, %d steps: %.12g, but differences give %.12g", s->d->name, (int)s->length, along, slope);
    drop(&x), drop(&u), drop(&grad);
    kni_release(j), kni_release(back);
}
static void gradients_are_slopes(void **state)
{
    (void)state;
    for (int d = 0; d < N_BODIES; d++)
        if (bodies[d].write != complex_numbers)
            for (int reverse = 0; reverse < 2; reverse++)
                slope_of(&(scene){&bodies[d], 4, reverse, 0, "slope"});
}

/* --- checkpoints ------------------------------------------------------------------------------ */

/* Values and tangents have the same bits; cotangents of constants are summed chunk by chunk, so they round elsewhere. */
static void with_checkpoints(scene *s)
{
    static const int64_t every[] = {1, 2, 3, KN_CHECKPOINT_ROOT, 7, 100};
    bool tangent[MANY] = {0}, all[MANY] = {0};
    for (int k = 0; k < 6; k++) {
        scene c = *s;
        c.checkpoint = every[k];
        kni_jaxpr *j = of(s), *kept = of(&c);
        mark_tangents(j, tangent);
        expect_same(&c, kni_retain(kept), kni_retain(j), true);
        expect_same(&c, forward(kni_retain(kept), tangent), forward(kni_retain(j), tangent), true);
        kni_jaxpr *back = pullback(kni_retain(kept), tangent), *plain = pullback(kni_retain(j), tangent);
        expect_same(&c, kni_retain(back), kni_retain(plain), s->d->n_const == 0);
        expect_same(&c, kni_retain(back), written_out(kni_retain(back)), false);
        if (s->length == 7 && c.checkpoint != 1) {
            mark_tangents(back, all);
            expect_same(&c, forward(kni_retain(back), all), forward(kni_retain(plain), all), false);
            expect_same(&c, pullback(kni_retain(back), tangent), pullback(kni_retain(plain), tangent), false);
        }
        kni_release(j), kni_release(kept), kni_release(back), kni_release(plain);
    }
}
static void checkpoints_change_no_results(void **state)
{
    (void)state;
    each_scene(with_checkpoints, "checkpoint");
}

static bool shows_input(const kni_jaxpr *j, kn_atom a)
{
    for (uint32_t k = j->n_eqn; k-- > 0;)
        if (kni_is_var(a) && a >= j->eqn[k].out && a < j->eqn[k].out + j->eqn[k].n_out)
            a = j->eqn[k].prim->bits & KN_VIEW ? j->eqn[k].in[0] : KN_ATOM_NONE;
    return kni_is_var(a) && a < j->n_in;
}

/* What reverse mode keeps of a scan of rnn: everything between the primal and the linear part but views of operands. */
static int64_t kept_elements(int64_t length, int64_t checkpoint)
{
    kni_jaxpr *j = scan_of(&bodies[0], length, false, checkpoint);
    bool tangent[4] = {true, true, true, true};
    kn_linearized l;
    int64_t n = 0;
    test_ok(knt_linearize(j, tangent, &l));
    for (uint32_t i = 0; i < l.n_residual; i++) {
        kn_atom a = l.primal->out[j->n_out + i];
        if (kni_is_var(a) && !shows_input(l.primal, a))
            n += kni_type_size(kni_atom_type(l.primal, a));
    }
    knt_linearized_free(&l);
    kni_release(j);
    return n;
}

static void checkpoints_keep_a_carry_for_each_chunk(void **state)
{
    (void)state;
    /* per step: the carry before it, the tangent's factor; h' itself is an output and is not kept twice */
    int64_t step = kept_elements(100, 0) / 100;
    assert_int_equal(kept_elements(100, 0), 100 * step);
    assert_true(step >= 3 && step <= 6);
    assert_int_equal(kept_elements(100, 1), 100 * 3);
    assert_int_equal(kept_elements(100, 10), 10 * 3);
    assert_int_equal(kept_elements(100, KN_CHECKPOINT_ROOT), 10 * 3);
    assert_int_equal(kept_elements(103, 10) - kept_elements(100, 10), 3 * step); /* three steps are left */
    assert_int_equal(kept_elements(100, 100), 1 * 3);
}

/* --- what is stacked -------------------------------------------------------------------------- */

static const kn_eqn *scan_number(const kni_jaxpr *j, int n)
{
    for (uint32_t k = 0; k < j->n_eqn; k++)
        if (j->eqn[k].prim == &kn_prim_scan && !n--)
            return &j->eqn[k];
    fail_msg("too few scans");
    return NULL;
}

static kn_linearized linearized(const body *d, int64_t length)
{
    kni_jaxpr *j = scan_of(d, length, false, 0);
    bool tangent[MANY] = {0};
    kn_linearized l;
    mark_tangents(j, tangent);
    test_ok(knt_linearize(j, tangent, &l));
    kni_release(j);
    return l;
}

static void constants_are_not_stacked(void **state)
{
    (void)state;
    kn_linearized l = linearized(&bodies[0], 5);
    const kn_eqn *primal = scan_number(l.primal, 0), *linear = scan_number(l.linear, 0);
    for (uint32_t i = 0; i < primal->n_out; i++)
        assert_true(l.primal->type[primal->out + i].ndim <= 2); /* 5 x 3, not 5 x 3 x 3 */
    for (uint32_t i = 0; i < linear->n_in; i++)
        assert_true(kni_atom_type(l.linear, linear->in[i]).ndim <= 2);
    /* W and u themselves */
    assert_int_equal(((const kn_p_scan *)linear->params)->num_consts, 2 + 2);
    knt_linearized_free(&l);
}

static void what_is_made_of_constants_is_made_once(void **state)
{
    (void)state;
    kn_linearized l = linearized(&bodies[9], 5);
    const kn_eqn *primal = scan_number(l.primal, 0);
    for (uint32_t i = 0; i < primal->n_out; i++)
        assert_true(l.primal->type[primal->out + i].ndim <= 2);
    bool outside = false;
    for (uint32_t k = 0; k < l.primal->n_eqn; k++)
        outside |= l.primal->eqn[k].prim == &kn_prim_exp;
    assert_true(outside);
    knt_linearized_free(&l);
}

static void elements_of_inputs_are_not_copied(void **state)
{
    (void)state;
    kn_linearized l = linearized(&bodies[2], 5); /* x x w: x and w are residuals, and 2 x or x w, each stacked once */
    uint32_t from_input = 0;
    for (uint32_t i = 0; i < l.n_residual; i++)
        from_input += l.primal->out[2 + i] == 1; /* the second input, xs */
    assert_int_equal(from_input, 1);
    knt_linearized_free(&l);
}

/* --- what nobody needs ------------------------------------------------------------------------ */

/* The results that are marked of a scan of d, simplified. */
static kni_jaxpr *only_results(const body *d, unsigned read)
{
    kni_jaxpr *j = scan_of(d, 4, false, 0), *simple = NULL;
    kn_builder b;
    kn_atom x[8], y[8], out[8];
    int n = 0;
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        x[i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, j, x, y);
    for (uint32_t i = 0; i < j->n_out; i++)
        if (read >> i & 1)
            out[n++] = y[i];
    kni_release(j);
    j = test_finish(&b, n, out);
    test_ok(knt_simplify(j, &simple));
    test_ok(kni_check(simple));
    scene s = {d, 4, false, 0, "pruned"};
    expect_same(&s, kni_retain(simple), j, true);
    return simple;
}

static void results_that_nobody_reads_are_dropped(void **state)
{
    (void)state;
    kni_jaxpr *j = only_results(&bodies[4], 1u << 2); /* the stacked input: no carry, no constant is needed */
    const kn_eqn *e = scan_number(j, 0);
    const kn_p_scan *p = e->params;
    assert_int_equal(p->num_carry, 0);
    assert_int_equal(p->num_consts, 0);
    assert_int_equal(e->n_in, 1);
    assert_int_equal(e->n_out, 1);
    kni_release(j);
    j = only_results(&bodies[4], 1u << 1); /* the carry before each step: the last carry is needed for it */
    e = scan_number(j, 0);
    p = e->params;
    assert_int_equal(p->num_carry, 1);
    assert_int_equal(e->n_out, 2);
    kni_release(j);
    j = only_results(&bodies[3], 1u << 0); /* the count alone */
    e = scan_number(j, 0);
    assert_int_equal(e->n_in, 1);
    assert_int_equal(e->n_out, 1);
    kni_release(j);
}

static void carries_that_never_change_are_constants(void **state)
{
    (void)state;
    kni_jaxpr *j = only_results(&bodies[5], 7);
    const kn_eqn *e = scan_number(j, 0);
    const kn_p_scan *p = e->params;
    assert_int_equal(p->num_carry, 1);
    assert_int_equal(p->num_consts, 1);
    assert_int_equal(j->out[0], 0); /* its last value is its first one */
    kni_release(j);
    j = only_results(&bodies[5], 1);
    assert_int_equal(j->n_eqn, 0);
    kni_release(j);
}

static void one_after_the_other_is_dropped(void **state)
{
    (void)state;
    kni_jaxpr *steps = body_of(&bodies[4]), *simple = NULL;
    kn_builder b;
    kn_atom x[3], y[5], z[5];
    knb_init(&b);
    const int64_t two[] = {4, 3};
    for (int i = 0; i < 3; i++)
        x[i] = knb_invar(&b, i < 2 ? bodies[4].in[i] : kni_type(KN_DT(F64), 2, two));
    kn_p_scan p = {.jaxpr = steps, .length = 4, .num_carry = 1, .num_consts = 1};
    knb_scan(&b, &p, x, y);
    knb_scan(&b, &p, (kn_atom[]){x[0], y[0], y[2]}, z); /* of which only the stacked input is read */
    kni_jaxpr *j = FINISH(&b, z[2]);
    test_ok(knt_simplify(j, &simple));
    for (int i = 0; i < 2; i++)
        assert_int_equal(scan_number(simple, i)->n_out, 1);
    kni_release(j), kni_release(simple), kni_release(steps);
}

static void few_steps_are_written_out(void **state)
{
    (void)state;
    for (int d = 0; d < N_BODIES; d++)
        for (int length = 0; length < 3; length++) {
            kni_jaxpr *j = scan_of(&bodies[d], length, false, 0), *expanded = NULL;
            test_ok(knt_expand(j, &expanded));
            bool loops = false;
            for (uint32_t k = 0; k < expanded->n_eqn; k++)
                loops |=
                    expanded->eqn[k].prim == &kn_prim_scan && ((const kn_p_scan *)expanded->eqn[k].params)->length < 3;
            assert_int_equal(loops, length == 2);
            kni_release(j), kni_release(expanded);
        }
}

static void a_scan_that_is_watched_stays(void **state)
{
    (void)state;
    kn_p_scan p = {.length = 1, .on_step = 1};
    assert_false(kn_prim_scan.expands(&p, 0, NULL));
    p = (kn_p_scan){.length = 1, .accept = KN_PATH_COMPILED};
    assert_false(kn_prim_scan.expands(&p, 0, NULL));
    p = (kn_p_scan){.length = 1};
    assert_true(kn_prim_scan.expands(&p, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_steps),
        cmocka_unit_test(tangents_are_those_of_the_steps),
        cmocka_unit_test(gradients_are_those_of_the_steps),
        cmocka_unit_test(second_derivatives_are_those_of_the_steps),
        cmocka_unit_test(lanes_are_those_of_the_steps),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(checkpoints_change_no_results),
        cmocka_unit_test(checkpoints_keep_a_carry_for_each_chunk),
        cmocka_unit_test(constants_are_not_stacked),
        cmocka_unit_test(what_is_made_of_constants_is_made_once),
        cmocka_unit_test(elements_of_inputs_are_not_copied),
        cmocka_unit_test(results_that_nobody_reads_are_dropped),
        cmocka_unit_test(carries_that_never_change_are_constants),
        cmocka_unit_test(one_after_the_other_is_dropped),
        cmocka_unit_test(few_steps_are_written_out),
        cmocka_unit_test(a_scan_that_is_watched_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
