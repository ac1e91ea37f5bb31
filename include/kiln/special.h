/* SPDX-License-Identifier: Apache-2.0
 * kiln/special.h -- special functions, as scipy.special and jax.scipy.special. Elementwise, with NumPy's broadcasting;
 * integers become floats as in kiln/numpy/mathematics.h. (kn_special_softmax and its kin: kiln/nn.h.) */
/* clang-format off */
#ifndef KILN_SPECIAL_H
#define KILN_SPECIAL_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_API kn_array kn_special_expit(kn_array x);   /* scipy.special.expit: 1 / (1 + e^-x) */
KN_API kn_array kn_special_erfinv(kn_array x);  /* scipy.special.erfinv; TypeError for complex */

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_special_expit(x) KN_F1(kn_special_expit, x)
#define kn_special_erfinv(x) KN_F1(kn_special_erfinv, x)
#endif
#endif
