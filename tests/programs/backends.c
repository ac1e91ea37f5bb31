/* SPDX-License-Identifier: Apache-2.0
 * backends.c -- stands between programs and their kernels: the linker sends calls of knk_interpret and kng_run here
 * (--wrap), and they run as `way_now` says. */
#include "programs.h"
#include "codegen/native.h"

#include <stdlib.h>

/* Not in every build; what is missing is not asked. */
#pragma weak kng_run_on
#pragma weak kng_scratch_bytes
#pragma weak kng_backend_works

void __real_knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch);
void __wrap_knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch);
void __wrap_kng_run(const knk_kernel *k, const knk_launch *launch, void *scratch, int threads);

bool backend_works(int backend) { return kng_run_on && kng_backend_works && kng_backend_works((kng_backend)backend); }

const char *backend_name(int backend)
{
    return backend == KNG_NATIVE_AVX2 ? "native avx2" : backend == KNG_NATIVE_AVX512 ? "native avx512" : "C source";
}

void __wrap_knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch)
{
    const way *w = way_now;
    if (!w || (!w->isa && w->lanes == KNK_LANES_AUTO))
        __real_knk_interpret(k, launch, scratch);
    else
        knk_interpret_with(k, launch, scratch, w->isa ? w->isa : knk_isa_best(), w->lanes);
}

/* With a scratch of its own: the program planned one for another way. */
void __wrap_kng_run(const knk_kernel *k, const knk_launch *launch, void *scratch, int threads)
{
    const way *w = way_now;
    int n = w && w->threads ? w->threads : 1;
    size_t bytes = w && w->backend ? kng_scratch_bytes(k, n) : knk_scratch_bytes(k);
    void *own = aligned_alloc(64, (bytes + 64) / 64 * 64);
    (void)scratch;
    (void)threads;
    if (!own)
        abort();
    if (w && w->backend)
        kng_run_on((kng_backend)w->backend, k, launch, own, n);
    else
        __wrap_knk_interpret(k, launch, own);
    free(own);
}
