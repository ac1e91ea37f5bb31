/* SPDX-License-Identifier: Apache-2.0
 * golden.h -- arrays that scripts/golden/ stored with NumPy and JAX, read without Kiln's own arrays. */
#ifndef KN_TEST_GOLDEN_H
#define KN_TEST_GOLDEN_H
#include "io/npy.h"
#include "kiln/core.h"

typedef struct golden {
    int n;
    char **name; /* without .npy */
    knio_npy *array;
} golden;

golden golden_read_from(const char *path); /* fails the test if it cannot be read */
#define golden_read(file) golden_read_from(KN_TEST_DIR "/golden/" file)
void golden_free(golden *g);
const knio_npy *golden_find(const golden *g, const char *name); /* fails the test if it is not there */
kn_array golden_array(const knio_npy *a);                     /* the same array in Kiln */
kn_shape golden_shape(const char *text);                      /* "3x5"; "s" is () */
kn_dtype golden_dtype(const char *short_name);
int64_t golden_size(const knio_npy *a);

/* The array has the stored one's shape and dtype (a stored uint16 goes for bfloat16, too) and the same bits. Otherwise
 * fails the test, naming `name`. */
void golden_same_bits(const char *name, kn_array got, const knio_npy *want);
/* |got - want| <= rtol |want| + atol for all elements, NaN and infinities equal. */
void golden_close(const char *name, kn_array got, const knio_npy *want, double rtol, double atol);
/* How close: counts the elements (the parts of complex ones), those with the same bits, and keeps the largest
 * difference in units in the last place of the stored ones; of those below `least` in magnitude, of `least`. */
typedef struct golden_measure {
    int64_t n, equal;
    double ulp, least;
} golden_measure;
void golden_compare(const char *name, kn_array got, const knio_npy *want, golden_measure *m);
#endif
