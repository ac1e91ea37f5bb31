/* SPDX-License-Identifier: Apache-2.0
 * attach.h -- what the tests of kernels around products share: a program against the one without fusion. */
#ifndef KN_TESTS_ATTACH_H
#define KN_TESTS_ATTACH_H
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
#endif
