/* SPDX-License-Identifier: Apache-2.0
 * test_small_matrices.c -- stacks of small matrices: bit for bit what each matrix alone gives, with any number of threads,
 * and what the single steps give. */
#include "support/expect.h"
#include "support/group.h"

static kn_array numbers(kn_shape shape, kn_dtype d, int64_t key)
{
    return kn_astype((kn_random_normal)(kn_random_key(key), &shape, NULL), d);
}

static void same(const char *what, int64_t count, int64_t n, kn_array got, kn_array want)
{
    if (!kn_array_equal(got, want))
        fail_msg("%s of %d matrices of %d rows is another one", what, (int)count, (int)n);
}

/* Matrix number i of all. */
static kn_array one(kn_array all, int64_t i) { return kn_at(all, "%, ...", i); }

static void each_alone(kn_array a, kn_array s, kn_array b, kn_array v, int64_t count, int64_t n)
{
    kn_linalg_qr_result qr = kn_linalg_qr(a);
    kn_linalg_eigh_result eigh = kn_linalg_eigh(s);
    kn_linalg_svd_result svd = kn_linalg_svd(a);
    kn_array product = kn_matmul(a, b), turned = kn_matmul(kn_swapaxes(a, 1, 2), b), moved = kn_matvec(a, v);
    kn_array left = kn_matmul(one(a, 0), b), cut = kn_matmul(kn_at(a, ":, 1:, 1:"), kn_at(b, ":, 1:, ::2"));
    kn_array inverse = kn_linalg_inv(a), x = kn_linalg_solve(a, b), det = kn_linalg_det(a);
    kn_array root = kn_linalg_cholesky(s), values = kn_linalg_eigvalsh(s);
    kn_array all[] = {qr.q, qr.r, eigh.eigenvectors, svd.u, product, turned, moved, inverse, x, det, root, values};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kn_eval(all[i]);
    same("the values alone", count, n, values, eigh.eigenvalues);
    for (int64_t i = 0; i < count; i++) {
        KN_SCOPE;
        kn_linalg_qr_result q = kn_linalg_qr(one(a, i));
        kn_linalg_eigh_result e = kn_linalg_eigh(one(s, i));
        kn_linalg_svd_result u = kn_linalg_svd(one(a, i));
        same("q", count, n, one(qr.q, i), q.q);
        same("r", count, n, one(qr.r, i), q.r);
        same("eigenvalues", count, n, one(eigh.eigenvalues, i), e.eigenvalues);
        same("eigenvectors", count, n, one(eigh.eigenvectors, i), e.eigenvectors);
        same("u", count, n, one(svd.u, i), u.u);
        same("s", count, n, one(svd.s, i), u.s);
        same("vh", count, n, one(svd.vh, i), u.vh);
        same("matmul", count, n, one(product, i), kn_matmul(one(a, i), one(b, i)));
        same("matmul of a transpose", count, n, one(turned, i), kn_matmul(kn_swapaxes(one(a, i), 0, 1), one(b, i)));
        same("matvec", count, n, one(moved, i), kn_matmul(one(a, i), one(v, i)));
        same("matmul by one matrix", count, n, one(left, i), kn_matmul(one(a, 0), one(b, i)));
        same("matmul of parts", count, n, one(cut, i),
             kn_matmul(kn_at(one(a, i), "1:, 1:"), kn_at(one(b, i), "1:, ::2")));
        same("inv", count, n, one(inverse, i), kn_linalg_inv(one(a, i)));
        same("solve", count, n, one(x, i), kn_linalg_solve(one(a, i), one(b, i)));
        same("det", count, n, one(det, i), kn_linalg_det(one(a, i)));
        same("cholesky", count, n, one(root, i), kn_linalg_cholesky(one(s, i)));
    }
}

static void stacks_have_the_bits_of_each_matrix(void **state)
{
    (void)state;
    static const int64_t sizes[] = {2, 3, 4, 8, 11}, counts[] = {1, 3, 17, 40};
    for (int wide = 0; wide < 2; wide++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                KN_SCOPE;
                int64_t n = sizes[k], count = counts[c];
                kn_dtype d = wide ? KN_F64 : KN_F32;
                kn_array a = numbers(KN_SHAPE(count, n, n), d, n), b = numbers(KN_SHAPE(count, n, 5), d, n + 20);
                kn_array s = kn_add(kn_matmul(a, kn_swapaxes(a, 1, 2)), kn_eye(n, .dtype = d));
                kn_array v = numbers(KN_SHAPE(count, n), d, n + 40);
                kn_eval(a);
                kn_eval(s);
                kn_defaults_push(.threads = (int)(c % 2 ? 2 : 1));
                each_alone(a, s, b, v, count, n);
                kn_defaults_pop();
            }
}

/* Rows in the order of a permutation. */
static kn_array permuted(kn_array b, kn_array order)
{
    return kn_take_along_axis(b, kn_broadcast_to(kn_at(order, "..., None"), kn_shape_of(b)), KN_AXIS(-2));
}

static void inv_solve_and_det_have_the_bits_of_their_steps(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 16; n++)
        for (int wide = 0; wide < 2; wide++) {
            KN_SCOPE;
            kn_dtype d = wide ? KN_F64 : KN_F32;
            kn_array a = numbers(KN_SHAPE(21, n, n), d, n), b = numbers(KN_SHAPE(21, n, 3), d, n + 50);
            kn_lax_linalg_lu_result f = kn_lax_linalg_lu(a);
            kn_array eye = kn_broadcast_to(kn_eye(n, .dtype = d), KN_SHAPE(21, n, n)), x[2] = {eye, b};
            for (int i = 0; i < 2; i++) {
                x[i] = permuted(x[i], f.permutation);
                x[i] =
                    kn_lax_linalg_triangular_solve(f.lu, x[i], .left_side = true, .lower = true, .unit_diagonal = true);
                x[i] = kn_lax_linalg_triangular_solve(f.lu, x[i], .left_side = true);
            }
            same("inv", 21, n, kn_linalg_inv(a), x[0]);
            same("solve", 21, n, kn_linalg_solve(a, b), x[1]);
            kn_array det = kn_diagonal(f.lu, .axis1 = 1, .axis2 = 2);
            for (int64_t left = n, half; left > 1; left = half) {
                half = (left + 1) / 2;
                kn_array upper = kn_at(det, ":, %:", half), lower = kn_at(det, ":, :%", half);
                det = half == left - half ? kn_mul(lower, upper)
                                          : kn_concatenate(KN_LIST(kn_mul(kn_at(lower, ":, :%", left - half), upper),
                                                                   kn_at(lower, ":, %:", left - half)),
                                                           KN_AXIS(1));
            }
            kn_array moved = kn_sum(kn_not_equal(f.pivots, kn_arange(0, n, 1)), KN_AXIS(1));
            kn_array parity = kn_sub(1, kn_mul(2, kn_remainder(moved, 2)));
            same("det", 21, n, kn_linalg_det(a), kn_mul(kn_at(det, ":, 0"), kn_astype(parity, d)));
        }
}

static kn_array solve_all(const kn_array *a, const kn_array *b) { return kn_linalg_solve(*a, *b); }
KN_FUNCTION(solve_all, kn_array, kn_array, kn_array)

static void one_matrix_serves_many_right_hand_sides(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = numbers(KN_SHAPE(4, 4), KN_F64, 1), b = numbers(KN_SHAPE(7, 4), KN_F64, 2), y;
    kn_call(kn_vmap(KN_FN(solve_all), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &y, &a, &b);
    for (int64_t i = 0; i < 7; i++)
        same("solve", 7, 4, one(y, i), kn_linalg_solve(a, one(b, i)));
}

static kn_array work(const kn_array *a, const kn_array *b)
{
    return kn_add(kn_sum(kn_cos(kn_linalg_solve(*a, *b))), kn_sum(kn_mul(kn_linalg_det(*a), kn_linalg_inv(*a))));
}
KN_FUNCTION(work, kn_array, kn_array, kn_array)

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 5; n++) {
        KN_SCOPE;
        kn_array x[2] = {kn_add(numbers(KN_SHAPE(n, n), KN_F64, n), kn_mul(3, kn_eye(n))),
                         numbers(KN_SHAPE(n, 2), KN_F64, n + 9)};
        kn_array da = numbers(KN_SHAPE(n, n), KN_F64, 30), g;
        kn_call(kn_grad(KN_FN(work)), &g, &x[0], &x[1]);
        const double step = 1e-6;
        kn_array forth = kn_add(x[0], kn_mul(step, da)), back = kn_sub(x[0], kn_mul(step, da)), high, low;
        kn_call(KN_FN(work), &high, &forth, &x[1]);
        kn_call(KN_FN(work), &low, &back, &x[1]);
        double want = (kn_item(high) - kn_item(low)) / (2 * step), got = kn_item(kn_sum(kn_mul(g, da)));
        if (!(fabs(want - got) <= 1e-6 * (1 + fabs(want))))
            fail_msg("%d rows: the derivative is %.12g, differences say %.12g", (int)n, got, want);
    }
}

KN_TEST_GROUP(test_small_matrices)
{
    const struct CMUnitTest tests[] = {
        TEST(stacks_have_the_bits_of_each_matrix),
        TEST(inv_solve_and_det_have_the_bits_of_their_steps),
        TEST(one_matrix_serves_many_right_hand_sides),
        TEST(derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
