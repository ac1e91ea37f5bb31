/* SPDX-License-Identifier: Apache-2.0
 * test_lax.c -- jax.lax: values, under jit too, and what is refused in which words. Texts of jaxprs are in
 * test_jaxpr_texts.c. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"

static kn_array add2(const kn_array *x, const kn_array *y) { return kn_lax_add(*x, *y); }
static kn_array max2(const kn_array *x, const kn_array *y) { return kn_lax_max(*x, *y); }
KN_FUNCTION(add2, kn_array, kn_array, kn_array)
KN_FUNCTION(max2, kn_array, kn_array, kn_array)

static kn_array grid(void) { return kn_from(((const float[]){1, 2, 3, 4, 5, 6}), KN_SHAPE(2, 3)); }

/* ---- Nothing is promoted. */

static void dtypes_are_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array f = kn_of(float, 1, 2, 3), i = kn_of(int, 1, 2, 3);
    kn_lax_add(f, i);
    expect_error("TypeError", "lax.add: requires arguments to have the same dtypes, got float32, int32.");
    kn_lax_lt(f, kn_of(double, 1, 2, 3));
    expect_error("TypeError", "lax.lt: requires arguments to have the same dtypes, got float32, float64.");
    kn_lax_add(i, 2.5);
    expect_error("TypeError", "lax.add: requires arguments to have the same dtypes, got int32, float64.");
}

static void a_number_takes_the_dtype_beside_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array h = kn_lax_add(kn_lax_convert_element_type(kn_of(float, 1, 2), KN_F16), 2);
    assert_ptr_equal(kn_dtype_of(h), KN_F16);
    expect_values(h, 3, 4);
    expect_values(kn_lax_sub(1, kn_of(int, 1, 2)), 0, -1);
    kn_lax_add(kn_of(unsigned char, 1), 300);
    expect_error_with("OverflowError", "300 out of bounds for uint8");
}

static void shapes_are_the_same_or_scalar(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v = kn_of(float, 1, 2, 3), m = grid();
    kn_lax_add(v, m);
    expect_error("TypeError", "lax.add: arrays must have the same number of dimensions, got {1, 2}");
    kn_lax_add(v, kn_of(float, 1, 2));
    expect_error("TypeError", "lax.add: got incompatible shapes for broadcasting: (3,), (2,).");
    expect_values(kn_lax_add(kn_lax_reshape(v, KN_SHAPE(1, 3)), m), 2, 4, 6, 5, 7, 9);
    expect_values(kn_lax_mul(kn_scalar(2.0f), v), 2, 4, 6);
}

static void functions_name_the_dtypes_they_take(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_of(int, 1), f = kn_of(float, 1), b = kn_of(bool, true);
    kn_lax_sin(i);
    expect_error("TypeError",
                 "lax.sin: does not accept dtype int32. Accepted dtypes are subtypes of floating, complexfloating.");
    kn_lax_bitwise_and(f, f);
    expect_error("TypeError",
                 "lax.bitwise_and: does not accept dtype float32 at position 0. Accepted dtypes at position "
                 "0 are subtypes of integer, bool.");
    kn_lax_add(b, b);
    expect_error("TypeError", "lax.add: does not accept dtype bool at position 0. Accepted dtypes at position 0 are "
                              "subtypes of integer, floating, complexfloating.");
    kn_lax_abs(kn_of(unsigned, 1));
    expect_error("TypeError", "lax.abs: does not accept dtype uint32. Accepted dtypes are subtypes of floating, "
                              "complexfloating, signedinteger.");
    kn_lax_integer_pow(i, -1);
    expect_error("TypeError", "lax.integer_pow: Integers cannot be raised to negative powers, got -1");
}

static void elementwise_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 4);
    expect_values(kn_lax_reciprocal(x), 1, 0.25);
    expect_values(kn_lax_pow(x, kn_of(int, 2, -1)), 1, 0.25);
    expect_values(kn_lax_pow(x, 2), 1, 16);
    expect_values(kn_lax_round(kn_of(double, 0.5, 1.5, -0.5)), 1, 2, -1);
    expect_values(kn_lax_round(kn_of(double, 0.5, 1.5), .rounding_method = KN_LAX_TO_NEAREST_EVEN), 0, 2);
    expect_values(kn_lax_clamp(2, kn_of(int, 1, 2, 5), 3), 2, 2, 3);
    expect_values(kn_lax_rem(kn_of(int, -5, 5), 3), -2, 2);
    expect_values(kn_lax_select(kn_of(bool, true, false), x, kn_lax_neg(x)), 1, -4);
    expect_values(kn_lax_select_n(kn_of(int, 2, 0), KN_LIST(x, kn_lax_neg(x), kn_lax_full_like(x, 7))), 7, 4);
    assert_ptr_equal(kn_dtype_of(kn_lax_conj(kn_of(float, 1))), KN_C64);
    expect_values(kn_lax_real(kn_lax_complex(x, x)), 1, 4);
}

static void bits_of_other_sizes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bytes = kn_lax_bitcast_convert_type(kn_of(unsigned, 0x01020304), KN_U8);
    assert_int_equal(kn_ndim(bytes), 2);
    expect_values(bytes, BITS_BIG_ENDIAN ? 1 : 4, BITS_BIG_ENDIAN ? 2 : 3, BITS_BIG_ENDIAN ? 3 : 2,
                  BITS_BIG_ENDIAN ? 4 : 1);
    expect_values(kn_lax_bitcast_convert_type(bytes, KN_U32), 0x01020304);
    kn_lax_bitcast_convert_type(kn_of(unsigned char, 1, 2), KN_U32);
    expect_error_with("ValueError", "Attempting to convert array of shape (2,) from uint8 of size 8 bits to uint32");
    kn_lax_bitcast_convert_type(kn_astype(bytes, KN_BOOL), KN_U32);
    expect_error_with("TypeError", "does not accept dtype bool");
}

static void refusals_of_choices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v = kn_of(float, 1, 2, 3), b = kn_of(bool, true, false);
    kn_lax_clamp(0, v, grid());
    expect_error_with("TypeError", "requires max.shape == operand.shape or max.shape == (), got max.shape=(2,3)");
    kn_lax_select(b, v, v);
    expect_error("TypeError",
                 "lax.select: `which` must be scalar or have the same shape as cases, got `which` shape (2,) "
                 "but case shape (3,).");
    kn_lax_select_n(v, KN_LIST(v, v));
    expect_error("TypeError", "lax.select_n: `which` must be boolean or integer type, got float32.");
    kn_lax_select_n(KN_TRUE, KN_LIST(v, v, v));
    expect_error("TypeError", "lax.select_n: select with boolean `which` cannot have > 2 cases.");
    kn_lax_select(KN_TRUE, v, grid());
    expect_error("TypeError", "lax.select: cases must have the same shapes, got [(2, 3), (3,)].");
}

/* ---- Shapes. */

static void shapes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid(), v = kn_of(float, 1, 2);
    expect_values(kn_lax_reshape(m, KN_SHAPE(6), .dimensions = KN_AXIS(1, 0)), 1, 4, 2, 5, 3, 6);
    expect_values(kn_lax_collapse(m, 0), 1, 2, 3, 4, 5, 6);
    expect_values(kn_lax_rev(m, KN_AXIS(0, 1)), 6, 5, 4, 3, 2, 1);
    expect_values(kn_lax_transpose(m, KN_AXIS(1, 0)), 1, 4, 2, 5, 3, 6);
    expect_values(kn_lax_broadcast(v, KN_SHAPE(2)), 1, 2, 1, 2);
    expect_values(kn_lax_broadcast_in_dim(v, KN_SHAPE(2, 2), KN_AXIS(0)), 1, 1, 2, 2);
    expect_values(kn_lax_pad(v, 9, KN_PADDING({1, -1, 1})), 9, 1, 9);
    expect_values(kn_lax_tile(v, KN_SHAPE(2)), 1, 2, 1, 2);
    expect_values(kn_lax_full(KN_SHAPE(2), 3), 3, 3);
    expect_values(kn_lax_iota(KN_I8, 3), 0, 1, 2);
    kn_shape s = kn_lax_broadcast_shapes(KN_SHAPE(2, 1), KN_SHAPE(3));
    assert_int_equal(s.ndim, 2);
    assert_int_equal(s.dim[1], 3);
}

static void refusals_of_shapes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid(), v = kn_of(float, 1, 2);
    kn_lax_reshape(m, KN_SHAPE(-1));
    expect_error("TypeError", "lax.reshape: new_sizes must all be positive, got (-1,).");
    kn_lax_reshape(m, KN_SHAPE(4));
    expect_error("TypeError", "lax.reshape: total size must be unchanged, got new_sizes (4,) for shape (2, 3).");
    kn_lax_transpose(m, KN_AXIS(0, 0));
    expect_error("TypeError",
                 "lax.transpose: permutation isn't a permutation of operand dimensions, got permutation (0, "
                 "0) for operand shape (2, 3).");
    kn_lax_rev(m, KN_AXIS(2));
    expect_error("TypeError", "lax.rev: dimensions must all be less than operand ndim, got dimensions (2,) for operand "
                              "ndim 2.");
    kn_lax_squeeze(m, KN_AXIS(0));
    expect_error("ValueError", "lax.squeeze: cannot select an axis to squeeze out which has size not equal to one, got "
                               "shape=(2, 3) and dimensions=(0,)");
    kn_lax_expand_dims(v, KN_AXIS(0, -3));
    expect_error("ValueError", "lax.expand_dims: repeated axis in lax.expand_dims: (0, 0)");
    kn_lax_pad(v, 0, KN_PADDING({1, 1, 0}, {0, 0, 0}));
    expect_error("ValueError", "lax.pad: length of padding_config must equal the number of axes of operand, got "
                               "padding_config ((1, 1, 0), (0, 0, 0)) for operand shape (2,)");
    kn_lax_concatenate(KN_LIST(m, v), 0);
    expect_error("TypeError",
                 "lax.concatenate: Cannot concatenate arrays with different numbers of dimensions: got (2, "
                 "3), (2,).");
    kn_lax_concatenate(KN_LIST(), 0);
    expect_error("ValueError", "lax.concatenate: requires a non-empty sequences of arrays");
    kn_lax_stack(KN_LIST(v, kn_of(float, 1)));
    expect_error("ValueError", "lax.stack: All input arrays must have the same shape. Got (2,), (1,).");
    kn_lax_full(KN_SHAPE(2), v);
    expect_error("TypeError", "lax.full: must be called with scalar fill_value, got fill_value.shape (2,).");
    kn_shape s = kn_lax_broadcast_shapes(KN_SHAPE(2), KN_SHAPE(3));
    assert_int_equal(s.ndim, -1);
    expect_error("ValueError", "lax.broadcast_shapes: Incompatible shapes for broadcasting: shapes=[(2,), (3,)]");
}

/* ---- Slices. */

static kn_array moved(const kn_array *x, const kn_array *i)
{
    return kn_lax_dynamic_slice(*x, KN_LIST(*i, 1), KN_SHAPE(1, 2));
}
KN_FUNCTION(moved, kn_array, kn_array, kn_array)

static void slices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid(), y, i = kn_scalar(-1);
    expect_values(kn_lax_slice(m, KN_SHAPE(0, 0), KN_SHAPE(2, 3), .strides = &KN_SHAPE(1, 2)), 1, 3, 4, 6);
    expect_values(kn_lax_slice_in_dim(m, 1, KN_END, KN_AXIS(1)), 2, 3, 5, 6);
    expect_values(kn_lax_index_in_dim(m, -1), 4, 5, 6);
    kn_call(kn_jit(KN_FN(moved)), &y, &m, &i);
    expect_values(y, 5, 6);
    expect_values(kn_lax_dynamic_index_in_dim(m, 5, KN_AXIS(1), .keepdims = false), 3, 6);
    kn_lax_dynamic_update_slice(m, kn_of(float, 9), KN_LIST(0));
    expect_error("ValueError",
                 "lax.dynamic_update_slice: Length of slice indices must match number of operand dimensions "
                 "(1 vs (2, 3))");
}

static void updates_and_takes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid(), v = kn_of(float, 7, 8, 9);
    expect_values(kn_lax_dynamic_update_index_in_dim(m, v, -1, 0), 1, 2, 3, 7, 8, 9);
    expect_values(kn_lax_dynamic_update_slice_in_dim(m, kn_lax_reshape(v, KN_SHAPE(1, 3)), 0, 0), 7, 8, 9, 4, 5, 6);
    expect_values(kn_lax_index_take(m, KN_LIST(kn_of(int, 1, -1, 0)), KN_AXIS(0)), 4, 5, 6, 4, 5, 6, 1, 2, 3);
    expect_values(kn_lax_index_take(m, KN_LIST(kn_of(int, 1, 0), kn_of(int, 2, 1)), KN_AXIS(0, 1)), 6, 2);
    kn_lax_index_in_dim(m, 5, KN_AXIS(1));
    expect_error("IndexError", "lax.index_in_dim: index 5 is out of bounds for axis 1 with size 3");
    kn_lax_slice(m, KN_SHAPE(0, 0), KN_SHAPE(2, 4));
    expect_error("TypeError", "lax.slice: limit_indices must be less than or equal to operand shape, got limit_indices "
                              "(2, 4) for operand shape (2, 3).");
    kn_lax_dynamic_slice(m, KN_LIST(-1, 0), KN_SHAPE(1, 1), .allow_negative_indices = false);
    expect_error("ValueError", "lax.dynamic_slice: Index -1 is out of bounds for dimension 2 if "
                               "allow_negative_indices=False");
}

static void gathers_and_scatters(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid(), at = kn_from(((const int[]){1, 5}), KN_SHAPE(2, 1));
    kn_lax_gather_dimension_numbers g = {
        .offset_dims = KN_AXIS(1), .collapsed_slice_dims = KN_AXIS(0), .start_index_map = KN_AXIS(0)};
    kn_lax_scatter_dimension_numbers s = {.update_window_dims = KN_AXIS(1),
                                          .inserted_window_dims = KN_AXIS(0),
                                          .scatter_dims_to_operand_dims = KN_AXIS(0)};
    expect_values(kn_lax_gather(m, at, g, KN_SHAPE(1, 3), .mode = KN_LAX_CLIP), 4, 5, 6, 4, 5, 6);
    expect_values(kn_lax_gather(m, at, g, KN_SHAPE(1, 3), .mode = KN_LAX_FILL_OR_DROP), 4, 5, 6, NAN, NAN, NAN);
    kn_array u = kn_lax_full(KN_SHAPE(2, 3), 10, .dtype = KN_F32);
    expect_values(kn_lax_scatter_add(m, at, u, s), 1, 2, 3, 14, 15, 16);
    expect_values(kn_lax_scatter(m, at, u, s, .mode = KN_LAX_CLIP), 1, 2, 3, 10, 10, 10);
    kn_lax_gather(m, at, g, KN_SHAPE(1, 3), .mode = 9);
    expect_error("ValueError", "lax.gather: Unknown gather mode: 9");
}

/* ---- Reductions, scans, sorting. */

static void reductions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid();
    expect_values(kn_lax_reduce_sum(m, KN_AXIS(0)), 5, 7, 9);
    expect_values(kn_lax_reduce(m, 0, KN_FN(add2), KN_AXIS(1)), 6, 15);
    expect_values(kn_lax_reduce(m, 1, KN_FN(add2), KN_AXIS(0, 1)), 22);
    expect_values(kn_lax_reduce(m, -INFINITY, KN_FN(max2), KN_AXIS(0, 1)), 6);
    expect_values(kn_lax_reduce(kn_of(int, -3, -2), INT32_MIN, KN_FN(max2), KN_AXIS(0)), -2);
    expect_values(kn_lax_cumsum(m, KN_AXIS(1), .reverse = true), 6, 5, 3, 15, 11, 6);
    expect_values(kn_lax_argmax(m, 1, KN_I32), 2, 2);
    kn_lax_reduce_sum(m, KN_AXIS(-1));
    expect_error("ValueError", "lax.reduce_sum: reduction axes (-1,) contains out-of-bounds indices for float32[2,3].");
    kn_lax_cumsum(m, KN_AXIS(-1));
    expect_error("ValueError", "lax.cumsum: XLA operations do not allow negative axes");
    kn_lax_argmax(m, 2, KN_I32);
    expect_error("ValueError", "lax.argmax: Invalid axis 2 for operand shape (2, 3)");
    kn_lax_argmax(m, 0, KN_F32);
    expect_error("TypeError", "lax.argmax: index_dtype must be an integer type, but got float32");
}

static void sorted(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array keys = kn_of(float, 3, 1, 2), values = kn_of(int, 30, 10, 20);
    expect_values(kn_lax_sort(keys), 1, 2, 3);
    expect_values(kn_lax_sort_key_val(keys, values).values, 10, 20, 30);
    expect_values(kn_lax_top_k(keys, 2).values, 3, 2);
    expect_values(kn_lax_approx_max_k(keys, 2).indices, 0, 2);
    expect_values(kn_lax_approx_min_k(keys, 2).values, 1, 2);
    kn_lax_sort_list(KN_LIST(keys), .num_keys = 2);
    expect_error("ValueError", "lax.sort: num_keys=2 must be between 1 and len(operand)=1");
    kn_lax_top_k(keys, -1);
    expect_error("ValueError", "lax.top_k: k argument to top_k must be nonnegative, got -1");
}

typedef struct {
    kn_array scale, shift;
} Affine;
static Affine then(const Affine *f, const Affine *g)
{
    return (Affine){kn_lax_mul(f->scale, g->scale), kn_lax_add(kn_lax_mul(f->shift, g->scale), g->shift)};
}
KN_FUNCTION(then, Affine, Affine, Affine)
static Affine all_of(const Affine *f)
{
    Affine y;
    kn_associative_scan(KN_FN(then), &y, f);
    return y;
}
KN_FUNCTION(all_of, Affine, Affine)

static void a_scan_of_structs(void **state)
{
    (void)state;
    KN_SCOPE;
    Affine f = {kn_of(double, 2, 3, 4, 5), kn_of(double, 1, 1, 1, 1)}, y;
    kn_associative_scan(KN_FN(then), &y, &f);
    expect_values(y.scale, 2, 6, 24, 120);
    expect_values(y.shift, 1, 4, 17, 86);
    kn_call(kn_jit(KN_FN(all_of)), &y, &f);
    expect_values(y.shift, 1, 4, 17, 86);
    kn_associative_scan(KN_FN(then), &y, &f, .reverse = true);
    expect_values(y.scale, 120, 60, 20, 5);
}

static void a_scan_of_sums(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y;
    for (int n = 0; n < 10; n++) {
        kn_array x = kn_lax_iota(KN_F64, n), want = kn_lax_cumsum(x);
        kn_associative_scan(KN_FN(add2), &y, &x);
        assert_true(kn_array_equal(y, want));
    }
}

/* docs/determinism.md: the tree of a scan, by a function that is not associative. */
static kn_array half_and(const kn_array *x, const kn_array *y) { return kn_lax_add(kn_lax_mul(*x, 0.5), *y); }
KN_FUNCTION(half_and, kn_array, kn_array, kn_array)

static void scan_as_written(int n, const double *x, double *y)
{
    double pair[64], odd[64];
    for (int i = 0; i < n / 2; i++)
        pair[i] = x[2 * i] * 0.5 + x[2 * i + 1];
    if (n > 1)
        scan_as_written(n / 2, pair, odd);
    for (int i = 0; i < n; i++)
        y[i] = !i ? x[0] : i % 2 ? odd[i / 2] : odd[i / 2 - 1] * 0.5 + x[i];
}

static void the_tree_of_a_scan(void **state)
{
    (void)state;
    for (int n = 1; n < 70; n++) {
        KN_SCOPE;
        double x[70], backwards[70], want[70];
        for (int i = 0; i < n; i++)
            x[i] = backwards[n - 1 - i] = (i * 37 % 23 - 9) / 8.0;
        kn_array a = kn_from(x, KN_SHAPE(n)), y;
        kn_associative_scan(KN_FN(half_and), &y, &a);
        scan_as_written(n, x, want);
        assert_memory_equal(kn_data(y, double), want, (size_t)n * sizeof *want);
        kn_associative_scan(KN_FN(half_and), &y, &a, .reverse = true);
        y = kn_lax_rev(y, KN_AXIS(0));
        scan_as_written(n, backwards, want);
        assert_memory_equal(kn_data(y, double), want, (size_t)n * sizeof *want);
    }
}

/* Two arrays with zeros between their elements, one of them a place further on. */
static kn_array spread_even(const kn_array *x, const kn_array *y)
{
    return kn_lax_add(kn_lax_pad(*x, 0, KN_PADDING({0, 1, 1})), kn_lax_pad(*y, 0, KN_PADDING({1, 0, 1})));
}
static kn_array spread_odd(const kn_array *x, const kn_array *y)
{
    return kn_lax_add(kn_lax_pad(*y, 0, KN_PADDING({1, 1, 1})), kn_lax_pad(*x, 0, KN_PADDING({0, 0, 1})));
}
static kn_array spread_rows(const kn_array *x, const kn_array *y)
{
    return kn_lax_add(kn_lax_pad(*x, 0, KN_PADDING({0, 0, 0}, {0, 1, 1})),
                      kn_lax_pad(*y, 0, KN_PADDING({0, 0, 0}, {1, 0, 1})));
}
static kn_array spread_beside(const kn_array *x, const kn_array *y)
{
    return kn_lax_add(kn_lax_pad(*x, 0, KN_PADDING({0, 1, 1})), kn_lax_pad(*y, 0, KN_PADDING({0, 1, 1})));
}
static kn_array spread_with_ones(const kn_array *x, const kn_array *y)
{
    return kn_lax_add(kn_lax_pad(*x, 1, KN_PADDING({0, 1, 1})), kn_lax_pad(*y, 0, KN_PADDING({1, 0, 1})));
}
KN_FUNCTION(spread_even, kn_array, kn_array, kn_array)
KN_FUNCTION(spread_odd, kn_array, kn_array, kn_array)
KN_FUNCTION(spread_rows, kn_array, kn_array, kn_array)
KN_FUNCTION(spread_beside, kn_array, kn_array, kn_array)
KN_FUNCTION(spread_with_ones, kn_array, kn_array, kn_array)

static void sums_of_spread_arrays_have_their_elements_in_turn(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y, three = kn_of(double, 1, -0.0, 3), two = kn_of(double, 7, 8), other = kn_of(double, 7, 8, -0.0);
    kn_call(kn_jit(KN_FN(spread_even)), &y, &three, &other);
    expect_values(y, 1, 7, 0, 8, 3, 0);
    assert_false(kn_item(kn_any(kn_signbit(y)))); /* 0 + -0 is 0 */
    kn_call(kn_jit(KN_FN(spread_odd)), &y, &three, &two);
    expect_values(y, 1, 7, 0, 8, 3);
    assert_false(kn_item(kn_any(kn_signbit(y))));
    kn_array a = kn_from(((const float[]){1, 2, 3, 4, 5, 6}), KN_SHAPE(2, 3)), b = kn_neg(a);
    kn_call(kn_jit(KN_FN(spread_rows)), &y, &a, &b);
    expect_values(y, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6);
    kn_call(kn_jit(KN_FN(spread_beside)), &y, &three, &other);
    expect_values(y, 8, 0, 8, 0, 3, 0);
    kn_call(kn_jit(KN_FN(spread_with_ones)), &y, &three, &other);
    expect_values(y, 1, 8, 0, 9, 3, 1);
}

static void refusals_of_scans(void **state)
{
    (void)state;
    KN_SCOPE;
    Affine f = {kn_of(double, 2, 3, 4), kn_of(double, 1, 1)}, y;
    kn_associative_scan(KN_FN(then), &y, &f);
    expect_error("ValueError", "associative_scan: Array inputs to associative_scan must have the same first dimension. "
                               "(saw: [(3,), (2,)])");
}

/* ---- Products, matrices, bits. */

static void products(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = grid(), v = kn_of(float, 1, 0, 2), h = kn_lax_full(KN_SHAPE(2), 300, .dtype = KN_F16);
    expect_values(kn_lax_dot(m, v), 7, 16);
    assert_ptr_equal(kn_dtype_of(kn_lax_dot(h, h, .preferred_element_type = KN_F32)), KN_F32);
    kn_array rhs = kn_from(((const float[]){1, 1, 1, 2, 2, 2}), KN_SHAPE(2, 3, 1));
    expect_values(kn_lax_ragged_dot(m, rhs, kn_of(int, 1, 1)), 6, 30);
    expect_values(kn_lax_ragged_dot(m, rhs, kn_of(int, 0, 1)), 12, 0);
    kn_lax_dot(m, m);
    expect_error_with("ValueError",
                      "jax.lax.dot: dimension_numbers must be specified when not performing simple "
                      "un-batched matrix-matrix, matrix-vector, or vector-vector products; got lhs_shape=(2, "
                      "3) rhs_shape=(2, 3)");
    kn_lax_batch_matmul(v, v);
    expect_error("ValueError", "lax.batch_matmul: Arguments to batch_matmul must be at least 2D, got 1, 1");
}

static void matrices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_from(((const double[]){4, 2, 2, 5}), KN_SHAPE(2, 2)), b = kn_of(double, 4, 6);
    kn_array l = kn_lax_linalg_cholesky(a);
    expect_near(l, 1e-15, 2, 0, 1, 2);
    expect_near(kn_lax_linalg_triangular_solve(l, b, .left_side = true, .lower = true), 1e-15, 2, 2);
    expect_values(kn_lax_linalg_lu(a).permutation, 0, 1);
    kn_array pivots = kn_of(int, 2, 2, 2);
    expect_values(kn_lax_linalg_lu_pivots_to_permutation(pivots, 4), 2, 0, 1, 3);
    expect_values(kn_lax_linalg_symmetric_product(a, a, .alpha = 2, .beta = 1), 44, 38, 38, 63);
    kn_lax_linalg_cholesky(b);
    expect_error("ValueError", "lax.linalg.cholesky: Argument must have shape [..., n, n], got shape (2,)");
    kn_lax_linalg_lu_pivots_to_permutation(pivots, 2);
    expect_error("ValueError", "lax.linalg.lu_pivots_to_permutation: Output permutation size 2 has to exceed the "
                               "trailing dimension of the pivots. Got pivots size 3");
}

static void random_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_lax_rng_bit_generator_result r = kn_lax_rng_bit_generator(kn_of(unsigned, 1, 2, 3, 4), KN_SHAPE(3));
    assert_int_equal(kn_size(r.bits), 3);
    assert_ptr_equal(kn_dtype_of(r.bits), KN_U32);
    assert_int_equal(kn_size(r.key), 4);
    kn_lax_rng_bit_generator(kn_of(unsigned, 1, 2, 3, 4), KN_SHAPE(3), .algorithm = 7);
    expect_error("ValueError", "lax.rng_bit_generator: 7 is not a valid RandomAlgorithm");
}

KN_TEST_GROUP(test_lax)
{
    const struct CMUnitTest tests[] = {
        TEST(dtypes_are_the_same),
        TEST(a_number_takes_the_dtype_beside_it),
        TEST(shapes_are_the_same_or_scalar),
        TEST(functions_name_the_dtypes_they_take),
        TEST(elementwise_values),
        TEST(bits_of_other_sizes),
        TEST(refusals_of_choices),
        TEST(shapes),
        TEST(refusals_of_shapes),
        TEST(slices),
        TEST(updates_and_takes),
        TEST(gathers_and_scatters),
        TEST(reductions),
        TEST(sorted),
        TEST(a_scan_of_structs),
        TEST(a_scan_of_sums),
        TEST(the_tree_of_a_scan),
        TEST(sums_of_spread_arrays_have_their_elements_in_turn),
        TEST(refusals_of_scans),
        TEST(products),
        TEST(matrices),
        TEST(random_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
