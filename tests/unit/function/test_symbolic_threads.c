/* SPDX-License-Identifier: Apache-2.0
 * test_symbolic_threads.c -- threads that record, call and print functions of unknown extents at the same time, each in a
 * context of its own; all have one table of dimension expressions. To be run under ThreadSanitizer as well. */
#include "support/expect.h"
#include "support/group.h"
#include <kiln/kiln.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, LENGTHS = 12, MOST = 64 };

static kn_array layer(const kn_array *x, const kn_array *w)
{
    kn_array y = kn_matmul(kn_concatenate(KN_LIST(*x, kn_at(*x, "::-1"))), *w);
    return kn_add(kn_mean(y, KN_AXIS(0)), kn_sum(kn_tanh(kn_reshape(y, KN_SHAPE(-1)))));
}
KN_FUNCTION(layer, kn_array, kn_array, kn_array)
static kn_array loss(const kn_array *x, const kn_array *w) { return kn_sum(kn_square(layer(x, w))); }
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

static kn_array wave(int64_t rows, int64_t columns)
{
    kn_array x = kn_sin(kn_arange(0, (double)(rows * columns), 1, .dtype = KN_F32));
    return kn_reshape(x, KN_SHAPE(rows, columns));
}

static void start_all(pthread_t *t, void *(*f)(void *), void *env)
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, f, env), 0);
}

/* Threads end with what was wrong, or NULL. */
static void join_all(pthread_t *t)
{
    char *wrong[THREADS];
    bool any = false;
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(t[i], &result), 0);
        wrong[i] = result;
        if (wrong[i])
            fprintf(stderr, "%s\n", wrong[i]);
        any = any || wrong[i];
        free(wrong[i]);
    }
    assert_false(any);
}

/* ---- One recording for each thread, of the same functions. */

static const char *const constraints[] = {"b >= 2", "b >= 2; b <= 1000", "b + t >= 4; b >= 2",
                                          "mod(t, 2) == 0; b >= 2"};

static const char *calls(kn_fn f, kn_fn symbolic, int64_t b, int64_t t)
{
    KN_SCOPE;
    kn_array x = wave(b, t), w = wave(t, 3), want, y;
    kn_call(f, &want, &x, &w);
    kn_call(symbolic, &y, &x, &w);
    return kn_error_pending() ? kn_error_message() : kn_array_equal(y, want) ? NULL : "a function differs";
}

static const char *eager(int64_t n)
{
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(n)), y = kn_concatenate(KN_LIST(x, kn_mul(x, 2)));
    kn_iadd_at(y, 1, "1:-1");
    return kn_item(kn_sum(y)) == (double)(5 * n - 2) ? NULL : "a sum differs";
}

static const char *prints(const char *text)
{
    KN_SCOPE;
    kn_array x = wave(4, 6), w = wave(6, 3);
    kn_jaxpr j = kn_make_jaxpr(kn_grad(KN_FN(loss)), KN_ARGS(&x, &w), .symbolic = "b t, t c", .constraints = "b >= 2");
    if (strcmp(kn_jaxpr_text(j, KN_JAXPR_FULL), text) != 0)
        return "a text differs";
    return strcmp(kn_jaxpr_text(kn_jaxpr_parse(text), KN_JAXPR_FULL), text) ? "a text is read as another one" : NULL;
}

static void *works(void *env)
{
    static _Atomic int number;
    const int me = number++ % THREADS;
    char *wrong = NULL;
    {
        KN_SCOPE;
        kn_fn own[] = {KN_FN(layer), kn_grad(KN_FN(loss))}, f[2][3];
        for (int k = 0; k < 2; k++) {
            f[k][0] = kn_jit(own[k]);
            f[k][1] = kn_jit(own[k], .symbolic = "b t, t 3", .constraints = constraints[me]);
            f[k][2] = kn_jit(own[k], .symbolic = KN_ALL);
        }
        for (int i = 0; !wrong && i < LENGTHS; i++) {
            const int64_t b = 2 + (7 * i + me) % 23, t = 2 + 2 * ((5 * i) % 11);
            const char *what = NULL;
            for (int k = 0; !what && k < 4; k++)
                what = calls(f[k / 2][0], f[k / 2][1 + k % 2], b, t);
            what = what ? what : eager(2 + (13 * i + me) % MOST);
            what = what ? what : prints(env);
            wrong = what ? strdup(what) : NULL;
        }
    }
    return wrong;
}

static void threads_record_call_and_print(void **state)
{
    (void)state;
    KN_SCOPE;
    pthread_t t[THREADS];
    kn_array x = wave(4, 6), w = wave(6, 3);
    kn_jaxpr j = kn_make_jaxpr(kn_grad(KN_FN(loss)), KN_ARGS(&x, &w), .symbolic = "b t, t c", .constraints = "b >= 2");
    char *text = strdup(kn_jaxpr_text(j, KN_JAXPR_FULL));
    start_all(t, works, text);
    join_all(t);
    free(text);
}

/* ---- A prepared function for all threads. */

typedef struct shared {
    kn_prepared p;
    float x[MOST * 8], w[8 * 3], want[MOST][3];
} shared;

static void *runs(void *env)
{
    shared *s = env;
    void *workspace = aligned_alloc(64, (kn_prepared_workspace_bytes(s->p) + 127) / 64 * 64);
    const char *wrong = workspace ? NULL : "no memory";
    for (int64_t i = 0; !wrong && i < 4 * MOST; i++) {
        const int64_t b = 1 + 5 * i % MOST;
        _Alignas(64) float out[16] = {0};
        if (kn_prepared_run(kn_prepared_for(s->p, (int64_t[]){b}), (const void *[]){s->x, s->w}, (void *[]){out},
                            workspace))
            wrong = "an instance does not run";
        else if (memcmp(out, s->want[b - 1], sizeof s->want[0]) != 0)
            wrong = "an instance differs";
    }
    free(workspace);
    return wrong ? strdup(wrong) : NULL;
}

static void threads_share_the_instances_of_a_prepared_function(void **state)
{
    (void)state;
    KN_SCOPE;
    static _Alignas(64) shared s;
    pthread_t t[THREADS];
    kn_array x = wave(MOST, 8), w = wave(8, 3);
    kn_copy_to(x, s.x, sizeof s.x);
    kn_copy_to(w, s.w, sizeof s.w);
    for (int64_t b = 1; b <= MOST; b++) {
        KN_SCOPE;
        kn_array rows = kn_copy(kn_at(x, ":%", b)), y;
        kn_call(kn_jit(KN_FN(layer)), &y, &rows, &w);
        kn_copy_to(y, s.want[b - 1], sizeof s.want[0]);
    }
    s.p = kn_prepare(KN_FN(layer), KN_ARGS(&x, &w), .symbolic = "b 8, 8 3", .constraints = "b <= 64", .threads = 1);
    assert_non_null(s.p);
    start_all(t, runs, &s);
    join_all(t);
    kn_prepared_free(s.p);
}

KN_TEST_GROUP(test_symbolic_threads)
{
    const struct CMUnitTest tests[] = {TEST(threads_record_call_and_print),
                                       TEST(threads_share_the_instances_of_a_prepared_function)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
