/* SPDX-License-Identifier: Apache-2.0
 * test_trace.c -- KILN_TRACE: what a process did, as JSON. The process is a child, which reads the variable and ends. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];
static char *text;

static kn_array wave(const kn_array *x) { return kn_sum(kn_sin(kn_mul(*x, 2.5))); }
KN_FUNCTION(wave, kn_array, kn_array)
static kn_array turn(const kn_array *i, const kn_array *x) { return kn_add(*x, kn_mul(*i, 0.5)); }
KN_FUNCTION(turn, kn_array, kn_array, kn_array)

static int heard;
static void hear(void *env, const kn_step *step) { (void)env, (void)step, heard++; }

static void work(void)
{
    KN_SCOPE;
    kn_array x = kn_arange(0, 1000, 1, .dtype = KN_F32), y;
    for (int i = 0; i < 2; i++) {
        kn_call(kn_jit(KN_FN(wave)), &y, &x);
        kn_eval(y);
    }
    kn_fori_loop(0, 3, KN_FN(turn), &y, &x);
    kn_eval(y);
    kn_eval(kn_matmul(kn_ones(KN_SHAPE(8, 8)), kn_ones(KN_SHAPE(8, 8))));
}

/* Traces the work of a child and reads what it wrote. */
static void trace_a_child(void)
{
    int fd;
    pid_t child;
    int status;
    strcpy(path, "/tmp/kiln-trace-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        setenv("KILN_TRACE", path, 1);
        kn_on_step(hear, NULL);
        work();
        kn_shutdown();
        exit(heard > 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    free(text);
    text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    unlink(path);
}

/* ---- JSON: the end of a value, NULL if it is none. */

static const char *blanks(const char *s)
{
    while (s && *s && strchr(" \n\t\r", *s))
        s++;
    return s;
}

static const char *value(const char *s);

static const char *string(const char *s)
{
    if (!s || *s++ != '"')
        return NULL;
    for (; *s && *s != '"'; s++)
        if ((unsigned char)*s < ' ' || (*s == '\\' && !*++s))
            return NULL;
    return *s ? s + 1 : NULL;
}

static const char *list(const char *s, char end)
{
    s = blanks(s + 1);
    if (*s == end)
        return s + 1;
    while (s) {
        if (end == '}') {
            s = blanks(string(s));
            if (!s || *s != ':')
                return NULL;
            s = blanks(s + 1);
        }
        s = blanks(value(s));
        if (s && *s == end)
            return s + 1;
        s = s && *s == ',' ? blanks(s + 1) : NULL;
    }
    return NULL;
}

static const char *value(const char *s)
{
    if (!s || *s == '"')
        return string(s);
    if (*s == '[' || *s == '{')
        return list(s, *s == '[' ? ']' : '}');
    char *end;
    strtod(s, &end);
    return end > s ? end : NULL;
}

static int count(const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

static void a_trace_is_json(void **state)
{
    (void)state;
    trace_a_child();
    const char *end = blanks(value(blanks(text)));
    assert_non_null(end);
    assert_string_equal(end, "");
}

static void it_has_what_was_recorded_compiled_and_run(void **state)
{
    (void)state;
    trace_a_child();
    assert_int_equal(count("\"cat\": \"record\""), 1); /* the second call finds it */
    assert_int_equal(count("{\"name\": \"wave\", \"cat\": \"record\""), 1);
    assert_int_equal(count("{\"name\": \"wave\", \"cat\": \"compile\""), 1);
    assert_int_equal(count("{\"name\": \"mul sin reduce_sum\", \"cat\": \"step\""), 2);
    assert_int_equal(count("\"kind\": \"product\"") + count("\"kind\": \"kernel\"") > 3, 1);
    assert_true(count("test_trace.c") > 3);
}

KN_TEST_GROUP(test_trace)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_json), /* the process itself does not use Kiln */
        cmocka_unit_test(it_has_what_was_recorded_compiled_and_run),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(text);
    return failed;
}
