/* SPDX-License-Identifier: Apache-2.0
 * attach.h -- what the tests of kernels around products share: a program against the one without fusion. */
#ifndef KN_TESTS_ATTACH_H
#define KN_TESTS_ATTACH_H
#include "base/memory.h"
#include "support/programs.h"

/* The same bits for any number of threads. */
static inline void expect_same_bits_with(const kni_jaxpr *j, const bool *donated, uint64_t seed)
{
    static const int threads[] = {1, 2, 3, 7};
    knd_loaded *p = test_compile(j, false), *q = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true, .donated = donated}, &q));
    test_operands x = test_make_operands(j, seed);
    knx_buffer *plain[MANY], *fused[MANY];
    test_ok(knd_run(p, x.in, plain, NULL));
    for (int i = 0; i < 4; i++) {
        test_operands y = test_make_operands(j, seed);
        test_ok(knd_run_with(q, y.in, fused, &(knd_options){.threads = threads[i]}));
        for (uint32_t k = 0; k < j->n_out; k++) {
            int64_t at = test_difference(kni_out_type(j, k), plain[k]->data, fused[k]->data);
            if (at >= 0) {
                char *text = NULL;
                test_ok(knc_text(q->program, &text));
                kn_dtype part = knx_component(kni_out_type(j, k).dtype);
                knx_scalar_bits is = {0}, was = {0};
                memcpy(&was, (char *)plain[k]->data + (size_t)at * part->size, part->size);
                memcpy(&is, (char *)fused[k]->data + (size_t)at * part->size, part->size);
                fail_msg("%d threads: output %u at %lld is %g (%llx), not %g (%llx)\n%s", threads[i], k, (long long)at,
                         knx_scalar_to_double(part, is), (unsigned long long)is.u64, knx_scalar_to_double(part, was),
                         (unsigned long long)was.u64, text);
            }
        }
        test_release((int)j->n_out, fused);
        test_free_operands(&y);
    }
    test_release((int)j->n_out, plain);
    test_free_operands(&x);
    knd_release(p);
    knd_release(q);
}

static inline kni_atom row_of(kni_builder *b, kni_atom x, int64_t rows, int64_t columns)
{
    return knb_broadcast_in_dim(b, x, 2, (int64_t[]){rows, columns}, (int64_t[]){1});
}

static inline kni_atom turn(kni_builder *b, kni_atom x) { return knb_transpose(b, x, (int64_t[]){1, 0}); }

/* --- programs around one product -------------------------------------------------------------- */

static inline void expect_same_bits(const kni_jaxpr *j) { expect_same_bits_with(j, NULL, 1); }

typedef struct shape {
    kn_dtype d;
    int64_t m, k, n;
} shape;
typedef kni_jaxpr *maker(const shape *s);

static const shape usual = {KN_DT(F32), 40, 70, 50};

/* So many steps, and these words in the program's text. */
static inline void expect_steps_of(kni_jaxpr *j, int steps, const char *words)
{
    knd_loaded *p = test_compile(j, true);
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    if (knc_n_steps(p->program) != steps || (words && !strstr(text, words)))
        fail_msg("not %d steps with \"%s\":\n%s", steps, words ? words : "", text);
    knx_free(text);
    knd_release(p);
    expect_same_bits(j);
    kni_release(j);
}

static inline void expect_steps(maker *make, int steps, const char *words) { expect_steps_of(make(&usual), steps, words); }

static inline void expect_bits_of_shapes(maker *make, kn_dtype d)
{
    static const int64_t extents[][3] = {{1, 1, 1},   {1, 5, 7},    {7, 5, 1},     {3, 1, 4},     {0, 4, 5},
                                         {4, 0, 5},   {4, 5, 0},    {17, 31, 33},  {64, 64, 64},  {65, 257, 13},
                                         {13, 9, 65}, {130, 3, 20}, {29, 600, 97}, {1, 300, 200}, {200, 300, 1}};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        shape s = {d, extents[i][0], extents[i][1], extents[i][2]};
        kni_jaxpr *j = make(&s);
        expect_same_bits(j);
        kni_release(j);
    }
}

#define matrix(s, rows, columns) kni_type_of((s)->d, 2, (int64_t[]){rows, columns})

static inline kni_atom relu(kni_builder *b, kni_atom x) { return knb_max(b, x, knb_full(b, knb_type(b, x), 0)); }

/* Compiled with each allocation failing: an error or a program, and nothing is lost. */
static inline void expect_memory_may_be_short(maker *make)
{
    kni_jaxpr *j = make(&usual);
    knd_loaded *p = NULL;
    int64_t live = knx_alloc_live();
    for (int64_t k = 0; k < 100000 && !p; k++) {
        knx_fail_pieces(true);
        knx_fail_after(k, k % 2);
        knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
        knx_fail_after(-1, false);
        knx_fail_pieces(false);
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        if (e && p)
            fail_msg("allocation %lld: an error and a program", (long long)k);
        knx_error_release(e);
        if (p && k % 2 == 0) { /* what failed could be done without: perhaps more cannot */
            knd_release(p);
            p = NULL;
            if (knx_alloc_live() == live && k > 5000)
                break;
        } else if (!p && knx_alloc_live() != live) {
            fail_msg("allocation %lld: %lld blocks are lost", (long long)k, (long long)(knx_alloc_live() - live));
        }
    }
    knd_release(p);
    assert_int_equal(knx_alloc_live(), live);
    kni_release(j);
}
#endif
