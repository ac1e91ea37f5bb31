/* SPDX-License-Identifier: Apache-2.0
 * test_progress.c -- lines of progress: what they say, when they are written, that they end. */
#include "support/expect.h"
#include "support/group.h"
#include <stdlib.h>

static char *text;
static size_t length;

static const char *written(FILE *f)
{
    fflush(f);
    return text ? text : "";
}

static void a_line_shows_count_and_values(void **state)
{
    (void)state;
    KN_SCOPE;
    FILE *f = open_memstream(&text, &length);
    kn_progress bar = kn_progress_begin("training", .total = 4, .show = 1, .file = f, .interval = 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            kn_progress_step(bar, 1, "loss", 0.5 / (i + 1), "left", 3 - i, "array", kn_add(kn_of(double, 1), i)), 0);
    assert_int_equal(kn_progress_end(bar), 0);
    const char *s = written(f);
    assert_non_null(strstr(s, "training  25% |\u2588\u2588\u2588\u2588\u2588\u2588 "));
    assert_non_null(strstr(s, "| 1/4 [00:00<00:0"));
    assert_non_null(strstr(s, "loss=0.25 left=2 array=2\n"));
    assert_non_null(strstr(s, "training 100% |"));
    assert_non_null(strstr(s, "| 4/4 [00:00<00:00, "));
    assert_int_equal(s[strlen(s) - 1], '\n');
    assert_null(strchr(s, '\r')); /* no terminal */
    fclose(f);
    free(text);
}

static void lines_are_rare_and_end_with_their_scope(void **state)
{
    (void)state;
    FILE *f = open_memstream(&text, &length);
    {
        KN_SCOPE;
        kn_progress bar = kn_progress_begin("steps", .show = 1, .file = f, .interval = 1e6, .unit = "files");
        for (int i = 0; i < 1000; i++)
            kn_progress_step(bar, 2);
        assert_string_equal(written(f), "");
    }
    assert_non_null(strstr(written(f), "steps: 2000 files [00:00, "));
    fclose(f);
    free(text);
}

static void nothing_is_written_where_there_is_no_terminal(void **state)
{
    (void)state;
    KN_SCOPE;
    FILE *f = open_memstream(&text, &length);
    kn_progress bar = kn_progress_begin("quiet", .file = f, .interval = 0, .show = getenv("KILN_PROGRESS") ? 0 : -1);
    kn_progress_step(bar, 1, "not looked at", kn_ones(KN_SHAPE(3)));
    kn_progress_end(bar);
    assert_string_equal(written(f), "");
    expect_no_error();
    fclose(f);
    free(text);
}

static void wrong_calls_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    FILE *f = open_memstream(&text, &length);
    kn_progress bar = kn_progress_begin("x", .show = 1, .file = f, .interval = 0);
    assert_int_equal(kn_progress_step(bar, 1, "loss"), -1);
    expect_error_with("ValueError", "progress_step: 1 arguments");
    kn_progress_step(bar, 1, 3, 4);
    expect_error("TypeError", "progress_step: each value has a name in front of it: argument 0 is no text");
    kn_progress_step(bar, 1, "loss", kn_ones(KN_SHAPE(3)));
    expect_error_with("TypeError", "a value of a line is a number, not float64[3]");
    kn_progress_step(NULL, 1);
    expect_error("TypeError", "progress_step: null progress");
    assert_null(kn_progress_begin(NULL));
    expect_error("TypeError", "progress_begin: null label");
    assert_null(kn_progress_begin("x", .total = -1));
    expect_error("ValueError", "progress_begin: -1 steps in all");
    kn_progress_end(bar);
    fclose(f);
    free(text);
}

static kn_array add_one(const kn_array *carry) { return kn_add(*carry, 1); }
KN_FUNCTION(add_one, kn_array, kn_array)

static void scans_have_an_option(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array out, init = kn_num(0.0);
    assert_int_equal(kn_scan(KN_FN(add_one), &out, &init, KN_NOTHING, .length = 5, .progress = "adding"), 0);
    expect_values(out, 5);
}

KN_TEST_GROUP(test_progress)
{
    const struct CMUnitTest tests[] = {
        TEST(a_line_shows_count_and_values),
        TEST(lines_are_rare_and_end_with_their_scope),
        TEST(nothing_is_written_where_there_is_no_terminal),
        TEST(wrong_calls_are_errors),
        TEST(scans_have_an_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
