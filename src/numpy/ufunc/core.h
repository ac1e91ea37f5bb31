/* SPDX-License-Identifier: Apache-2.0
 * core.h -- generalized ufuncs: signatures as "(n?,k),(k,m?)->(n?,m?)", core dimensions and their axes. */
#ifndef KN_NUMPY_UFUNC_CORE_H
#define KN_NUMPY_UFUNC_CORE_H
#include "numpy/ufunc/ufunc.h"

enum { KNN_MOST_DIMS = 16, KNN_MOST_CORE = 8, KNN_LONGEST_DIM = 32 };
typedef struct knn_signature {
    int n_in, n_out, n_dim;
    struct {
        char name[KNN_LONGEST_DIM];
        int64_t size; /* -1: any */
        bool optional;
    } dim[KNN_MOST_DIMS];
    struct {
        int n;
        unsigned char dim[KNN_MOST_CORE];
    } core[KNN_MOST_OPERANDS]; /* of each operand, then of each result */
} knn_signature;
/* NULL, or what is wrong with it at which position. */
const char *knn_parse_signature(const char *text, int n_in, int n_out, knn_signature *s, int *position);

typedef struct knn_core {
    knn_signature s; /* without optional dimensions that the operands lack */
    int64_t extent[KNN_MOST_DIMS];
    kn_axes axes[KNN_MOST_OPERANDS]; /* of core axes; n == 0: they are the last */
    bool keepdims;
    kn_shape loop;
} knn_core;

/* How many core axes the operands have, and how far they extend: ValueErrors if they do not fit. Core axes are the last
 * of x[i] then. */
void knn_core_fit(kna_op *op, const knn_ufunc *u, const kni_type *in, knn_core *c);
/* Reads axis, axes and keepdims, and moves the operands' core axes to the end. */
void knn_core_begin(kna_op *op, const knn_ufunc *u, const kn_ufunc_call_opts *o, kn_array *x, knn_core *c);
/* Moves those of the results to where they are wanted. out[k]: what result k has to fit to; NULL: nothing. */
void knn_core_end(kna_op *op, const knn_ufunc *u, const knn_core *c, kn_array *y, const kn_array *out);
#endif
