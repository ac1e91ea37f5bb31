/* SPDX-License-Identifier: Apache-2.0
 * tensor.h -- arrays of the rule tests: elements of any dtype as they lie in memory, and widened to one kind of number
 * that the references calculate with. Everything lives in an arena of the case; a test without memory ends. */
#ifndef KN_TEST_TENSOR_H
#define KN_TEST_TENSOR_H
#include "ir/type.h"

enum { MAX_RANK = 8 };

/* One element: floats and complex numbers in re and im, everything else in `bits` (sign-extended; keys: first word on
 * top). In expected values `scale` is what an error is measured against; 0: the value; NaN: anything is right. */
typedef struct num {
    long double re, im, scale;
    uint64_t bits;
} num;

typedef struct tensor {
    kn_dtype dtype;
    int ndim;
    int64_t dim[MAX_RANK];
    int64_t n;
    void *data;
    num *at; /* the same widened, or NULL */
} tensor;

void *tensor_alloc(knx_arena *a, size_t bytes);                            /* zeroed */
tensor tensor_new(knx_arena *a, kn_dtype d, int ndim, const int64_t *dim); /* zeros */
tensor tensor_wide(knx_arena *a, kn_dtype d, int ndim, const int64_t *dim); /* `at` alone, all zero */
void tensor_widen(knx_arena *a, tensor *t);                                /* makes `at` from `data` */
void tensor_narrow(knx_arena *a, tensor *t);                               /* makes `data` from `at` */
kni_type tensor_type(const tensor *t);                                     /* dim points into t */
bool tensor_has_type(const tensor *t, kni_type type);
num tensor_load(kn_dtype d, const void *from);
void tensor_store(kn_dtype d, num v, void *to);
static inline void *tensor_at(const tensor *t, int64_t i) { return (char *)t->data + (size_t)i * t->dtype->size; }

/* Index arithmetic, in C order. */
int64_t tensor_offset(const tensor *t, const int64_t *index);
void tensor_index(const tensor *t, int64_t offset, int64_t *index);

/* Equal bits; all NaNs are equal. The first element that differs, or -1. */
int64_t tensor_difference(const tensor *a, const tensor *b);
/* Is got within `ulp` of the expected number? 0: equal bits (all NaNs are equal). With `any_zero` the sign of a zero
 * does not count. */
bool tensor_close(kn_dtype d, num expected, num got, double ulp, bool any_zero);
long double tensor_epsilon(kn_dtype d); /* distance from 1 to the next number of a float dtype or component */
const char *tensor_show(kn_dtype d, num v, char out[96]);

/* Deterministic data. */
uint64_t test_hash(const char *s);
uint64_t test_random(uint64_t *state);
double test_uniform(uint64_t *state, double lo, double hi);
enum {
    FILL_SPECIAL = 1,  /* now and then NaN, infinities, zeros of both signs; extremes of integers */
    FILL_EXTREME = 2,  /* now and then the largest, the smallest normal and the smallest subnormal number */
    FILL_DISTINCT = 4, /* no two elements are equal */
    FILL_APART = 8, /* at least 0.0125 from zero, from ties with other operands, and (with DISTINCT) from each other */
};
void tensor_fill(tensor *t, double lo, double hi, unsigned how, int operand, uint64_t *seed);
#endif
