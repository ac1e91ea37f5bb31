/* SPDX-License-Identifier: Apache-2.0
 * bits.h -- elements of up to 8 bytes as unsigned numbers, whichever byte the machine has first. A number's first byte
 * is its lowest only on some machines: memcpy between a uint64_t and a narrower element is right on those alone. */
#ifndef KN_TEST_BITS_H
#define KN_TEST_BITS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* The element of so many bytes at p. */
static inline uint64_t bits_at(const void *p, size_t size)
{
    uint64_t bits = 0;
    memcpy((char *)&bits + (BITS_BIG_ENDIAN ? sizeof bits - size : 0), p, size);
    return bits;
}

/* Writes the lowest bytes of `bits` as an element of so many. */
static inline void bits_put(void *p, uint64_t bits, size_t size)
{
    memcpy(p, (const char *)&bits + (BITS_BIG_ENDIAN ? sizeof bits - size : 0), size);
}

/* 8 bytes that begin with an element of `size` bytes, as loops over lanes read them. */
static inline uint64_t bits_lane(uint64_t bits, size_t size)
{
    uint64_t lane = 0;
    bits_put(&lane, bits, size);
    return lane;
}

/* Turns the bytes of each of n numbers around if the machine has the highest byte first: for bytes that were written
 * down with the lowest one first. */
static inline void bits_from_little(void *p, size_t size, size_t n)
{
    unsigned char *at = p;
    for (size_t i = 0; BITS_BIG_ENDIAN && i < n; i++, at += size)
        for (size_t j = 0; j < size / 2; j++) {
            unsigned char byte = at[j];
            at[j] = at[size - 1 - j];
            at[size - 1 - j] = byte;
        }
}
#endif
