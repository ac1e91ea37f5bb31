/* SPDX-License-Identifier: Apache-2.0
 * generators.c -- the list of generators. This is the one place that knows which there are: cmake/KilnLibrary.cmake
 * compiles host/x86/ for x86-64 alone and says so by KN_HAVE_X86. */
#include "host/generators.h"
#include "base/log.h"
#include <stdatomic.h>
#include <string.h>

#if defined(KN_HAVE_X86)
#include "host/x86/generator.h"
#endif

static const kng_generator *const built_in[] = {
#if defined(KN_HAVE_X86)
    &kng_avx512,
    &kng_avx2,
#endif
    &kng_interpreter,
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in, MOST_ADDED = 8 };

static const kng_generator *added[MOST_ADDED]; /* the last one is the best */
static int n_added;
static _Atomic(const kng_generator *) in_use; /* NULL: not known yet */

const kng_generator *kng_generator_number(int i)
{
    int own = i - n_added;
    return i < 0 || own >= BUILT_IN ? NULL : own < 0 ? added[n_added - 1 - i] : built_in[own];
}

bool kng_generator_works(const kng_generator *g) { return !g->works || g->works(); }

static int number_of(const char *name)
{
    const kng_generator *g;
    for (int i = 0; (g = kng_generator_number(i)); i++)
        if (!strcmp(g->name, name))
            return i;
    return -1;
}

const kng_generator *kng_generator_named(const char *name) { return kng_generator_number(number_of(name)); }

static const kng_generator *choose(void)
{
    const char *wanted = knx_env()->backend;
    int i = !wanted ? -1 : number_of(strcmp(wanted, "base") ? wanted : kng_interpreter.name);
    i = i < 0 ? 0 : i;
    while (!kng_generator_works(kng_generator_number(i))) /* the interpreter does */
        i++;
    return kng_generator_number(i);
}

const kng_generator *kng_generator_best(void)
{
    const kng_generator *g = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (!g)
        atomic_store_explicit(&in_use, g = choose(), memory_order_relaxed);
    return g;
}

bool kng_add_generator(const kng_generator *g)
{
    if (n_added == MOST_ADDED)
        return false;
    added[n_added++] = g;
    atomic_store(&in_use, NULL);
    return true;
}

void kng_remove_generator(const kng_generator *g)
{
    int n = 0;
    for (int i = 0; i < n_added; i++)
        if (added[i] != g)
            added[n++] = added[i];
    n_added = n;
    atomic_store(&in_use, NULL);
}
