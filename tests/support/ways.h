/* SPDX-License-Identifier: Apache-2.0
 * ways.h -- for the tests of loops and branches: one jaxpr run in every way there is, on operands given as C arrays,
 * its results compared bit for bit with what C makes of them. */
#ifndef KN_TEST_WAYS_H
#define KN_TEST_WAYS_H
#include "devices/devices.h"
#include "support/programs.h"

#define LIST(...) ((const void *const[]){__VA_ARGS__})
#define F(...)    ((const float[]){__VA_ARGS__})
#define I(...)    ((const int32_t[]){__VA_ARGS__})
enum { GUARD = 256 };

/* What a jaxpr is run with; expected: NULL: whatever the first way gives (kept in `first`). */
typedef struct ways {
    const void *const *in, *const *expected;
    knx_buffer *first[MANY];
    int runs, compiled;
} ways;

static inline void ways_compare(ways *w, const kni_jaxpr *j, knx_buffer *const *out, const char *how)
{
    for (uint32_t k = 0; k < j->n_out; k++) {
        kni_type t = kni_out_type(j, k);
        if (!w->expected && !w->first[k]) {
            w->first[k] = knx_buffer_retain(out[k]);
            continue;
        }
        int64_t at = test_difference(t, w->expected ? w->expected[k] : w->first[k]->data, out[k]->data);
        if (at >= 0)
            fail_msg("%s: result %u differs at %lld", how, (unsigned)k, (long long)at);
    }
    w->runs++;
}

static inline knx_error *ways_see(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt,
                                 int n_out, const void *const *y, const kni_type *yt)
{
    (void)e, (void)n_in, (void)x, (void)xt, (void)n_out, (void)y, (void)yt;
    ++*(int *)env;
    return NULL;
}
static inline void ways_hear(void *env, const kn_step *step)
{
    int *counts = env;
    counts[step->kind]++;
}

/* All memory the caller's, with junk in it and guards around it. */
static inline void ways_in_arena(ways *w, const knd_loaded *p, const kni_jaxpr *j, const knd_operand *in)
{
    knx_buffer *out[MANY] = {0};
    void *to[MANY];
    size_t bytes = knd_workspace_bytes(p, 1);
    char *room = aligned_alloc(64, (bytes + 2 * GUARD + 63) / 64 * 64);
    memset(room, 0x5a, bytes + 2 * GUARD);
    for (uint32_t k = 0; k < j->n_out; k++) {
        out[k] = knx_buffer_new(kni_type_bytes(kni_out_type(j, k)));
        to[k] = out[k]->data;
    }
    test_ok(knd_run_into(p, in, to, room + GUARD, 1));
    for (size_t i = 0; i < GUARD; i++)
        if (room[i] != 0x5a || room[GUARD + bytes + i] != 0x5a)
            fail_msg("memory beside the workspace is written to");
    ways_compare(w, j, out, "in an arena");
    test_release((int)j->n_out, out);
    free(room);
}

/* On the far device: all of it there, and with what is no kernel on the host; nothing of it is left there. */
static inline void ways_far(ways *w, const kni_jaxpr *j, bool fuse, const knd_operand *in)
{
    static const unsigned takes[] = {FAR_ALL, 0};
    static const knd_options how[] = {{.threads = 1}, {.threads = 3}};
    for (int i = 0; i < 2; i++) {
        knx_buffer *out[MANY] = {0};
        knd_loaded *p = NULL;
        far_take(takes[i]);
        test_ok(knd_compile(&far_device, j, &(knc_compile_options){.fuse = fuse}, &p));
        test_ok(knd_run_with(p, in, out, &how[i]));
        far_take(FAR_ALL);
        for (uint32_t k = 0; k < j->n_out; k++)
            test_ok(knd_fetch(out[k]));
        ways_compare(w, j, out, i ? "far away, with steps on the host" : "far away");
        test_release((int)j->n_out, out);
        knd_release(p);
    }
}

static inline void ways_run(ways *w, const kni_jaxpr *j, bool fuse)
{
    knd_loaded *p = test_compile(j, fuse);
    knd_operand in[MANY];
    knx_buffer *out[MANY] = {0}, *mine[MANY] = {0};
    int n = (int)(j->n_const + j->n_in), seen = 0, heard[16] = {0};
    assert_true(n <= MANY && j->n_out <= MANY);
    for (int i = 0; i < n; i++) {
        size_t bytes = kni_type_bytes(j->type[i]);
        mine[i] = knx_buffer_new(bytes);
        if (bytes)
            memcpy(mine[i]->data, w->in[i], bytes);
        in[i] = (knd_operand){.buffer = mine[i], .data = mine[i]->data};
    }
    const knd_observer o = {ways_see, &seen};
    const knd_options how[] = {{.threads = 1},
                               {.threads = 3},
                               {.threads = 1, .on_step = ways_hear, .on_step_env = heard},
                               {.threads = 1, .observer = &o}};
    for (int i = 0; i < (fuse ? 3 : 4); i++) {
        test_ok(knd_run_with(p, in, out, &how[i]));
        ways_compare(w, j, out, i == 0 ? "alone" : i == 1 ? "with threads" : i == 2 ? "with a hook" : "observed");
        test_release((int)j->n_out, out);
    }
    ways_in_arena(w, p, j, in);
    ways_far(w, j, fuse, in);
    for (int i = 0; i < n; i++) /* nothing was written to operands */
        if (kni_type_bytes(j->type[i]) && memcmp(mine[i]->data, w->in[i], kni_type_bytes(j->type[i])) != 0)
            fail_msg("operand %d was written to", i);
    test_release(n, mine);
    knd_release(p);
}

/* With and without fusion. */
static inline void ways_check(ways *w, const kni_jaxpr *j)
{
    ways_run(w, j, true);
    ways_run(w, j, false);
}
static inline void ways_free(ways *w) { test_release(MANY, w->first); }

/* A scan of a body, whose operands are those of the jaxpr. */
typedef struct scan_of {
    kni_jaxpr *body;
    int64_t n_const, n_carry, length;
    bool reverse;
    int64_t accept, on_step;
} scan_of;

static inline kni_jaxpr *scan_jaxpr(const scan_of *s)
{
    kni_builder b;
    kni_atom in[MANY], out[MANY];
    knb_init(&b);
    for (uint32_t i = 0; i < s->body->n_in; i++) {
        kni_type t = kni_in_type(s->body, i);
        int64_t dim[KN_MAX_NDIM] = {s->length};
        for (int d = 0; d < t.ndim; d++)
            dim[d + 1] = t.dim[d];
        in[i] = knb_invar(&b, i < s->n_const + s->n_carry ? t : kni_type_of(t.dtype, t.ndim + 1, dim));
    }
    knb_scan(&b,
             &(kni_p_scan){.jaxpr = s->body,
                          .length = s->length,
                          .num_carry = s->n_carry,
                          .num_consts = s->n_const,
                          .reverse = s->reverse,
                          .unroll = 1,
                          .accept = s->accept,
                          .on_step = s->on_step},
             in, out);
    return test_finish(&b, (int)s->body->n_out, out);
}

/* On each path that can run it. */
static inline void ways_scan(ways *w, scan_of s)
{
    static const int64_t accept[] = {0, KN_PATH_CALLS, KN_PATH_STEPWISE, KN_PATH_COMPILED};
    for (int i = 0; i < 4; i++) {
        s.accept = accept[i];
        kni_jaxpr *j = scan_jaxpr(&s);
        knd_loaded *p = NULL;
        knx_error *error = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
        if (error && accept[i] == KN_PATH_COMPILED && strstr(error->message, "which .accept does not allow: "))
            knx_error_release(error);
        else
            test_ok(error);
        w->compiled += p && accept[i] == KN_PATH_COMPILED;
        knd_release(p);
        if (p)
            ways_run(w, j, true);
        if (!accept[i])
            ways_run(w, j, false);
        kni_release(j);
    }
}

/* The same with results known; the body is released. Says on how many paths it is a kernel: 0 or 1. */
static inline int expect_scan(scan_of s, const void *const *in, const void *const *expected)
{
    ways w = {.in = in, .expected = expected};
    ways_scan(&w, s);
    kni_release(s.body);
    return w.compiled;
}
static inline void expect_jaxpr(kni_jaxpr *j, const void *const *in, const void *const *expected)
{
    ways w = {.in = in, .expected = expected};
    ways_check(&w, j);
    kni_release(j);
}
#endif
