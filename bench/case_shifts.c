/* SPDX-License-Identifier: Apache-2.0
 * case_shifts.c -- arrays put together of others and of parts of themselves, 1000 x 1000: concatenate, roll, pad, gradient,
 * a stencil of neighbours. */
#include "inputs.h"

static kn_array join_rows(const kn_array *x) { return kn_concatenate(KN_LIST(*x, *x)); }
static kn_array join_columns(const kn_array *x) { return kn_concatenate(KN_LIST(*x, *x), KN_AXIS(1)); }
static kn_array roll(const kn_array *x) { return kn_roll(*x, 1, KN_AXIS(1)); }
static kn_array pad(const kn_array *x) { return kn_pad(*x, 1); }
static kn_array gradient(const kn_array *x) { return kn_list_get(kn_gradient(*x, .axis = KN_AXIS(1)), 0); }
static kn_array stencil(const kn_array *x)
{
    kn_array rows = kn_add(kn_roll(*x, 1, KN_AXIS(0)), kn_roll(*x, -1, KN_AXIS(0)));
    kn_array columns = kn_add(kn_roll(*x, 1, KN_AXIS(1)), kn_roll(*x, -1, KN_AXIS(1)));
    return kn_sub(kn_add(rows, columns), kn_mul(*x, 4.0f));
}
KN_FUNCTION(join_rows, kn_array, kn_array)
KN_FUNCTION(join_columns, kn_array, kn_array)
KN_FUNCTION(roll, kn_array, kn_array)
KN_FUNCTION(pad, kn_array, kn_array)
KN_FUNCTION(gradient, kn_array, kn_array)
KN_FUNCTION(stencil, kn_array, kn_array)

static void *setup(kn_fn (*f)(void), bool complex)
{
    bench_call *s = bench_call_new();
    if (!s)
        return NULL;
    s->x = bench_wave(KN_SHAPE(1000, 1000), 1.7);
    if (complex)
        s->x = kn_astype(s->x, KN_C64);
    kn_eval(s->x);
    s->f = f();
    return s;
}

#define SETUP(name, of, complex)                                 \
    static kn_fn make_##name(void) { return kn_jit(KN_FN(of)); } \
    static void *setup_##name(void) { return setup(make_##name, complex); }
SETUP(join_rows, join_rows, false)
SETUP(join_columns, join_columns, false)
SETUP(roll, roll, false)
SETUP(roll_complex, roll, true)
SETUP(pad, pad, false)
SETUP(gradient, gradient, false)
SETUP(stencil, stencil, false)

static int values(void *state, double *out)
{
    KN_SCOPE;
    kn_array y = bench_call_value(state);
    return bench_picks(kn_astype(kn_real(y), KN_F32), out, 4);
}

#define ROW(name, tolerance)                                                                                      \
#name, "us", 2, ASK_ALL, 0, tolerance, setup_##name, bench_call_run, values, .teardown = bench_call_teardown, \
                                                                                 .ratio = 1 / 1.2
const bench_case bench_shifts[] = {
    {ROW(join_rows, 0)}, {ROW(join_columns, 0)}, {ROW(roll, 0)},       {ROW(roll_complex, 0)},
    {ROW(pad, 0)},       {ROW(gradient, 1e-6)},  {ROW(stencil, 1e-5)}, {0},
};
