/* SPDX-License-Identifier: Apache-2.0
 * doubt.c -- which runs with checks a buffer's contents come from, as long as nobody knows how they went. Runs have
 * numbers, and at most the last KND_RUNS are not known: a bit for each is enough. */
#include "device/device.h"
#include <string.h>

static uint64_t number_of(const knd_doubt *x, uint64_t bit) { return x->last - ((x->last - bit) & (KND_RUNS - 1)); }

/* Has the run failed, as far as anybody knows? */
static bool note_failure(const knd_device *d, knd_doubt *x, uint64_t number)
{
    knx_error *error = d->failed(d, number);
    bool failed = error != NULL;
    if (failed && (!x->failed || number < x->failed))
        x->failed = number;
    knx_error_release(error);
    return failed;
}

/* What is known by now goes out; what has failed stays so. */
static void settle(const knd_device *d, knd_doubt *x)
{
    uint64_t known = x->last ? d->known(d) : 0, any = 0;
    for (uint64_t w = 0; x->last && w < KND_RUNS / 64; w++) {
        for (uint64_t rest = x->run[w]; rest; rest &= rest - 1) {
            uint64_t bit = (uint64_t)__builtin_ctzll(rest), number = number_of(x, 64 * w + bit);
            /* while a run goes on, those inside of it are not known to be good, but may be known to have failed */
            if (note_failure(d, x, number) || number <= known)
                x->run[w] &= ~(UINT64_C(1) << bit);
        }
        any |= x->run[w];
    }
    if (!any && !x->failed)
        x->last = 0;
}

void knd_doubt_run(const knd_device *d, knd_doubt *to, uint64_t number)
{
    settle(d, to);
    to->last = number;
    to->run[number % KND_RUNS / 64] |= UINT64_C(1) << number % 64;
}

void knd_add_doubt(const knd_device *d, knd_doubt *to, const knd_doubt *more)
{
    knd_doubt x;
    if (!more || !more->last)
        return;
    x = *more;
    settle(d, &x);
    if (!x.last)
        return;
    settle(d, to);
    to->last = x.last > to->last ? x.last : to->last;
    to->failed = !to->failed || (x.failed && x.failed < to->failed) ? x.failed : to->failed;
    for (int w = 0; w < KND_RUNS / 64; w++)
        to->run[w] |= x.run[w];
}

knx_error *knd_failed(const knd_device *d, knd_doubt *doubt)
{
    settle(d, doubt);
    return doubt->failed ? d->failed(d, doubt->failed) : NULL;
}
