/* SPDX-License-Identifier: Apache-2.0
 * test_scalar_kernels.c -- loops and branches that become one kernel with loops: that they do, the bits of the same
 * program run stepwise, and what does not become one, with its reason. */
#include "programs.h"
#include "support/expect.h"

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

static void *place_of(const kn_program *p, const knc_ref *r, const test_operands *x, kn_buffer *const *out)
{
    char *base = r->space == KNC_AT_OPERAND  ? (char *)(uintptr_t)x->in[r->index].data
                 : r->space == KNC_AT_OUTPUT ? out[r->index]->data
                                             : (char *)(uintptr_t)p->jaxpr->literal[r->index].bits.bytes;
    return base + r->offset;
}

/* What the kernel means, into the same outputs. */
static void interpret(const kn_program *p, const test_operands *x, kn_buffer *const *out)
{
    const knc_step *s = &p->step[0];
    void *buffer[MANY], *scratch = NULL;
    for (uint32_t b = 0; b < s->n_ref; b++) {
        buffer[b] = place_of(p, &s->ref[b], x, out);
        if (s->ref[b].space == KNC_AT_OUTPUT)
            memset(buffer[b], 0x55, kni_type_bytes(knc_output_type(p, (int)s->ref[b].index)));
    }
    const knk_launch launch = {buffer, s->u.k.map, s->u.k.par, s->u.k.inner};
    assert_int_equal(posix_memalign(&scratch, 64, knk_scratch_bytes(s->u.k.kernel) + 64), 0);
    knk_interpret(s->u.k.kernel, &launch, scratch);
    free(scratch);
}

static void expect_equal(const kni_jaxpr *j, const kn_program *p, kn_buffer *const *got, kn_buffer *const *want)
{
    for (uint32_t i = 0; i < j->n_out; i++) {
        int64_t at = test_difference(kni_out_type(j, i), got[i]->data, want[i]->data);
        if (at < 0)
            continue;
        char *text = NULL;
        test_ok(knk_text(p->step[0].u.k.kernel, &text));
        print_message("%s\n", text);
        knx_free(text);
        fail_msg("result %u differs in element %lld", i, (long long)at);
    }
}

static void same_outputs(const kni_jaxpr *j, const kn_program *fused, uint64_t seed)
{
    kn_program *plain = test_compile(j, false);
    test_operands x = test_make_operands(j, seed);
    kn_buffer *got[MANY] = {0}, *want[MANY] = {0};
    test_ok(knd_run(plain, x.in, want, NULL));
    test_ok(knd_run(fused, x.in, got, NULL));
    for (uint32_t i = 0; i < j->n_out; i++)
        assert_int_equal(test_difference(kni_out_type(j, i), got[i]->data, want[i]->data), -1);
    test_release((int)j->n_out, got);
    test_release((int)j->n_out, want);
    test_free_operands(&x);
    knc_release(plain);
}

/* The same of a kernel, also as it is interpreted. */
static void same_results(const kni_jaxpr *j, const kn_program *fused, uint64_t seed)
{
    kn_program *plain = test_compile(j, false);
    test_operands x = test_make_operands(j, seed);
    kn_buffer *got[MANY] = {0}, *want[MANY] = {0};
    test_ok(knd_run(plain, x.in, want, NULL));
    test_ok(knd_run(fused, x.in, got, NULL));
    expect_equal(j, fused, got, want);
    interpret(fused, &x, got);
    expect_equal(j, fused, got, want);
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
static void refused(const char *text, const char *why)
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

/* ---- As users write them. */

static void check_function(kn_fn f, const kn_args *args, int par, int loops)
{
    const char *text = kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL);
    check_text(text, par, loops);
}

#define EXAMPLE(...) kn_ones(KN_SHAPE(__VA_ARGS__), .dtype = KN_F32)

typedef struct {
    kn_array c[12];
} Twelve;
static Twelve twelve_body(const Twelve *x, const kn_array *v)
{
    Twelve y;
    for (int i = 0; i < 12; i++)
        y.c[i] = kn_add(kn_mul(x->c[(i + 1) % 12], 0.5f), kn_sin(kn_sub(x->c[i], *v)));
    return y;
}
KN_FUNCTION(twelve_body, Twelve, Twelve, kn_array)
static kn_array twelve(const Twelve *x, const kn_array *v)
{
    Twelve end;
    kn_scan(KN_FN(twelve_body), &end, x, v);
    kn_array sum = end.c[0];
    return sum;
}
KN_FUNCTION(twelve, kn_array, Twelve, kn_array)

static void twelve_carries_are_registers(void **state)
{
    (void)state;
    KN_SCOPE;
    Twelve t;
    for (int i = 0; i < 12; i++)
        t.c[i] = kn_scalar(1.0f);
    kn_array v = EXAMPLE(20);
    check_function(KN_FN(twelve), KN_ARGS(&t, &v), 0, 1);
}

/* Lorenz by Runge and Kutta. */
typedef struct {
    kn_array x, y, z;
} P3;
static P3 lorenz(P3 p)
{
    return (P3){kn_mul(10.0, kn_sub(p.y, p.x)), kn_sub(kn_mul(p.x, kn_sub(28.0, p.z)), p.y),
                kn_sub(kn_mul(p.x, p.y), kn_mul(8.0 / 3, p.z))};
}
static P3 ahead(P3 p, P3 d, double h)
{
    return (P3){kn_add(p.x, kn_mul(h, d.x)), kn_add(p.y, kn_mul(h, d.y)), kn_add(p.z, kn_mul(h, d.z))};
}
typedef struct {
    P3 next, out;
} Stepped;
static Stepped rk4(const P3 *p)
{
    double h = 0.01;
    P3 a = lorenz(*p), b = lorenz(ahead(*p, a, h / 2)), c = lorenz(ahead(*p, b, h / 2)), d = lorenz(ahead(*p, c, h));
    P3 q = ahead(ahead(ahead(ahead(*p, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
    return (Stepped){q, q};
}
KN_FUNCTION(rk4, Stepped, P3)
static Stepped trajectory(const P3 *p)
{
    Stepped s;
    kn_scan(KN_FN(rk4), &s, p, KN_NOTHING, .length = 50);
    return s;
}
KN_FUNCTION(trajectory, Stepped, P3)

static void runge_kutta_is_one_kernel_for_a_point_and_for_many(void **state)
{
    (void)state;
    KN_SCOPE;
    P3 p = {kn_scalar(1.0), kn_scalar(2.0), kn_scalar(3.0)};
    check_function(KN_FN(trajectory), KN_ARGS(&p), 0, 1);
    kn_array x = kn_ones(KN_SHAPE(65));
    p = (P3){x, x, x};
    check_function(KN_FN(trajectory), KN_ARGS(&p), 1, 1);
}

/* A Kalman filter of four numbers that measures two of them. */
typedef struct {
    kn_array x, p;
} Belief;
typedef struct {
    kn_array f, h, q, r;
} Model;
static kn_array turned(kn_array a) { return kn_matrix_transpose(a); }
static kn_array inverse2(kn_array s)
{
    kn_array a = kn_at(s, "0, 0"), b = kn_at(s, "0, 1"), c = kn_at(s, "1, 0"), d = kn_at(s, "1, 1");
    kn_array det = kn_sub(kn_mul(a, d), kn_mul(b, c));
    kn_array rows[] = {kn_stack(KN_LIST(d, kn_negative(b))), kn_stack(KN_LIST(kn_negative(c), a))};
    return kn_div(kn_stack(KN_LIST(rows[0], rows[1])), det);
}
typedef struct {
    Belief b;
    kn_array mean;
} Filtered;
static Filtered kalman(const Model *m, const Belief *b, const kn_array *z)
{
    kn_array x = kn_matmul(m->f, b->x), p = kn_add(kn_matmul(kn_matmul(m->f, b->p), turned(m->f)), m->q);
    kn_array s = kn_add(kn_matmul(kn_matmul(m->h, p), turned(m->h)), m->r);
    kn_array gain = kn_matmul(kn_matmul(p, turned(m->h)), inverse2(s));
    kn_array error = kn_sub(*z, kn_matmul(m->h, x)), next = kn_add(x, kn_matmul(gain, error));
    kn_array cov = kn_sub(p, kn_matmul(kn_matmul(gain, m->h), p));
    return (Filtered){{next, cov}, next};
}
KN_CLOSURE(kalman, Filtered, Model, Belief, kn_array)
static Filtered filter(const Model *m, const Belief *b, const kn_array *z)
{
    Filtered f;
    kn_scan(KN_CLOSE(kalman, m), &f, b, z);
    return f;
}
KN_FUNCTION(filter, Filtered, Model, Belief, kn_array)

static void a_kalman_filter_is_written_out(void **state)
{
    (void)state;
    KN_SCOPE;
    Model m = {EXAMPLE(4, 4), EXAMPLE(2, 4), EXAMPLE(4, 4), EXAMPLE(2, 2)};
    Belief b = {EXAMPLE(4), EXAMPLE(4, 4)};
    kn_array z = EXAMPLE(30, 2);
    check_function(KN_FN(filter), KN_ARGS(&m, &b, &z), 0, 1);
}

/* h = tanh(w h + x) */
static kn_array cell(const kn_array *w, const kn_array *h, const kn_array *x)
{
    return kn_tanh(kn_add(kn_matmul(*w, *h), *x));
}
KN_CLOSURE(cell, kn_array, kn_array, kn_array, kn_array)
static kn_array recurrence(const kn_array *w, const kn_array *h, const kn_array *x)
{
    kn_array y;
    kn_scan(KN_CLOSE(cell, w), &y, h, x);
    return y;
}
KN_FUNCTION(recurrence, kn_array, kn_array, kn_array, kn_array)

static void a_matrix_times_a_small_carry_is_written_out(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int64_t n = 1; n < 8; n += 6) {
        kn_array w = EXAMPLE(n, n), h = EXAMPLE(n), x = EXAMPLE(9, n);
        check_function(KN_FN(recurrence), KN_ARGS(&w, &h, &x), 0, 1);
    }
    kn_array w = kn_ones(KN_SHAPE(5, 5), .dtype = KN_F16), h = kn_ones(KN_SHAPE(5), .dtype = KN_F16),
             x = kn_ones(KN_SHAPE(3, 5), .dtype = KN_F16);
    check_function(KN_FN(recurrence), KN_ARGS(&w, &h, &x), 0, 1);
    w = kn_ones(KN_SHAPE(5, 5), .dtype = KN_C64), h = kn_ones(KN_SHAPE(5), .dtype = KN_C64),
    x = kn_ones(KN_SHAPE(3, 5), .dtype = KN_C64);
    check_function(KN_FN(recurrence), KN_ARGS(&w, &h, &x), 0, 1);
}

/* A product of reductions of a small carry. */
static kn_array joins(const kn_array *x, const kn_array *v)
{
    kn_array y = kn_add(*x, *v), s = kn_sum(y), m = kn_max(y), l = kn_min(kn_abs(y)), p = kn_prod(kn_add(y, 0.5f));
    return kn_div(kn_sub(y, m), kn_add(kn_add(kn_abs(s), l), kn_abs(p)));
}
KN_FUNCTION(joins, kn_array, kn_array, kn_array)
static kn_array joined(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(joins), &y, x, v);
    return y;
}
KN_FUNCTION(joined, kn_array, kn_array, kn_array)

static void reductions_of_small_carries_keep_their_order(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int64_t n = 1; n < 64; n += n < 20 ? 3 : 21) {
        kn_array x = EXAMPLE(n), v = EXAMPLE(6, n);
        check_function(KN_FN(joined), KN_ARGS(&x, &v), 0, 1);
    }
    kn_array x = kn_ones(KN_SHAPE(19), .dtype = KN_BF16), v = kn_ones(KN_SHAPE(4, 19), .dtype = KN_BF16);
    check_function(KN_FN(joined), KN_ARGS(&x, &v), 0, 1);
}

/* ---- Random numbers. */

typedef struct {
    kn_array key, price;
} Walk;
static Walk walk(const Walk *w)
{
    kn_array keys = kn_random_split(w->key);
    kn_array n = kn_random_normal(kn_at(keys, "1"), KN_SHAPE(100), .dtype = KN_F32);
    return (Walk){kn_at(keys, "0"), kn_mul(w->price, kn_exp(kn_add(kn_mul(n, 0.02f), 0.001f)))};
}
KN_FUNCTION(walk, Walk, Walk)
static kn_array walked(const Walk *w)
{
    Walk end;
    kn_scan(KN_FN(walk), &end, w, KN_NOTHING, .length = 10);
    return end.price;
}
KN_FUNCTION(walked, kn_array, Walk)

static void each_path_of_a_walk_is_a_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    Walk w = {kn_random_key(kn_scalar(3)), EXAMPLE(100)};
    check_function(KN_FN(walked), KN_ARGS(&w), 1, 1);
}

/* ---- Loops in loops, branches. */

typedef struct {
    kn_array i, x;
} Counted;
static kn_array below_five(const Counted *c) { return kn_less(c->i, 5); }
static Counted halved(const Counted *c) { return (Counted){kn_add(c->i, 1), kn_add(kn_mul(c->x, 0.5f), kn_cos(c->x))}; }
KN_FUNCTION(below_five, kn_array, Counted)
KN_FUNCTION(halved, Counted, Counted)
static kn_array settle(const kn_array *x, const kn_array *v)
{
    Counted c = {kn_scalar(0), kn_add(*x, *v)}, end;
    kn_while_loop(KN_FN(below_five), KN_FN(halved), &end, &c);
    return end.x;
}
KN_FUNCTION(settle, kn_array, kn_array, kn_array)
static kn_array settled(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(settle), &y, x, v);
    return y;
}
KN_FUNCTION(settled, kn_array, kn_array, kn_array)

static void a_while_in_a_scan_is_a_loop_in_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = EXAMPLE(8);
    check_function(KN_FN(settled), KN_ARGS(&x, &v), 0, 2);
    x = EXAMPLE(77), v = EXAMPLE(8, 77);
    check_function(KN_FN(settled), KN_ARGS(&x, &v), 1, 2);
}

static kn_array inner_add(const kn_array *x, const kn_array *v) { return kn_add(kn_mul(*x, 0.25f), *v); }
KN_FUNCTION(inner_add, kn_array, kn_array, kn_array)
static kn_array outer_add(const kn_array *all, const kn_array *x, const kn_array *v)
{
    kn_array from = kn_add(*x, *v), y;
    kn_scan(KN_FN(inner_add), &y, &from, all);
    return y;
}
KN_CLOSURE(outer_add, kn_array, kn_array, kn_array, kn_array)
static kn_array twice(const kn_array *all, const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_CLOSE(outer_add, all), &y, x, v);
    return y;
}
KN_FUNCTION(twice, kn_array, kn_array, kn_array, kn_array)

static void a_scan_in_a_scan_goes_through_memory_itself(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array all = EXAMPLE(100), x = kn_scalar(1.0f), v = EXAMPLE(8);
    check_function(KN_FN(twice), KN_ARGS(&all, &x, &v), 0, 2);
    all = EXAMPLE(100, 20), x = EXAMPLE(20), v = EXAMPLE(8, 20);
    check_function(KN_FN(twice), KN_ARGS(&all, &x, &v), 1, 2);
}

/* The inner inputs are a carry's elements, its outputs are read: both are written out. */
typedef struct {
    kn_array sum, all;
} Sums;
static Sums sums(const kn_array *s, const kn_array *x)
{
    kn_array y = kn_add(*s, *x);
    return (Sums){y, kn_mul(y, y)};
}
KN_FUNCTION(sums, Sums, kn_array, kn_array)
static kn_array through(const kn_array *x, const kn_array *v)
{
    kn_array zero = kn_zeros(KN_SHAPE(), .dtype = KN_F32), y = kn_add(*x, *v);
    Sums s;
    kn_scan(KN_FN(sums), &s, &zero, &y, .reverse = true);
    return kn_div(s.all, kn_add(kn_abs(s.sum), 1.0f));
}
KN_FUNCTION(through, kn_array, kn_array, kn_array)
static kn_array all_through(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(through), &y, x, v);
    return y;
}
KN_FUNCTION(all_through, kn_array, kn_array, kn_array)

static void a_short_scan_over_a_carry_is_written_out(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = EXAMPLE(5), v = EXAMPLE(8, 5);
    check_function(KN_FN(all_through), KN_ARGS(&x, &v), 0, 1);
}

static kn_array cheap(const kn_array *x) { return kn_mul(*x, 2.0f); }
static kn_array costly(const kn_array *x) { return kn_lax_erf_inv(kn_tanh(*x)); }
static kn_array looping(const kn_array *x)
{
    Counted c = {kn_scalar(0), *x}, end;
    kn_while_loop(KN_FN(below_five), KN_FN(halved), &end, &c);
    return end.x;
}
KN_FUNCTION(cheap, kn_array, kn_array)
KN_FUNCTION(costly, kn_array, kn_array)
KN_FUNCTION(looping, kn_array, kn_array)
static kn_array choose(const kn_array *x, const kn_array *v)
{
    kn_array y, z = kn_add(*x, *v);
    kn_fn all[] = {KN_FN(cheap), KN_FN(costly), KN_FN(looping)};
    kn_switch(kn_astype(*v, KN_I32), all, 3, &y, &z);
    return y;
}
KN_FUNCTION(choose, kn_array, kn_array, kn_array)
static kn_array chosen(const kn_array *x, const kn_array *v)
{
    kn_array y;
    kn_scan(KN_FN(choose), &y, x, v);
    return y;
}
KN_FUNCTION(chosen, kn_array, kn_array, kn_array)
static void a_switch_in_a_scan_is_a_choice(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), v = EXAMPLE(8);
    check_function(KN_FN(chosen), KN_ARGS(&x, &v), 0, 2);
}

static void a_branch_is_a_kernel(void **state)
{
    (void)state;
    check_text("{ lambda \"f\" ; i:i32[] a:f32[30]. let"
               "    c:f32[30] d:f32[30] = cond[branches=("
               "      { lambda ; x:f32[30]. let y:f32[30] = erf_inv x in (y, x) }"
               "      { lambda ; x:f32[30]. let y:f32[30] = sin x; z:f32[30] = mul x y in (z, y) }"
               "      { lambda ; x:f32[30]. let y:f32[30] = neg x in (x, y) } )] i a"
               "  in (c, d) }",
               1, 0);
}

/* ---- Computed positions. */

typedef struct {
    kn_array i, most;
} Search;
static kn_array more(const kn_array *x, const Search *s) { return kn_less(s->i, (int)kn_size(*x)); }
static Search look(const kn_array *x, const Search *s)
{
    kn_array v = kn_squeeze(kn_lax_dynamic_slice_in_dim(*x, s->i, 1));
    return (Search){kn_add(s->i, 1), kn_maximum(s->most, v)};
}
KN_CLOSURE(more, kn_array, kn_array, Search)
KN_CLOSURE(look, Search, kn_array, Search)
static kn_array maximum(const kn_array *x)
{
    Search s = {kn_scalar(0), kn_zeros(KN_SHAPE(), .dtype = KN_F32)}, end;
    kn_while_loop(KN_CLOSE(more, x), KN_CLOSE(look, x), &end, &s);
    return end.most;
}
KN_FUNCTION(maximum, kn_array, kn_array)

static void memory_is_read_at_computed_places(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = EXAMPLE(40);
    check_function(KN_FN(maximum), KN_ARGS(&x), 0, 1);
}

/* ---- Derivatives and lanes. */

static void lanes_of_a_filter_are_points(void **state)
{
    (void)state;
    KN_SCOPE;
    Model m = {EXAMPLE(4, 4), EXAMPLE(2, 4), EXAMPLE(4, 4), EXAMPLE(2, 2)};
    Belief b = {EXAMPLE(9, 4), EXAMPLE(9, 4, 4)};
    kn_array z = EXAMPLE(9, 30, 2);
    kn_mapping none = KN_UNMAPPED, first = KN_MAPPED(0);
    kn_fn f = kn_vmap(KN_FN(filter), .in_axes = {none, first, first});
    kni_jaxpr *j = parsed(kn_jaxpr_text(kn_make_jaxpr(f, KN_ARGS(&m, &b, &z)), KN_JAXPR_FULL));
    kn_program *p = test_compile(j, true);
    const knk_kernel *loop = NULL;
    for (uint32_t i = 0; i < p->n_step; i++)
        if (p->step[i].kind == KNC_KERNEL && p->step[i].u.k.kernel->stage[0].n_loop)
            loop = p->step[i].u.k.kernel;
    assert_non_null(loop);
    assert_int_equal(loop->n_par, 1);
    same_outputs(j, p, 3);
    knc_release(p);
    kni_release(j);
}

/* Newton's square root, of each lane until it is done. */
typedef struct {
    kn_array a, x, before;
} Newton;
static kn_array moving(const Newton *n) { return kn_greater(kn_abs(kn_sub(n->x, n->before)), 1e-6f); }
static Newton improve(const Newton *n)
{
    return (Newton){n->a, kn_mul(0.5f, kn_add(n->x, kn_div(n->a, n->x))), n->x};
}
KN_FUNCTION(moving, kn_array, Newton)
KN_FUNCTION(improve, Newton, Newton)
static kn_array root(const Newton *n)
{
    Newton end;
    kn_while_loop(KN_FN(moving), KN_FN(improve), &end, n, .max_steps = 40);
    return end.x;
}
KN_FUNCTION(root, kn_array, Newton)

static void lanes_of_newton_stop_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = EXAMPLE(100);
    Newton n = {a, a, a};
    check_function(kn_vmap(KN_FN(root)), KN_ARGS(&n), 1, 1);
    a = EXAMPLE(10, 7);
    n = (Newton){a, a, a};
    check_function(kn_vmap(kn_vmap(KN_FN(root))), KN_ARGS(&n), 1, 1);
}

/* ---- What becomes no kernel. */

#define ONE_SCAN(t, ops)                                                                                          \
    "{ lambda \"f\" ; a:" t " b:f32[10]. let"                                                                     \
    "    c:" t " = scan[jaxpr={ lambda ; x:" t " v:f32[]. let " ops " in (y,) }"                                  \
    "         length=10 num_carry=1 num_consts=0 reverse=False unroll=1] a b in (c,) }"

static void reasons_name_the_row(void **state)
{
    (void)state;
    refused(ONE_SCAN("f32[4,4]", "y:f32[4,4] = cholesky[check=none] x"), "the body has cholesky");
    refused(ONE_SCAN("f32[100]", "y:f32[100] = cumsum[axis=0 reverse=False] x"), "the body has cumsum");
    refused(ONE_SCAN("f32[100]", "y:f32[100] = rev[dimensions=(0,)] x"), "a carry is read at other points than its own");
    refused(ONE_SCAN("f32[1000]", "s:f32[] = reduce_sum[axes=(0,) out_sharding=None] x; y:f32[1000] = add x s"),
            "a reduce_sum joins more than 256 elements");
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

#define ONE_WHILE(n, cond, body)                                                                                  \
    "{ lambda \"f\" ; a:f32[" #n "] i:i32[]. let c:f32[" #n "] d:i32[] = while["                                  \
    "     cond_jaxpr={ lambda ; x:f32[" #n "] i:i32[]. let " cond " in (p,) } cond_nconsts=0"                     \
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
    check_text(ONE_WHILE(100, "q:bool[100] = lt x 9.0:f32[]; s:bool[] = reduce_or[axes=(0,)] q;"
                              "t:bool[] = lt i 20:i32[]; p:bool[] = and s t",
                         "q:bool[100] = lt x 9.0:f32[]; z:f32[100] = add x 1.0:f32[]; y:f32[100] = select_n q x z;"
                         "j:i32[] = add i 1:i32[]"),
               1, 1);
    /* two questions are none */
    refused(ONE_WHILE(100, "q:bool[100] = lt x 9.0:f32[]; s:bool[] = reduce_or[axes=(0,)] q;"
                           "v:bool[100] = gt x 3.0:f32[]; t:bool[] = reduce_or[axes=(0,)] v; p:bool[] = and s t",
                      "q:bool[100] = lt x 9.0:f32[]; z:f32[100] = add x 1.0:f32[]; y:f32[100] = select_n q x z;"
                      "j:i32[] = add i 1:i32[]"),
            "the condition of a loop joins points");
}

/* So few that they are written out: then any question may be asked. */
static void few_elements_may_join_in_the_condition(void **state)
{
    (void)state;
    check_text(ONE_WHILE(10, "t:bool[10] = lt x 9.0:f32[]; q:bool[] = reduce_or[axes=(0,)] t;"
                             "u:bool[] = lt i 50:i32[]; p:bool[] = and q u",
                         "z:f32[10] = rev[dimensions=(0,)] x; w:f32[10] = mul z 0.75:f32[]; y:f32[10] = add w x;"
                         "j:i32[] = add i 1:i32[]"),
               0, 1);
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
        cmocka_unit_test(twelve_carries_are_registers),
        cmocka_unit_test(runge_kutta_is_one_kernel_for_a_point_and_for_many),
        cmocka_unit_test(a_kalman_filter_is_written_out),
        cmocka_unit_test(a_matrix_times_a_small_carry_is_written_out),
        cmocka_unit_test(reductions_of_small_carries_keep_their_order),
        cmocka_unit_test(each_path_of_a_walk_is_a_lane),
        cmocka_unit_test(a_while_in_a_scan_is_a_loop_in_a_loop),
        cmocka_unit_test(a_scan_in_a_scan_goes_through_memory_itself),
        cmocka_unit_test(a_short_scan_over_a_carry_is_written_out),
        cmocka_unit_test(a_switch_in_a_scan_is_a_choice),
        cmocka_unit_test(a_branch_is_a_kernel),
        cmocka_unit_test(memory_is_read_at_computed_places),
        cmocka_unit_test(lanes_of_a_filter_are_points),
        cmocka_unit_test(lanes_of_newton_stop_alone),
        cmocka_unit_test(reasons_name_the_row),
        cmocka_unit_test(a_result_that_all_points_share_is_stored_by_nobody),
        cmocka_unit_test(points_that_are_done_must_keep_their_carries),
        cmocka_unit_test(few_elements_may_join_in_the_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
