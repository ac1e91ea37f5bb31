/* SPDX-License-Identifier: Apache-2.0
 * loops.c -- random bodies, the loops around them, and the same steps written out. */
#include "support/loops.h"
#include <stdlib.h>
#include <string.h>

/* ---- Bodies. A recipe makes values of values: first the carries, elements, constants and the index, then one an
 * operation. */
loop_recipe loop_recipes[SLOTS];

static uint32_t seed, first_seed;
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
static operation some_operation(const loop_recipe *r, int slot, int known)
{
    operation o = {below(4) ? below(INNER) : INNER,
                   below(known),
                   below(known),
                   below(known),
                   below(FORMS),
                   0,
                   some_spec(r->smooth)};
    int group = slot / GROUP * GROUP, inner = slot > group ? group + below(slot - group) : -1;
    if (o.kind == INNER && (inner < 0 || loop_recipes[inner].depth >= 3 || loop_recipes[inner].smooth != r->smooth))
        o.kind = 0;
    o.slot = inner < 0 ? 0 : inner;
    return o;
}

static void make_recipe(int slot)
{
    loop_recipe *r = &loop_recipes[slot];
    seed = 12345u + 7919u * (uint32_t)slot + first_seed;
    for (int i = 0; i < 20; i++)
        below(2);
    *r = (loop_recipe){.smooth = slot % 2, .width = slot < GROUP ? 3 : 65, .depth = 1};
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
            if (o->kind == INNER && loop_recipes[o->slot].depth + 1 > r->depth)
                r->depth = loop_recipes[o->slot].depth + 1;
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
static kn_array fetch(kn_array v, spec to, const loop_recipe *r)
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

static kn_array float_operation(int kind, kn_array a, kn_array b, kn_array c, const loop_recipe *r)
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

static kn_array int_operation(int kind, kn_array a, kn_array b, kn_array c, const loop_recipe *r)
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

static void run_form(const loop_setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst,
                     kn_array n, kn_array *out);

/* A loop or branch inside: its first carry, of values that are there. */
static kn_array inner(const operation *o, const kn_array *value, bool unrolled)
{
    const loop_recipe *r = &loop_recipes[o->slot];
    kn_array carry[CARRIES], xs[XS], konst[CONSTS], out[CARRIES + YS];
    loop_setting s = {.slot = o->slot, .form = o->form, .length = 2, .unrolled = unrolled, .bounded = true};
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
    const loop_recipe *r = &loop_recipes[slot];
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

/* ---- The functions that loops take: one of each kind for each recipe. What they capture: constants, then for all
 * but scans an element of each input; the condition of a while captures how often. */
static kn_array two(void) { return kn_scalar((int64_t)2); }
static void scan_body(int slot, const kn_array *konst, kn_array *out, const void *const *in)
{
    play(slot, 0, false, in[0], loop_recipes[slot].n_x ? in[1] : NULL, konst, two(), out,
         out + loop_recipes[slot].n_carry);
}
static void while_body(int slot, const kn_array *konst, kn_array *out, const void *const *in)
{
    const kn_array *carry = in[0];
    out[0] = kn_add(carry[0], 1);
    play(slot, 0, false, carry + 1, konst + loop_recipes[slot].n_const, konst, two(), out + 1, NULL);
}
static void fori_body(int slot, const kn_array *konst, kn_array *out, const void *const *in)
{
    play(slot, 0, false, in[1], konst + loop_recipes[slot].n_const, konst, *(const kn_array *)in[0], out, NULL);
}
static void branch(int slot, int variant, const kn_array *konst, kn_array *out, const void *const *in)
{
    play(slot, variant, false, in[0], konst + loop_recipes[slot].n_const, konst, two(), out, NULL);
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
    const loop_recipe *r = &loop_recipes[slot];
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
static void scan_form(const loop_setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst,
                      kn_array *out)
{
    const loop_recipe *r = &loop_recipes[s->slot];
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

static void while_form(const loop_setting *s, const kn_array *carry, const kn_array *captured, kn_array n,
                       kn_array *out)
{
    const loop_recipe *r = &loop_recipes[s->slot];
    kn_array all[1 + CARRIES] = {kn_scalar(0)}, end[1 + CARRIES];
    memcpy(all + 1, carry, one * (size_t)r->n_carry);
    kn_outs outs = {1, {{end, one * (size_t)(1 + r->n_carry)}}};
    kn_args init = {1, {{all, one * (size_t)(1 + r->n_carry)}}};
    kn_while_opts opts = {.size_ = sizeof opts, .max_steps = r->smooth || s->bounded ? MOST_ROUNDS : 0};
    (kn_while_loop)(kn_fn_of(&conditions[s->slot], &n), kn_fn_of(&bodies[s->slot][WHILE_BODY], captured), &outs, &init,
                    &opts);
    memcpy(out, end + 1, one * (size_t)r->n_carry);
}

static void rolled(const loop_setting *s, const kn_array *carry, const kn_array *xs, const kn_array *captured,
                   kn_array n, kn_array *out)
{
    const loop_recipe *r = &loop_recipes[s->slot];
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

static void scan_written_out(const loop_setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst,
                             kn_array *out)
{
    const loop_recipe *r = &loop_recipes[s->slot];
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

static void written_out(const loop_setting *s, const kn_array *carry, const kn_array *xs, const kn_array *captured,
                        kn_array n, kn_array *out)
{
    const loop_recipe *r = &loop_recipes[s->slot];
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

static void run_form(const loop_setting *s, const kn_array *carry, const kn_array *xs, const kn_array *konst,
                     kn_array n, kn_array *out)
{
    const loop_recipe *r = &loop_recipes[s->slot];
    kn_array captured[CONSTS + XS];
    memcpy(captured, konst, one * (size_t)r->n_const);
    for (int i = 0; i < r->n_x && s->form != SCAN; i++)
        captured[r->n_const + i] = kn_at(xs[i], "0");
    (s->unrolled ? written_out : rolled)(s, carry, xs, captured, n, out);
}

/* ---- A function of two structs of arrays around a loop: numbers that derivatives are taken by (one more, which
 * does nothing), and how often with all others. */
int loop_n_out(const loop_setting *s)
{
    return loop_recipes[s->slot].n_carry + (s->form == SCAN ? loop_recipes[s->slot].n_y : 0);
}
static int floats_of(int slot)
{
    const loop_recipe *r = &loop_recipes[slot];
    int n = 0;
    for (int i = 0; i < r->n_carry; i++)
        n += r->carry[i].dtype <= F64;
    for (int i = 0; i < r->n_x; i++)
        n += r->x[i].dtype <= F64;
    for (int i = 0; i < r->n_const; i++)
        n += r->konst[i].dtype <= F64;
    return n;
}
static int leaves_of(int slot)
{
    return loop_recipes[slot].n_carry + loop_recipes[slot].n_x + loop_recipes[slot].n_const;
}

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
    const loop_setting *s = env;
    const loop_recipe *r = &loop_recipes[s->slot];
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
        *(kn_array *)out = total_of(result, loop_n_out(s));
    else
        memcpy(out, result, one * (size_t)loop_n_out(s));
}

kn_fn loop_top(const loop_setting *s) { return kn_fn_of(&tops[s->slot][s->form == SCAN][s->total], s); }

static void make_tops(int slot)
{
    int floats = floats_of(slot), leaves = leaves_of(slot);
    for (int scan = 0; scan < 2; scan++)
        for (int sum = 0; sum < 2; sum++) {
            int n = loop_recipes[slot].n_carry + (scan ? loop_recipes[slot].n_y : 0);
            tops[slot][scan][sum] =
                (kn_function){.size_ = sizeof(kn_function),
                              .name = "top",
                              .call = top,
                              .env_bytes = sizeof(loop_setting),
                              .out_bytes = one * (size_t)(sum ? 1 : n),
                              .n_args = 2,
                              .arg_bytes = {one * (size_t)(1 + floats), one * (size_t)(1 + leaves - floats)}};
        }
}

/* ---- What it is called with. */
static kn_array random_array(const loop_recipe *r, spec s, int64_t length) /* length < 0: of one element */
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

static void put(loop_inputs *in, const loop_recipe *r, spec s, int64_t length)
{
    kn_array a = random_array(r, s, length);
    if (s.dtype <= F64)
        in->floats[in->n_floats++] = a;
    else
        in->others[in->n_others++] = a;
}

loop_inputs loop_some_inputs(const loop_setting *s, int lane)
{
    const loop_recipe *r = &loop_recipes[s->slot];
    int64_t length = s->form == SCAN ? s->length : 1;
    loop_inputs in = {.n_floats = 1, .n_others = 1};
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

kn_args loop_args_of(const loop_inputs *in)
{
    return (kn_args){2, {{in->floats, one * (size_t)in->n_floats}, {in->others, one * (size_t)in->n_others}}};
}
int loop_call(kn_fn f, const loop_inputs *in, kn_array *out, int n)
{
    kn_args args = loop_args_of(in);
    kn_outs outs = {1, {{out, one * (size_t)n}}};
    return (kn_call)(f, &outs, &args);
}

void loops_make(uint32_t first)
{
    first_seed = first;
    for (int slot = 0; slot < SLOTS; slot++) {
        make_recipe(slot);
        make_bodies(slot);
        make_tops(slot);
    }
}
