/* SPDX-License-Identifier: Apache-2.0
 * test_prim_index.c -- gather, scatter-add and dot_general against loops written down from the definition, their
 * batching rules against a loop over examples, their transposes by inner products. */
#include "support/group.h"
#include "support/indexing.h"

/* --- gather and scatter by definition --------------------------------------------------------- */

static void check_fill(const value *y, int64_t i, bool zero)
{
    static const unsigned char ones[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                           255, 255, 255, 255, 255, 255, 255, 255},
                               none[16];
    kn_dtype d = y->t.dtype;
    const char *p = y->p + i * d->size;
    if (zero)
        assert_memory_equal(p, none, d->size);
    else if (knx_is_inexact(d))
        assert_true(isnan(get(y, i)));
    else if (d->kind == 'u')
        assert_memory_equal(p, ones, d->size);
    else if (d->kind == 'b')
        assert_int_equal(*p, 1);
    else
        assert_true(get(y, i) == -ldexp(1, d->size * 8 - 1));
}

static void test_gather(void **unused)
{
    (void)unused;
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F64,  KN_ID_I8,   KN_ID_U32,
                                          KN_ID_I64, KN_ID_C128, KN_ID_BF16, KN_ID_BOOL};
    static const knx_dtype_id index_dtypes[] = {KN_ID_I32, KN_ID_I64, KN_ID_U8, KN_ID_I8, KN_ID_U64};
    for (int round = 0; round < 3000; round++) {
        problem q;
        int mode = round % 5;
        make_problem(&q, &knx_dtype_table[dtypes[round % 8]], &knx_dtype_table[index_dtypes[round / 8 % 5]], mode,
                     mode == KN_GATHER_CHECK);
        value *y = run_new(&knp_prim_gather, &q.p, 2, (value *[]){q.table, q.indices});
        bool clip = mode == KN_GATHER_CLIP || mode == KN_GATHER_PROMISE;
        for (int64_t i = 0; i < kni_type_size(y->t); i++) {
            int64_t at[KN_MAX_NDIM], d = y->t.dtype->size;
            position(y->t, i, at);
            int64_t from = table_element(&q, at, y->t.ndim, clip);
            if (from < 0)
                check_fill(y, i, mode == KN_GATHER_FILL_ZERO);
            else
                assert_memory_equal(y->p + i * d, q.table->p + from * d, (size_t)d);
        }
        drop(y), drop(q.table), drop(q.indices);
    }
}

static void test_scatter_add(void **unused)
{
    (void)unused;
    for (int round = 0; round < 3000; round++) {
        problem q;
        int mode = round % 3 == 2 ? KN_GATHER_CHECK : round % 3;
        make_problem(&q, round % 2 ? KN_DT(BF16) : KN_DT(F16), KN_DT(I32), mode, mode == KN_GATHER_CHECK);
        knx_arena a = KN_ARENA_INIT;
        kni_type t = result_type(&knp_prim_gather, &q.p, 2, (value *[]){q.table, q.indices}, &a);
        value *updates = new_value(t.dtype, t.ndim, t.dim),
              *want = new_value(q.table->t.dtype, q.table->t.ndim, q.table->dim);
        fill_rough(updates), fill_rough(q.table);
        memcpy(want->p, q.table->p, kni_type_bytes(want->t));
        for (int64_t i = 0; i < kni_type_size(t); i++) {
            int64_t at[KN_MAX_NDIM], d = t.dtype->size;
            position(t, i, at);
            int64_t to = table_element(&q, at, t.ndim, mode == KN_GATHER_CLIP);
            if (to < 0)
                continue;
            knx_scalar_bits s = knx_scalar_from_double(t.dtype, get(want, to) + get(updates, i));
            memcpy(want->p + to * d, &s, (size_t)d);
        }
        kni_p_scatter p = scatter_of(&q);
        value *y = run_new(&knp_prim_scatter_add, &p, 3, (value *[]){q.table, q.indices, updates});
        assert_true(same(y, want));
        drop(y), drop(want), drop(updates), drop(q.table), drop(q.indices);
        knx_arena_free(&a);
    }
}

static void test_derivatives(void **unused)
{
    (void)unused;
    for (int round = 0; round < 1000; round++) {
        problem q;
        int mode = (int[]){KN_GATHER_CLIP, KN_GATHER_FILL_ZERO, KN_GATHER_PROMISE, KN_GATHER_CHECK}[round % 4];
        make_problem(&q, KN_DT(F64), KN_DT(I32), mode, mode >= KN_GATHER_PROMISE && mode <= KN_GATHER_CHECK);
        value *x[] = {q.table, q.indices, NULL};
        check_transpose(&knp_prim_gather, &q.p, 2, x, 0, 0);
        x[2] = run_new(&knp_prim_gather, &q.p, 2, x);
        fill_small(x[2]);
        kni_p_scatter p = scatter_of(&q);
        p.mode = mode == KN_GATHER_FILL_ZERO ? KN_GATHER_FILL : mode;
        memset(x[0]->p, 0, kni_type_bytes(x[0]->t));
        check_transpose(&knp_prim_scatter_add, &p, 3, x, 2, 1);
        drop(x[0]), drop(x[1]), drop(x[2]);
    }
}

static void test_batching(void **unused)
{
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        problem q;
        make_problem(&q, KN_DT(F32), KN_DT(I32), round % 2 ? KN_GATHER_CLIP : KN_GATHER_FILL_ZERO, false);
        int axis[] = {below(q.table->t.ndim + 1), below(q.indices->t.ndim), 0}, which = 1 + below(3);
        axis[0] = which & 1 ? axis[0] : -1;
        axis[1] = which & 2 ? axis[1] : -1;
        value *x[3] = {batched(q.table, axis[0], 3), batched(q.indices, axis[1], 3)};
        fill_small(x[0]);
        for (int64_t i = 0; i < kni_type_size(x[1]->t); i++)
            ((int32_t *)x[1]->p)[i] = below(5) - 1;
        check_batch(&knp_prim_gather, &q.p, 2, x, axis, 3);
        knx_arena a = KN_ARENA_INIT;
        kni_type t = result_type(&knp_prim_gather, &q.p, 2, (value *[]){q.table, q.indices}, &a);
        value *updates = new_value(t.dtype, t.ndim, t.dim);
        axis[2] = below(2) ? below(t.ndim + 1) : -1;
        x[2] = batched(updates, axis[2], 3);
        fill_small(x[2]);
        kni_p_scatter p = scatter_of(&q);
        if (p.mode == KN_GATHER_FILL_ZERO)
            p.mode = KN_GATHER_FILL;
        check_batch(&knp_prim_scatter_add, &p, 3, x, axis, 3);
        drop(x[0]), drop(x[1]), drop(x[2]), drop(updates), drop(q.table), drop(q.indices);
        knx_arena_free(&a);
    }
}

static void test_index_errors(void **unused)
{
    (void)unused;
    float table[6] = {0}, y[3];
    int32_t i[3] = {0, 1, 5};
    int64_t zero = 0, one = 1, sizes[] = {1, 3};
    kni_type xt[] = {kni_type_of(KN_DT(F32), 2, (int64_t[]){2, 3}), kni_type_of(KN_DT(I32), 2, (int64_t[]){3, 1})};
    kni_type yt = kni_type_of(KN_DT(F32), 2, (int64_t[]){3, 3});
    (void)y;
    float big[9];
    kni_p_gather p = {.offset_dims = {1, &one},
                      .collapsed_slice_dims = {1, &zero},
                      .start_index_map = {1, &zero},
                      .slice_sizes = {2, sizes},
                      .mode = KN_GATHER_CHECK};
    kni_rule r = {.params = &p, .n_in = 2, .n_out = 1, .xt = xt, .yt = &yt};
    kni_routine_args args = {(const void *[]){table, i}, (void *[]){big}, NULL, 1};
    knx_error *e = knp_prim_gather.run(&r, &args);
    assert_non_null(e);
    assert_int_equal(e->kind, KN_ERROR_INDEX);
    assert_string_equal(e->message, "index 5 is out of bounds for axis 0 with size 2");
    knx_error_release(e);
    i[2] = -3; /* -5, made positive by the caller */
    e = knp_prim_gather.run(&r, &args);
    assert_string_equal(e->message, "index -5 is out of bounds for axis 0 with size 2");
    knx_error_release(e);
    assert_true(knp_prim_gather.may_fail(&r));
    p.mode = KN_GATHER_CLIP;
    assert_false(knp_prim_gather.may_fail(&r));
}

/* --- dot_general ------------------------------------------------------------------------------ */

static void test_dot_general(void **unused)
{
    (void)unused;
    for (int round = 0; round < 1500; round++) {
        /* Labels 0 .. 5: two batch, two contracted, one free on each side; each operand has some of them in a random
         * order. */
        int64_t extent[6], dim[2][6];
        int order[2][6], n[2] = {0, 0};
        bool used[6];
        for (int l = 0; l < 6; l++)
            extent[l] = 1 + below(4), used[l] = below(3) > 0;
        for (int s = 0; s < 2; s++) {
            for (int l = 0; l < 6; l++)
                if (used[l] && l != 4 + !s) {
                    int at = below(n[s] + 1);
                    memmove(&order[s][at + 1], &order[s][at], (size_t)(n[s]++ - at) * sizeof(int));
                    order[s][at] = l;
                }
            for (int i = 0; i < n[s]; i++)
                dim[s][i] = extent[order[s][i]];
        }
        knp_dims list[4] = {{0}, {0}, {0}, {0}}; /* lhs contract, rhs contract, lhs batch, rhs batch */
        for (int l = 0; l < 4; l++)
            for (int s = 0; s < 2; s++)
                for (int i = 0; used[l] && i < n[s]; i++)
                    if (order[s][i] == l)
                        add(&list[(l < 2 ? 2 : 0) + s], i);
        kni_p_dot_general p = {knp_ints(&list[0]), knp_ints(&list[1]), knp_ints(&list[2]), knp_ints(&list[3]), NULL};
        value *x[] = {new_value(KN_DT(F32), n[0], dim[0]), new_value(KN_DT(F32), n[1], dim[1])};
        fill_small(x[0]), fill_small(x[1]);
        check_transpose(&knp_prim_dot_general, &p, 2, x, 0, 0);
        check_transpose(&knp_prim_dot_general, &p, 2, x, 1, 0);
        int which = 1 + below(3), axis[] = {which & 1 ? below(n[0] + 1) : -1, which & 2 ? below(n[1] + 1) : -1};
        value *xb[] = {batched(x[0], axis[0], 3), batched(x[1], axis[1], 3)};
        fill_small(xb[0]), fill_small(xb[1]);
        check_batch(&knp_prim_dot_general, &p, 2, xb, axis, 3);
        /* the value, by labels */
        value *y = run_new(&knp_prim_dot_general, &p, 2, x);
        for (int64_t k = 0; k < kni_type_size(y->t); k++) {
            int64_t at[8], label[6] = {0};
            double sum = 0;
            position(y->t, k, at);
            int d = 0;
            for (int l = 0; l < 2; l++)
                if (used[l])
                    label[l] = at[d++];
            for (int l = 4; l < 6; l++)
                if (used[l])
                    label[l] = at[d++];
            for (int64_t c = 0; c < (used[2] ? extent[2] : 1); c++)
                for (int64_t e = 0; e < (used[3] ? extent[3] : 1); e++) {
                    int64_t where[2][6];
                    label[2] = c, label[3] = e;
                    for (int s = 0; s < 2; s++)
                        for (int i = 0; i < n[s]; i++)
                            where[s][i] = label[order[s][i]];
                    sum += get(x[0], number_of(x[0]->t, where[0])) * get(x[1], number_of(x[1]->t, where[1]));
                }
            assert_true(sum == get(y, k));
        }
        drop(y), drop(x[0]), drop(x[1]), drop(xb[0]), drop(xb[1]);
    }
}

KN_TEST_GROUP(test_prim_index)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather),   cmocka_unit_test(test_scatter_add),  cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_batching), cmocka_unit_test(test_index_errors), cmocka_unit_test(test_dot_general),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
