/* SPDX-License-Identifier: Apache-2.0
 * test_compile_gather.c -- gather as a part of the kernel that reads its result: the same bits as its routine, for all
 * forms of windows, and the routine where the result is stored. */
#include "support/expect.h"

#include "support/group.h"
#include "support/programs.h"

#include <sys/mman.h>

static const kni_gather_mode modes[] = {KN_GATHER_CLIP, KN_GATHER_FILL, KN_GATHER_FILL_ZERO, KN_GATHER_PROMISE,
                                        KN_GATHER_CHECK};
enum { MODES = sizeof modes / sizeof *modes };

typedef struct lists {
    int64_t offset[8], dropped[8], map[8], table_batching[8], index_batching[8], sizes[8];
} lists;

/* Windows of a table of up to three dimensions, from starts with up to two dimensions of points. */
static kni_atom random_gather(kni_builder *b, uint64_t *state, lists *l)
{
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F16, KN_ID_BF16, KN_ID_F64, KN_ID_C64,
                                          KN_ID_I8,  KN_ID_U64, KN_ID_BOOL, KN_ID_I32};
    static const knx_dtype_id integers[] = {KN_ID_I32, KN_ID_I64, KN_ID_I8, KN_ID_U8, KN_ID_U64, KN_ID_U32, KN_ID_I16};
    int64_t dim[3], points[4];
    int ndim = 1 + test_below(state, 3), n_point = test_below(state, 3), n_map = 0, n_dropped = 0, n_batch = 0,
        n_window = 0;
    for (int d = 0; d < n_point; d++)
        points[d] = 1 + test_below(state, 4);
    for (int d = 0; d < ndim; d++) {
        bool batched = n_batch < n_point && !test_below(state, 4), dropped = !batched && test_below(state, 2);
        dim[d] = batched ? points[n_batch] : 1 + test_below(state, 6);
        l->sizes[d] = batched || dropped ? 1 : 1 + test_below(state, (int)dim[d]);
        if (batched) {
            l->index_batching[n_batch] = n_batch;
            l->table_batching[n_batch++] = d;
        } else if (dropped) {
            l->dropped[n_dropped++] = d;
        } else {
            n_window++;
        }
        if (!batched && test_below(state, 4))
            l->map[n_map++] = d;
    }
    if (n_map == 2 && test_below(state, 2)) {
        int64_t first = l->map[0];
        l->map[0] = l->map[1];
        l->map[1] = first;
    }
    for (int d = 0, w = 0; w < n_window; d++)
        if (d == n_point + w || test_below(state, 2))
            l->offset[w++] = d;
    points[n_point] = n_map;
    kni_p_gather p = {.offset_dims = {n_window, l->offset},
                      .collapsed_slice_dims = {n_dropped, l->dropped},
                      .start_index_map = {n_map, l->map},
                      .operand_batching_dims = {n_batch, l->table_batching},
                      .start_indices_batching_dims = {n_batch, l->index_batching},
                      .slice_sizes = {ndim, l->sizes},
                      .mode = modes[test_below(state, MODES)]};
    kni_atom table = knb_invar(b, kni_type_of(&knx_dtype_table[dtypes[test_below(state, 9)]], ndim, dim));
    kni_atom indices = knb_invar(b, kni_type_of(&knx_dtype_table[integers[test_below(state, 7)]], n_point + 1, points));
    if (test_below(state, 3) == 0 && knb_type(b, table).dtype->kind == 'f')
        table = knb_neg(b, table);
    return knb_gather(b, table, indices, &p);
}

/* Both ways give the same bits, or the same error. */
static void expect_same_bits(const kni_jaxpr *j, uint64_t seed)
{
    test_operands x = test_make_operands(j, seed);
    knx_buffer *plain[MANY], *fused[MANY];
    knd_loaded *p = test_compile(j, false), *q = test_compile(j, true);
    knx_error *e = knd_run(p, x.in, plain, NULL), *f = knd_run(q, x.in, fused, NULL);
    if (!e != !f || (e && (e->kind != f->kind || strcmp(e->message, f->message) != 0)))
        fail_msg("seed %llu: %s, and fused %s", (unsigned long long)seed, e ? e->message : "fine",
                 f ? f->message : "fine");
    for (uint32_t k = 0; !e && k < j->n_out; k++) {
        int64_t at = test_difference(kni_out_type(j, k), plain[k]->data, fused[k]->data);
        if (at >= 0)
            fail_msg("seed %llu: output %u differs at %lld", (unsigned long long)seed, k, (long long)at);
    }
    test_release(e ? 0 : (int)j->n_out, plain);
    test_release(f ? 0 : (int)j->n_out, fused);
    knx_error_release(e);
    knx_error_release(f);
    knd_release(p);
    knd_release(q);
    test_free_operands(&x);
}

static void a_gather_in_a_kernel_has_the_bits_of_the_routine(void **state)
{
    (void)state;
    int fused = 0, checked = 0;
    for (uint64_t seed = 1; seed < 4000; seed++) {
        uint64_t s = seed;
        lists l = {.sizes = {0}};
        kni_builder b;
        knb_init(&b);
        kni_atom y = random_gather(&b, &s, &l);
        if (b.error)
            fail_msg("seed %llu: %s", (unsigned long long)seed, b.error->message);
        kni_jaxpr *j =
            FINISH(&b, knb_eq(&b, y, y), knb_type(&b, y).dtype->kind == 'b' ? knb_not(&b, y) : knb_mul(&b, y, y));
        knd_loaded *p = test_compile(j, true);
        fused += knc_n_steps(p->program) == 1;
        checked += knc_n_steps(p->program) == 2; /* and a step that checks the indices */
        knd_release(p);
        expect_same_bits(j, seed);
        kni_release(j);
    }
    assert_true(fused > 3000 && checked > 700);
}

static kn_array embed(const kn_array *table, const kn_array *i)
{
    return kn_mul(kn_take(*table, *i, .axis = KN_AXIS(0), .mode = "clip"), 2.0);
}
KN_FUNCTION(embed, kn_array, kn_array, kn_array)
static kn_array look_up(const kn_array *table, const kn_array *i)
{
    return kn_take(*table, *i, .axis = KN_AXIS(0), .mode = "clip");
}
KN_FUNCTION(look_up, kn_array, kn_array, kn_array)
static kn_array embed_checked(const kn_array *table, const kn_array *i)
{
    return kn_add(kn_take(*table, *i, .axis = KN_AXIS(0)), 2.0);
}
KN_FUNCTION(embed_checked, kn_array, kn_array, kn_array)
static kn_array one_element(const kn_array *table, const kn_array *i) { return kn_mul(kn_at(*table, "%, 1", *i), 2.0); }
KN_FUNCTION(one_element, kn_array, kn_array, kn_array)
static kn_array along(const kn_array *table, const kn_array *i)
{
    return kn_mul(kn_take_along_axis(*table, *i, KN_AXIS(1)), 2.0);
}
KN_FUNCTION(along, kn_array, kn_array, kn_array)
static kn_array added_at(const kn_array *table, const kn_array *i)
{
    kn_array y = kn_zeros_like(*table);
    kn_ufunc_at(kn_ufunc_add, y, kn_ones_like(*table), "%", *i);
    return y;
}
KN_FUNCTION(added_at, kn_array, kn_array, kn_array)
static void expect_steps(kn_fn f, const kn_args *args, int steps, const char *part)
{
    kni_jaxpr *j = NULL;
    char *text = NULL;
    test_ok(kni_parse(kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL), &j));
    knd_loaded *p = test_compile(j, true);
    test_ok(knc_text(p->program, &text));
    if (knc_n_steps(p->program) != steps || !strstr(text, part))
        fail_msg("%d steps, not %d, or no '%s':\n%s", knc_n_steps(p->program), steps, part, text);
    knx_free(text);
    knd_release(p);
    expect_same_bits(j, 1);
    kni_release(j);
}

static void rows_taken_by_index_are_read_where_they_are_used(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array table = kn_zeros(KN_SHAPE(50, 8)), i = kn_zeros(KN_SHAPE(6), .dtype = KN_DT(I32));
    expect_steps(KN_FN(embed), KN_ARGS(&table, &i), 1, "one kernel reads it");
    expect_steps(KN_FN(look_up), KN_ARGS(&table, &i), 1, "gather; operand 0, operand 1, > output 0");
    expect_steps(KN_FN(embed_checked), KN_ARGS(&table, &i), 2, "check_bounds; operand 1");
    kn_array column = kn_zeros(KN_SHAPE(50, 1), .dtype = KN_DT(I32)), one = kn_zeros(KN_SHAPE(), .dtype = KN_DT(I32));
    expect_steps(KN_FN(one_element), KN_ARGS(&table, &one), 3, "gather -> f64[]: inlined");
    expect_steps(KN_FN(along), KN_ARGS(&table, &column), 2, "check_bounds; operand 1");
}

/* Indices are read as they were given: nothing widens them or counts negative ones from the end before. */
static void updates_by_index_need_no_other_indices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array table = kn_zeros(KN_SHAPE(6)), i = kn_zeros(KN_SHAPE(6), .dtype = KN_DT(I32));
    expect_steps(KN_FN(added_at), KN_ARGS(&table, &i), 3, "scatter-add; output 0, operand 1");
}

static kni_atom rows_of(kni_builder *b, kn_dtype d, int64_t rows, int64_t n, kn_dtype index, int64_t points,
                        kni_gather_mode mode)
{
    int64_t zero[] = {0}, one[] = {1}, sizes[] = {1, n};
    kni_p_gather p = {.offset_dims = {1, one},
                      .collapsed_slice_dims = {1, zero},
                      .start_index_map = {1, zero},
                      .slice_sizes = {2, sizes},
                      .mode = mode};
    kni_atom x = knb_invar(b, kni_type_of(d, 2, (int64_t[]){rows, n}));
    return knb_gather(b, x, knb_invar(b, kni_type_of(index, 2, (int64_t[]){points, 1})), &p);
}

static void many_elements_are_moved_by_a_kernel(void **state)
{
    (void)state;
    for (int d = KN_ID_BOOL; d < KN_ID_COUNT; d++)
        for (int m = 0; m < MODES; m++) {
            kni_builder b;
            knb_init(&b);
            kn_dtype t = &knx_dtype_table[d];
            kni_jaxpr *j = FINISH(&b, rows_of(&b, t, 7, 1701, KN_DT(I32), 41, modes[m]));
            knd_loaded *p = test_compile(j, true);
            char *text = NULL;
            test_ok(knc_text(p->program, &text));
            bool routine = t->kind == KN_KIND_COMPLEX || t->kind == KN_KIND_KEY;
            if (!strstr(text, "gather; operand 0") != !routine)
                fail_msg("%s", text);
            knx_free(text);
            knd_release(p);
            for (uint64_t seed = 0; seed < 3; seed++)
                expect_same_bits(j, seed);
            kni_release(j);
        }
}

enum { PAGE = 4096 };
/* A place whose end is the end of all memory there. */
static char *guarded(size_t bytes, char **base, bool front)
{
    char *m = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(m != MAP_FAILED && bytes <= PAGE);
    assert_int_equal(mprotect(m + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    *base = m;
    return m + PAGE + (front ? 0 : PAGE - bytes);
}

static const int64_t far[] = {INT64_MIN, INT64_MAX, -1, 5, 4, 0, 1 << 20, -(1 << 20), INT32_MIN, INT32_MAX};
enum { POINTS = sizeof far / sizeof *far, ROWS = 5 };

/* The table lies at one end of its page; the process ends if anything else is touched. */
static void check_guarded(kn_dtype index, int64_t n, kni_gather_mode mode, bool front)
{
    kni_builder b;
    knb_init(&b);
    kni_atom y = rows_of(&b, KN_DT(F32), ROWS, n, index, POINTS, mode);
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, y, y));
    char *base, at[sizeof far];
    float *table = (float *)(void *)guarded(ROWS * (size_t)n * sizeof *table, &base, front);
    for (int64_t k = 0; k < ROWS * n; k++)
        table[k] = (float)k;
    for (size_t k = 0; k < POINTS; k++)
        memcpy(at + k * index->size, &far[k], index->size);
    knx_buffer *out[2];
    for (int fuse = 0; fuse < 2; fuse++) {
        knd_loaded *p = test_compile(j, fuse);
        knx_error *e = knd_run(p, (knd_operand[]){{.data = table}, {.data = at}}, &out[fuse], NULL);
        assert_int_equal(e != NULL, mode == KN_GATHER_CHECK);
        knx_error_release(e);
        knd_release(p);
    }
    if (mode != KN_GATHER_CHECK) {
        assert_int_equal(test_difference(kni_out_type(j, 0), out[0]->data, out[1]->data), -1);
        test_release(2, out);
    }
    munmap(base, 3 * PAGE);
    kni_release(j);
}

static void nothing_outside_of_the_table_is_read(void **state)
{
    (void)state;
    static const knx_dtype_id integers[] = {KN_ID_I64, KN_ID_U64, KN_ID_I32, KN_ID_U32, KN_ID_I8, KN_ID_U16};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        for (int64_t n = 1; n < 60; n += 19)
            for (int m = 0; m < MODES; m++) {
                check_guarded(&knx_dtype_table[integers[i]], n, modes[m], false);
                check_guarded(&knx_dtype_table[integers[i]], n, modes[m], true);
            }
}

/* Nothing of the size of x is written. */
static void a_cross_entropy_by_labels_takes_one_element_of_each_row(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t last[] = {1}, rows[] = {0}, dim[] = {20, 10}, zero[] = {0}, one[] = {1}, sizes[] = {1, 1};
    kni_p_gather p = {.collapsed_slice_dims = {1, one},
                      .start_index_map = {1, one},
                      .operand_batching_dims = {1, zero},
                      .start_indices_batching_dims = {1, zero},
                      .slice_sizes = {2, sizes},
                      .mode = KN_GATHER_CLIP};
    kni_atom x = knb_invar(&b, F32(20, 10)), labels = knb_invar(&b, kni_type_of(KN_DT(I32), 2, (int64_t[]){20, 1}));
    kni_atom m = knb_reduce_max(&b, x, 1, last), d = knb_sub(&b, x, knb_broadcast_in_dim(&b, m, 2, dim, rows));
    kni_atom s = knb_log(&b, knb_reduce_sum(&b, knb_exp(&b, d), 1, last));
    kni_atom l = knb_sub(&b, d, knb_broadcast_in_dim(&b, s, 2, dim, rows));
    kni_jaxpr *j = FINISH(&b, knb_neg(&b, knb_gather(&b, l, labels, &p)));
    knd_loaded *q = test_compile(j, true);
    char *text = NULL;
    test_ok(knc_text(q->program, &text));
    if (knc_n_steps(q->program) != 2 || strstr(text, "f32[20,10]: stored"))
        fail_msg("%s", text);
    knx_free(text);
    knd_release(q);
    expect_same_bits(j, 1);
    kni_release(j);
}

KN_TEST_GROUP(test_compile_gather)
{
    const struct CMUnitTest tests[] = {
        TEST(a_gather_in_a_kernel_has_the_bits_of_the_routine),
        TEST(rows_taken_by_index_are_read_where_they_are_used),
        TEST(updates_by_index_need_no_other_indices),
        TEST(many_elements_are_moved_by_a_kernel),
        TEST(nothing_outside_of_the_table_is_read),
        TEST(a_cross_entropy_by_labels_takes_one_element_of_each_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
