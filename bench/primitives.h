/* SPDX-License-Identifier: Apache-2.0
 * primitives.h -- primitives of oneDNN: products with what follows them, convolutions. All float32. NULL where the
 * library is not there, or its header was not when the bench was compiled. */
#ifndef KN_BENCH_PRIMITIVES_H
#define KN_BENCH_PRIMITIVES_H
#include <stdbool.h>
#include <stdint.h>

/* A primitive is made for the number of threads that is set then; operands are read when it runs. */
typedef struct primitive primitive;
/* c = a b, or max(a b + bias, 0) with a bias (n elements). Plain matrices, `batch` of them. */
primitive *primitive_matmul(int64_t batch, int64_t m, int64_t n, int64_t k, const float *a, const float *b,
                            const float *bias, float *c);

typedef struct convolution { /* stride 1, the result as large as the image */
    int64_t batch, height, width, in, out, kernel;
} convolution;
typedef enum conv_part { CONV_FORWARD, CONV_DATA, CONV_WEIGHTS } conv_part;
/* image: batch, height, width, in; weights: kernel, kernel, in, out; result: batch, height, width, out. One of the
 * three is written, the others are read. Layouts in between are the library's choice. */
primitive *primitive_conv(conv_part part, const convolution *c, float *image, float *weights, float *result);
/* reorders: from the plain layouts and back into them, too; without them after the first run with them. */
bool primitive_run(primitive *p, bool reorders);
void primitive_free(primitive *p); /* NULL is fine */
#endif
