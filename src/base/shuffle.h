/* SPDX-License-Identifier: Apache-2.0
 * shuffle.h -- lanes of two vectors of integers in another order. gcc has __builtin_shufflevector only from 12 on. */
#ifndef KN_BASE_SHUFFLE_H
#define KN_BASE_SHUFFLE_H

/* Lane i of the result is lane m[i] of a and b side by side; as many lanes as a has. */
#if defined(__clang__)
#define KN_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define KN_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (__typeof__(a)){__VA_ARGS__})
#endif
#endif
