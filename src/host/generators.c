/* SPDX-License-Identifier: Apache-2.0
 * generators.c -- the list of generators. This is the one place that knows which there are: cmake/KilnLibrary.cmake
 * compiles host/x86/ for x86-64 alone and says so by KN_HAVE_X86, host/wasm/ for WebAssembly. */
#include "host/generators.h"
#include "base/log.h"
#include <stdatomic.h>
#include <string.h>

#if defined(KN_HAVE_X86)
#include "host/x86/generator.h"
#endif
#if defined(__wasm__)
#include "host/wasm/generator.h"
#endif

static const knh_generator *const built_in[] = {
#if defined(KN_HAVE_X86)
    &knh_avx512,
    &knh_avx2,
#endif
#if defined(__wasm__)
    &knh_wasm,
#endif
    &knh_interpreter,
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in, MOST_ADDED = 8 };

static const knh_generator *added[MOST_ADDED]; /* the last one is the best */
static int n_added;
static _Atomic(const knh_generator *) in_use; /* NULL: not known yet */

const knh_generator *knh_generator_number(int i)
{
    int own = i - n_added;
    return i < 0 || own >= BUILT_IN ? NULL : own < 0 ? added[n_added - 1 - i] : built_in[own];
}

bool knh_generator_works(const knh_generator *g) { return !g->works || g->works(); }

static int number_of(const char *name)
{
    const knh_generator *g;
    for (int i = 0; (g = knh_generator_number(i)); i++)
        if (!strcmp(g->name, name))
            return i;
    return -1;
}

const knh_generator *knh_generator_named(const char *name) { return knh_generator_number(number_of(name)); }

static const knh_generator *choose(void)
{
    const char *wanted = knx_env()->backend;
    int i = !wanted ? -1 : number_of(strcmp(wanted, "base") ? wanted : knh_interpreter.name);
    i = i < 0 ? 0 : i;
    while (!knh_generator_works(knh_generator_number(i))) /* the interpreter does */
        i++;
    return knh_generator_number(i);
}

KNX_HOT const knh_generator *knh_generator_best(void)
{
    const knh_generator *g = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (!g)
        atomic_store_explicit(&in_use, g = choose(), memory_order_relaxed);
    return g;
}

bool knh_add_generator(const knh_generator *g)
{
    if (n_added == MOST_ADDED)
        return false;
    added[n_added++] = g;
    atomic_store(&in_use, NULL);
    return true;
}

void knh_remove_generator(const knh_generator *g)
{
    int n = 0;
    for (int i = 0; i < n_added; i++)
        if (added[i] != g)
            added[n++] = added[i];
    n_added = n;
    atomic_store(&in_use, NULL);
}
