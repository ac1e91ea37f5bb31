/* SPDX-License-Identifier: Apache-2.0
 * find_loops.h -- inner loops of find.c, one set for each instruction set. */
#ifndef KN_HOST_ROUTINE_FIND_LOOPS_H
#define KN_HOST_ROUTINE_FIND_LOOPS_H
#include <stdint.h>

typedef struct knr_find_loops {
    /* A bit for each of n elements of `size` bytes, 1 to 16, of which those bits count that `of` has: set if one of
     * them is. The bits of the last word behind the elements are 0. How many are set. */
    int64_t (*mark)(int size, uint64_t of, const void *x, int64_t n, uint64_t *bits);
    /* first + the number of each bit set; room for `room` numbers, which are as many or more. Where they end. */
    int64_t *(*list)(const uint64_t *bits, int64_t words, int64_t first, int64_t *y, int64_t room);
    /* The elements of 1, 2, 4 or 8 bytes whose bits are set. There are `n` of them; `room` as above. */
    char *(*keep)(int size, const uint64_t *bits, const char *x, int64_t n, char *y, int64_t room);
    /* p[i] / by and p[i] % by, numbers from 0 on, `step` apart; quotients may take the place of p. */
    void (*split)(const int64_t *p, int64_t n, int64_t by, int64_t *quotient, int64_t quotient_step, int64_t *rest,
                  int64_t rest_step);
} knr_find_loops;

extern const knr_find_loops knr_find_loops_base, knr_find_loops_avx2, knr_find_loops_avx512;
#endif
