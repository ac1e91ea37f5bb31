/* SPDX-License-Identifier: Apache-2.0
 * test_scalar_kernels.c -- loops and branches that become one kernel with loops: that they do, the bits of the same
 * program run stepwise, and what does not become one, with its reason. */
#include "support/group.h"
#include "support/scalar.h"

/* ---- Scalars and elementwise arrays. */

static void a_running_sum_is_one_loop(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; a:f32[] b:f32[10]. let"
               "    c:f32[] d:f32[10] = scan[jaxpr={ lambda ; e:f32[] f:f32[]. let g:f32[] = add e f in (g, g) }"
               "                             length=10 num_carry=1 num_consts=0 reverse=False unroll=1] a b"
               "  in (c, d) }",
               0, 1);
}

static void a_scan_may_go_from_the_end(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; a:f64[] b:f64[7]. let"
               "    c:f64[] d:f64[7] = scan[jaxpr={ lambda ; e:f64[] f:f64[]. let g:f64[] = mul e 0.5:f64[];"
               "                                                 h:f64[] = add g f in (h, e) }"
               "                             length=7 num_carry=1 num_consts=0 reverse=True unroll=1] a b"
               "  in (c, d) }",
               0, 1);
}

/* The same kernel for all lengths and batch sizes. */
static void numbers_of_the_launch_are_no_structure(void **state)
{
    (void)state;
    static const char *const text =
        "{ lambda \"f\" ; a:f32[%d] b:f32[%d,%d]. let"
        "    c:f32[%d] d:f32[%d,%d] = scan[jaxpr={ lambda ; e:f32[%d] f:f32[%d]. let g:f32[%d] = add e f in (g, g) }"
        "                             length=%d num_carry=1 num_consts=0 reverse=False unroll=1] a b"
        "  in (c, d) }";
    knd_loaded *p[2];
    kni_jaxpr *j[2];
    for (int i = 0; i < 2; i++) {
        char all[1024];
        int n = i ? 1000 : 7, l = i ? 33 : 5;
        snprintf(all, sizeof all, text, n, l, n, n, l, n, n, n, n, l);
        j[i] = parsed(all);
        p[i] = test_compile(j[i], true);
    }
    const knk_kernel *x = kernel_of(p[0], 1), *y = kernel_of(p[1], 1);
    assert_int_equal(x->key_bytes, y->key_bytes);
    assert_memory_equal(x->key, y->key, x->key_bytes);
    for (int i = 0; i < 2; i++) {
        same_results(j[i], p[i], 5);
        knd_release(p[i]);
        kni_release(j[i]);
    }
}

static void outputs_may_be_carries_constants_inputs_and_the_same_twice(void **state)
{
    (void)state;
    check_text(
        "{ lambda \"f\" ; k:f32[4] a:f32[4] b:f32[5,4]. let"
        "    c:f32[4] d:f32[5,4] e:f32[5,4] f:f32[5,4] g:f32[5,4] h:f32[5,4] ="
        "      scan[jaxpr={ lambda ; k:f32[4] e:f32[4] f:f32[4]. let g:f32[4] = mul e f"
        "                   in (g, e, k, f, g, g) } length=5 num_carry=1 num_consts=1 reverse=False unroll=1] k a b"
        "  in (c, d, e, f, g, h) }",
        1, 1);
}

static void carries_change_places_at_once(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; a:f32[] b:f32[] c:f32[6]. let"
               "    d:f32[] e:f32[] = scan[jaxpr={ lambda ; e:f32[] f:f32[] g:f32[]. let h:f32[] = add f g in (h, e) }"
               "                             length=6 num_carry=2 num_consts=0 reverse=False unroll=1] a b c"
               "  in (d, e) }",
               0, 1);
}

static void carries_have_any_dtype(void **state)
{
    (void)state;
    static const char *const dtypes[] = {"f16", "bf16", "f32", "f64", "i8", "u16", "i32", "u64", "c64", "c128"};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        char all[1024];
        const char *d = dtypes[i];
        snprintf(all, sizeof all,
                 "{ lambda \"f\" ; a:%s[5] b:%s[9,5]. let"
                 "    c:%s[5] d:%s[9,5] = scan[jaxpr={ lambda ; e:%s[5] f:%s[5]. let g:%s[5] = mul e f;"
                 "       h:%s[5] = add g f in (h, g) } length=9 num_carry=1 num_consts=0 reverse=False unroll=1] a b"
                 "  in (c, d) }",
                 d, d, d, d, d, d, d, d);
        check_text(all, 1, 1);
    }
    check_text("{ lambda \"f\" ; a:bool[5] b:bool[9,5]. let"
               "    c:bool[5] d:bool[9,5] = scan[jaxpr={ lambda ; e:bool[5] f:bool[5]. let g:bool[5] = xor e f;"
               "       h:bool[5] = not g in (h, g) } length=9 num_carry=1 num_consts=0 reverse=False unroll=1] a b"
               "  in (c, d) }",
               1, 1);
}

static void axes_that_lie_in_order_become_one_loop(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; a:f32[6,70] b:f32[4,6,70]. let"
               "    c:f32[6,70] = scan[jaxpr={ lambda ; e:f32[6,70] f:f32[6,70]. let g:f32[6,70] = add e f in (g,) }"
               "                       length=4 num_carry=1 num_consts=0 reverse=False unroll=1] a b"
               "  in (c,) }",
               1, 1);
    check_text("{ lambda \"f\" ; k:f32[70] a:f32[6,70]. let" /* but not those of the constant */
               "    c:f32[6,70] = scan[jaxpr={ lambda ; k:f32[70] e:f32[6,70]. let"
               "         f:f32[6,70] = broadcast_in_dim[broadcast_dimensions=(1,) shape=(6,70)] k;"
               "         g:f32[6,70] = add e f in (g,) } length=4 num_carry=1 num_consts=1 reverse=False unroll=1] k a"
               "  in (c,) }",
               2, 1);
}

/* ---- while. */

static void a_count_is_a_loop_with_a_condition(void **state)
{
    (void)state;
    check_text(
        "{ lambda \"f\" ; n:i32[] a:f32[]. let"
        "    _:i32[] c:f32[] = while[cond_jaxpr={ lambda ; i:i32[] x:f32[]. let p:bool[] = lt i 20:i32[] in (p,) }"
        "      body_jaxpr={ lambda ; i:i32[] x:f32[]. let y:f32[] = mul x 1.5:f32[]; z:f32[] = add y 1.0:f32[];"
        "                            k:i32[] = add i 1:i32[] in (k, z) } cond_nconsts=0 body_nconsts=0] n a"
        "  in (c,) }",
        0, 1);
}

static void a_counter_beside_arrays_is_each_points_own(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; m:i32[] a:f32[50]. let"
               "    _:i32[] c:f32[50] = while[cond_jaxpr={ lambda ; m:i32[] i:i32[] x:f32[50]. let"
               "          k:i32[] = rem m 13:i32[]; p:bool[] = lt i k in (p,) } cond_nconsts=1"
               "      body_jaxpr={ lambda ; i:i32[] x:f32[50]. let y:f32[50] = sin x; k:i32[] = add i 1:i32[];"
               "         t:f32[] = convert_element_type[new_dtype=f32 weak_type=False] k; s:f32[50] = mul y t in (k, "
               "s) } body_nconsts=0] m 0:i32[] a"
               "  in (c,) }",
               1, 1);
}

static void the_bound_of_a_while_ends_it(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; a:f32[]. let"
               "    c:f32[] = while[cond_jaxpr={ lambda ; x:f32[]. let p:bool[] = lt x 1e20:f32[] in (p,) }"
               "      body_jaxpr={ lambda ; x:f32[]. let y:f32[] = mul x 2.0:f32[]; z:f32[] = add y 1.0:f32[] in (z,) }"
               "      cond_nconsts=0 body_nconsts=0 max_steps=9] a"
               "  in (c,) }",
               0, 1);
}

/* As vmap makes it: lanes that are done keep their carries. */
static void lanes_of_a_batched_while_stop_alone(void **state)
{
    (void)state;
    check_text(
        "{ lambda \"f\" ; a:f64[40] u:i32[40]. let"
        "    c:f64[40] d:i32[40] = while["
        "      cond_jaxpr={ lambda ; a:f64[40] x:f64[40] n:i32[40]. let y:f64[40] = mul x x; z:f64[40] = sub y a;"
        "           e:f64[40] = abs z; p:bool[40] = gt e 1e-9:f64[]; q:bool[40] = lt n 50:i32[];"
        "           r:bool[40] = and p q; s:bool[] = reduce_or[axes=(0,)] r in (s,) } cond_nconsts=1"
        "      body_jaxpr={ lambda ; b:f64[40] a:f64[40] x:f64[40] n:i32[40]. let"
        "           y:f64[40] = mul x x; z:f64[40] = sub y a;"
        "           e:f64[40] = abs z; p:bool[40] = gt e 1e-9:f64[]; q:bool[40] = lt n 50:i32[];"
        "           r:bool[40] = and p q; d:f64[40] = div a x; s:f64[40] = add x d; h:f64[40] = mul s 0.5:f64[];"
        "           m:i32[40] = add n 1:i32[]; v:f64[40] = select_n r x h; w:i32[40] = select_n r n m in (v, w) }"
        "      body_nconsts=2] a a a a u"
        "  in (c, d) }",
        1, 1);
}

/* As rows that iterate make it: a mask that only loses elements, and a counter that all share. */
static void a_mask_is_a_condition_of_each_point(void **state)
{
    (void)state;
    check_text(
        "{ lambda \"f\" ; i:bool[33] a:f32[33]. let"
        "    _:bool[33] c:f32[33] d:f32[] = while["
        "      cond_jaxpr={ lambda ; m:bool[33] x:f32[33] n:f32[]. let s:bool[] = reduce_or[axes=(0,)] m in (s,) }"
        "      body_jaxpr={ lambda ; m:bool[33] x:f32[33] n:f32[]. let k:f32[] = add n 1.0:f32[];"
        "           y:f32[33] = add x k; p:bool[33] = lt y 40.0:f32[]; q:bool[33] = and m p;"
        "           z:f32[33] = select_n m x y in (q, z, k) }"
        "      cond_nconsts=0 body_nconsts=0] i a 0.0:f32[]"
        "  in (c,) }",
        1, 1);
}

/* ---- What becomes no kernel. */

#define ONE_SCAN(t, ops)                                                         \
    "{ lambda \"f\" ; a:" t " b:f32[10]. let"                                    \
    "    c:" t " = scan[jaxpr={ lambda ; x:" t " v:f32[]. let " ops " in (y,) }" \
    "         length=10 num_carry=1 num_consts=0 reverse=False unroll=1] a b in (c,) }"

static void reasons_name_the_row(void **state)
{
    (void)state;
    refused(ONE_SCAN("f32[4,4]", "y:f32[4,4] = cholesky[check=none] x"), "the body has cholesky");
    refused(ONE_SCAN("f32[100]", "y:f32[100] = cumsum[axis=0 reverse=False] x"), "the body has cumsum");
    refused(ONE_SCAN("f32[100]", "y:f32[100] = rev[dimensions=(0,)] x"),
            "a carry is read at other points than its own");
    refused(ONE_SCAN("f32[1000]", "s:f32[] = reduce_sum[axes=(0,)] x; y:f32[1000] = add x s"),
            "a reduce_sum joins more than 256 elements");
}

/* An element of the result is none of the operand: it is of no use that both have a last axis. */
static void bytes_as_other_elements_are_no_reshape(void **state)
{
    (void)state;
    refused(ONE_SCAN("u8[4]", "z:u32[1] = bitcast_last_axis[new_dtype=uint32] x; w:u32[1] = add z 1:u32[];"
                              "y:u8[4] = bitcast_last_axis[new_dtype=uint8] w"),
            "the body has bitcast_last_axis");
    refused(ONE_SCAN("bool[8]", "z:u64[1] = bitcast_last_axis[new_dtype=uint64] x; w:u64[] = reshape[new_sizes=()] z;"
                                "p:bool[] = eq w 257:u64[]; y:bool[8] = or x p"),
            "the body has bitcast_last_axis");
}

static void rows_that_memory_gives_slowly_go_step_by_step(void **state)
{
    (void)state;
    static const char *const text =
        "{ lambda \"f\" ; a:f32[100000] b:f32[50,100000]. let"
        "    c:f32[100000] = scan[jaxpr={ lambda ; x:f32[100000] v:f32[100000]. let %s in (y,) }"
        "         length=50 num_carry=1 num_consts=0 reverse=False unroll=1 %s] a b in (c,) }";
    char all[1024];
    snprintf(all, sizeof all, text, "y:f32[100000] = add x v", "accept=0");
    refused(all, "long inputs or outputs, with little to do for each element, go step by step");
    snprintf(all, sizeof all, text, "y:f32[100000] = add x v", "accept=1"); /* but as it is wanted */
    kni_jaxpr *j = parsed(all);
    knd_loaded *p = test_compile(j, true);
    kernel_of(p, 1);
    knd_release(p);
    kni_release(j);
    snprintf(all, sizeof all, text, "z:f32[100000] = sin x; y:f32[100000] = add z v", "accept=0");
    check_text(all, 1, 1);
}

static void a_result_that_all_points_share_is_stored_by_nobody(void **state)
{
    (void)state;
    static const char *const text =
        "{ lambda \"f\" ; a:f32[1000] n:i32[]. let c:f32[1000] m:i32[] = while["
        "    cond_jaxpr={ lambda ; x:f32[1000] n:i32[]. let p:bool[] = lt n 30:i32[] in (p,) } cond_nconsts=0"
        "    body_jaxpr={ lambda ; x:f32[1000] n:i32[]. let y:f32[1000] = sin x; m:i32[] = add n 1:i32[] in (y, m) }"
        "    body_nconsts=0] a n in (c%s) }";
    char all[1024];
    snprintf(all, sizeof all, text, ", m");
    refused(all, "a result is the same for all points, and others are not");
    snprintf(all, sizeof all, text, ",");
    check_text(all, 1, 1);
}

#define ONE_WHILE(n, cond, body)                                                              \
    "{ lambda \"f\" ; a:f32[" #n "] i:i32[]. let c:f32[" #n "] d:i32[] = while["              \
    "     cond_jaxpr={ lambda ; x:f32[" #n "] i:i32[]. let " cond " in (p,) } cond_nconsts=0" \
    "     body_jaxpr={ lambda ; x:f32[" #n "] i:i32[]. let " body " in (y, j) } body_nconsts=0] a i in (c,) }"
#define ANY_BELOW "q:bool[100] = lt x 9.0:f32[]; p:bool[] = reduce_or[axes=(0,)] q"

static void points_that_are_done_must_keep_their_carries(void **state)
{
    (void)state;
    /* all points go on until the last one is done */
    refused(ONE_WHILE(100, ANY_BELOW, "y:f32[100] = add x 1.0:f32[]; j:i32[] = add i 1:i32[]"),
            "points that are done go on with the others");
    /* a point begins again when the count is even */
    refused(ONE_WHILE(100,
                      "r:i32[] = rem i 2:i32[]; t:bool[] = eq r 0:i32[]; q:bool[100] = lt x 9.0:f32[];"
                      "u:bool[100] = and q t; p:bool[] = reduce_or[axes=(0,)] u",
                      "r:i32[] = rem i 2:i32[]; t:bool[] = eq r 0:i32[]; q:bool[100] = lt x 9.0:f32[];"
                      "u:bool[100] = and q t; z:f32[100] = add x 1.0:f32[]; y:f32[100] = select_n u x z;"
                      "j:i32[] = add i 1:i32[]"),
            "which points are done depends on what all points share");
    /* what ends for all at once may depend on it */
    check_text(ONE_WHILE(100,
                         "q:bool[100] = lt x 9.0:f32[]; s:bool[] = reduce_or[axes=(0,)] q;"
                         "t:bool[] = lt i 20:i32[]; p:bool[] = and s t",
                         "q:bool[100] = lt x 9.0:f32[]; z:f32[100] = add x 1.0:f32[]; y:f32[100] = select_n q x z;"
                         "j:i32[] = add i 1:i32[]"),
               1, 1);
    /* two questions are none */
    refused(ONE_WHILE(100,
                      "q:bool[100] = lt x 9.0:f32[]; s:bool[] = reduce_or[axes=(0,)] q;"
                      "v:bool[100] = gt x 3.0:f32[]; t:bool[] = reduce_or[axes=(0,)] v; p:bool[] = and s t",
                      "q:bool[100] = lt x 9.0:f32[]; z:f32[100] = add x 1.0:f32[]; y:f32[100] = select_n q x z;"
                      "j:i32[] = add i 1:i32[]"),
            "the condition of a loop joins points");
}

/* So few that they are written out: then any question may be asked. */
static void few_elements_may_join_in_the_condition(void **state)
{
    (void)state;
    check_text(ONE_WHILE(10,
                         "t:bool[10] = lt x 9.0:f32[]; q:bool[] = reduce_or[axes=(0,)] t;"
                         "u:bool[] = lt i 50:i32[]; p:bool[] = and q u",
                         "z:f32[10] = rev[dimensions=(0,)] x; w:f32[10] = mul z 0.75:f32[]; y:f32[10] = add w x;"
                         "j:i32[] = add i 1:i32[]"),
               0, 1);
}

KN_TEST_GROUP(test_scalar_kernels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_sum_is_one_loop),
        cmocka_unit_test(a_scan_may_go_from_the_end),
        cmocka_unit_test(numbers_of_the_launch_are_no_structure),
        cmocka_unit_test(outputs_may_be_carries_constants_inputs_and_the_same_twice),
        cmocka_unit_test(carries_change_places_at_once),
        cmocka_unit_test(carries_have_any_dtype),
        cmocka_unit_test(axes_that_lie_in_order_become_one_loop),
        cmocka_unit_test(a_count_is_a_loop_with_a_condition),
        cmocka_unit_test(a_counter_beside_arrays_is_each_points_own),
        cmocka_unit_test(the_bound_of_a_while_ends_it),
        cmocka_unit_test(lanes_of_a_batched_while_stop_alone),
        cmocka_unit_test(a_mask_is_a_condition_of_each_point),
        cmocka_unit_test(reasons_name_the_row),
        cmocka_unit_test(bytes_as_other_elements_are_no_reshape),
        cmocka_unit_test(rows_that_memory_gives_slowly_go_step_by_step),
        cmocka_unit_test(a_result_that_all_points_share_is_stored_by_nobody),
        cmocka_unit_test(points_that_are_done_must_keep_their_carries),
        cmocka_unit_test(few_elements_may_join_in_the_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
