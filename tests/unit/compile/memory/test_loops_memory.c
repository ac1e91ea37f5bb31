/* SPDX-License-Identifier: Apache-2.0
 * test_loops_memory.c -- how much memory loops and branches need: as much as was said before they ran, and what
 * checkpoints save. */
#include "support/expect.h"
#include "support/group.h"
#include "support/ways.h"
#include "transform/transform.h"

enum { WIDTH = 16 };

/* ---- How much a run takes. */

static struct {
    size_t now, most;
} counted;
static void *count_alloc(void *env, size_t bytes, size_t alignment)
{
    (void)env;
    void *p = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    counted.now += p ? bytes : 0;
    counted.most = counted.now > counted.most ? counted.now : counted.most;
    return p;
}
static void count_free(void *env, void *p, size_t bytes)
{
    (void)env;
    counted.now -= p ? bytes : 0;
    free(p);
}

/* Runs p as it is and says what was there at most: operands, results, workspace. */
static size_t taken(const knd_loaded *p, const kni_jaxpr *j)
{
    kn_context mine = kn_context_new(.allocator = {count_alloc, count_free, NULL});
    {
        KN_CONTEXT(mine);
        counted.most = counted.now;
        test_operands x = test_make_operands(j, 3);
        knx_buffer *out[MANY] = {0};
        memset((void *)(uintptr_t)x.in[0].data, 0, kni_type_bytes(j->type[0])); /* an index, or so */
        test_ok(knd_run(p, x.in, out, NULL));
        test_release((int)j->n_out, out);
        test_free_operands(&x);
    }
    assert_int_equal(kn_context_free(mine), 0);
    return counted.most;
}

/* Buffers begin at lines of the cache, so each may take one more than it has bytes. */
static void expect_as_said(const char *what, const kni_jaxpr *j)
{
    for (int fuse = 0; fuse < 2; fuse++) {
        knd_loaded *p = test_compile(j, fuse);
        size_t said = knd_peak_bytes(p, 1), most = taken(p, j), slack = 64 * ((size_t)j->n_in + j->n_out + 1);
        if (most < said || most > said + slack)
            fail_msg("%s, fuse %d: %zu bytes were taken, %zu said", what, fuse, most, said);
        knd_release(p);
    }
}

/* ---- A recurrent network: w, h, x -> tanh(h w + x), the same */

static kni_jaxpr *recurrent(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom w = knb_invar(&b, F32(WIDTH, WIDTH)), h = knb_invar(&b, F32(1, WIDTH)), x = knb_invar(&b, F32(1, WIDTH));
    kni_atom next = knb_tanh(&b, knb_add(&b, knb_matrix_product(&b, h, w), x));
    return FINISH(&b, next, next);
}

/* w, h, xs -> the last h, and all of them */
static kni_jaxpr *forward(int64_t length, int64_t checkpoint, int results)
{
    kni_builder b;
    kni_jaxpr *body = recurrent();
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, F32(WIDTH, WIDTH)), knb_invar(&b, F32(1, WIDTH)),
                     knb_invar(&b, F32(length, 1, WIDTH))},
             out[2];
    knb_scan(
        &b,
        &(kni_p_scan){
            .jaxpr = body, .length = length, .num_carry = 1, .num_consts = 1, .unroll = 1, .checkpoint = checkpoint},
        in, out);
    kni_jaxpr *j = test_finish(&b, results, out);
    kni_release(body);
    return j;
}

/* The gradient of the sum of the first result of j. */
static kni_jaxpr *gradient(kni_jaxpr *j)
{
    knt_linearized l;
    kni_jaxpr *back = NULL;
    bool all[MANY], linear[MANY] = {false};
    memset(all, true, sizeof all);
    test_ok(knt_linearize(j, all, &l));
    for (uint32_t i = 0; i < l.n_tangent_in; i++)
        linear[l.n_residual + i] = true;
    test_ok(knt_transpose(l.linear, linear, &back));
    kni_builder b;
    kni_atom in[MANY], mid[MANY], ct[MANY], out[MANY];
    knb_init(&b);
    for (uint32_t i = 0; i < j->n_in; i++)
        in[i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, l.primal, in, mid);
    for (uint32_t i = 0; i < l.n_residual; i++)
        ct[i] = mid[j->n_out + i];
    for (uint32_t i = 0; i < j->n_out; i++)
        ct[l.n_residual + i] = knb_full(&b, kni_out_type(j, i), i == 0);
    knb_inline(&b, back, ct, out);
    kni_jaxpr *g = test_finish(&b, (int)back->n_out, out);
    kni_release(back);
    knt_linearized_free(&l);
    return g;
}

static size_t peak_of(const kni_jaxpr *j)
{
    knd_loaded *p = test_compile(j, true);
    size_t bytes = knd_peak_bytes(p, 1);
    knd_release(p);
    return bytes;
}

/* --- tests ---------------------------------------------------------------------------------------- */

static void a_long_scan_takes_as_much_as_was_said(void **state)
{
    (void)state;
    kni_jaxpr *j = forward(10000, 0, 2);
    expect_as_said("forward", j);
    kni_release(j);
}

static void a_gradient_takes_as_much_as_was_said(void **state)
{
    (void)state;
    static const int64_t checkpoint[] = {0, KN_CHECKPOINT_ROOT, 100, 999};
    for (int i = 0; i < 4; i++) {
        kni_jaxpr *j = forward(10000, checkpoint[i], 2), *g = gradient(j);
        expect_as_said("gradient", g);
        kni_release(g);
        kni_release(j);
    }
}

/* Without checkpoints each step keeps what its derivative needs; with them a hundredth does. */
static void checkpoints_save_memory(void **state)
{
    (void)state;
    enum { LENGTH = 10000, ROW = WIDTH * 4 };
    kni_jaxpr *j = forward(LENGTH, 0, 1), *k = forward(LENGTH, KN_CHECKPOINT_ROOT, 1), *none = gradient(j),
              *root = gradient(k);
    size_t values = 2 * LENGTH * ROW; /* the inputs and their cotangents */
    assert_true(peak_of(none) > values + LENGTH * ROW);
    assert_true(peak_of(root) < values + LENGTH * ROW / 4);
    kni_release(none);
    kni_release(root);
    kni_release(j);
    kni_release(k);
}

static void the_workspace_does_not_grow_with_the_length(void **state)
{
    (void)state;
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        kni_jaxpr *j = forward(i ? 100000 : 10, 0, 2);
        knd_loaded *p = test_compile(j, true);
        bytes[i] = knd_workspace_bytes(p, 1);
        knd_release(p);
        kni_release(j);
    }
    assert_int_equal(bytes[0], bytes[1]);
}

/* x -> x after some sorts, which each need another copy; `many` of them. */
static kni_jaxpr *sorts(int many, int64_t n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(n)), s = x;
    for (int i = 0; i < many; i++) {
        s = knb_add(&b, s, knb_rev(&b, x, 1, (const int64_t[]){0}));
        knb_sort(&b, 1, &s, 0, 1, &s);
    }
    return FINISH(&b, s);
}

static kni_jaxpr *one_of(int n, kni_jaxpr *const *branch, int64_t extent)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(extent))}, out;
    knb_cond(&b, &(kni_p_cond){{n, branch}, {0, NULL}, {0, NULL}}, in, &out);
    return FINISH(&b, out);
}

/* As much as the branch that needs most, not all of them together. */
static void branches_share_their_memory(void **state)
{
    (void)state;
    enum { N = 20000 };
    kni_jaxpr *branch[3] = {sorts(2, N), sorts(1, N), sorts(2, N)}, *j = one_of(3, branch, N);
    size_t most = 0;
    expect_as_said("cond", j);
    for (int i = 0; i < 3; i++) {
        knd_loaded *p = test_compile(branch[i], true);
        most = knd_workspace_bytes(p, 1) > most ? knd_workspace_bytes(p, 1) : most;
        knd_release(p);
    }
    knd_loaded *p = test_compile(j, true);
    assert_true(knd_workspace_bytes(p, 1) >= most);
    assert_true(knd_workspace_bytes(p, 1) < most + 1024);
    knd_release(p);
    kni_release(j);
    for (int i = 0; i < 3; i++)
        kni_release(branch[i]);
}

/* A loop of branches, and a branch of loops. */
static void nested_ones_take_as_much_as_was_said(void **state)
{
    (void)state;
    enum { N = 3000 };
    kni_jaxpr *branch[2] = {sorts(2, N), sorts(0, N)}, *choice = one_of(2, branch, N), *parts[2];
    for (int i = 0; i < 2; i++) {
        kni_builder b;
        knb_init(&b);
        kni_atom c = knb_invar(&b, F32(N)), next;
        knb_inline(&b, choice, (kni_atom[]){knb_integer(&b, KN_DT(I32), i), c}, &next);
        kni_jaxpr *body = FINISH(&b, knb_add(&b, next, c), next);
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(N)), out[2];
        knb_scan(&b, &(kni_p_scan){body, 7, 1, 0, false, 1, 0, 0, 0, {0, NULL}}, &x, out);
        parts[i] = FINISH(&b, knb_reduce_sum(&b, out[1], 1, (const int64_t[]){0}));
        kni_release(body);
    }
    kni_jaxpr *j = one_of(2, parts, N);
    expect_as_said("nested", j);
    kni_release(j);
    kni_release(choice);
    for (int i = 0; i < 2; i++) {
        kni_release(parts[i]);
        kni_release(branch[i]);
    }
}

/* The programs of a loop are a part of the program. */
static void bytes_of_a_program_count_what_is_inside(void **state)
{
    (void)state;
    kni_jaxpr *branch[2] = {sorts(2, 50), sorts(30, 50)}, *j = one_of(2, branch, 50);
    knd_loaded *p = test_compile(j, true), *q = test_compile(branch[1], true);
    assert_true(knd_bytes(p, NULL) > knd_bytes(q, NULL));
    knd_release(p);
    knd_release(q);
    kni_release(j);
    kni_release(branch[0]);
    kni_release(branch[1]);
}

/* x -> x after some steps on one path. */
static kni_jaxpr *steps_of(int64_t accept)
{
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(3)), next = knb_add(&b, c, knb_number(&b, KN_DT(F32), 1));
    kni_jaxpr *body = FINISH(&b, next, next);
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3)), out[2];
    knb_scan(&b, &(kni_p_scan){body, 4, 1, 0, false, 1, 0, accept, 0, {0, NULL}}, &x, out);
    kni_release(body);
    return FINISH(&b, out[0], out[1]);
}

/* Every allocation of compiling and running may fail; nothing is left behind. */
static void each_allocation_may_fail(void **state)
{
    (void)state;
    kni_jaxpr *branch[2] = {sorts(1, 9), sorts(2, 9)};
    kni_jaxpr *all[] = {steps_of(0), steps_of(KN_PATH_CALLS), one_of(2, branch, 9)};
    for (int i = 0; i < 3; i++) {
        bool done = false;
        for (int64_t n = 0; !done; n++) {
            test_operands x = test_make_operands(all[i], 1);
            knx_buffer *out[MANY] = {0};
            knd_loaded *p = NULL;
            knx_fail_after(n, true);
            knx_error *error = knd_compile(&knd_host, all[i], &(knc_compile_options){.fuse = true}, &p);
            if (!error)
                error = knd_run(p, x.in, out, NULL);
            knx_fail_after(-1, false);
            done = !error;
            knx_error_release(error);
            test_release((int)all[i]->n_out, out);
            knd_release(p);
            test_free_operands(&x);
        }
        kni_release(all[i]);
    }
    kni_release(branch[0]);
    kni_release(branch[1]);
}

KN_TEST_GROUP(test_loops_memory)
{
    const struct CMUnitTest tests[] = {
        TEST(a_long_scan_takes_as_much_as_was_said),
        TEST(a_gradient_takes_as_much_as_was_said),
        TEST(checkpoints_save_memory),
        TEST(the_workspace_does_not_grow_with_the_length),
        TEST(branches_share_their_memory),
        TEST(nested_ones_take_as_much_as_was_said),
        TEST(bytes_of_a_program_count_what_is_inside),
        TEST(each_allocation_may_fail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
