/* SPDX-License-Identifier: Apache-2.0
 * function_tables.h -- the numbers of function_tables.c. */
#ifndef KN_RNG_FUNCTION_TABLES_H
#define KN_RNG_FUNCTION_TABLES_H
#include <stdint.h>

/* 2^(i/128): the bits of its double less those of i in the exponent's place, and what the double lacks,
 * relatively. */
typedef struct knrng_power_of_two {
    double tail;
    uint64_t bits;
} knrng_power_of_two;
/* Of a number c near the middle of an interval: 1/c and log(c), in 43 bits behind the point; of close_log with
 * what they lack. */
typedef struct knrng_near_log {
    double inverse, log;
} knrng_near_log;
typedef struct knrng_close_log {
    double inverse, log, tail;
} knrng_close_log;
/* Sine and cosine of i/128, and what they lack. */
typedef struct knrng_sine {
    double sine, sine_tail, cosine, cosine_tail;
} knrng_sine;
enum { KNRNG_SINES = 136 };
extern const knrng_sine knrng_sines[KNRNG_SINES];
extern const knrng_power_of_two knrng_powers_of_two[128];
extern const knrng_near_log knrng_near_logs[128], knrng_near_logs32[16], knrng_near_binary_logs32[16];
extern const knrng_close_log knrng_close_logs[128];
extern const uint64_t knrng_powers_of_two32[32];
#endif
