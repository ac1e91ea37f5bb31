/* SPDX-License-Identifier: Apache-2.0
 * chains.h -- random chains of products, kernels along rows and columns, and moves: for the tests of bands. */
#ifndef KN_TEST_CHAINS_H
#define KN_TEST_CHAINS_H
#include "ir/jaxpr.h"
kni_jaxpr *test_random_chain(uint64_t seed); /* of matrices of one dtype: float32, float64 or bfloat16 */
#endif
