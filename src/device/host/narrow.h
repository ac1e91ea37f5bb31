/* SPDX-License-Identifier: Apache-2.0
 * narrow.h -- products whose one operand is worked out from narrow numbers by a kernel that is a part of their step,
 * and whose other one has a few rows: they run product_narrow.h's loops. */
#ifndef KN_DEVICE_HOST_NARROW_H
#define KN_DEVICE_HOST_NARROW_H
#include "compile/step.h"
#include <stdatomic.h>
#include "host/routine/product_narrow.h"

/* Where a number is: element `offset` of a reference of the step. */
typedef struct knd_narrow_place {
    uint32_t ref; /* KNC_NO: none, or a constant of the kernel */
    int64_t bytes;
} knd_narrow_place;

typedef struct knd_narrow {
    knr_narrow how;
    knd_narrow_place a, values, scale, zero, c;
    float number; /* a zero point that is a constant of the kernel */
} knd_narrow;

extern atomic_uint_fast64_t knd_narrow_found; /* for tests: products that are run so */
/* Is the step such a product? q: its description. */
bool knd_find_narrow(const knc_step *s, const knk_product *q, knd_narrow *out);
/* at: the addresses of the step's references */
void knd_run_narrow(const knd_narrow *x, void *const *at, int threads);
#endif
