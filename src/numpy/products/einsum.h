/* SPDX-License-Identifier: Apache-2.0
 * einsum.h -- Einstein sums inside: subscripts as labels, the order of contractions, contractions of labelled values.
 *
 * A label is a number: first the axes of "...", then the letters that are used, in alphabetical order. At most 64, so
 * that sets of labels are bits of a word. */
#ifndef KN_NUMPY_PRODUCTS_EINSUM_H
#define KN_NUMPY_PRODUCTS_EINSUM_H
#include "lib/internal.h"

enum { KNN_MAX_OPERANDS = 63, KNN_MAX_LABELS = KN_MAX_NDIM };

typedef struct knn_subscripts {
    int n; /* of operands */
    int ndim[KNN_MAX_OPERANDS];
    int8_t label[KNN_MAX_OPERANDS][KN_MAX_NDIM];
    int n_out;
    signed char out[KN_MAX_NDIM];
    int n_label, n_broadcast;
    int64_t size[KNN_MAX_LABELS]; /* of the labels; axes of extent 1 broadcast */
    char letter[KNN_MAX_LABELS];  /* 0 for an axis of "..." */
} knn_subscripts;

/* NumPy's rules and texts; false with the op failed. t: the types of the operands. */
bool knn_parse_subscripts(kna_op *op, const char *text, int n, const kni_type *t, knn_subscripts *s);
/* The sizes of the labels; false with the op failed where extents differ. */
bool knn_size_labels(kna_op *op, const kni_type *t, knn_subscripts *s);
static inline uint64_t knn_label_set(int n, const signed char *label)
{
    uint64_t set = 0;
    for (int i = 0; i < n; i++)
        set |= (uint64_t)1 << label[i];
    return set;
}

/* --- Paths: each step takes these operands (positions in rising order) away and puts their product at the end. */
typedef struct knn_contraction {
    int n;
    unsigned char at[KNN_MAX_OPERANDS];
} knn_contraction;
typedef struct knn_path {
    int n;
    knn_contraction step[KNN_MAX_OPERANDS];
} knn_path;
/* Without `sieve` neither memory nor the cost of doing all at once is a limit, and every step is a pair. */
void knn_greedy_path(int n, const uint64_t *set, uint64_t out, const int64_t *size, double memory, bool sieve,
                     knn_path *path);
double knn_set_size(uint64_t set, const int64_t *size);
/* An extent as a number: 8, as in JAX, for one that is an expression. */
static inline double knn_number(int64_t extent) { return knx_is_symbolic(extent) ? 8 : (double)extent; }
/* Multiplications and additions of n terms at once; sums: is anything summed? */
double knn_set_cost(uint64_t set, bool sums, int n, const int64_t *size);
/* The path that the options ask for; false with the op failed. */
bool knn_choose_path(kna_op *op, const knn_subscripts *s, const kn_einsum_opts *o, knn_path *path);

/* --- Contractions. */
typedef struct knn_term {
    kni_atom a;
    int ndim;
    int8_t label[KN_MAX_NDIM]; /* of its axes; each once */
} knn_term;
/* The product of two terms, summed over the labels that are not in `keep`, as one dot_general, or one product where
 * nothing is summed. order: the labels that the result's axes shall have (all that are kept), or NULL for any. */
knn_term knn_contract(kna_op *op, const knn_term *x, const knn_term *y, uint64_t keep, const signed char *order);
knn_term knn_order_term(kna_op *op, const knn_term *x, const signed char *order); /* its axes in this order */
#endif
