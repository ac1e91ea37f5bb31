/* SPDX-License-Identifier: Apache-2.0
 * expect.c -- the checks of expect.h. */
#include "support/expect.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>

static int64_t live_before;

int expect_setup(void **state)
{
    (void)state;
    live_before = kn_live_count();
    return 0;
}

int expect_teardown(void **state)
{
    (void)state;
    if (kn_error_pending()) {
        fprintf(stderr, "an error was left: %s: %s\n", kn_error_kind_name(), kn_error_message());
        kn_error_clear();
        return -1;
    }
    int64_t live = kn_live_count();
    if (live != live_before) {
        fprintf(stderr, "%lld handles are alive, %lld were before the test\n", (long long)live, (long long)live_before);
        return -1;
    }
    return 0;
}

static void fail_at(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s\n", text);
    _fail(file, line);
}

void expect_values_(kn_array x, const double *want, int64_t n, double tolerance, const char *text, const char *file,
                    int line)
{
    if (!(kn_ok)(x))
        fail_at(file, line, "%s carries an error: %s", text, (kn_error_of)(x));
    int64_t size = (kn_size)(x);
    if (size != n)
        fail_at(file, line, "%s has %lld elements, not %lld", text, (long long)size, (long long)n);
    double *have = malloc((size_t)n * sizeof *have + 1);
    kn_array as = (kn_astype)(x, KN_F64, NULL);
    if ((kn_copy_to)(as, have, (size_t)n * sizeof *have) != 0)
        fail_at(file, line, "%s: %s", text, kn_error_message());
    for (int64_t i = 0; i < n; i++) {
        bool same = have[i] == want[i] || (isnan(have[i]) && isnan(want[i])) || fabs(have[i] - want[i]) <= tolerance;
        if (!same)
            fail_at(file, line, "%s: element %lld is %.17g, not %.17g", text, (long long)i, have[i], want[i]);
    }
    free(have);
}

void expect_error_(const char *kind, const char *message, const char *file, int line)
{
    if (!kn_error_pending())
        fail_at(file, line, "no error is pending; wanted %s: %s", kind, message);
    if (strcmp(kn_error_kind_name(), kind) || strcmp(kn_error_message(), message))
        fail_at(file, line, "the error is %s: %s\nwanted       %s: %s", kn_error_kind_name(), kn_error_message(), kind,
                message);
    kn_error_clear();
}

void expect_error_with_(const char *kind, const char *part, const char *file, int line)
{
    if (!kn_error_pending())
        fail_at(file, line, "no error is pending; wanted %s: ...%s", kind, part);
    if (strcmp(kn_error_kind_name(), kind) || !strstr(kn_error_message(), part))
        fail_at(file, line, "the error is %s: %s\nwanted       %s: ...%s", kn_error_kind_name(), kn_error_message(),
                kind, part);
    kn_error_clear();
}

void expect_no_error_(const char *file, int line)
{
    if (kn_error_pending())
        fail_at(file, line, "an error is pending: %s: %s", kn_error_kind_name(), kn_error_message());
}
