/* SPDX-License-Identifier: Apache-2.0
 * libraries.h -- OpenBLAS, BLIS, oneDNN and MKL in this process, loaded when the bench starts and used where they are
 * there: those that scripts/bench-venv.sh has put into build/venv, else the system's.
 * Matrices lie row by row. Functions return false where a library is missing or has no such function. */
#ifndef KN_BENCH_LIBRARIES_H
#define KN_BENCH_LIBRARIES_H
#include <stdbool.h>
#include <stdint.h>

typedef enum bench_library { LIB_OPENBLAS, LIB_BLIS, LIB_ONEDNN, LIB_MKL, LIB_COUNT } bench_library;
enum { LIB_MAX_THREADS = 2 };

bool library_start(bench_library l); /* false: it is not there */
const char *library_name(bench_library l);
const char *library_about(bench_library l); /* its version, or why it is not there */
void libraries_set_threads(int threads);    /* of all of them, from now on */
int libraries_threads(void);
void *library_find(bench_library l, const char *function); /* NULL: none */

/* c = a b, m x k times k x n. */
bool library_sgemm(bench_library l, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float *c);
bool library_dgemm(bench_library l, int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c);
bool library_i8gemm(bench_library l, int64_t m, int64_t n, int64_t k, const int8_t *a, const int8_t *b, int32_t *c);
bool library_bf16gemm(bench_library l, int64_t m, int64_t n, int64_t k, const uint16_t *a, const uint16_t *b, float *c);
/* y = a x, or x a (`left`), a being m x n. */
bool library_sgemv(bench_library l, bool left, int64_t m, int64_t n, const float *a, const float *x, float *y);
#endif
