/* SPDX-License-Identifier: Apache-2.0
 * fftw.c -- see fftw.h. FFTW is Debian's libfftw3-double3 and libfftw3-single3; its threads are in libraries of their own. */
#include "fftw.h"
#include "libraries.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct fftw_transform {
    void *plan;
    void (*execute)(void *plan);
    void (*destroy)(void *plan);
};

enum { FORWARD = -1, MEASURE = 0 };
typedef void *plan_complex(int rank, const int *n, int many, void *in, const int *in_embed, int in_stride, int in_next,
                           void *out, const int *out_embed, int out_stride, int out_next, int sign, unsigned flags);
typedef void *plan_real(int rank, const int *n, int many, void *in, const int *in_embed, int in_stride, int in_next,
                        void *out, const int *out_embed, int out_stride, int out_next, unsigned flags);

/* The library of this precision, with its threads. */
static void *load(bool single, bool threads)
{
    static void *handles[2][2];
    static bool tried[2][2];
    if (!tried[single][threads]) {
        static const char *const names[2][2] = {{"libfftw3.so.3", "libfftw3_threads.so.3"},
                                                {"libfftw3f.so.3", "libfftw3f_threads.so.3"}};
        tried[single][threads] = true;
        handles[single][threads] = dlopen(names[single][threads], RTLD_NOW | RTLD_GLOBAL);
    }
    return handles[single][threads];
}

static void *find(fftw_library l, bool single, bool threads, const char *function)
{
    char name[64];
    snprintf(name, sizeof name, "fftw%s_%s", single ? "f" : "", function);
    if (l == FFTW_OF_MKL)
        return library_find(LIB_MKL, name);
    void *handle = load(single, threads);
    return handle ? dlsym(handle, name) : NULL;
}

static bool set_threads(fftw_library l, bool single, int threads)
{
    int (*init)(void) = (int (*)(void))find(l, single, true, "init_threads");
    void (*set)(int) = (void (*)(int))find(l, single, true, "plan_with_nthreads");
    if (!init || !set)
        return threads == 1;
    (void)load(single, false); /* the threads' library looks for functions of the other one */
    init();
    set(threads);
    return true;
}

fftw_transform *fftw_new(fftw_library l, const fftw_kind *k, int threads, void *from, void *to)
{
    plan_complex *complex = (plan_complex *)find(l, k->single, false, "plan_many_dft");
    plan_real *real = (plan_real *)find(l, k->single, false, "plan_many_dft_r2c");
    void (*execute)(void *) = (void (*)(void *))find(l, k->single, false, "execute");
    void (*destroy)(void *) = (void (*)(void *))find(l, k->single, false, "destroy_plan");
    fftw_transform *t = complex && real && execute && destroy ? calloc(1, sizeof *t) : NULL;
    if (!t || !set_threads(l, k->single, threads)) {
        free(t);
        return NULL;
    }
    int all = 1, half = 1;
    for (int i = 0; i < k->rank; i++) {
        all *= k->n[i];
        half *= i == k->rank - 1 ? k->n[i] / 2 + 1 : k->n[i];
    }
    t->plan = k->real ? real(k->rank, k->n, k->rows, from, NULL, 1, all, to, NULL, 1, half, MEASURE)
                      : complex(k->rank, k->n, k->rows, from, NULL, 1, all, to, NULL, 1, all, FORWARD, MEASURE);
    t->execute = execute;
    t->destroy = destroy;
    if (!t->plan) {
        free(t);
        return NULL;
    }
    return t;
}

void fftw_run(const fftw_transform *t) { t->execute(t->plan); }

void fftw_free(fftw_transform *t)
{
    if (t)
        t->destroy(t->plan);
    free(t);
}
