/* SPDX-License-Identifier: Apache-2.0
 * order.h -- builder calls as operands of builder calls run from left to right. C leaves the order of a call's
 * arguments open, and compilers differ, which would show in printed jaxprs; so the helpers with several operands are
 * macros that evaluate them in order. `(knb_add)` is the function itself.
 *
 * Made by scripts/order.sh from prims.def and ops.h; do not edit. */
#ifndef KN_IR_ORDER_H
#define KN_IR_ORDER_H
#define KNB_CAT_(a, b) a##b
#define KNB_CAT(a, b) KNB_CAT_(a, b)
#define KNB_2(f, b, x, y) KNB_2_(__COUNTER__, f, b, x, y)
#define KNB_2_(c, f, b, x, y) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c)); })
#define KNB_2P(f, b, x, y, ...) KNB_2P_(__COUNTER__, f, b, x, y, __VA_ARGS__)
#define KNB_2P_(c, f, b, x, y, ...) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c), __VA_ARGS__); })
#define KNB_3(f, b, x, y, z) KNB_3_(__COUNTER__, f, b, x, y, z)
#define KNB_3_(c, f, b, x, y, z) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        kni_atom KNB_CAT(knb_z_, c) = (z); (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c), KNB_CAT(knb_z_, c)); })
#define KNB_3P(f, b, x, y, z, ...) KNB_3P_(__COUNTER__, f, b, x, y, z, __VA_ARGS__)
#define KNB_3P_(c, f, b, x, y, z, ...) \
    __extension__({ kni_atom KNB_CAT(knb_x_, c) = (x); kni_atom KNB_CAT(knb_y_, c) = (y); \
        kni_atom KNB_CAT(knb_z_, c) = (z); \
        (f)(b, KNB_CAT(knb_x_, c), KNB_CAT(knb_y_, c), KNB_CAT(knb_z_, c), __VA_ARGS__); })
#define knb_clamp(b, x, y, z) KNB_3(knb_clamp, b, x, y, z)
#define knb_rem(b, x, y) KNB_2(knb_rem, b, x, y)
#define knb_nextafter(b, x, y) KNB_2(knb_nextafter, b, x, y)
#define knb_mulhi(b, x, y) KNB_2(knb_mulhi, b, x, y)
#define knb_complex(b, x, y) KNB_2(knb_complex, b, x, y)
#define knb_add(b, x, y) KNB_2(knb_add, b, x, y)
#define knb_sub(b, x, y) KNB_2(knb_sub, b, x, y)
#define knb_mul(b, x, y) KNB_2(knb_mul, b, x, y)
#define knb_div(b, x, y) KNB_2(knb_div, b, x, y)
#define knb_pow(b, x, y) KNB_2(knb_pow, b, x, y)
#define knb_atan2(b, x, y) KNB_2(knb_atan2, b, x, y)
#define knb_hypot(b, x, y) KNB_2(knb_hypot, b, x, y)
#define knb_max(b, x, y) KNB_2(knb_max, b, x, y)
#define knb_min(b, x, y) KNB_2(knb_min, b, x, y)
#define knb_eq(b, x, y) KNB_2(knb_eq, b, x, y)
#define knb_ne(b, x, y) KNB_2(knb_ne, b, x, y)
#define knb_lt(b, x, y) KNB_2(knb_lt, b, x, y)
#define knb_le(b, x, y) KNB_2(knb_le, b, x, y)
#define knb_gt(b, x, y) KNB_2(knb_gt, b, x, y)
#define knb_ge(b, x, y) KNB_2(knb_ge, b, x, y)
#define knb_and(b, x, y) KNB_2(knb_and, b, x, y)
#define knb_or(b, x, y) KNB_2(knb_or, b, x, y)
#define knb_xor(b, x, y) KNB_2(knb_xor, b, x, y)
#define knb_shift_left(b, x, y) KNB_2(knb_shift_left, b, x, y)
#define knb_shift_right_logical(b, x, y) KNB_2(knb_shift_right_logical, b, x, y)
#define knb_shift_right_arithmetic(b, x, y) KNB_2(knb_shift_right_arithmetic, b, x, y)
#define knb_gather(b, x, y, ...) KNB_2P(knb_gather, b, x, y, __VA_ARGS__)
#define knb_scatter(b, x, y, z, ...) KNB_3P(knb_scatter, b, x, y, z, __VA_ARGS__)
#define knb_scatter_add(b, x, y, z, ...) KNB_3P(knb_scatter_add, b, x, y, z, __VA_ARGS__)
#define knb_scatter_sub(b, x, y, z, ...) KNB_3P(knb_scatter_sub, b, x, y, z, __VA_ARGS__)
#define knb_scatter_mul(b, x, y, z, ...) KNB_3P(knb_scatter_mul, b, x, y, z, __VA_ARGS__)
#define knb_scatter_min(b, x, y, z, ...) KNB_3P(knb_scatter_min, b, x, y, z, __VA_ARGS__)
#define knb_scatter_max(b, x, y, z, ...) KNB_3P(knb_scatter_max, b, x, y, z, __VA_ARGS__)
#define knb_select_and_gather_add(b, x, y, ...) KNB_2P(knb_select_and_gather_add, b, x, y, __VA_ARGS__)
#define knb_select_and_scatter_add(b, x, y, ...) KNB_2P(knb_select_and_scatter_add, b, x, y, __VA_ARGS__)
#define knb_select_and_scatter(b, x, y, z, ...) KNB_3P(knb_select_and_scatter, b, x, y, z, __VA_ARGS__)
#define knb_window_pick(b, x, y, ...) KNB_2P(knb_window_pick, b, x, y, __VA_ARGS__)
#define knb_window_place(b, x, y, ...) KNB_2P(knb_window_place, b, x, y, __VA_ARGS__)
#define knb_dot_general(b, x, y, ...) KNB_2P(knb_dot_general, b, x, y, __VA_ARGS__)
#define knb_conv_general_dilated(b, x, y, ...) KNB_2P(knb_conv_general_dilated, b, x, y, __VA_ARGS__)
#define knb_partition(b, x, y, ...) KNB_2P(knb_partition, b, x, y, __VA_ARGS__)
#define knb_searchsorted(b, x, y, ...) KNB_2P(knb_searchsorted, b, x, y, __VA_ARGS__)
#define knb_triangular_solve(b, x, y, ...) KNB_2P(knb_triangular_solve, b, x, y, __VA_ARGS__)
#define knb_householder_product(b, x, y) KNB_2(knb_householder_product, b, x, y)
#define knb_ormqr(b, x, y, z, ...) KNB_3P(knb_ormqr, b, x, y, z, __VA_ARGS__)
#define knb_cholesky_update(b, x, y) KNB_2(knb_cholesky_update, b, x, y)
#define knb_sylvester(b, x, y, z) KNB_3(knb_sylvester, b, x, y, z)
#define knb_banded_solve(b, x, y, ...) KNB_2P(knb_banded_solve, b, x, y, __VA_ARGS__)
#define knb_histogram(b, x, y, ...) KNB_2P(knb_histogram, b, x, y, __VA_ARGS__)
#define knb_random_fold_in(b, x, y) KNB_2(knb_random_fold_in, b, x, y)
#define knb_igamma(b, x, y) KNB_2(knb_igamma, b, x, y)
#define knb_igammac(b, x, y) KNB_2(knb_igammac, b, x, y)
#define knb_igamma_grad_a(b, x, y) KNB_2(knb_igamma_grad_a, b, x, y)
#define knb_random_gamma_grad(b, x, y) KNB_2(knb_random_gamma_grad, b, x, y)
#define knb_zeta(b, x, y) KNB_2(knb_zeta, b, x, y)
#define knb_polygamma(b, x, y) KNB_2(knb_polygamma, b, x, y)
#define knb_regularized_incomplete_beta(b, x, y, z) KNB_3(knb_regularized_incomplete_beta, b, x, y, z)
#define knb_add_any(b, x, y) KNB_2(knb_add_any, b, x, y)
#define knb_select(b, x, y, z) KNB_3(knb_select, b, x, y, z)
#define knb_pad(b, x, y, ...) KNB_2P(knb_pad, b, x, y, __VA_ARGS__)
#define knb_dynamic_update_slice(b, x, y, ...) KNB_2P(knb_dynamic_update_slice, b, x, y, __VA_ARGS__)
#define knb_strided_update(b, x, y, ...) KNB_2P(knb_strided_update, b, x, y, __VA_ARGS__)
#define knb_random_gamma(b, x, y, ...) KNB_2P(knb_random_gamma, b, x, y, __VA_ARGS__)
#define knb_matrix_product(b, x, y) KNB_2(knb_matrix_product, b, x, y)
#define knb_permute_rows(b, x, y) KNB_2(knb_permute_rows, b, x, y)
#define knb_on_diagonal(b, x, y, z) KNB_3(knb_on_diagonal, b, x, y, z)
#define knb_abs_derivative(b, x, y, z) KNB_3(knb_abs_derivative, b, x, y, z)
#define knb_i1e_derivative(b, x, y, z) KNB_3(knb_i1e_derivative, b, x, y, z)
#define knb_acosh_derivative(b, x, y) KNB_2(knb_acosh_derivative, b, x, y)
#define knb_ndtri_derivative(b, x, y) KNB_2(knb_ndtri_derivative, b, x, y)
#endif
