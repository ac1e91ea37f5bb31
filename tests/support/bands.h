/* SPDX-License-Identifier: Apache-2.0
 * bands.h -- for the tests of compile/bands/: programs with and without bands, and whether their bits are the same for
 * every number of threads. */
#ifndef KN_TEST_BANDS_H
#define KN_TEST_BANDS_H
#include "support/expect.h"
#include "support/programs.h"

#include <kiln/kiln.h>
#include <stdio.h>

static inline kni_jaxpr *traced(kn_fn f, const kn_args *args)
{
    kni_jaxpr *j = NULL;
    const char *text = kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL);
    expect_no_error();
    test_ok(kni_parse(text, &j));
    return j;
}

static inline knd_loaded *compiled(const kni_jaxpr *j, bool fuse, int bands)
{
    knd_loaded *p = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = fuse, .bands = bands}, &p));
    return p;
}

static inline char *text_of(const knd_loaded *p)
{
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    return text;
}

/* Numbers that attention is used to, not those that make every result a NaN. */
static inline test_operands tame_operands(const kni_jaxpr *j, uint64_t seed)
{
    test_operands x = test_make_operands(j, seed);
    for (int i = 0; i < x.n; i++) {
        kn_dtype d = j->type[i].dtype;
        char *to = (char *)(uintptr_t)x.in[i].data;
        for (int64_t k = 0; knx_is_float(d) && k < kni_type_size(j->type[i]); k++) {
            knx_scalar_bits s = knx_scalar_from_double(d, (double)(test_below(&seed, 2001) - 1000) / 700);
            memcpy(to + (size_t)k * d->size, s.bytes, d->size);
        }
    }
    return x;
}

static inline void expect_same_bits(const char *name, const kni_jaxpr *j, int bands, bool tame)
{
    static const int threads[] = {1, 2, 3, 7};
    test_operands x = tame ? tame_operands(j, 5) : test_make_operands(j, 5);
    knx_buffer *want[MANY], *got[MANY];
    if (getenv("KN_NO_BANDS"))
        bands = -1;
    knd_loaded *p = compiled(j, false, 0), *q = compiled(j, true, bands);
    test_ok(knd_run(p, x.in, want, NULL));
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        test_ok(knd_run_with(q, x.in, got, &(knd_options){.threads = threads[t]}));
        for (uint32_t k = 0; k < j->n_out; k++) {
            int64_t at = test_difference(kni_out_type(j, k), want[k]->data, got[k]->data);
            if (at >= 0 && getenv("KN_TEST_SEED"))
                for (int z = 0; z < 8; z++)
                    printf("%g %g\n", ((float *)want[k]->data)[z], ((float *)got[k]->data)[z]);
            if (at >= 0 && getenv("KN_TEST_SEED"))
                puts(text_of(q));
            if (at >= 0)
                fail_msg("%s, %d threads: output %u differs at %lld", name, threads[t], k, (long long)at);
        }
        test_release((int)j->n_out, got);
    }
    test_release((int)j->n_out, want);
    knd_release(p);
    knd_release(q);
    test_free_operands(&x);
}
#endif
