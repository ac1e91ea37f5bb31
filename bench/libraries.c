/* SPDX-License-Identifier: Apache-2.0
 * libraries.c -- libraries of matrix products, loaded at run time: none of them is a dependency. A wheel's library does
 * not find what it needs by itself, so that is loaded before it. */
#define _GNU_SOURCE
#include "libraries.h"
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

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
    const char *name, *wheel, *file;  /* wheel: a pattern below build/venv; file: what the system has */
    const char *prefix, *set_threads; /* prefix: of the wheel's names */
    const char *needs[6];             /* beside the wheel's library, in order */
    bool from_wheel;
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
    [LIB_OPENBLAS] = {.name = "openblas",
                      .wheel = "lib/python3*/site-packages/scipy_openblas32/lib/libscipy_openblas.so",
                      .file = "libopenblas.so.0",
                      .prefix = "scipy_",
                      .set_threads = "openblas_set_num_threads"},
    [LIB_BLIS] = {.name = "blis", .file = "libblis.so.4", .set_threads = "bli_thread_set_num_threads_"},
    /* found through its dependencies: the runtime that it uses itself; the wheel's has another one */
    [LIB_ONEDNN] = {.name = "onednn",
                    .wheel = "lib/libdnnl.so.3",
                    .file = "libdnnl.so.2",
                    .prefix = "",
                    .set_threads = "omp_set_num_threads",
                    .needs = {"libintlc.so.5", "libimf.so", "libsvml.so", "libtbb.so.12", "libsycl.so.9"}},
    [LIB_MKL] = {.name = "mkl",
                 .wheel = "lib/libmkl_rt.so.*",
                 .file = "libmkl_rt.so",
                 .prefix = "",
                 .set_threads = "MKL_Set_Num_Threads",
                 .needs = {"libiomp5.so"}},
};
static int threads_now = 1;

void *library_find(bench_library which, const char *function)
{
    const struct library *l = &libraries[which];
    char name[128];
    if (!l->handle)
        return NULL;
    snprintf(name, sizeof name, "%s%s", l->from_wheel ? l->prefix : "", function);
    return dlsym(l->handle, name);
}

/* The first file below build/venv that fits the pattern, with what it needs; NULL: there is none. */
static void *load_wheel(const struct library *l)
{
    char path[4096];
    void *handle = NULL;
    glob_t found;
    if (!l->wheel)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", KN_BENCH_VENV, l->wheel);
    if (glob(path, 0, NULL, &found))
        return NULL;
    /* oneDNN's wheel computes through SYCL, whose device is an OpenCL driver beside it. */
    snprintf(path, sizeof path, "%s/lib/libintelocl.so", KN_BENCH_VENV);
    setenv("OCL_ICD_FILENAMES", path, 1);
    setenv("ONEDNN_VERBOSE", "none", 1);
    for (int i = 0; l->needs[i]; i++) {
        snprintf(path, sizeof path, "%s/lib/%s", KN_BENCH_VENV, l->needs[i]);
        dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    handle = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return handle;
}

/* TBB, the wheel's runtime of oneDNN, has a limit that lives as long as an object: the one of C++'s tbb::global_control. */
static struct {
    size_t value;
    intptr_t reserved;
    int parameter; /* 0: max_allowed_parallelism */
} limit;
static void (*tbb_create)(void *), (*tbb_destroy)(void *);
static void set_tbb_threads(int n)
{
    if (limit.value)
        tbb_destroy(&limit);
    limit.value = (size_t)n;
    tbb_create(&limit);
}

static void find_tbb(struct library *l)
{
    tbb_create = (void (*)(void *))dlsym(RTLD_DEFAULT, "_ZN3tbb6detail2r16createERNS0_2d114global_controlE");
    tbb_destroy = (void (*)(void *))dlsym(RTLD_DEFAULT, "_ZN3tbb6detail2r17destroyERNS0_2d114global_controlE");
    l->threads = tbb_create && tbb_destroy ? set_tbb_threads : NULL;
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
    else if (library_find(which, "MKL_Get_Version_String"))
        ((void (*)(char *, int))library_find(which, "MKL_Get_Version_String"))(l->about, (int)sizeof l->about - 1);
    else if (numbers)
        snprintf(l->about, sizeof l->about, "oneDNN %d.%d.%d", numbers()->major, numbers()->minor, numbers()->patch);
}

/* bli_thread_set_num_threads takes a dim_t; the function for Fortran takes the address of an int. */
static void (*blis_threads)(const int *);
static void set_blis_threads(int n) { blis_threads(&n); }

bool library_start(bench_library which)
{
    struct library *l = &libraries[which];
    l->handle = load_wheel(l);
    l->from_wheel = l->handle != NULL;
    if (!l->handle)
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
    if (which == LIB_ONEDNN && l->from_wheel)
        find_tbb(l);
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
