/* SPDX-License-Identifier: Apache-2.0
 * libraries.c -- libraries of matrix products, loaded at run time: none of them is a dependency. */
#define _GNU_SOURCE
#include "libraries.h"
#include <dlfcn.h>
#include <stdio.h>

enum { ROW_MAJOR = 101, PLAIN = 111, TURNED = 112 }; /* of cblas */
typedef void sgemm_function(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                            int);
typedef void dgemm_function(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                            double *, int);
typedef void sgemv_function(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef int dnnl_sgemm_function(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *,
                                int64_t, float, float *, int64_t);
typedef int dnnl_i8_function(char, char, char, int64_t, int64_t, int64_t, float, const int8_t *, int64_t, int8_t,
                             const int8_t *, int64_t, int8_t, float, int32_t *, int64_t, const int32_t *);
typedef int dnnl_bf16_function(char, char, int64_t, int64_t, int64_t, float, const uint16_t *, int64_t,
                               const uint16_t *, int64_t, float, float *, int64_t);

static struct library {
    const char *name, *file, *set_threads;
    void *handle;
    void (*threads)(int);
    sgemm_function *sgemm;
    dgemm_function *dgemm;
    sgemv_function *sgemv;
    dnnl_sgemm_function *dnnl_sgemm;
    dnnl_i8_function *dnnl_i8;
    dnnl_bf16_function *dnnl_bf16;
    char about[256];
} libraries[LIB_COUNT] = {
    [LIB_OPENBLAS] = {.name = "openblas", .file = "libopenblas.so.0", .set_threads = "openblas_set_num_threads"},
    [LIB_BLIS] = {.name = "blis", .file = "libblis.so.4", .set_threads = "bli_thread_set_num_threads_"},
    /* found through its dependencies: the runtime that it uses itself */
    [LIB_ONEDNN] = {.name = "onednn", .file = "libdnnl.so.2", .set_threads = "omp_set_num_threads"},
};
static int threads_now = 1;

void *library_find(bench_library l, const char *function)
{
    return libraries[l].handle ? dlsym(libraries[l].handle, function) : NULL;
}

static void describe(bench_library which)
{
    struct library *l = &libraries[which];
    const char *(*text)(void) = (const char *(*)(void))library_find(which, "openblas_get_config");
    if (!text)
        text = (const char *(*)(void))library_find(which, "bli_info_get_version_str");
    typedef struct {
        int major, minor, patch;
        const char *hash;
        unsigned cpu_runtime;
    } version;
    const version *(*numbers)(void) = (const version *(*)(void))library_find(which, "dnnl_version");
    if (text)
        snprintf(l->about, sizeof l->about, "%s", text());
    else if (numbers)
        snprintf(l->about, sizeof l->about, "oneDNN %d.%d.%d", numbers()->major, numbers()->minor, numbers()->patch);
}

/* bli_thread_set_num_threads takes a dim_t; the function for Fortran takes the address of an int. */
static void (*blis_threads)(const int *);
static void set_blis_threads(int n) { blis_threads(&n); }

bool library_start(bench_library which)
{
    struct library *l = &libraries[which];
    l->handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle) {
        snprintf(l->about, sizeof l->about, "%s", dlerror());
        return false;
    }
    l->threads = (void (*)(int))library_find(which, l->set_threads);
    if (which == LIB_BLIS) {
        blis_threads = (void (*)(const int *))library_find(which, l->set_threads);
        l->threads = blis_threads ? set_blis_threads : NULL;
    }
    l->sgemm = (sgemm_function *)library_find(which, "cblas_sgemm");
    l->dgemm = (dgemm_function *)library_find(which, "cblas_dgemm");
    l->sgemv = (sgemv_function *)library_find(which, "cblas_sgemv");
    l->dnnl_sgemm = (dnnl_sgemm_function *)library_find(which, "dnnl_sgemm");
    l->dnnl_i8 = (dnnl_i8_function *)library_find(which, "dnnl_gemm_s8s8s32");
    l->dnnl_bf16 = (dnnl_bf16_function *)library_find(which, "dnnl_gemm_bf16bf16f32");
    describe(which);
    return true;
}

const char *library_name(bench_library l) { return libraries[l].name; }
const char *library_about(bench_library l) { return libraries[l].about; }

void libraries_set_threads(int threads)
{
    threads_now = threads;
    for (int i = 0; i < LIB_COUNT; i++)
        if (libraries[i].threads)
            libraries[i].threads(threads);
}
int libraries_threads(void) { return threads_now; }

bool library_sgemm(bench_library which, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *c)
{
    const struct library *l = &libraries[which];
    if (l->sgemm)
        l->sgemm(ROW_MAJOR, PLAIN, PLAIN, (int)m, (int)n, (int)k, 1, a, (int)k, b, (int)n, 0, c, (int)n);
    return l->sgemm || (l->dnnl_sgemm && !l->dnnl_sgemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n));
}

bool library_dgemm(bench_library which, int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c)
{
    const struct library *l = &libraries[which];
    if (l->dgemm)
        l->dgemm(ROW_MAJOR, PLAIN, PLAIN, (int)m, (int)n, (int)k, 1, a, (int)k, b, (int)n, 0, c, (int)n);
    return l->dgemm != NULL;
}

bool library_i8gemm(bench_library which, int64_t m, int64_t n, int64_t k, const int8_t *a, const int8_t *b, int32_t *c)
{
    const struct library *l = &libraries[which];
    const int32_t zero = 0;
    return l->dnnl_i8 && !l->dnnl_i8('N', 'N', 'F', m, n, k, 1, a, k, 0, b, n, 0, 0, c, n, &zero);
}

bool library_bf16gemm(bench_library which, int64_t m, int64_t n, int64_t k, const uint16_t *a, const uint16_t *b,
                      float *c)
{
    const struct library *l = &libraries[which];
    return l->dnnl_bf16 && !l->dnnl_bf16('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n);
}

bool library_sgemv(bench_library which, bool left, int64_t m, int64_t n, const float *a, const float *x, float *y)
{
    const struct library *l = &libraries[which];
    if (l->sgemv)
        l->sgemv(ROW_MAJOR, left ? TURNED : PLAIN, (int)m, (int)n, 1, a, (int)n, x, 1, 0, y, 1);
    else if (left)
        return library_sgemm(which, 1, n, m, x, a, y);
    return l->sgemv || library_sgemm(which, m, 1, n, a, x, y);
}
