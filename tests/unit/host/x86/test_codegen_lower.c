/* SPDX-License-Identifier: Apache-2.0
 * test_codegen_lower.c -- stage functions against the interpreter, bit for bit: in every mode, for every number of
 * elements around the sizes of pieces, for both targets; random kernels. */
#include "base/cpu.h"
#include "kernel/expr.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/machine.h"
#include "support/stage_code.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static knh_target targets[2] = {KNH_AVX512, KNH_AVX2};
static bool works(knh_target t) { return knx_cpu_best() >= (t == KNH_AVX512 ? KN_CPU_AVX512 : KN_CPU_AVX2); }

typedef knk_node program(knk_builder *k, const knk_node *x);

/* out[i] = f(x[i], y[i], z[i]) over rows x n points. */
static void check_points(program *f, int d, int64_t rows, int64_t n, bool any, const char *what)
{
    scene s;
    uint64_t seed = 7;
    scene_begin(&s, rows, n);
    scene_stage(&s, -1);
    int map = scene_map(&s, 0, (const int64_t[]){n + 3, 1, 0});
    knk_node x[3];
    for (int i = 0; i < 3; i++)
        x[i] = knk_load(s.b, scene_buffer(&s, d, false, rows * (n + 3), &seed), map, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node y = f(s.b, x);
    knk_store(s.b, scene_buffer(&s, knk_dtype(s.b, y), true, rows * (n + 3), &seed), map, y);
    scene_end(&s);
    for (int t = 0; t < 2; t++)
        if (works(targets[t])) {
            scene_way way = {.mode = KNH_POINTS, .any = any};
            assert_true(scene_check(&s, &way, stage_code, &targets[t], what));
            stage_code_free();
        }
    scene_free(&s);
}

static knk_node sum_of_products(knk_builder *k, const knk_node *x) { return FMA(x[0], x[1], x[2]); }
static knk_node tenth_order(knk_builder *k, const knk_node *x)
{
    knk_node y = x[1];
    for (int i = 0; i < 10; i++)
        y = FMA(y, x[0], knk_const_double(k, knk_dtype(k, x[0]), 1.0 / (i + 1)));
    return y;
}

static void chains_of_floats_for_all_lengths(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 130; n++) {
        check_points(sum_of_products, KN_ID_F32, 1, n, false, "fma f32");
        check_points(tenth_order, KN_ID_F64, 2, n, false, "poly f64");
    }
    check_points(tenth_order, KN_ID_F32, 3, 1000, false, "poly f32");
    check_points(sum_of_products, KN_ID_F32, 3, 77, true, "fma f32, any stride");
}

static knk_node sine(knk_builder *k, const knk_node *x) { return knk_sin(k, x[0]); }
static knk_node sine_exp(knk_builder *k, const knk_node *x) { return MUL(knk_sin(k, x[0]), knk_exp(k, x[1])); }
static knk_node tangent(knk_builder *k, const knk_node *x) { return ADD(knk_tan(k, x[0]), knk_tanh(k, x[1])); }

static void functions_with_cold_parts(void **state)
{
    (void)state;
    for (int d = KN_ID_F32; d <= KN_ID_F64; d++)
        for (int64_t n = 1; n < 400; n += n < 70 ? 9 : 101) {
            check_points(sine, d, 1, n, false, "sin");
            check_points(sine_exp, d, 2, n, false, "sin exp");
            check_points(tangent, d, 1, n, false, "tan tanh");
        }
}

/* Every function of the kernel IR, on numbers of every kind. */
static void every_function(void **state)
{
    (void)state;
    static knk_node (*const one[])(knk_builder *, knk_node) = {
        knk_sin,   knk_cos,    knk_tanh,    knk_exp,      knk_log,        knk_log1p, knk_expm1, knk_exp2,
        knk_log2,  knk_log10,  knk_tan,     knk_asin,     knk_acos,       knk_atan,  knk_sinh,  knk_cosh,
        knk_asinh, knk_acosh,  knk_atanh,   knk_cbrt,     knk_erf,        knk_erfc,  knk_i0e,   knk_i1e,
        knk_rsqrt, knk_lgamma, knk_digamma, knk_logistic, knk_erf_inv_xla};
    static knk_node (*const two[])(knk_builder *, knk_node, knk_node) = {knk_pow, knk_atan2, knk_hypot, knk_max_nan,
                                                                         knk_min_nan};
    for (int d = KN_ID_F32; d <= KN_ID_F64; d++)
        for (size_t i = 0; i < sizeof one / sizeof *one + sizeof two / sizeof *two; i++) {
            scene s;
            uint64_t seed = i;
            enum { N = 1100 };
            scene_begin(&s, 1, N);
            scene_stage(&s, -1);
            int map = scene_map(&s, 0, (const int64_t[]){N, 1, 0}), in[2];
            knk_node x[2], y;
            for (int j = 0; j < 2; j++) {
                in[j] = scene_buffer(&s, d, false, N, &seed);
                for (int e = 0; e < N; e += 2) { /* every other one of moderate size */
                    double v = (double)(element_random(&seed) % 20000) / 1000 - 5;
                    if (d == KN_ID_F32)
                        ((float *)s.buffer[in[j]])[e] = (float)v;
                    else
                        ((double *)s.buffer[in[j]])[e] = v;
                }
                x[j] = knk_load(s.b, in[j], map, KNK_NONE, KNK_NONE, KNK_NONE);
            }
            size_t k = i - sizeof one / sizeof *one;
            y = i < sizeof one / sizeof *one ? one[i](s.b, x[0]) : two[k](s.b, x[0], x[1]);
            knk_store(s.b, scene_buffer(&s, d, true, N, &seed), map, y);
            scene_end(&s);
            for (int t = 0; t < 2; t++)
                if (works(targets[t])) {
                    char what[32];
                    scene_way way = {.mode = KNH_POINTS};
                    snprintf(what, sizeof what, "function %d", (int)i);
                    assert_true(scene_check(&s, &way, stage_code, &targets[t], what));
                    stage_code_free();
                }
            scene_free(&s);
        }
}

/* A cold part that calls while much of the lane loop lies in the frame. */
static knk_node much_alive(knk_builder *k, const knk_node *x)
{
    knk_node v[40], sum = x[2];
    for (int i = 0; i < 40; i++)
        v[i] = knk_unary(k, KNK_SQRT, ADD(x[0], knk_const_double(k, knk_dtype(k, x[0]), i)));
    knk_node a = knk_binary(k, KNK_REM, x[0], x[1]), b = knk_binary(k, KNK_REM, x[1], v[3]), c = MUL(x[0], x[2]);
    knk_node yes = ADD(MUL(a, b), knk_binary(k, KNK_REM, c, ADD(a, c)));
    sum = COLD(LT(x[1], x[2]), yes, sum);
    for (int i = 0; i < 40; i++)
        sum = FMA(sum, v[i], sum);
    return sum;
}

static void cold_parts_spill_beside_the_lane_loop(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 150; n += 37) {
        check_points(much_alive, KN_ID_F32, 1, n, false, "much alive, f32");
        check_points(much_alive, KN_ID_F64, 1, n, false, "much alive, f64");
    }
}

/* Two cold parts of one predicate: the second reads 64-bit values of the first, the lane loop has none. */
static knk_node wide_between_parts(knk_builder *k, const knk_node *x)
{
    knk_node p = LT(x[0], x[1]), a = CAST(F64, x[0]), w = MUL(a, a), v = ADD(w, CAST(F64, x[2]));
    knk_node first = COLD(p, CAST(F32, MUL(w, v)), x[1]);
    return ADD(first, COLD(p, CAST(F32, FMA(w, v, CAST(F64, first))), x[2]));
}

/* A cold part reads 64-bit numbers that are the same for all lanes; the lane loop has only narrow ones. */
static void cold_parts_read_wide_single_values(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 150; n += 37) {
        scene s;
        uint64_t seed = 3;
        scene_begin(&s, 9, n);
        scene_stage(&s, -1);
        int row = scene_map(&s, 0, (const int64_t[]){1, 0, 0}), map = scene_map(&s, 0, (const int64_t[]){n, 1, 0});
        knk_node u = knk_load(s.b, scene_buffer(&s, KN_ID_F32, false, 9, &seed), row, KNK_NONE, KNK_NONE, KNK_NONE),
                 x = knk_load(s.b, scene_buffer(&s, KN_ID_F32, false, 9 * n, &seed), map, KNK_NONE, KNK_NONE, KNK_NONE);
        knk_builder *k = s.b;
        knk_node w = CAST(F64, u), v = MUL(w, F64(3)), t = LT(v, w), p = LT(u, x);
        knk_node cold = CAST(F32, SELECT(t, ADD(w, CAST(F64, x)), v));
        knk_store(s.b, scene_buffer(&s, KN_ID_F32, true, 9 * n, &seed), map, ADD(COLD(p, cold, x), MUL(u, x)));
        scene_end(&s);
        for (int i = 0; i < 2; i++)
            if (works(targets[i])) {
                scene_way way = {.mode = KNH_POINTS};
                assert_true(scene_check(&s, &way, stage_code, &targets[i], "wide single values in cold parts"));
                stage_code_free();
            }
        scene_free(&s);
    }
}

static void wide_values_pass_between_cold_parts(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 150; n += 37)
        check_points(wide_between_parts, KN_ID_F32, 2, n, false, "wide values between cold parts");
}

/* A function of one number per row, times the lanes: its cold part is worked out where the number needs it. */
static void cold_parts_of_single_values(void **state)
{
    (void)state;
    for (int d = KN_ID_F32; d <= KN_ID_F64; d++)
        for (int64_t n = 1; n < 200; n += 33) {
            scene s;
            uint64_t seed = 99;
            enum { ROWS = 60 };
            scene_begin(&s, ROWS, n);
            scene_stage(&s, -1);
            int row = scene_map(&s, 0, (const int64_t[]){1, 0, 0}), map = scene_map(&s, 0, (const int64_t[]){n, 1, 0});
            knk_node u = knk_load(s.b, scene_buffer(&s, d, false, ROWS, &seed), row, KNK_NONE, KNK_NONE, KNK_NONE),
                     v = knk_load(s.b, scene_buffer(&s, d, false, ROWS, &seed), row, KNK_NONE, KNK_NONE, KNK_NONE),
                     x = knk_load(s.b, scene_buffer(&s, d, false, ROWS * n, &seed), map, KNK_NONE, KNK_NONE, KNK_NONE);
            knk_builder *k = s.b;
            knk_node y = MUL(ADD(knk_sin(k, u), knk_erf(k, MUL(v, knk_cos(k, v)))), ADD(x, knk_tan(k, u)));
            knk_store(s.b, scene_buffer(&s, d, true, ROWS * n, &seed), map, y);
            scene_end(&s);
            for (int t = 0; t < 2; t++)
                if (works(targets[t])) {
                    scene_way way = {.mode = KNH_POINTS};
                    assert_true(scene_check(&s, &way, stage_code, &targets[t], "cold parts of single values"));
                    stage_code_free();
                }
            scene_free(&s);
        }
}

/* Numbers of 64 bits per row, worked out in a cold part, beside lanes of 32 bits: no register of the lanes holds them. */
static void cold_parts_of_wide_single_values(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 200; n += 33) {
        scene s;
        uint64_t seed = 31;
        enum { ROWS = 20 };
        scene_begin(&s, ROWS, n);
        scene_stage(&s, -1);
        int row = scene_map(&s, 0, (const int64_t[]){1, 0, 0}), map = scene_map(&s, 0, (const int64_t[]){n, 1, 0});
        knk_node u = knk_load(s.b, scene_buffer(&s, KN_ID_F64, false, ROWS, &seed), row, KNK_NONE, KNK_NONE, KNK_NONE),
                 x = knk_load(s.b, scene_buffer(&s, KN_ID_F32, false, ROWS * n, &seed), map, KNK_NONE, KNK_NONE,
                              KNK_NONE);
        knk_builder *k = s.b;
        knk_node y = MUL(CAST(F32, ADD(knk_sin(k, u), knk_cos(k, u))), x);
        knk_store(s.b, scene_buffer(&s, KN_ID_F32, true, ROWS * n, &seed), map, y);
        scene_end(&s);
        for (int t = 0; t < 2; t++)
            if (works(targets[t])) {
                scene_way way = {.mode = KNH_POINTS};
                assert_true(scene_check(&s, &way, stage_code, &targets[t], "cold parts of wide single values"));
                stage_code_free();
            }
        scene_free(&s);
    }
}

/* One reduction of x * y over n elements, of rows x lanes points. */
static void check_sum(int how, int d, int64_t rows, int64_t lanes, int64_t n, knh_mode mode, const char *what)
{
    scene s;
    uint64_t seed = 11;
    scene_begin(&s, rows, lanes);
    scene_stage(&s, n);
    int map = scene_map(&s, 0, (const int64_t[]){lanes * n, n, 1}),
        b = scene_buffer(&s, d, false, rows * lanes * n + 1, &seed);
    knk_node x = knk_load(s.b, b, map, KNK_NONE, KNK_NONE, KNK_NONE), r = knk_reduce(s.b, (knk_reduction)how, x);
    scene_stage(&s, -1);
    knk_store(s.b, scene_buffer(&s, d, true, rows * lanes, &seed), scene_map(&s, 0, (const int64_t[]){lanes, 1, 0}), r);
    scene_end(&s);
    for (int t = 0; t < 2; t++)
        if (works(targets[t])) {
            scene_way way = {.mode = mode, .seed = (uint64_t)n};
            assert_true(scene_check(&s, &way, stage_code, &targets[t], what));
            stage_code_free();
        }
    scene_free(&s);
}

static void reductions_in_every_mode(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 130; n++)
        for (knh_mode mode = KNH_ROWS; mode <= KNH_COLUMNS; mode++) {
            check_sum(KNK_RED_ADD, KN_ID_F32, 1, 3, n, mode, "sum f32");
            check_sum(KNK_RED_MAX, KN_ID_F64, 1, 2, n, mode, "max f64");
        }
    for (int how = KNK_RED_ADD; how <= KNK_RED_XOR; how++)
        for (int d = KN_ID_BOOL; d <= KN_ID_F64; d++)
            for (knh_mode mode = KNH_ROWS; mode <= KNH_COLUMNS && !knk_is_half_id(d); mode++)
                if (how < KNK_RED_AND || !knk_is_float_id(d))
                    check_sum(how, d, 2, 19, 203, mode, knk_reduction_name[how]);
}

/* out[i, j] = table[index[i], j], where the index may lie outside of all memory: `how` says under which predicate it is
 * read then. */
enum { INSIDE, BY_ROW, BY_ROW_OR_OTHER, BY_ELEMENT, CONSTANT_ROW };
static void check_rows_by_index(int d, int64_t n, int how, bool any)
{
    enum { ROWS = 9, TABLE = 32 };
    scene s;
    uint64_t seed = 5 + (uint64_t)(d * 10 + how);
    scene_begin(&s, ROWS, n);
    scene_stage(&s, -1);
    int row = scene_map(&s, 0, (const int64_t[]){1, 0, 0}), element = scene_map(&s, 2, (const int64_t[]){0, 1, 0}),
        out = scene_map(&s, 0, (const int64_t[]){n, 1, 0});
    knk_builder *k = s.b;
    knk_node i = knk_load(k, scene_buffer(&s, KN_ID_I32, false, ROWS, &seed), row, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node at = knk_binary(k, KNK_AND, knk_cast(k, KN_ID_I64, i), knk_const_int(k, KN_ID_I64, 2 * TABLE - 1));
    knk_node inside = knk_binary(k, KNK_LT, at, knk_const_int(k, KN_ID_I64, TABLE)), pred = KNK_NONE, other = KNK_NONE;
    at = knk_binary(k, KNK_MUL, at, knk_const_int(k, KN_ID_I64, n));
    at = knk_select(k, inside, at, knk_const_int(k, KN_ID_I64, how == INSIDE ? 0 : (int64_t)1 << 44));
    if (how != INSIDE && how != CONSTANT_ROW)
        pred = inside;
    if (how == CONSTANT_ROW)
        at = knk_const_int(k, KN_ID_I64, 3 * n);
    if (how == BY_ELEMENT) {
        int b = scene_buffer(&s, KN_ID_BOOL, false, ROWS * n, &seed);
        pred = knk_binary(k, KNK_AND, pred, knk_load(k, b, out, KNK_NONE, KNK_NONE, KNK_NONE));
    }
    if (how == BY_ROW_OR_OTHER || how == BY_ELEMENT)
        other = knk_load(k, scene_buffer(&s, d, false, ROWS * n, &seed), out, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node y = knk_load(k, scene_buffer(&s, d, false, TABLE * n + 2, &seed), element, at, pred, other);
    knk_store(k, scene_buffer(&s, d, true, ROWS * n, &seed), out, y);
    scene_end(&s);
    for (int t = 0; t < 2; t++)
        if (works(targets[t])) {
            scene_way way = {.mode = KNH_POINTS, .any = any};
            assert_true(scene_check(&s, &way, stage_code, &targets[t], "rows by index"));
            stage_code_free();
        }
    scene_free(&s);
}

static void an_index_of_all_lanes_moves_a_load(void **state)
{
    (void)state;
    for (int how = INSIDE; how <= CONSTANT_ROW; how++)
        for (int d = KN_ID_BOOL; d <= KN_ID_F64; d++)
            for (int64_t n = 1; n < 200; n += n < 20 ? 6 : 57) {
                check_rows_by_index(d, n, how, false);
                check_rows_by_index(d, n, how, true);
            }
}

/* Every operation of the IR that is legal for a dtype, on both targets. */
static void check_operation(int op, int d, int to)
{
    scene s;
    uint64_t seed = (uint64_t)(op * 100 + d * 16 + to);
    scene_begin(&s, 1, 75);
    scene_stage(&s, -1);
    int map = scene_map(&s, 0, (const int64_t[]){75, 1, 0}), n = knk_op_table[op].n_operands;
    knk_node x[3] = {KNK_NONE, KNK_NONE, KNK_NONE};
    for (int i = 0; i < n; i++)
        x[i] = knk_load(s.b, scene_buffer(&s, op == KNK_SELECT && !i ? KN_ID_BOOL : d, false, 75, &seed), map, KNK_NONE,
                        KNK_NONE, KNK_NONE);
    knk_node y = op == KNK_CAST      ? knk_cast(s.b, (knx_dtype_id)to, x[0])
                 : op == KNK_BITCAST ? knk_bitcast(s.b, (knx_dtype_id)to, x[0])
                 : n == 1            ? knk_unary(s.b, (knk_op)op, x[0])
                 : n == 2            ? knk_binary(s.b, (knk_op)op, x[0], x[1])
                                     : knk_ternary(s.b, (knk_op)op, x[0], x[1], x[2]);
    if (y < 0) { /* not legal for this dtype */
        knk_delete(s.b);
        scene_free(&s);
        return;
    }
    knk_store(s.b, scene_buffer(&s, knk_dtype(s.b, y), true, 75, &seed), map, y);
    scene_end(&s);
    for (int t = 0; t < 2; t++)
        if (works(targets[t])) {
            scene_way way = {.mode = KNH_POINTS};
            assert_true(scene_check(&s, &way, stage_code, &targets[t], knk_op_table[op].name));
            stage_code_free();
        }
    scene_free(&s);
}

static void every_operation_for_every_dtype(void **state)
{
    (void)state;
    for (int op = KNK_ADD; op < KNK_LOOP; op++)
        for (int d = 0; d <= KN_ID_F64; d++)
            for (int to = 0; to <= (op == KNK_CAST || op == KNK_BITCAST ? (int)KN_ID_F64 : 0); to++)
                if (op != KNK_SCALB) /* has a small domain: random_kernels */
                    check_operation(op, d, to);
}

/* Past the caches: whole aligned vectors, the rest as usual. */
static void nontemporal_stores(void **state)
{
    (void)state;
    for (int d = 0; d <= KN_ID_F64; d++)
        for (int64_t n = 1; n < 700; n += 87) {
            scene s;
            uint64_t seed = 5;
            scene_begin(&s, 3, n);
            scene_stage(&s, -1);
            int map = scene_map(&s, 0, (const int64_t[]){704, 1, 0});
            knk_node x = knk_load(s.b, scene_buffer(&s, d, false, 3 * 704, &seed), map, KNK_NONE, KNK_NONE, KNK_NONE);
            knk_store(s.b, scene_buffer(&s, d, true, 3 * 704, &seed), map, x);
            scene_end(&s);
            for (int t = 0; t < 2; t++)
                if (works(targets[t])) {
                    scene_way way = {.mode = KNH_POINTS, .nontemporal = true};
                    assert_true(scene_check(&s, &way, stage_code, &targets[t], "nontemporal"));
                    stage_code_free();
                }
            scene_free(&s);
        }
}

/* The kernel's own code for points in adjacent lanes: its listing is looked at. */
static bool code_has(const scene *s, knh_target target, const char *text)
{
    uint8_t cls[KNH_MAX_STREAMS];
    memset(cls, KNK_STRIDE_ONE, sizeof cls);
    knh_request r = {.kernel = s->k, .stage = 0, .mode = KNH_POINTS, .cls = cls};
    knh_asm a;
    knx_str listing = {0};
    knh_asm_init(&a);
    a.listing = &listing;
    assert_null(knh_lower(&r, target, &a, NULL));
    bool has = strstr(listing.s, text) != NULL;
    knx_str_free(&listing);
    knh_asm_free(&a);
    return has;
}

/* x shifted by `left` and by `right` bits, joined; `kind` says what keeps that from being a rotation. */
enum { PLAIN, SWAPPED, READ_TWICE, TWO_VALUES, JOINED_TO_MORE, KINDS };
static void check_rotation(int d, int64_t left, int64_t right, int kind)
{
    scene s;
    uint64_t seed = 3;
    enum { N = 75 };
    scene_begin(&s, 1, N);
    scene_stage(&s, -1);
    int map = scene_map(&s, 0, (const int64_t[]){N, 1, 0});
    knk_builder *k = s.b;
    knk_node x[2];
    for (int i = 0; i < 2; i++)
        x[i] = knk_load(k, scene_buffer(&s, d, false, N, &seed), map, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_node up = knk_binary(k, KNK_SHL, x[0], knk_const_int(k, d, left)),
             down = knk_binary(k, KNK_SHR, x[kind == TWO_VALUES], knk_const_int(k, d, right)),
             y = kind == SWAPPED ? OR(down, up) : OR(up, down);
    if (kind == READ_TWICE)
        y = ADD(y, down);
    if (kind == JOINED_TO_MORE)
        y = knk_binary(k, KNK_XOR, y, x[1]);
    knk_store(k, scene_buffer(&s, d, true, N, &seed), map, y);
    scene_end(&s);
    bool rotates = kind != READ_TWICE && kind != TWO_VALUES && left + right == 8 * knk_size(d);
    assert_int_equal(code_has(&s, KNH_AVX512, "vprol"), rotates);
    for (int t = 0; t < 2; t++)
        if (works(targets[t])) {
            scene_way way = {.mode = KNH_POINTS};
            assert_true(scene_check(&s, &way, stage_code, &targets[t], "rotation"));
            stage_code_free();
        }
    scene_free(&s);
}

static void two_shifts_of_one_value_rotate_it(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int64_t left = 1; left < (d ? 64 : 32); left += d ? 9 : 5)
            for (int kind = PLAIN; kind < KINDS; kind++) {
                check_rotation(d ? KN_ID_U64 : KN_ID_U32, left, (d ? 64 : 32) - left, kind);
                check_rotation(d ? KN_ID_I64 : KN_ID_I32, left, (d ? 64 : 32) - left, kind);
                check_rotation(d ? KN_ID_U64 : KN_ID_U32, left, 31 - left % 31, kind);
            }
}

/* out[i] = the number of i, from `first` on, as 32 bits, + x[i]; `both`: and as 64 bits, too. */
static bool check_number(int d, int64_t first, int64_t n, bool any, bool both)
{
    scene s;
    uint64_t seed = 3;
    scene_begin(&s, 3, n);
    scene_stage(&s, -1);
    int map = scene_map(&s, 0, (const int64_t[]){n, 1, 0});
    knk_builder *k = s.b;
    knk_node i = knk_index(k, scene_map(&s, first, (const int64_t[]){n, 1, 0})),
             x = knk_load(k, scene_buffer(&s, d, false, 3 * n, &seed), map, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_store(k, scene_buffer(&s, d, true, 3 * n, &seed), map, ADD(knk_cast(k, d, i), x));
    if (both)
        knk_store(k, scene_buffer(&s, KN_ID_I64, true, 3 * n, &seed), map, i);
    scene_end(&s);
    bool whole = code_has(&s, KNH_AVX512, "zmm") && !code_has(&s, KNH_AVX512, "ymm");
    for (int t = 0; t < 2; t++)
        if (works(targets[t])) {
            scene_way way = {.mode = KNH_POINTS, .any = any};
            assert_true(scene_check(&s, &way, stage_code, &targets[t], "numbers"));
            stage_code_free();
        }
    scene_free(&s);
    return whole;
}

static void numbers_read_as_32_bits_do_not_halve_the_lanes(void **state)
{
    (void)state;
    static const int64_t first[] = {0, 7, -40, INT32_MAX - 20, (int64_t)UINT32_MAX - 20, (int64_t)1 << 40};
    for (size_t f = 0; f < sizeof first / sizeof *first; f++)
        for (int64_t n = 1; n < 200; n += n < 40 ? 13 : 80)
            for (int way = 0; way < 4; way++) {
                bool any = way & 1, both = way & 2;
                assert_int_equal(check_number(KN_ID_U32, first[f], n, any, both), !both);
                assert_int_equal(check_number(KN_ID_I32, first[f], n, any, both), !both);
                check_number(KN_ID_F32, first[f], n, any, both);
                check_number(KN_ID_U8, first[f], n, any, both);
            }
}

/* A kernel of n loads that are all alive at once. */
static knx_error *lower_much(int n, knh_target target, knh_asm *a)
{
    knk_builder *b = knk_new(1);
    knk_kernel *k;
    knk_node sum = KNK_NONE, *x = malloc((size_t)n * sizeof *x);
    uint8_t cls[KNH_MAX_STREAMS];
    memset(cls, KNK_STRIDE_ONE, sizeof cls);
    knk_begin_stage(b, 0);
    int in = knk_add_buffer(b, KN_ID_F64, false), out = knk_add_buffer(b, KN_ID_F64, true), map = knk_add_map(b, cls);
    knk_node y = knk_load(b, in, map, KNK_NONE, KNK_NONE, KNK_NONE);
    for (int i = 0; i < n; i++) {
        x[i] = knk_unary(b, KNK_SQRT, y);
        y = knk_binary(b, KNK_ADD, x[i], y);
    }
    for (int i = 0; i < n; i++)
        sum = sum < 0 ? x[i] : knk_binary(b, KNK_MUL, sum, x[i]);
    knk_store(b, out, map, sum);
    free(x);
    assert_null(knk_finish(b, &k));
    knh_request r = {.kernel = k, .stage = 0, .mode = KNH_POINTS, .cls = cls};
    knh_asm_reset(a);
    knx_error *e = knh_lower(&r, target, a, NULL);
    knk_release(k);
    return e;
}

static void what_does_not_fit_is_an_error(void **state)
{
    (void)state;
    knh_asm a;
    knh_asm_init(&a);
    for (int t = 0; t < 2; t++) {
        assert_null(lower_much(200, targets[t], &a));
        knx_error *e = lower_much(6000, targets[t], &a);
        assert_non_null(e);
        assert_int_equal(e->kind, KN_ERROR_NOT_IMPLEMENTED);
        assert_non_null(strstr(e->message, "64 KB of stack"));
        knx_error_release(e);
    }
    knh_asm_free(&a);
}

static void without_memory_there_is_an_error_and_no_leak(void **state)
{
    (void)state;
    int64_t live = knx_alloc_live();
    for (uint64_t seed = 20; seed < 26; seed++) {
        scene s;
        scene_random(&s, seed);
        knh_stream stream[KNH_MAX_STREAMS];
        uint8_t cls[KNH_MAX_STREAMS];
        memset(cls, KNK_STRIDE_ANY, sizeof cls);
        knh_mode mode = s.has_inner[0] ? KNH_ROWS : KNH_POINTS;
        assert_true(knh_streams(s.k, 0, mode, stream) >= 0);
        knh_request r = {.kernel = s.k, .stage = 0, .mode = mode, .cls = cls};
        knx_error *e = knx_error_nomem();
        for (int64_t k = 0; e; k++) {
            knh_asm a;
            knh_asm_init(&a);
            knx_fail_after(k, true);
            e = knh_lower(&r, KNH_AVX512, &a, NULL);
            knx_fail_after(-1, false);
            assert_true(!e || e->kind == KN_ERROR_MEMORY);
            knx_error_release(e);
            knh_asm_free(&a);
        }
        scene_free(&s);
    }
    assert_int_equal(knx_alloc_live(), live);
}

static void random_kernels(void **state)
{
    (void)state;
    const char *first = getenv("KN_TEST_SEED"), *count = getenv("KN_TEST_COUNT");
    uint64_t from = first ? strtoull(first, NULL, 0) : 1, n = count ? strtoull(count, NULL, 0) : 250;
    int made = 0, missing = 0;
    for (uint64_t seed = from; seed < from + n; seed++) {
        scene s;
        char what[64];
        scene_random(&s, seed);
        for (int t = 0; t < 2; t++)
            for (knh_mode mode = KNH_ROWS; works(targets[t]) && mode <= KNH_COLUMNS; mode++) {
                scene_way way = {.mode = mode, .swap = seed % 3 == 0, .any = seed % 5 == 0, .seed = seed};
                snprintf(what, sizeof what, "KN_TEST_SEED=%llu, %s", (unsigned long long)seed, t ? "AVX2" : "AVX-512");
                if (getenv("KN_TEST_SHOW"))
                    print_message("%s mode %d\n", what, (int)mode);
                if (scene_check(&s, &way, stage_code, &targets[t], what))
                    made++;
                else
                    missing++;
                stage_code_free();
            }
        scene_free(&s);
    }
    assert_true(missing * 20 <= made);
}

KN_TEST_GROUP(test_codegen_lower)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_floats_for_all_lengths),
        cmocka_unit_test(reductions_in_every_mode),
        cmocka_unit_test(functions_with_cold_parts),
        cmocka_unit_test(every_function),
        cmocka_unit_test(cold_parts_of_single_values),
        cmocka_unit_test(cold_parts_of_wide_single_values),
        cmocka_unit_test(wide_values_pass_between_cold_parts),
        cmocka_unit_test(cold_parts_read_wide_single_values),
        cmocka_unit_test(cold_parts_spill_beside_the_lane_loop),
        cmocka_unit_test(two_shifts_of_one_value_rotate_it),
        cmocka_unit_test(numbers_read_as_32_bits_do_not_halve_the_lanes),
        cmocka_unit_test(an_index_of_all_lanes_moves_a_load),
        cmocka_unit_test(every_operation_for_every_dtype),
        cmocka_unit_test(nontemporal_stores),
        cmocka_unit_test(what_does_not_fit_is_an_error),
        cmocka_unit_test(without_memory_there_is_an_error_and_no_leak),
        cmocka_unit_test(random_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
