/* SPDX-License-Identifier: Apache-2.0
 * test_lapack_bits.c -- factorisations have the same bits with any number of threads and any instruction set. Each seed is
 * a routine with a shape, a dtype and a kind of matrix. KILN_TEST_LONG=1: more of them; KILN_TEST_SEED=n: that one. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include "support/lapack.h"
#include "support/sweep.h"
#include <stdlib.h>

static uint64_t hash_of(kn_array x)
{
    sweep_values v = sweep_take(x);
    uint64_t h = sweep_hash(&v);
    free(v.at);
    return h;
}

/* A hash of all that one routine gives. */
static uint64_t results_of(int which, kn_array a, kn_array b)
{
    kn_array of[3] = {NULL, NULL, NULL};
    switch (which) {
    case 0:
        of[0] = kn_lax_linalg_cholesky(
            kn_add(kn_matmul(a, kn_conj(kn_swapaxes(a, -1, -2))), kn_astype(kn_eye(kn_dim(a, -1)), kn_dtype_of(a))));
        break;
    case 1: {
        kn_lax_linalg_lu_result y = kn_lax_linalg_lu(a);
        of[0] = y.lu, of[1] = y.pivots, of[2] = y.permutation;
        break;
    }
    case 2: {
        kn_linalg_lu_factor_result f = kn_linalg_lu_factor(a);
        of[0] = kn_linalg_lu_solve(f.lu, f.piv, b);
        break;
    }
    case 3: of[0] = kn_lax_linalg_triangular_solve(a, b, .left_side = true, .lower = true, .transpose_a = true); break;
    case 4: {
        kn_lax_linalg_qr_result y = kn_lax_linalg_qr(a, .pivoting = true);
        of[0] = y.q, of[1] = y.r, of[2] = y.p;
        break;
    }
    case 5: {
        kn_lax_linalg_qr_result y = kn_lax_linalg_qr(a);
        of[0] = y.q, of[1] = y.r;
        break;
    }
    case 6: {
        kn_linalg_eigh_result y = kn_linalg_eigh(a);
        of[0] = y.eigenvalues, of[1] = y.eigenvectors, of[2] = kn_linalg_eigvalsh(a);
        break;
    }
    case 7: {
        kn_linalg_svd_result y = kn_linalg_svd(a);
        of[0] = y.u, of[1] = y.s, of[2] = y.vh;
        break;
    }
    case 8: {
        kn_linalg_eig_result y = kn_linalg_eig(a);
        of[0] = y.eigenvalues, of[1] = y.eigenvectors;
        break;
    }
    case 9: {
        kn_linalg_schur_result y = kn_linalg_schur(a);
        of[0] = y.t, of[1] = y.z;
        break;
    }
    case 10: {
        kn_linalg_hessenberg_result y = kn_linalg_hessenberg(a);
        of[0] = y.h, of[1] = y.q;
        break;
    }
    case 11: {
        kn_linalg_lstsq_result y = kn_linalg_lstsq(a, b);
        of[0] = y.x, of[1] = y.rank, of[2] = y.s;
        break;
    }
    case 12: of[0] = kn_linalg_det(a), of[1] = kn_linalg_svdvals(a); break;
    default: of[0] = kn_linalg_expm(kn_div(a, kn_astype(kn_num(8.0), kn_dtype_of(a)))); break;
    }
    uint64_t h = 1;
    for (int i = 0; i < 3; i++)
        h = of[i] ? h * 31 + hash_of(of[i]) : h;
    return h;
}

static uint64_t bits_with(uint64_t seed, int threads)
{
    KN_SCOPE;
    sweep_begin(seed);
    kn_dtype d = golden_dtype((const char *const[]){"f32", "f64", "c64", "c128"}[sweep_below(4)]);
    int which = (int)(seed % 14), kind = (int)sweep_below(LAPACK_KINDS);
    bool wide_ones = which == 1 || which == 4 || which == 5 || which == 7 || which == 11;
    int64_t n = SWEEP_ONE_OF(1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 25, 31, 32, 33, 40, 64, 65, 100, 150);
    int64_t m = wide_ones && sweep_below(2) ? 1 + sweep_below(n + 20) : n;
    int64_t stack = n <= 17 ? SWEEP_ONE_OF(0, 1, 3, 5, 9, 20) : n <= 40 ? SWEEP_ONE_OF(0, 2, 5) : 0;
    if (kind == LAPACK_DEFECTIVE_TURNED && m != n)
        kind = LAPACK_RANDOM;
    lapack_matrix a[20], b = lapack_general(LAPACK_RANDOM, m, 3, d, seed);
    for (int i = 0; i < (stack ? stack : 1); i++)
        a[i] = lapack_general(kind, m, n, d, seed + (uint64_t)i);
    kn_set_threads(threads);
    kn_array x = stack ? lapack_stack((int)stack, a, d) : lapack_give(a, d), y = lapack_give(&b, d);
    if (stack)
        y = kn_broadcast_to(y, KN_SHAPE(stack, m, 3));
    uint64_t h = results_of(which, x, y);
    lapack_forget();
    return kn_error_pending() ? 0 : h;
}

/* One thread's, if two and three have the same, else what no one else has. */
static uint64_t bits_of(uint64_t seed)
{
    uint64_t one = bits_with(seed, 1), two = bits_with(seed, 2), three = bits_with(seed, 3);
    if (sweep_has_error(seed))
        return seed;
    return one == two && one == three ? one : 0;
}

static bool threads_agree(uint64_t seed)
{
    if (bits_of(seed))
        return true;
    fprintf(stderr, "KILN_TEST_SEED=%llu: threads change bits\n", (unsigned long long)seed);
    return false;
}

static const char *program;
static void the_same_bits_with_any_number_of_threads(void **state)
{
    (void)state;
    assert_int_equal(sweep_failures(sweep_seeds(280, 3000), threads_agree), 0);
}
static void the_same_bits_with_any_instruction_set(void **state)
{
    (void)state;
    assert_int_equal(sweep_backends(program, "test_lapack_bits", sweep_seeds(280, 3000)), 0);
}

KN_TEST_GROUP(test_lapack_bits)
{
    if (sweep_is_child(argc, argv))
        return sweep_print_hashes(argv, bits_of);
    program = argv[0];
    const struct CMUnitTest tests[] = {
        TEST(the_same_bits_with_any_number_of_threads),
        TEST(the_same_bits_with_any_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
