/* SPDX-License-Identifier: Apache-2.0
 * lapack.c -- LAPACK's functions, found while the bench runs. Its matrices lie column by column: the transpose of a
 * matrix takes as long as the matrix. */
#include "lapack.h"
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments of LAPACK's functions are addresses; text has its lengths behind all others. */
typedef void lapack_function(void);

typedef struct job {
    bool wide;
    int n, k, sides, most; /* k: columns of the least squares; most: numbers of `work` */
    char *a, *b, *c, *values, *more, *work;
    int *whole;
    size_t size;
    lapack_function *f, *g;
} job;

static void run_cholesky(job *j)
{
    int info;
    ((void (*)(const char *, int *, void *, int *, int *, size_t))j->f)("U", &j->n, j->a, &j->n, &info, 1);
}

static void run_lu(job *j)
{
    int info;
    ((void (*)(int *, int *, void *, int *, int *, int *))j->f)(&j->n, &j->n, j->a, &j->n, j->whole, &info);
}

static void run_solve(job *j)
{
    int info;
    ((void (*)(int *, int *, void *, int *, int *, void *, int *, int *))j->f)(&j->n, &j->sides, j->a, &j->n, j->whole,
                                                                               j->b, &j->n, &info);
}

static void run_qr(job *j)
{
    int info;
    ((void (*)(int *, int *, void *, int *, void *, void *, int *, int *))j->f)(&j->n, &j->n, j->a, &j->n, j->values,
                                                                                j->work, &j->most, &info);
    ((void (*)(int *, int *, int *, void *, int *, void *, void *, int *, int *))j->g)(
        &j->n, &j->n, &j->n, j->a, &j->n, j->values, j->work, &j->most, &info);
}

static void run_eigh(job *j)
{
    int info, whole = 5 * j->n + 3;
    ((void (*)(const char *, const char *, int *, void *, int *, void *, void *, int *, int *, int *, int *, size_t,
               size_t))j->f)("V", "U", &j->n, j->a, &j->n, j->values, j->work, &j->most, j->whole, &whole, &info, 1, 1);
}

static void run_svd(job *j)
{
    int info;
    ((void (*)(const char *, int *, int *, void *, int *, void *, void *, int *, void *, int *, void *, int *, int *,
               int *, size_t))j->f)("A", &j->n, &j->n, j->a, &j->n, j->values, j->b, &j->n, j->c, &j->n, j->work,
                                    &j->most, j->whole, &info, 1);
}

static void run_eig(job *j)
{
    int info;
    ((void (*)(const char *, const char *, int *, void *, int *, void *, void *, void *, int *, void *, int *, void *,
               int *, int *, size_t, size_t))j->f)("N", "V", &j->n, j->a, &j->n, j->values, j->more, j->b, &j->n, j->c,
                                                   &j->n, j->work, &j->most, &info, 1, 1);
}

static void run_lstsq(job *j)
{
    int info, one = 1, rank;
    float narrow = -1;
    double wide = -1;
    ((void (*)(int *, int *, int *, void *, int *, void *, int *, void *, void *, int *, void *, int *, int *,
               int *))j->f)(&j->n, &j->k, &one, j->a, &j->n, j->b, &j->n, j->values,
                            j->wide ? (void *)&wide : (void *)&narrow, &rank, j->work, &j->most, j->whole, &info);
}

static const struct lapack_name {
    const char *f, *g; /* behind the letter of the type */
    void (*run)(job *);
} names[] = {
    [LAPACK_CHOLESKY] = {"potrf", NULL, run_cholesky},
    [LAPACK_LU] = {"getrf", NULL, run_lu},
    [LAPACK_SOLVE] = {"gesv", NULL, run_solve},
    [LAPACK_QR] = {"geqrf", "orgqr", run_qr},
    [LAPACK_EIGH] = {"syevd", NULL, run_eigh},
    [LAPACK_SVD] = {"gesdd", NULL, run_svd},
    [LAPACK_EIG] = {"geev", NULL, run_eig},
    [LAPACK_LSTSQ] = {"gelsd", NULL, run_lstsq},
};

static lapack_function *find(bench_library l, bool wide, const char *name)
{
    char full[32];
    if (!name)
        return NULL;
    snprintf(full, sizeof full, "%c%s_", wide ? 'd' : 's', name);
    return (lapack_function *)library_find(l, full);
}

/* With pages that are there. */
static void *take(size_t bytes)
{
    void *at = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
    return at ? memset(at, 0, bytes) : NULL;
}

static void give_back(job *j)
{
    free(j->a), free(j->b), free(j->c), free(j->values), free(j->more), free(j->work), free(j->whole);
    *j = (job){0};
}

/* The memory stays for the next turn. */
static bool prepare(job *j, bool wide, int n)
{
    size_t size = wide ? 8 : 4, square = (size_t)n * (size_t)n * size;
    if (j->n == n && j->wide == wide)
        return true;
    give_back(j);
    *j = (job){.wide = wide, .n = n, .k = n / 2, .most = 8 * n * n + 200 * n + 1000, .size = size};
    j->a = take(square), j->b = take(square), j->c = take(square);
    j->values = take((size_t)n * size), j->more = take((size_t)n * size), j->work = take((size_t)j->most * size);
    j->whole = take((size_t)(100 * n + 1000) * sizeof(int));
    if (j->a && j->b && j->c && j->values && j->more && j->work && j->whole)
        return true;
    give_back(j);
    return false;
}

double lapack_run(bench_library l, lapack_job which, bool wide, int n, int sides, const void *matrix, int times)
{
    static job j;
    const struct lapack_name *name = &names[which];
    size_t square = (size_t)n * (size_t)n * (wide ? 8 : 4);
    lapack_function *f = find(l, wide, name->f), *g = find(l, wide, name->g);
    if (!f || (name->g && !g) || !prepare(&j, wide, n))
        return -1;
    j.f = f, j.g = g, j.sides = sides;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        memcpy(j.a, matrix, which == LAPACK_LSTSQ ? square / 2 : square);
        if (which == LAPACK_SOLVE)
            memcpy(j.b, matrix, (size_t)(n * sides) * j.size);
        if (which == LAPACK_LSTSQ)
            memcpy(j.b, (const char *)matrix + square / 2, (size_t)n * j.size);
        name->run(&j);
    }
    return bench_now() - start;
}
