/* SPDX-License-Identifier: Apache-2.0
 * copy_isa.c -- rows of bytes from memory to memory, short ones and long ones, with GNU vectors. (memcpy is many times
 * slower on some processors where what it reads and what it writes lie nearly as far apart as whole pages: a roll by
 * one. What the first cache does not hold it copies in half the time, wherever it lies.) Compiled once per instruction
 * set (KN_ISA = base, avx2, avx512). */
#include "base/isa_name.h"
#include "host/tile.h"
#include "host/vector.h"

typedef uint64_t v16 __attribute__((vector_size(16), aligned(1)));
typedef uint64_t v32 __attribute__((vector_size(32), aligned(1)));
typedef uint64_t v64 __attribute__((vector_size(64), aligned(1)));

/* A row of a piece to two of them: those at its ends, both loaded before one is stored. */
#define COPY_SHORT(name, piece)                                                                     \
    static void name(char *to, int64_t t, const char *from, int64_t f, int64_t rows, int64_t bytes) \
    {                                                                                               \
        for (int64_t last = bytes - (int64_t)sizeof(piece); rows > 0; rows--, to += t, from += f) { \
            piece x, y;                                                                             \
            memcpy(&x, from, sizeof x);                                                             \
            memcpy(&y, from + last, sizeof y);                                                      \
            memcpy(to, &x, sizeof x);                                                               \
            memcpy(to + last, &y, sizeof y);                                                        \
        }                                                                                           \
    }
COPY_SHORT(copy_1, uint8_t)
COPY_SHORT(copy_2, uint16_t)
COPY_SHORT(copy_4, uint32_t)
COPY_SHORT(copy_8, uint64_t)
COPY_SHORT(copy_16, v16)
COPY_SHORT(copy_32, v32)

enum { VECTOR = sizeof(v64), AT_ONCE = 4, LEAST_BYPASSED = 1024, LARGE = 1 << 16 };

/* More than one vector: the last one ends with the row, the others lie in lines of the caches if there are many. */
static void copy_long(char *to, const char *from, int64_t bytes, bool bypass)
{
    int64_t i = bytes >= 8 * VECTOR ? (int64_t)(-(uintptr_t)to % VECTOR) : 0;
    v64 x[AT_ONCE], last;
    if (!bypass && bytes >= LARGE && (to >= from + bytes || from >= to + bytes)) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    memcpy(&last, from + bytes - VECTOR, VECTOR);
    if (i) {
        memcpy(x, from, VECTOR);
        memcpy(to, x, VECTOR);
    }
    for (; bypass && i + VECTOR <= bytes; i += VECTOR)
        knh_stream64(to + i, from + i);
    for (; i + AT_ONCE * VECTOR <= bytes; i += AT_ONCE * VECTOR) {
        memcpy(x, from + i, AT_ONCE * VECTOR);
        memcpy(to + i, x, AT_ONCE * VECTOR);
    }
    for (; i + VECTOR <= bytes; i += VECTOR) {
        memcpy(x, from + i, VECTOR);
        memcpy(to + i, x, VECTOR);
    }
    if (i < bytes)
        memcpy(to + bytes - VECTOR, &last, VECTOR);
}

void KN_ISA_NAME(knh_copy_rows)(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                                int64_t bytes, bool bypass)
{
    if (bytes == to_step && bytes == from_step) { /* one behind the other */
        bytes *= rows;
        rows = rows > 0;
    }
    bypass = bypass && (bytes >= LEAST_BYPASSED || ((uintptr_t)to | (uintptr_t)(to_step | bytes)) % VECTOR == 0);
    if (bytes > VECTOR || (bypass && bytes == VECTOR))
        for (; rows > 0; rows--, to += to_step, from += from_step)
            copy_long(to, from, bytes, bypass);
    else if (bytes >= 32)
        copy_32(to, to_step, from, from_step, rows, bytes);
    else if (bytes >= 16)
        copy_16(to, to_step, from, from_step, rows, bytes);
    else if (bytes >= 8)
        copy_8(to, to_step, from, from_step, rows, bytes);
    else if (bytes >= 4)
        copy_4(to, to_step, from, from_step, rows, bytes);
    else if (bytes >= 2)
        copy_2(to, to_step, from, from_step, rows, bytes);
    else if (bytes == 1)
        copy_1(to, to_step, from, from_step, rows, bytes);
}
