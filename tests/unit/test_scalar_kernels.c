/* SPDX-License-Identifier: Apache-2.0
 * test_scalar_kernels.c -- loops and branches that become one kernel with loops: that they do, the bits of the same
 * program run stepwise, and what does not become one, with its reason. */
#include "programs.h"

#include <stdio.h>

static kni_jaxpr *parsed(const char *text)
{
    kni_jaxpr *j = NULL;
    kn_error *e = kni_parse(text, &j);
    if (e)
        fail_msg("%s\n%s", e->message, text);
    return j;
}

/* The only step of the program, if it is a kernel with loops. */
static const knk_kernel *kernel_of(const kn_program *p, int loops)
{
    if (p->n_step != 1 || p->step[0].kind != KNC_KERNEL) {
        char *text = NULL;
        test_ok(knc_text(p, &text));
        print_message("%s\n", text);
        knx_free(text);
    }
    assert_int_equal(p->n_step, 1);
    assert_int_equal(p->step[0].kind, KNC_KERNEL);
    const knk_kernel *k = p->step[0].u.k.kernel;
    if (k->stage[0].n_loop != loops) {
        char *text = NULL;
        test_ok(knk_text(k, &text));
        print_message("%s\n", text);
        knx_free(text);
    }
    assert_int_equal(k->stage[0].n_loop, loops);
    return k;
}

static void same_results(const kni_jaxpr *j, const kn_program *fused, uint64_t seed)
{
    kn_program *plain = test_compile(j, false);
    test_operands x = test_make_operands(j, seed);
    kn_buffer *got[MANY] = {0}, *want[MANY] = {0};
    test_ok(knd_run(plain, x.in, want, NULL));
    test_ok(knd_run(fused, x.in, got, NULL));
    for (uint32_t i = 0; i < j->n_out; i++) {
        int64_t at = test_difference(kni_out_type(j, i), got[i]->data, want[i]->data);
        if (at >= 0) {
            char *text = NULL;
            test_ok(knk_text(fused->step[0].u.k.kernel, &text));
            print_message("%s\n", text);
            knx_free(text);
            fail_msg("result %u differs in element %lld", i, (long long)at);
        }
    }
    test_release((int)j->n_out, got);
    test_release((int)j->n_out, want);
    test_free_operands(&x);
    knc_release(plain);
}

/* One kernel with so many parallel loops and loops, which gives what the stepwise program gives. */
static void check_text(const char *text, int par, int loops)
{
    kni_jaxpr *j = parsed(text);
    kn_program *p = test_compile(j, true);
    const knk_kernel *k = kernel_of(p, loops);
    assert_int_equal(k->n_par, par);
    for (uint64_t seed = 1; seed < 4; seed++)
        same_results(j, p, seed);
    knc_release(p);
    kni_release(j);
}

/* It becomes no kernel, and the reason says this. */
__attribute__((unused)) static void refused(const char *text, const char *why)
{
    kni_jaxpr *j = parsed(text);
    kn_program *p = test_compile(j, true);
    char *shown = NULL;
    test_ok(knc_text(p, &shown));
    if (!strstr(shown, why))
        fail_msg("no \"%s\" in\n%s", why, shown);
    for (uint32_t i = 0; i < p->n_step; i++)
        assert_false(p->step[i].kind == KNC_KERNEL && p->step[i].u.k.kernel->stage[0].n_loop);
    knx_free(shown);
    knc_release(p);
    kni_release(j);
}

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
    kn_program *p[2];
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
        knc_release(p[i]);
        kni_release(j[i]);
    }
}

static void outputs_may_be_carries_constants_inputs_and_the_same_twice(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; k:f32[4] a:f32[4] b:f32[5,4]. let"
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
    check_text("{ lambda \"f\" ; n:i32[] a:f32[]. let"
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
               "         t:f32[] = convert_element_type[new_dtype=f32 weak_type=False] k; s:f32[50] = mul y t in (k, s) } body_nconsts=0] m 0:i32[] a"
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
    check_text("{ lambda \"f\" ; a:f64[40] u:i32[40]. let"
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
    check_text("{ lambda \"f\" ; i:bool[33] a:f32[33]. let"
               "    _:bool[33] c:f32[33] d:f32[] = while["
               "      cond_jaxpr={ lambda ; m:bool[33] x:f32[33] n:f32[]. let s:bool[] = reduce_or[axes=(0,)] m in (s,) }"
               "      body_jaxpr={ lambda ; m:bool[33] x:f32[33] n:f32[]. let k:f32[] = add n 1.0:f32[];"
               "           y:f32[33] = add x k; p:bool[33] = lt y 40.0:f32[]; q:bool[33] = and m p;"
               "           z:f32[33] = select_n m x y in (q, z, k) }"
               "      cond_nconsts=0 body_nconsts=0] i a 0.0:f32[]"
               "  in (c,) }",
               1, 1);
}

int main(void)
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
