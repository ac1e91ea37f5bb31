/* SPDX-License-Identifier: Apache-2.0
 * no_memory.c -- programs whose allocations fail. */
#include "support/no_memory.h"
#include "base/memory.h"
#include "support/expect.h"
#include <stdio.h>

typedef struct outcome {
    double value;
    bool failed, memory; /* an error is pending; it is a MemoryError */
    char error[256];
} outcome;

static outcome run_and_shut_down(double (*program)(void))
{
    outcome o = {.value = program(), .failed = kn_error_pending()};
    o.memory = o.failed && strcmp(kn_error_kind_name(), "MemoryError") == 0;
    snprintf(o.error, sizeof o.error, "%s %s", kn_error_kind_name(), kn_error_message());
    kn_error_clear();
    kn_shutdown();
    return o;
}

void no_memory_check(double (*program)(void), int64_t step, void (*after)(void))
{
    kn_shutdown();
    knx_buffer_trim();
    const outcome right = run_and_shut_down(program);
    assert_false(right.failed);
    assert_false(isnan(right.value));
    int64_t live = knx_alloc_live(), start = knx_alloc_count(), survived = 0, runs = 0;
    run_and_shut_down(program);
    int64_t n = knx_alloc_count() - start;
    for (int64_t i = 0; i < (step ? n : 2 * n); i += step ? step : 1) {
        const int64_t k = step ? i : i / 2;
        knx_buffer_trim();
        knx_fail_after(k, step ? i / step % 2 : i % 2);
        const outcome o = run_and_shut_down(program);
        knx_fail_after(-1, false);
        kn_error_clear();
        kn_shutdown();
        if (o.failed && !o.memory)
            fail_msg("allocation %lld of %lld: an error that is no MemoryError: %s", (long long)k, (long long)n,
                     o.error);
        if (!o.failed && !isnan(o.value) && o.value != right.value)
            fail_msg("allocation %lld of %lld: %.17g instead of %.17g", (long long)k, (long long)n, o.value,
                     right.value);
        if (knx_alloc_live() != live)
            fail_msg("allocation %lld of %lld: %lld blocks are alive, %lld were", (long long)k, (long long)n,
                     (long long)knx_alloc_live(), (long long)live);
        if (after)
            after();
        survived += !o.failed;
        runs++;
    }
    print_message("%lld allocations, %lld of %lld that failed could be done without\n", (long long)n,
                  (long long)survived, (long long)runs);
}
