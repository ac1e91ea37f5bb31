/* SPDX-License-Identifier: Apache-2.0
 * test_control_sweep.c -- scan, while, fori, cond and switch with random bodies, which hold further loops and branches up to
 * three deep: eager, jitted, batched, by every path, bit for bit what the same steps written out give; and derivatives of both modes,
 * against those of the steps written out and against differences. */
#include "support/expect.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    SLOTS = 24,
    GROUP = 12,
    CARRIES = 3,
    XS = 2,
    CONSTS = 2,
    YS = 4,
    OPS = 7,
    VARIANTS = 3,
    VALUES = CARRIES + XS + CONSTS + 1 + OPS
};
enum { SCAN, WHILE, FORI, COND, SWITCH, FORMS };
enum { F32, F64, I32, I64, BOOL };
enum { SCALAR, ROW, TWO_ROWS };
enum { MOST_ROUNDS = 4 };
static const char *const form_name[] = {"scan", "while", "fori", "cond", "switch"};

/* ---- Bodies. A recipe makes values of values: first the carries, elements, constants and the index, then one an operation. */
typedef struct {
    int dtype, shape;
} spec;
typedef struct {
    int kind, a, b, c, form, slot; /* form and slot: of a loop inside */
    spec to;
} operation;
typedef struct {
    bool smooth; /* its numbers are float64, its conditions do not depend on them */
    int width;   /* of a row: a few elements, or more than one writes out */
    int n_carry, n_x, n_const, n_y, n_op, depth;
    spec carry[CARRIES], x[XS], konst[CONSTS];
    operation op[VARIANTS][OPS];
    int next[CARRIES], y[YS];
} recipe;
static recipe recipes[SLOTS];

static uint32_t seed, first_seed; /* KILN_TEST_SEED: other recipes */
static int below(int n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (int)(seed % (uint32_t)n);
}

static spec some_spec(bool smooth)
{
    spec s = {smooth ? (below(3) ? F64 : I32 + below(3)) : below(5), below(3)};
    return s;
}

enum { INNER = 12 };
static operation some_operation(const recipe *r, int slot, int known)
{
    operation o = {below(4) ? below(INNER) : INNER,
                   below(known),
                   below(known),
                   below(known),
                   below(FORMS),
                   0,
                   some_spec(r->smooth)};
    int group = slot / GROUP * GROUP, inner = slot > group ? group + below(slot - group) : -1;
    if (o.kind == INNER && (inner < 0 || recipes[inner].depth >= 3 || recipes[inner].smooth != r->smooth))
        o.kind = 0;
    o.slot = inner < 0 ? 0 : inner;
    return o;
}

static void make_recipe(int slot)
{
    recipe *r = &recipes[slot];
    seed = 12345u + 7919u * (uint32_t)slot + first_seed;
    for (int i = 0; i < 20; i++)
        below(2);
    *r = (recipe){.smooth = slot % 2, .width = slot < GROUP ? 3 : 65, .depth = 1};
    r->n_carry = 1 + below(CARRIES);
    r->n_x = below(XS + 1);
    r->n_const = below(CONSTS + 1);
    r->n_y = below(YS + 1);
    r->n_op = 2 + below(OPS - 1);
    for (int i = 0; i < CARRIES; i++)
        r->carry[i] = some_spec(r->smooth);
    if (r->smooth)
        r->carry[0].dtype = F64;
    for (int i = 0; i < XS; i++)
        r->x[i] = some_spec(r->smooth);
    for (int i = 0; i < CONSTS; i++)
        r->konst[i] = some_spec(r->smooth);
    int given = r->n_carry + r->n_x + r->n_const + 1, all = given + r->n_op;
    for (int i = 0; i < r->n_op; i++)
        for (int v = 0; v < VARIANTS; v++) {
            operation *o = &r->op[v][i];
            *o = some_operation(r, slot, given + i);
            o->to = r->op[0][i].to;
            if (o->kind == INNER && recipes[o->slot].depth + 1 > r->depth)
                r->depth = recipes[o->slot].depth + 1;
        }
    for (int i = 0; i < r->n_carry; i++)
        r->next[i] = below(4) ? all - 1 - below(r->n_op) : below(all);
    for (int i = 0; i < r->n_y; i++)
        r->y[i] = below(all); /* a carry, an element, a constant, twice the same */
}

static kn_dtype dtype_of(int d)
{
    const kn_dtype all[] = {KN_F32, KN_F64, KN_I32, KN_I64, KN_BOOL};
    return all[d];
}
static int dtype_number(kn_array v)
{
    for (int d = 0; d < 5; d++)
        if (kn_dtype_of(v) == dtype_of(d))
            return d;
    return -1;
}

/* v as an array of that kind. */
static kn_array fetch(kn_array v, spec to, const recipe *r)
{
    int from = dtype_number(v), ndim = kn_ndim(v);
    bool was_float = from <= F64;
    if (was_float && to.dtype >= I32 && r->smooth)
        v = kn_ones(kn_shape_of(v), .dtype = KN_I32);
    else if (was_float && (to.dtype == I32 || to.dtype == I64))
        v = kn_floor(kn_mul(v, 4));
    else if (from != BOOL && to.dtype == BOOL)
        v = kn_greater(v, 0);
    else if ((from == I32 || from == I64) && to.dtype <= F64)
        v = kn_remainder(v, 5);
    v = kn_astype(v, dtype_of(to.dtype));
    if (ndim == 2 && to.shape <= ROW)
        v = kn_at(v, "1");
    if (ndim >= 1 && to.shape == SCALAR)
        v = kn_at(v, "2");
    if (ndim < to.shape)
        v = kn_broadcast_to(v, to.shape == ROW ? KN_SHAPE(r->width) : KN_SHAPE(2, r->width));
    return v;
}

static kn_array halved(const kn_array *x) { return kn_mul(kn_cos(*x), 0.5); }
KN_FUNCTION(halved, kn_array, kn_array)

static kn_array float_operation(int kind, kn_array a, kn_array b, kn_array c, const recipe *r)
{
    bool smooth = r->smooth;
    kn_array out, at = kn_remainder(fetch(c, (spec){I32, SCALAR}, r), 3);
    switch (kind) {
    case 0: return kn_add(kn_mul(a, 0.5), kn_sin(b));
    case 1: return kn_mul(kn_sin(a), kn_tanh(b));
    case 2: return kn_tanh(kn_sub(a, b));
    case 3: return kn_div(kn_cos(a), kn_add(kn_mul(b, b), 1.5));
    case 4: return kn_where(fetch(c, (spec){BOOL, SCALAR}, r), a, kn_mul(b, 0.5));
    case 5: return smooth ? kn_exp(kn_neg(kn_mul(a, a))) : kn_maximum(a, b);
    case 6: return kn_add(kn_mul(a, 0.25), kn_mean(b)); /* a reduction */
    case 7: kn_call(kn_jit(KN_FN(halved)), &out, &a); return out;
    case 8: /* a product */
        return kn_ndim(a) == 2 ? kn_tanh(kn_matmul(kn_matmul(a, kn_transpose(b)), a))
                               : kn_mul(a, kn_tanh(kn_sum(kn_mul(a, b))));
    case 9: /* an element at a computed place */
        return kn_ndim(a) == 1 ? kn_add(kn_mul(a, 0.5), kn_at(b, "%", at)) : kn_sub(a, kn_sin(a));
    case 10: /* an element is written */
        if (kn_ndim(a) != 1)
            return kn_sub(b, kn_mul(a, 0.5));
        out = kn_copy(a);
        kn_set_at(out, kn_sin(kn_at(b, "1")), "%", at);
        return out;
    default: return kn_ndim(a) && !smooth ? kn_sort(kn_mul(a, 0.75)) : kn_mul(a, 0.75);
    }
}

static kn_array int_operation(int kind, kn_array a, kn_array b, kn_array c, const recipe *r)
{
    switch (kind % 6) {
    case 0: return kn_add(a, b);
    case 1: return kn_bitwise_xor(a, b);
    case 2: return kn_sub(kn_mul(a, 3), b);
    case 3: return kn_minimum(a, b);
    case 4: return kn_where(fetch(c, (spec){BOOL, SCALAR}, r), a, b);
    default: return kn_bitwise_and(a, kn_add(b, 5));
    }
}

static kn_array bool_operation(int kind, kn_array a, kn_array b)
{
    switch (kind % 4) {
    case 0: return kn_logical_and(a, b);
    case 1: return kn_not_equal(a, b);
    case 2: return kn_logical_or(kn_logical_not(a), b);
    default: return kn_logical_not(a);
    }
}

typedef struct {
    int32_t slot, form, length, unrolled, reverse, checkpoint, unroll, accept, total, bounded;
} setting;
static void run_form(const setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst, kn_array n,
                     kn_array *out);

/* A loop or branch inside: its first carry, of values that are there. */
static kn_array inner(const operation *o, const kn_array *value, bool unrolled)
{
    const recipe *r = &recipes[o->slot];
    kn_array carry[CARRIES], xs[XS], konst[CONSTS], out[CARRIES + YS];
    setting s = {.slot = o->slot, .form = o->form, .length = 2, .unrolled = unrolled, .bounded = true};
    for (int i = 0; i < r->n_carry; i++)
        carry[i] = fetch(value[i % 2 ? o->b : o->a], r->carry[i], r);
    for (int i = 0; i < r->n_x; i++) {
        kn_array x = fetch(value[o->b], r->x[i], r), y = fetch(value[o->c], r->x[i], r);
        xs[i] = kn_stack(KN_LIST(x, y));
    }
    for (int i = 0; i < r->n_const; i++)
        konst[i] = fetch(value[o->c], r->konst[i], r);
    kn_array n = kn_remainder(fetch(value[o->c], (spec){I32, SCALAR}, r), 4);
    run_form(&s, carry, xs, konst, n, out);
    return out[0];
}

static void play(int slot, int variant, bool unrolled, const kn_array *carry, const kn_array *x, const kn_array *konst,
                 kn_array index, kn_array *next, kn_array *y)
{
    const recipe *r = &recipes[slot];
    kn_array value[VALUES];
    int n = 0;
    for (int i = 0; i < r->n_carry; i++)
        value[n++] = carry[i];
    for (int i = 0; i < r->n_x; i++)
        value[n++] = x[i];
    for (int i = 0; i < r->n_const; i++)
        value[n++] = konst[i];
    value[n++] = index;
    for (int i = 0; i < r->n_op; i++) {
        const operation *o = &r->op[variant][i];
        kn_array a = fetch(value[o->a], o->to, r), b = fetch(value[o->b], o->to, r), c = value[o->c], v;
        if (o->kind == INNER)
            v = fetch(inner(o, value, unrolled), o->to, r);
        else if (o->to.dtype <= F64)
            v = float_operation(o->kind, a, b, c, r);
        else
            v = o->to.dtype == BOOL ? bool_operation(o->kind, a, b) : int_operation(o->kind, a, b, c, r);
        value[n++] = fetch(v, o->to, r);
    }
    for (int i = 0; i < r->n_carry; i++)
        next[i] = fetch(value[r->next[i]], r->carry[i], r);
    for (int i = 0; y && i < r->n_y; i++)
        y[i] = value[r->y[i]];
}

/* ---- The functions that loops take: one of each kind for each recipe. What they capture: constants, then for all but scans
 * an element of each input; the condition of a while captures how often. */
static kn_array two(void) { return kn_scalar((int64_t)2); }
static void scan_body(int slot, const kn_array *konst, kn_array *out, const void *const *in)
{
    play(slot, 0, false, in[0], recipes[slot].n_x ? in[1] : NULL, konst, two(), out, out + recipes[slot].n_carry);
}
static void while_body(int slot, const kn_array *konst, kn_array *out, const void *const *in)
{
    const kn_array *carry = in[0];
    out[0] = kn_add(carry[0], 1);
    play(slot, 0, false, carry + 1, konst + recipes[slot].n_const, konst, two(), out + 1, NULL);
}
static void fori_body(int slot, const kn_array *konst, kn_array *out, const void *const *in)
{
    play(slot, 0, false, in[1], konst + recipes[slot].n_const, konst, *(const kn_array *)in[0], out, NULL);
}
static void branch(int slot, int variant, const kn_array *konst, kn_array *out, const void *const *in)
{
    play(slot, variant, false, in[0], konst + recipes[slot].n_const, konst, two(), out, NULL);
}

typedef void thunk(const void *, void *, const void *const *);
#define ALL_SLOTS(X) \
    X(0)             \
    X(1)             \
    X(2)             \
    X(3)             \
    X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define THUNK(name, number, call) \
    static void name##_##number(const void *konst, void *out, const void *const *in) { call; }
#define X(i)                                        \
    THUNK(scan, i, scan_body(i, konst, out, in))    \
    THUNK(while, i, while_body(i, konst, out, in))  \
    THUNK(fori, i, fori_body(i, konst, out, in))    \
    THUNK(branch0, i, branch(i, 0, konst, out, in)) \
    THUNK(branch1, i, branch(i, 1, konst, out, in)) \
    THUNK(branch2, i, branch(i, 2, konst, out, in))
ALL_SLOTS(X)
#undef X
enum { SCAN_BODY, WHILE_BODY, FORI_BODY, BRANCH, BODIES = BRANCH + VARIANTS };
#define X(i) {scan_##i, while_##i, fori_##i, branch0_##i, branch1_##i, branch2_##i},
static thunk *const thunks[SLOTS][BODIES] = {ALL_SLOTS(X)};
#undef X

static void rounds_left(const void *n, void *out, const void *const *in)
{
    *(kn_array *)out = kn_less(*(const kn_array *)in[0], *(const kn_array *)n);
}

static kn_function bodies[SLOTS][BODIES], conditions[SLOTS], tops[SLOTS][2][2];
static const size_t one = sizeof(kn_array);

static void make_bodies(int slot)
{
    const recipe *r = &recipes[slot];
    size_t carry = one * (size_t)r->n_carry, konst = one * (size_t)r->n_const, x = one * (size_t)r->n_x;
    for (int i = 0; i < BODIES; i++) {
        kn_function *f = &bodies[slot][i];
        *f = (kn_function){.size_ = sizeof *f,
                           .name = "body",
                           .call = thunks[slot][i],
                           .captured_bytes = konst + x,
                           .out_bytes = carry,
                           .n_args = 1,
                           .arg_bytes = {carry}};
        if (i == SCAN_BODY) {
            f->captured_bytes = konst;
            f->out_bytes = carry + one * (size_t)r->n_y;
            f->n_args = r->n_x ? 2 : 1;
            f->arg_bytes[1] = x;
        }
        if (i == WHILE_BODY)
            f->out_bytes = f->arg_bytes[0] = one + carry;
        if (i == FORI_BODY) {
            f->n_args = 2;
            f->arg_bytes[0] = one;
            f->arg_bytes[1] = carry;
        }
    }
    conditions[slot] = (kn_function){.size_ = sizeof(kn_function),
                                     .name = "rounds_left",
                                     .call = rounds_left,
                                     .captured_bytes = one,
                                     .out_bytes = one,
                                     .n_args = 1,
                                     .arg_bytes = {one + carry}};
}

/* ---- Loops as Kiln has them ... */
static void scan_form(const setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst, kn_array *out)
{
    const recipe *r = &recipes[s->slot];
    kn_outs outs = {1, {{out, one * (size_t)(r->n_carry + r->n_y)}}};
    kn_args init = {1, {{carry, one * (size_t)r->n_carry}}}, in = {r->n_x ? 1 : 0, {{xs, one * (size_t)r->n_x}}};
    kn_scan_opts opts = {.size_ = sizeof opts,
                         .length = s->length,
                         .reverse = s->reverse,
                         .unroll = s->unroll,
                         .checkpoint = s->checkpoint,
                         .accept = s->accept};
    (kn_scan)(kn_fn_of(&bodies[s->slot][SCAN_BODY], konst), &outs, &init, &in, &opts);
}

static void while_form(const setting *s, const kn_array *carry, const kn_array *captured, kn_array n, kn_array *out)
{
    const recipe *r = &recipes[s->slot];
    kn_array all[1 + CARRIES] = {kn_scalar(0)}, end[1 + CARRIES];
    memcpy(all + 1, carry, one * (size_t)r->n_carry);
    kn_outs outs = {1, {{end, one * (size_t)(1 + r->n_carry)}}};
    kn_args init = {1, {{all, one * (size_t)(1 + r->n_carry)}}};
    kn_while_opts opts = {.size_ = sizeof opts, .max_steps = r->smooth || s->bounded ? MOST_ROUNDS : 0};
    (kn_while_loop)(kn_fn_of(&conditions[s->slot], &n), kn_fn_of(&bodies[s->slot][WHILE_BODY], captured), &outs, &init,
                    &opts);
    memcpy(out, end + 1, one * (size_t)r->n_carry);
}

static void rolled(const setting *s, const kn_array *carry, const kn_array *xs, const kn_array *captured, kn_array n,
                   kn_array *out)
{
    const recipe *r = &recipes[s->slot];
    kn_outs outs = {1, {{out, one * (size_t)r->n_carry}}};
    kn_args init = {1, {{carry, one * (size_t)r->n_carry}}};
    kn_fori_opts opts = {.size_ = sizeof opts, .checkpoint = s->checkpoint};
    kn_fn f[VARIANTS];
    for (int i = 0; i < VARIANTS && s->form >= COND; i++)
        f[i] = kn_fn_of(&bodies[s->slot][BRANCH + i], captured);
    switch (s->form) {
    case SCAN: scan_form(s, carry, xs, captured, out); break;
    case WHILE: while_form(s, carry, captured, n, out); break;
    case FORI:
        (kn_fori_loop)(kn_scalar((int64_t)0), kn_scalar((int64_t)s->length),
                       kn_fn_of(&bodies[s->slot][FORI_BODY], captured), &outs, &init, &opts);
        break;
    case COND: (kn_cond)(kn_greater(n, 1), f[0], f[1], &outs, &init); break;
    default: (kn_switch)(n, f, VARIANTS, &outs, &init); break;
    }
}

/* ... and written out. */
static void choose(kn_array which, int n, const kn_array *yes, kn_array *out)
{
    for (int i = 0; i < n; i++)
        out[i] = kn_where(which, yes[i], out[i]);
}

static void scan_written_out(const setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst,
                             kn_array *out)
{
    const recipe *r = &recipes[s->slot];
    kn_array next[CARRIES], x[XS], y[YS], *ys[YS];
    for (int i = 0; i < r->n_y; i++)
        ys[i] = calloc((size_t)s->length + 1, sizeof *ys[i]);
    memcpy(out, carry, one * (size_t)r->n_carry);
    for (int k = 0; k < s->length; k++) {
        int t = s->reverse ? s->length - 1 - k : k;
        for (int i = 0; i < r->n_x; i++)
            x[i] = kn_at(xs[i], "%", t);
        play(s->slot, 0, true, out, x, konst, two(), next, y);
        memcpy(out, next, one * (size_t)r->n_carry);
        for (int i = 0; i < r->n_y; i++)
            ys[i][t] = kn_expand_dims(y[i], KN_AXIS(0));
    }
    for (int i = 0; i < r->n_y; i++) {
        out[r->n_carry + i] = s->length ? kn_concatenate(kn_list_from(ys[i], s->length)) : kn_zeros(KN_SHAPE(0));
        free(ys[i]);
    }
}

static void written_out(const setting *s, const kn_array *carry, const kn_array *xs, const kn_array *captured,
                        kn_array n, kn_array *out)
{
    const recipe *r = &recipes[s->slot];
    const kn_array *x = captured + r->n_const;
    kn_array next[CARRIES];
    if (s->form == SCAN) {
        scan_written_out(s, carry, xs, captured, out);
        return;
    }
    memcpy(out, carry, one * (size_t)r->n_carry);
    for (int k = 0; s->form == WHILE && k < MOST_ROUNDS; k++) {
        play(s->slot, 0, true, out, x, captured, two(), next, NULL);
        choose(kn_less(k, n), r->n_carry, next, out);
    }
    for (int k = 0; s->form == FORI && k < s->length; k++) {
        play(s->slot, 0, true, out, x, captured, kn_scalar((int64_t)k), next, NULL);
        memcpy(out, next, one * (size_t)r->n_carry);
    }
    if (s->form < COND)
        return;
    bool many = s->form == SWITCH;
    play(s->slot, many ? 2 : 0, true, carry, x, captured, two(), out, NULL);
    play(s->slot, 1, true, carry, x, captured, two(), next, NULL);
    choose(many ? kn_equal(n, 1) : kn_less_equal(n, 1), r->n_carry, next, out);
    if (many) {
        play(s->slot, 0, true, carry, x, captured, two(), next, NULL);
        choose(kn_less_equal(n, 0), r->n_carry, next, out);
    }
}

static void run_form(const setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst, kn_array n,
                     kn_array *out)
{
    const recipe *r = &recipes[s->slot];
    kn_array captured[CONSTS + XS];
    memcpy(captured, konst, one * (size_t)r->n_const);
    for (int i = 0; i < r->n_x && s->form != SCAN; i++)
        captured[r->n_const + i] = kn_at(xs[i], "0");
    (s->unrolled ? written_out : rolled)(s, carry, xs, captured, n, out);
}

/* ---- A function of two structs of arrays around a loop: numbers that derivatives are taken by (one more, which does nothing),
 * and how often with all others. */
static int n_out(const setting *s) { return recipes[s->slot].n_carry + (s->form == SCAN ? recipes[s->slot].n_y : 0); }
static int floats_of(int slot)
{
    const recipe *r = &recipes[slot];
    int n = 0;
    for (int i = 0; i < r->n_carry; i++)
        n += r->carry[i].dtype <= F64;
    for (int i = 0; i < r->n_x; i++)
        n += r->x[i].dtype <= F64;
    for (int i = 0; i < r->n_const; i++)
        n += r->konst[i].dtype <= F64;
    return n;
}
static int leaves_of(int slot) { return recipes[slot].n_carry + recipes[slot].n_x + recipes[slot].n_const; }

static kn_array total_of(const kn_array *y, int n)
{
    kn_array sum = kn_num(0.0);
    for (int i = 0; i < n; i++)
        if (dtype_number(y[i]) <= F64) {
            kn_array w = kn_cos(kn_arange(0, kn_size(y[i]), 1, .dtype = KN_F64));
            sum = kn_add(sum, kn_sum(kn_mul(kn_reshape(kn_astype(y[i], KN_F64), KN_SHAPE(-1)), w)));
        }
    return sum;
}

static void top(const void *env, void *out, const void *const *in)
{
    const setting *s = env;
    const recipe *r = &recipes[s->slot];
    const kn_array *floats = in[0], *others = in[1];
    kn_array carry[CARRIES], xs[XS], konst[CONSTS], result[CARRIES + YS];
    int f = 1, o = 1;
    for (int i = 0; i < r->n_carry; i++)
        carry[i] = r->carry[i].dtype <= F64 ? floats[f++] : others[o++];
    for (int i = 0; i < r->n_x; i++)
        xs[i] = r->x[i].dtype <= F64 ? floats[f++] : others[o++];
    for (int i = 0; i < r->n_const; i++)
        konst[i] = r->konst[i].dtype <= F64 ? floats[f++] : others[o++];
    run_form(s, carry, xs, konst, others[0], result);
    if (s->total)
        *(kn_array *)out = total_of(result, n_out(s));
    else
        memcpy(out, result, one * (size_t)n_out(s));
}

static kn_fn top_fn(const setting *s) { return kn_fn_of(&tops[s->slot][s->form == SCAN][s->total], s); }

static void make_tops(int slot)
{
    int floats = floats_of(slot), leaves = leaves_of(slot);
    for (int scan = 0; scan < 2; scan++)
        for (int sum = 0; sum < 2; sum++) {
            int n = recipes[slot].n_carry + (scan ? recipes[slot].n_y : 0);
            tops[slot][scan][sum] =
                (kn_function){.size_ = sizeof(kn_function),
                              .name = "top",
                              .call = top,
                              .env_bytes = sizeof(setting),
                              .out_bytes = one * (size_t)(sum ? 1 : n),
                              .n_args = 2,
                              .arg_bytes = {one * (size_t)(1 + floats), one * (size_t)(1 + leaves - floats)}};
        }
}

/* ---- What it is called with. */
enum { LEAVES = 2 + CARRIES + XS + CONSTS, LANES = 3 };
typedef struct {
    kn_array floats[LEAVES], others[LEAVES];
    int n_floats, n_others;
} inputs;

static kn_array random_array(const recipe *r, spec s, int64_t length) /* length < 0: of one element */
{
    double numbers[17 * 2 * 65];
    kn_shape shape = {.ndim = 0};
    int64_t n = 1;
    if (length >= 0)
        shape.dim[shape.ndim++] = length;
    if (s.shape == TWO_ROWS)
        shape.dim[shape.ndim++] = 2;
    if (s.shape >= ROW)
        shape.dim[shape.ndim++] = r->width;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    for (int64_t i = 0; i < n; i++)
        numbers[i] = s.dtype <= F64 ? (below(2000) - 1000) / 600.0 : below(s.dtype == BOOL ? 2 : 9);
    return kn_astype(kn_from(numbers, shape), dtype_of(s.dtype));
}

static void put(inputs *in, const recipe *r, spec s, int64_t length)
{
    kn_array a = random_array(r, s, length);
    if (s.dtype <= F64)
        in->floats[in->n_floats++] = a;
    else
        in->others[in->n_others++] = a;
}

static inputs some_inputs(const setting *s, int lane)
{
    const recipe *r = &recipes[s->slot];
    int64_t length = s->form == SCAN ? s->length : 1;
    inputs in = {.n_floats = 1, .n_others = 1};
    seed = 777u + 31u * (uint32_t)s->slot + 1009u * (uint32_t)lane + first_seed;
    for (int i = 0; i < 20; i++)
        below(2);
    in.floats[0] = kn_scalar(1.0);
    in.others[0] = kn_scalar((s->slot + lane * 2) % MOST_ROUNDS);
    for (int i = 0; i < r->n_carry; i++)
        put(&in, r, r->carry[i], -1);
    for (int i = 0; i < r->n_x; i++)
        put(&in, r, r->x[i], length);
    for (int i = 0; i < r->n_const; i++)
        put(&in, r, r->konst[i], -1);
    return in;
}

static kn_args args_of(const inputs *in)
{
    return (kn_args){2, {{in->floats, one * (size_t)in->n_floats}, {in->others, one * (size_t)in->n_others}}};
}
static int call(kn_fn f, const inputs *in, kn_array *out, int n)
{
    kn_args args = args_of(in);
    kn_outs outs = {1, {{out, one * (size_t)n}}};
    return (kn_call)(f, &outs, &args);
}

static setting setting_of(int slot, int form)
{
    static const int lengths[] = {3, 0, 1, 2, 17, 3};
    setting s = {.slot = slot, .form = form, .length = lengths[slot % 6], .reverse = form == SCAN && slot % 4 == 1};
    if (!recipes[slot].n_x && !s.length)
        s.length = 2; /* a length that is not given */
    return s;
}
static setting as_written_out(setting s)
{
    s.unrolled = true;
    s.accept = s.checkpoint = s.unroll = 0;
    return s;
}

/* ---- Comparisons. */
static const char *about(const setting *s, const char *how)
{
    static char text[160];
    snprintf(text, sizeof text,
             "recipe %d, %s of length %d, %s (reverse %d, checkpoint %d, unroll %d, accept %d, depth %d)", s->slot,
             form_name[s->form], s->length, how, s->reverse, s->checkpoint, s->unroll, s->accept,
             recipes[s->slot].depth);
    return text;
}

static void must_work(const setting *s, const char *how, int status)
{
    if (status || kn_error_pending()) {
        print_error("%s: %s\n", about(s, how), kn_error_message());
        kn_error_clear();
        fail();
    }
}

static void same_bits(const setting *s, const char *how, const kn_array *got, const kn_array *want, int n)
{
    for (int i = 0; i < n; i++) {
        int64_t size = kn_size(got[i]);
        size_t bytes = kn_dtype_size(kn_dtype_of(want[i])) * (size_t)(size > 0 ? size : 0);
        char *a = calloc(bytes + 1, 1), *b = calloc(bytes + 1, 1);
        bool same = s->length == 0 && s->form == SCAN && i >= recipes[s->slot].n_carry
                        ? size == 0
                        : kn_dtype_of(got[i]) == kn_dtype_of(want[i]) && size == kn_size(want[i]) &&
                              kn_copy_to(got[i], a, bytes) == 0 && kn_copy_to(want[i], b, bytes) == 0 &&
                              memcmp(a, b, bytes) == 0;
        free(a);
        free(b);
        must_work(s, how, 0);
        if (!same) {
            print_error("%s: result %d\n", about(s, how), i);
            kn_print(got[i]);
            kn_print(want[i]);
            fail();
        }
    }
}

static void near(const setting *s, const char *how, const kn_array *got, const kn_array *want, int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        kn_array a = kn_astype(got[i], KN_F64), b = kn_astype(want[i], KN_F64);
        double gap = kn_size(a) ? kn_item(kn_max(kn_abs(kn_sub(a, b)))) : 0;
        double most = kn_size(a) ? kn_item(kn_max(kn_abs(b))) : 0;
        must_work(s, how, 0);
        if (!(gap <= tolerance * (1 + most))) {
            print_error("%s: result %d differs by %g of %g\n", about(s, how), i, gap, most);
            fail();
        }
    }
}

/* ---- Values. */
static void want_of(const setting *s, const inputs *in, kn_array *want)
{
    setting plain = as_written_out(*s);
    must_work(&plain, "written out", call(top_fn(&plain), in, want, n_out(s)));
}

static void check_values(const setting *s, const char *how, bool jit)
{
    KN_SCOPE;
    kn_array got[CARRIES + YS], want[CARRIES + YS];
    inputs in = some_inputs(s, 0);
    want_of(s, &in, want);
    must_work(s, how, call(jit ? kn_jit(top_fn(s)) : top_fn(s), &in, got, n_out(s)));
    same_bits(s, how, got, want, n_out(s));
}
static void eager(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        setting s = setting_of(slot, form);
        check_values(&s, "eager", false);
    }
}
static void jitted(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        setting s = setting_of(slot, form);
        check_values(&s, "jit", true);
    }
}

/* Operations run one by one. */
static void at_once(int form)
{
    kn_set_lazy(false);
    for (int slot = 0; slot < SLOTS; slot += 2) {
        setting s = setting_of(slot, form);
        check_values(&s, "at once", false);
    }
    kn_set_lazy(true);
}

/* A jaxpr's text is read back as the same jaxpr, which gives the same bits. */
static void texts(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        KN_SCOPE;
        setting s = setting_of(slot, form);
        kn_array got[CARRIES + YS], want[CARRIES + YS];
        inputs in = some_inputs(&s, 0);
        kn_args args = args_of(&in);
        want_of(&s, &in, want);
        kn_jaxpr j = kn_make_jaxpr(top_fn(&s), &args), again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
        must_work(&s, "text", 0);
        if (!kn_jaxpr_equal(j, again))
            fail_msg("%s", about(&s, "text"));
        kn_array flat[2 * LEAVES];
        int leaves = in.n_floats + in.n_others;
        memcpy(flat, in.floats, one * (size_t)in.n_floats);
        memcpy(flat + in.n_floats, in.others, one * (size_t)in.n_others);
        kn_args each = {1, {{flat, one * (size_t)leaves}}}; /* its arguments are the arrays, or all of them one */
        for (int i = 0; i < leaves && leaves <= KN_MAX_ARGS; i++)
            each.part[i] = (kn_const_part){&flat[i], one};
        each.n = leaves <= KN_MAX_ARGS ? leaves : 1;
        kn_outs outs = {1, {{got, one * (size_t)n_out(&s)}}};
        must_work(&s, "text", (kn_call)(kn_fn_from_jaxpr(again), &outs, &each));
        same_bits(&s, "text", got, want, n_out(&s));
    }
}

/* Each lane as alone; what is not mapped is that of lane 0. */
static void lanes(int form, bool some)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        KN_SCOPE;
        setting s = setting_of(slot, form);
        inputs in[LANES], all;
        kn_array got[CARRIES + YS], want[LANES][CARRIES + YS];
        for (int l = 0; l < LANES; l++) {
            in[l] = some_inputs(&s, l);
            if (some && slot % 3)
                memcpy(slot % 3 == 1 ? in[l].floats : in[l].others, slot % 3 == 1 ? in[0].floats : in[0].others,
                       sizeof in[l].floats);
            want_of(&s, &in[l], want[l]);
        }
        all = in[0];
        bool floats = !some || slot % 3 != 1, others = !some || slot % 3 != 2;
        for (int i = 0; i < in[0].n_floats && floats; i++)
            all.floats[i] = kn_stack(KN_LIST(in[0].floats[i], in[1].floats[i], in[2].floats[i]));
        for (int i = 0; i < in[0].n_others && others; i++)
            all.others[i] = kn_stack(KN_LIST(in[0].others[i], in[1].others[i], in[2].others[i]));
        kn_fn f =
            kn_vmap(top_fn(&s), .in_axes = {floats ? KN_MAPPED(0) : KN_UNMAPPED, others ? KN_MAPPED(0) : KN_UNMAPPED});
        must_work(&s, "vmap", call(some ? f : kn_jit(f), &all, got, n_out(&s)));
        for (int l = 0; l < LANES; l++) {
            kn_array lane[CARRIES + YS];
            for (int i = 0; i < n_out(&s); i++)
                lane[i] = kn_at(got[i], "%", l);
            same_bits(&s, "vmap", lane, want[l], n_out(&s));
        }
    }
}
static void vmapped(int form) { lanes(form, false); }
static void vmapped_in_part(int form) { lanes(form, true); }

/* ---- Derivatives. */
static double tolerance_of(int slot) { return recipes[slot].smooth ? 1e-12 : 2e-4; }

static void check_gradient(setting s, const char *how, bool jit)
{
    KN_SCOPE;
    kn_array got[LEAVES], want[LEAVES];
    inputs in = some_inputs(&s, 0);
    s.total = true;
    setting plain = as_written_out(s);
    kn_fn f = kn_grad(top_fn(&s));
    must_work(&plain, "gradient, written out", call(kn_grad(top_fn(&plain)), &in, want, in.n_floats));
    must_work(&s, how, call(jit ? kn_jit(f) : f, &in, got, in.n_floats));
    near(&s, how, got, want, in.n_floats, tolerance_of(s.slot));
}
static void gradients(int form)
{
    for (int slot = 0; slot < SLOTS; slot++)
        if (recipes[slot].smooth || form != WHILE) /* the others have no bound */
            check_gradient(setting_of(slot, form), "gradient", slot % 4 < 2);
}

/* The gradient of each lane. */
static void lane_gradients(int form)
{
    for (int slot = 1; slot < SLOTS; slot += 2) {
        KN_SCOPE;
        setting s = setting_of(slot, form);
        s.total = true;
        setting plain = as_written_out(s);
        inputs in[LANES], all;
        kn_array got[LEAVES], want[LANES][LEAVES];
        for (int l = 0; l < LANES; l++) {
            in[l] = some_inputs(&s, l);
            must_work(&plain, "gradient of a lane", call(kn_grad(top_fn(&plain)), &in[l], want[l], in[l].n_floats));
        }
        all = in[0];
        for (int i = 0; i < all.n_floats; i++)
            all.floats[i] = kn_stack(KN_LIST(in[0].floats[i], in[1].floats[i], in[2].floats[i]));
        for (int i = 0; i < all.n_others; i++)
            all.others[i] = kn_stack(KN_LIST(in[0].others[i], in[1].others[i], in[2].others[i]));
        kn_fn f = kn_vmap(kn_grad(top_fn(&s)));
        must_work(&s, "gradients of lanes", call(slot % 4 == 1 ? kn_jit(f) : f, &all, got, all.n_floats));
        for (int l = 0; l < LANES; l++) {
            kn_array lane[LEAVES];
            for (int i = 0; i < all.n_floats; i++)
                lane[i] = kn_at(got[i], "%", l);
            near(&s, "gradients of lanes", lane, want[l], all.n_floats, tolerance_of(slot));
        }
    }
}

static double total_at(const setting *s, const inputs *in, double h)
{
    KN_SCOPE;
    inputs moved = *in;
    kn_array y;
    for (int i = 1; i < in->n_floats; i++) {
        kn_array d = kn_sin(kn_arange(1 + i, kn_size(in->floats[i]) + 1 + i, 1, .dtype = KN_F64));
        moved.floats[i] = kn_add(in->floats[i], kn_mul(h, kn_reshape(d, kn_shape_of(in->floats[i]))));
    }
    call(top_fn(s), &moved, &y, 1);
    return kn_item(y);
}

static void slopes(int form)
{
    for (int slot = 1; slot < SLOTS; slot += 2) {
        KN_SCOPE;
        setting s = setting_of(slot, form);
        kn_array g[LEAVES];
        inputs in = some_inputs(&s, 0);
        s.total = true;
        must_work(&s, "gradient", call(kn_grad(top_fn(&s)), &in, g, in.n_floats));
        double slope = 0, h = 1e-5;
        for (int i = 1; i < in.n_floats; i++) {
            kn_array d = kn_sin(kn_arange(1 + i, kn_size(g[i]) + 1 + i, 1, .dtype = KN_F64));
            slope += kn_item(kn_sum(kn_mul(kn_reshape(g[i], KN_SHAPE(-1)), d)));
        }
        setting plain = as_written_out(s);
        double difference = (total_at(&plain, &in, h) - total_at(&plain, &in, -h)) / (2 * h);
        must_work(&s, "differences", 0);
        if (!(fabs(slope - difference) <= 1e-6 * (1 + fabs(difference)))) {
            print_error("%s: the slope is %.12g, differences give %.12g\n", about(&s, "differences"), slope,
                        difference);
            fail();
        }
    }
}

static void check_tangents(const setting *s, bool jit)
{
    KN_SCOPE;
    setting plain = as_written_out(*s);
    kn_array y[CARRIES + YS], dy[CARRIES + YS], want[CARRIES + YS], dwant[CARRIES + YS];
    inputs in = some_inputs(s, 0), d = in;
    for (int i = 0; i < in.n_floats; i++)
        d.floats[i] = kn_cos(kn_mul(in.floats[i], i + 2));
    for (int i = 0; i < in.n_others; i++)
        d.others[i] = kn_zeros_like(in.others[i]);
    kn_args args = args_of(&in), dargs = args_of(&d);
    size_t bytes = one * (size_t)n_out(s);
    kn_outs outs = {1, {{y, bytes}}}, douts = {1, {{dy, bytes}}}, wants = {1, {{want, bytes}}},
            dwants = {1, {{dwant, bytes}}};
    must_work(&plain, "jvp", (kn_jvp)(top_fn(&plain), &args, &dargs, &wants, &dwants));
    must_work(s, "jvp", (kn_jvp)(jit ? kn_jit(top_fn(s)) : top_fn(s), &args, &dargs, &outs, &douts));
    int compared = s->length || s->form != SCAN ? n_out(s) : recipes[s->slot].n_carry;
    same_bits(s, "values of jvp", y, want, compared);
    near(s, "jvp", dy, dwant, compared, tolerance_of(s->slot));
}
static void tangents(int form)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        setting s = setting_of(slot, form);
        check_tangents(&s, slot % 4 < 2);
    }
}

static void second_derivatives(int form)
{
    for (int slot = 1; slot < SLOTS; slot += 4) {
        KN_SCOPE;
        setting s = setting_of(slot, form);
        kn_array got[LEAVES * LEAVES], want[LEAVES * LEAVES];
        inputs in = some_inputs(&s, 0);
        s.total = true;
        setting plain = as_written_out(s);
        int n = in.n_floats * in.n_floats;
        must_work(&plain, "hessian", call(kn_hessian(top_fn(&plain)), &in, want, n));
        must_work(&s, "hessian", call(kn_hessian(top_fn(&s)), &in, got, n));
        near(&s, "hessian", got, want, n, 1e-11);
    }
}

/* ---- Options of scans. */
static void options_change_no_values(void **state)
{
    (void)state;
    for (int slot = 0; slot < SLOTS; slot++)
        for (int unroll = 1; unroll <= 4; unroll++) {
            setting s = setting_of(slot, SCAN);
            s.unroll = unroll;
            s.checkpoint = unroll == 4 ? KN_CHECKPOINT_SQRT : unroll;
            check_values(&s, "options", slot % 2);
        }
}
static void checkpoints_change_no_gradients(void **state)
{
    (void)state;
    static const int32_t every[] = {1, 2, 5, KN_CHECKPOINT_SQRT};
    for (int slot = 0; slot < SLOTS; slot++)
        for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
            setting s = setting_of(slot, SCAN);
            s.checkpoint = every[i];
            check_gradient(s, "gradient with checkpoints", slot % 4 < 2);
        }
}

/* A path that a body cannot take is a ValueError; those that it can take give the same bits. */
static int by_path(int path, bool jit)
{
    int taken = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        KN_SCOPE;
        setting s = setting_of(slot, SCAN);
        s.accept = path;
        kn_array got[CARRIES + YS], want[CARRIES + YS];
        inputs in = some_inputs(&s, 0);
        want_of(&s, &in, want);
        bool bad = call(jit ? kn_jit(top_fn(&s)) : top_fn(&s), &in, got, n_out(&s)) != 0;
        for (int i = 0; i < n_out(&s) && !bad; i++)
            kn_eval(got[i]);
        if (bad || kn_error_pending()) {
            assert_string_equal(kn_error_kind_name(), "ValueError");
            kn_error_clear();
            continue;
        }
        same_bits(&s, "by path", got, want, n_out(&s));
        taken++;
    }
    return taken;
}
static void compiled_loops_give_the_same_bits(void **state)
{
    (void)state;
    assert_true(by_path(KN_SCAN_COMPILED_LOOP, true) > 0);
    assert_true(by_path(KN_SCAN_COMPILED_LOOP, false) > 0);
}
static void loops_with_routine_calls_give_the_same_bits(void **state)
{
    (void)state;
    assert_true(by_path(KN_SCAN_ROUTINE_CALLS, true) > 0);
}
static void stepwise_loops_give_the_same_bits(void **state)
{
    (void)state;
    assert_true(by_path(KN_SCAN_STEPWISE, true) > 0);
}
static void one_of_all_paths_is_always_there(void **state)
{
    (void)state;
    assert_int_equal(by_path(KN_SCAN_COMPILED_LOOP | KN_SCAN_ROUTINE_CALLS | KN_SCAN_STEPWISE, true), SLOTS);
}

static void recipes_are_three_deep(void **state)
{
    (void)state;
    int deep = 0;
    for (int slot = 0; slot < SLOTS; slot++)
        deep += recipes[slot].depth >= 3;
    assert_true(deep >= 2);
}

#define FORMS_OF(check)                      \
    static void scan_##check(void **state)   \
    {                                        \
        (void)state;                         \
        check(SCAN);                         \
    }                                        \
    static void while_##check(void **state)  \
    {                                        \
        (void)state;                         \
        check(WHILE);                        \
    }                                        \
    static void fori_##check(void **state)   \
    {                                        \
        (void)state;                         \
        check(FORI);                         \
    }                                        \
    static void cond_##check(void **state)   \
    {                                        \
        (void)state;                         \
        check(COND);                         \
    }                                        \
    static void switch_##check(void **state) \
    {                                        \
        (void)state;                         \
        check(SWITCH);                       \
    }
FORMS_OF(eager)
FORMS_OF(jitted)
FORMS_OF(vmapped)
FORMS_OF(vmapped_in_part)
FORMS_OF(gradients)
FORMS_OF(lane_gradients)
FORMS_OF(slopes)
FORMS_OF(at_once)
FORMS_OF(texts)
FORMS_OF(tangents)
FORMS_OF(second_derivatives)
#define TESTS_OF(check) \
    TEST(scan_##check), TEST(while_##check), TEST(fori_##check), TEST(cond_##check), TEST(switch_##check)

int main(void)
{
    const char *text = getenv("KILN_TEST_SEED");
    first_seed = text ? (uint32_t)strtoul(text, NULL, 10) * 1000003u : 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        make_recipe(slot);
        make_bodies(slot);
        make_tops(slot);
    }
    const struct CMUnitTest tests[] = {
        TEST(recipes_are_three_deep),
        TESTS_OF(eager),
        TESTS_OF(jitted),
        TESTS_OF(vmapped),
        TESTS_OF(vmapped_in_part),
        TESTS_OF(gradients),
        TESTS_OF(lane_gradients),
        TESTS_OF(slopes),
        TESTS_OF(at_once),
        TESTS_OF(texts),
        TESTS_OF(tangents),
        TESTS_OF(second_derivatives),
        TEST(options_change_no_values),
        TEST(checkpoints_change_no_gradients),
        TEST(compiled_loops_give_the_same_bits),
        TEST(loops_with_routine_calls_give_the_same_bits),
        TEST(stepwise_loops_give_the_same_bits),
        TEST(one_of_all_paths_is_always_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
