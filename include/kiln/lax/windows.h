/* SPDX-License-Identifier: Apache-2.0
 * kiln/lax/windows.h -- jax.lax: what goes around the windows of an array. */
/* clang-format off */
#ifndef KILN_LAX_WINDOWS_H
#define KILN_LAX_WINDOWS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Padding of windows and convolutions: KN_SAME, KN_SAME_LOWER, KN_VALID, or so many elements in front of and behind
 * each axis, KN_PADS({1, 1}, {0, 2}); fewer than none cuts elements away. SAME: as many windows as there are strides in
 * the axis, the odd element more behind it; SAME_LOWER: in front; VALID: none. Upper and lower case are one. */
typedef struct kn_lax_pad_pair { int64_t low, high; } kn_lax_pad_pair;
/* type: a name, or NULL and `pair`; neither: VALID */
typedef struct kn_lax_pads { const char *type; int n; const kn_lax_pad_pair *pair; } kn_lax_pads;
/* jax.lax.padtype_to_pads: the pairs that such a name stands for, written to `pads`, one for each extent of in_shape.
 * Returns how many, -1 after an error. RuntimeError for other names, ValueError if the shapes differ in length. */
KN_API int kn_lax_padtype_to_pads(const kn_shape *in_shape, const kn_shape *window_shape,
    const kn_shape *window_strides, const char *padding, kn_lax_pad_pair *pads);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define KN_SAME       ((kn_lax_pads){.type = "SAME"})
#define KN_SAME_LOWER ((kn_lax_pads){.type = "SAME_LOWER"})
#define KN_VALID      ((kn_lax_pads){.type = "VALID"})
#define KN_PADS(...)                                                                                                   \
    ((kn_lax_pads){NULL, (int)(sizeof((const kn_lax_pad_pair[]){__VA_ARGS__}) / sizeof(kn_lax_pad_pair)),              \
        (const kn_lax_pad_pair[]){__VA_ARGS__}})
#define kn_lax_padtype_to_pads(in_shape, window_shape, window_strides, padding, pads)                                  \
    KN_LAX_PADTYPE_(__COUNTER__, in_shape, window_shape, window_strides, padding, pads)
#define KN_LAX_PADTYPE_(c, shape, window, strides, padding, pads)                                                      \
    __extension__({ const kn_shape KN_V(1, c) = (shape); const kn_shape KN_V(2, c) = (window);                         \
        const kn_shape KN_V(3, c) = (strides); KN_HERE();                                                              \
        (kn_lax_padtype_to_pads)(&KN_V(1, c), &KN_V(2, c), &KN_V(3, c), padding, pads); })
#endif
#endif
