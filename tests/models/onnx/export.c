/* SPDX-License-Identifier: Apache-2.0
 * export.c -- functions as ONNX files and back. Each is written, read again by kn_onnx_load and run; its results are
 * compared with the function's own. export_peer.py runs the same files by onnxruntime.
 * usage: export [FOLDER]     FOLDER keeps NAME.onnx, and NAME.npz with inputs and outputs */
#include <kiln/kiln.h>
#include <kiln/models.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION1(name, expression)          \
    static kn_array name(const kn_array *x_) \
    {                                        \
        kn_array x = *x_;                    \
        return expression;                   \
    }                                        \
    KN_FUNCTION(name, kn_array, kn_array)
#define FUNCTION2(name, expression)                              \
    static kn_array name(const kn_array *x_, const kn_array *y_) \
    {                                                            \
        kn_array x = *x_, y = *y_;                               \
        return expression;                                       \
    }                                                            \
    KN_FUNCTION(name, kn_array, kn_array, kn_array)

FUNCTION1(softmax, kn_nn_softmax(x))
FUNCTION1(gelu, kn_nn_gelu(x))
FUNCTION1(exact_gelu, kn_nn_gelu(x, .approximate = false))
FUNCTION1(elementary,
          kn_add(kn_add(kn_expm1(x), kn_log1p(kn_abs(x))), kn_add(kn_cbrt(x), kn_add(kn_exp2(x), kn_tanh(x)))))
FUNCTION1(rounding, kn_add(kn_round(x), kn_add(kn_trunc(x), kn_add(kn_floor(x), kn_sign(x)))))
FUNCTION1(choice, kn_where(kn_greater(x, 0), kn_sqrt(kn_abs(x)), kn_mul(x, x)))
FUNCTION1(standard, kn_nn_standardize(x))
FUNCTION1(reversed, kn_at(x, "::-1, 1::2"))
FUNCTION1(padded, kn_lax_pad(x, 1.5, KN_PADDING({1, 2, 1}, {-1, 0, 0})))
FUNCTION1(sums, kn_add(kn_cumsum(x, .axis = KN_AXIS(1)), kn_sum(x, KN_AXIS(1), .keepdims = true)))
FUNCTION1(products, kn_cumprod(x, .axis = KN_AXIS(0)))
FUNCTION1(running, kn_lax_cummax(x, .axis = KN_AXIS(1), .reverse = true))
FUNCTION1(sorted, kn_sort(x))
FUNCTION1(by_order, kn_take_along_axis(x, kn_argsort(x, KN_AXIS(1)), KN_AXIS(1)))
FUNCTION1(largest, kn_add(kn_max(x, KN_AXIS(0)), kn_astype(kn_argmax(x, KN_AXIS(0)), KN_F32)))
FUNCTION1(pool, kn_nn_max_pool(kn_reshape(x, KN_SHAPE(1, 4, 6, 1)), KN_SHAPE(2, 2), .strides = &KN_SHAPE(2, 2)))
FUNCTION1(mean_pool, kn_nn_avg_pool(kn_reshape(x, KN_SHAPE(1, 4, 6, 1)), KN_SHAPE(2, 3)))
FUNCTION1(rows, kn_take(x, kn_of(int, 2, 0, 2), .axis = KN_AXIS(0)))
FUNCTION1(columns, kn_take(x, kn_reshape(kn_of(int, 5, 0, 1, 1), KN_SHAPE(2, 2)), .axis = KN_AXIS(1)))
FUNCTION1(places, kn_at(x, "%, %", kn_of(int, 0, 3, 1), kn_of(int, 5, 0, 2)))
FUNCTION1(bits, kn_astype(kn_bitwise_xor(kn_left_shift(kn_astype(kn_mul(x, 10), KN_I32), 2),
                                         kn_right_shift(kn_astype(kn_mul(x, -7), KN_I32), 1)),
                          KN_F32))
FUNCTION1(stacked, kn_stack(KN_LIST(x, kn_mul(x, 2)), .axis = KN_AXIS(1)))
FUNCTION1(corner, kn_tril(x))
FUNCTION2(product, kn_matmul(x, kn_transpose(y)))
FUNCTION2(contraction, kn_einsum("ab,cb->ca", x, y))
FUNCTION2(outer, kn_einsum("ab,cd->acbd", x, y))
FUNCTION2(angles, kn_add(kn_arctan2(x, y), kn_hypot(x, y)))
FUNCTION2(remainders, kn_add(kn_remainder(x, y), kn_fmod(x, y)))
FUNCTION2(powers, kn_power(kn_abs(x), y))
FUNCTION2(convolution, kn_lax_conv(kn_reshape(x, KN_SHAPE(1, 1, 4, 6)),
                                   kn_reshape(kn_at(y, ":2, :3"), KN_SHAPE(1, 1, 2, 3)), KN_SHAPE(1, 2), "SAME"))
FUNCTION2(window,
          kn_lax_dynamic_slice(x, KN_LIST(kn_astype(kn_abs(kn_at(y, "0, 0")), KN_I32), kn_num(1)), KN_SHAPE(2, 3)))
FUNCTION2(replaced, kn_lax_dynamic_update_slice(x, kn_at(y, ":2, :2"),
                                                KN_LIST(kn_astype(kn_abs(kn_at(y, "0, 0")), KN_I32), kn_num(3))))
FUNCTION2(attention, kn_nn_dot_product_attention(kn_reshape(x, KN_SHAPE(4, 2, 3)), kn_reshape(y, KN_SHAPE(4, 2, 3)),
                                                 kn_reshape(y, KN_SHAPE(4, 2, 3)), .is_causal = true))

static kn_array written(const kn_array *x, const kn_array *y)
{
    kn_array z = kn_copy(*x);
    kn_set_at(z, kn_at(*y, "0"), "1");
    kn_set_at(z, 7, "2:, 3");
    z = kn_add(z, kn_segment_sum(kn_at(*y, ":3"), kn_of(int, 0, 0, 2), .num_segments = 4));
    return z;
}
KN_FUNCTION(written, kn_array, kn_array, kn_array)

static kn_array step(const kn_array *c, const kn_array *row) { return kn_tanh(kn_add(kn_mul(*c, 0.5), *row)); }
KN_FUNCTION(step, kn_array, kn_array, kn_array)
typedef struct {
    kn_array carry, out;
} carried;
static carried round_(const kn_array *c, const kn_array *row)
{
    kn_array next = step(c, row);
    return (carried){next, kn_sum(next)};
}
KN_FUNCTION(round_, carried, kn_array, kn_array)
static kn_array scanned(const kn_array *x, const kn_array *y)
{
    kn_array first = kn_at(*y, "0");
    carried r;
    kn_scan(KN_FN(round_), &r, &first, x);
    return kn_concatenate(KN_LIST(r.carry, r.out));
}
KN_FUNCTION(scanned, kn_array, kn_array, kn_array)

static kn_array small(const kn_array *x) { return kn_less(kn_sum(kn_abs(*x)), 1000); }
static kn_array twice(const kn_array *x) { return kn_mul(*x, 2); }
static kn_array half(const kn_array *x) { return kn_mul(*x, 0.5); }
KN_FUNCTION(small, kn_array, kn_array)
KN_FUNCTION(twice, kn_array, kn_array)
KN_FUNCTION(half, kn_array, kn_array)
static kn_array doubled(const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN(small), KN_FN(twice), &y, x);
    return y;
}
KN_FUNCTION(doubled, kn_array, kn_array)
static kn_array chosen(const kn_array *x)
{
    kn_array y;
    kn_cond(kn_greater(kn_sum(*x), 0), KN_FN(twice), KN_FN(half), &y, x);
    return y;
}
KN_FUNCTION(chosen, kn_array, kn_array)

static kn_array loss(const kn_array *x, const kn_array *y)
{
    return kn_sum(kn_square(kn_sub(kn_nn_softmax(kn_matmul(*x, kn_transpose(*y))), 0.1)));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)
static kn_array slope(const kn_array *x, const kn_array *y)
{
    kn_array g;
    kn_call(kn_grad(KN_FN(loss)), &g, x, y);
    return g;
}
KN_FUNCTION(slope, kn_array, kn_array, kn_array)

typedef struct {
    const char *name;
    const kn_function *f;
    int n;
    bool symbolic;
} one;
#define ONE(f) {#f, &kn_function_of_##f, 1, false},
#define TWO(f) {#f, &kn_function_of_##f, 2, false},
#define SYM(f) {#f, &kn_function_of_##f, 1, true},
static const one functions[] = {
    SYM(softmax) SYM(gelu) ONE(exact_gelu) ONE(elementary) ONE(rounding) SYM(choice) SYM(standard) ONE(reversed)
        ONE(padded) SYM(sums) ONE(products) ONE(running) ONE(sorted) ONE(by_order) ONE(largest) ONE(pool) ONE(mean_pool)
            ONE(rows) ONE(columns) ONE(places) ONE(bits) SYM(stacked) ONE(corner) ONE(doubled) ONE(chosen) TWO(product)
                TWO(contraction) TWO(outer) TWO(angles) TWO(remainders) TWO(powers) TWO(convolution) TWO(window)
                    TWO(replaced) TWO(attention) TWO(written) TWO(scanned) TWO(slope)};

static double difference(kn_array a, kn_array b)
{
    double most = kn_item(kn_max(kn_ravel(kn_abs(b)))), d = kn_item(kn_max(kn_ravel(kn_abs(kn_sub(a, b)))));
    return d / (most > 1 ? most : 1);
}

static int try_one(const one *f, const char *folder)
{
    KN_SCOPE;
    char path[4096], data[4096];
    kn_array x = kn_reshape(kn_sin(kn_mul(kn_arange(0, 24, 1), 1.7)), KN_SHAPE(4, 6)), out, back;
    kn_array y = kn_reshape(kn_cos(kn_add(kn_mul(kn_arange(0, 24, 1), 2.3), 0.4)), KN_SHAPE(4, 6));
    x = kn_astype(kn_mul(x, 1.5), KN_F32);
    y = kn_astype(y, KN_F32);
    kn_fn fn = kn_fn_of(f->f, NULL);
    kn_args first = {1, {{&x, sizeof x}}}, both = {2, {{&x, sizeof x}, {&y, sizeof y}}};
    snprintf(path, sizeof path, "%s/%s.onnx", folder, f->name);
    snprintf(data, sizeof data, "%s/%s.npz", folder, f->name);
    int called = f->n == 1 ? kn_call(fn, &out, &x) : kn_call(fn, &out, &x, &y);
    int saved = called        ? -1
                : f->symbolic ? kn_onnx_save(path, fn, &first, .symbolic = "b 6")
                              : kn_onnx_save(path, fn, f->n == 1 ? &first : &both);
    kn_onnx model = saved ? NULL : kn_onnx_load(path);
    kn_tree r =
        model ? kn_onnx_run(model, f->n == 1 ? kn_tree_dict("input_0", x) : kn_tree_dict("input_0", x, "input_1", y))
              : NULL;
    back = r ? kn_tree_at(r, "output") : KN_NONE;
    double d = r ? difference(back, out) : INFINITY;
    bool ok = d <= 1e-5;
    if (!ok)
        printf("%s: %s %g\n", f->name, kn_error_pending() ? kn_error_message() : "differs by", d);
    kn_error_clear();
    if (!saved && called == 0)
        kn_savez(data, KN_NAMED("input_0", x), KN_NAMED("input_1", y), KN_NAMED("output", out));
    return !ok;
}

int main(int argc, char **argv)
{
    int failed = 0, n = (int)(sizeof functions / sizeof *functions);
    for (int i = 0; i < n; i++)
        failed += try_one(&functions[i], argc > 1 ? argv[1] : ".");
    printf("%d functions, %d failed\n", n, failed);
    return failed || kn_finish() ? 1 : 0;
}
