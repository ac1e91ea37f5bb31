/* SPDX-License-Identifier: Apache-2.0
 * custom.h -- rules of custom derivatives: what custom.c does with the jaxprs that they become. */
#ifndef KN_PRIM_CUSTOM_CUSTOM_H
#define KN_PRIM_CUSTOM_CUSTOM_H
#include "prim/body.h"

/* JAX's words for what forward mode makes of custom_vjp, and for constants of a custom function that have tangents. */
knx_error *knp_not_forward(void);
knx_error *knp_closed_over(const char *what, const char *rule);

/* How results of the jaxpr depend on its inputs from the first-th on. */
typedef enum {
    KNP_LINEAR, /* linearly, by equations that all have a transpose; results before n_value not at all */
    KNP_MIXED,  /* unknown: loops or calls take primals and tangents together */
    KNP_CURVED  /* not linearly: *why names a primitive, or is NULL where a value depends on a tangent */
} knp_dependence;
knx_error *knp_dependence_of(const kni_jaxpr *j, uint32_t first, uint32_t n_value, knp_dependence *d, const char **why);

/* The thunk over one more axis of extent `size` and this name (NULL: none): inputs have it at in_axis[i], -1: not (n of
 * them; those behind have it in front). Results have it in front; where `out_axis` is not NULL, at out_axis[i] (m of
 * them), and -1 asks for the sum over it. NULL without memory. */
kni_thunk *knp_thunk_batched(kni_thunk *t, int64_t size, const char *name, int n, const int *in_axis, int m,
                            const int *out_axis);
#endif
