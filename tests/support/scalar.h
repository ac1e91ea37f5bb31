/* SPDX-License-Identifier: Apache-2.0
 * scalar.h -- for the tests of kernels with loops: a jaxpr's text becomes one, and gives the bits of the same program run
 * stepwise; or it does not, for this reason. */
#ifndef KN_TEST_SCALAR_H
#define KN_TEST_SCALAR_H
#include "support/programs.h"
#include "support/scratch.h"
#include "support/expect.h"

#include <stdio.h>

static inline kni_jaxpr *parsed(const char *text)
{
    kni_jaxpr *j = NULL;
    knx_error *e = kni_parse(text, &j);
    if (e)
        fail_msg("%s\n%s", e->message, text);
    return j;
}

/* The only step of the program, if it is a kernel with loops. */
static inline const knk_kernel *kernel_of(const knd_loaded *p, int loops)
{
    if (p->program->n_step != 1 || p->program->step[0].kind != KNC_KERNEL) {
        char *text = NULL;
        test_ok(knc_text(p->program, &text));
        print_message("%s\n", text);
        knx_free(text);
    }
    assert_int_equal(p->program->n_step, 1);
    assert_int_equal(p->program->step[0].kind, KNC_KERNEL);
    const knk_kernel *k = p->program->step[0].u.k.kernel;
    if (k->stage[0].n_loop != loops) {
        char *text = NULL;
        test_ok(knk_text(k, &text));
        print_message("%s\n", text);
        knx_free(text);
    }
    assert_int_equal(k->stage[0].n_loop, loops);
    return k;
}

static inline void *place_of(const knd_loaded *p, const knc_ref *r, const test_operands *x, knx_buffer *const *out)
{
    char *base = r->space == KNC_AT_OPERAND  ? (char *)(uintptr_t)x->in[r->index].data
                 : r->space == KNC_AT_OUTPUT ? out[r->index]->data
                                             : (char *)(uintptr_t)p->program->jaxpr->literal[r->index].bits.bytes;
    return base + r->offset;
}

/* What the kernel means, into the same outputs. */
static inline void interpret(const knd_loaded *p, const test_operands *x, knx_buffer *const *out)
{
    const knc_step *s = &p->program->step[0];
    void *buffer[MANY], *scratch = NULL;
    for (uint32_t b = 0; b < s->n_ref; b++) {
        buffer[b] = place_of(p, &s->ref[b], x, out);
        if (s->ref[b].space == KNC_AT_OUTPUT)
            memset(buffer[b], 0x55, kni_type_bytes(knc_output_type(p->program, (int)s->ref[b].index)));
    }
    const knk_launch launch = {buffer, s->u.k.map, s->u.k.par, s->u.k.inner};
    assert_int_equal(posix_memalign(&scratch, 64, interpreter_scratch(s->u.k.kernel) + 64), 0);
    knk_interpret(s->u.k.kernel, &launch, scratch);
    free(scratch);
}

static inline void expect_equal(const kni_jaxpr *j, const knd_loaded *p, knx_buffer *const *got, knx_buffer *const *want)
{
    for (uint32_t i = 0; i < j->n_out; i++) {
        int64_t at = test_difference(kni_out_type(j, i), got[i]->data, want[i]->data);
        if (at < 0)
            continue;
        char *text = NULL;
        test_ok(knk_text(p->program->step[0].u.k.kernel, &text));
        print_message("%s\n", text);
        knx_free(text);
        fail_msg("result %u differs in element %lld", i, (long long)at);
    }
}

static inline void same_outputs(const kni_jaxpr *j, const knd_loaded *fused, uint64_t seed)
{
    knd_loaded *plain = test_compile(j, false);
    test_operands x = test_make_operands(j, seed);
    knx_buffer *got[MANY] = {0}, *want[MANY] = {0};
    test_ok(knd_run(plain, x.in, want, NULL));
    test_ok(knd_run(fused, x.in, got, NULL));
    for (uint32_t i = 0; i < j->n_out; i++)
        assert_int_equal(test_difference(kni_out_type(j, i), got[i]->data, want[i]->data), -1);
    test_release((int)j->n_out, got);
    test_release((int)j->n_out, want);
    test_free_operands(&x);
    knd_release(plain);
}

/* The same of a kernel, also as it is interpreted. */
static inline void same_results(const kni_jaxpr *j, const knd_loaded *fused, uint64_t seed)
{
    knd_loaded *plain = test_compile(j, false);
    test_operands x = test_make_operands(j, seed);
    knx_buffer *got[MANY] = {0}, *want[MANY] = {0};
    test_ok(knd_run(plain, x.in, want, NULL));
    test_ok(knd_run(fused, x.in, got, NULL));
    expect_equal(j, fused, got, want);
    interpret(fused, &x, got);
    expect_equal(j, fused, got, want);
    test_release((int)j->n_out, got);
    test_release((int)j->n_out, want);
    test_free_operands(&x);
    knd_release(plain);
}

/* One kernel with so many parallel loops and loops, which gives what the stepwise program gives. */
static inline void check_text(const char *text, int par, int loops)
{
    kni_jaxpr *j = parsed(text);
    knd_loaded *p = test_compile(j, true);
    const knk_kernel *k = kernel_of(p, loops);
    assert_int_equal(k->n_par, par);
    for (uint64_t seed = 1; seed < 4; seed++)
        same_results(j, p, seed);
    knd_release(p);
    kni_release(j);
}

/* It becomes no kernel beside so many others, and the reason says this. */
static inline void refused_in(const char *text, const char *why, int others)
{
    kni_jaxpr *j = parsed(text);
    knd_loaded *p = test_compile(j, true);
    char *shown = NULL;
    test_ok(knc_text(p->program, &shown));
    if (!strstr(shown, why))
        fail_msg("no \"%s\" in\n%s", why, shown);
    for (uint32_t i = 0; i < p->program->n_step; i++)
        others -= p->program->step[i].kind == KNC_KERNEL && p->program->step[i].u.k.kernel->stage[0].n_loop;
    assert_int_equal(others, 0);
    knx_free(shown);
    knd_release(p);
    kni_release(j);
}

static inline void refused(const char *text, const char *why) { refused_in(text, why, 0); }
#endif
