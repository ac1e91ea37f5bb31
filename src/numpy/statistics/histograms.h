/* SPDX-License-Identifier: Apache-2.0
 * histograms.h -- what histograms of one and of several dimensions share. */
#ifndef KN_NUMPY_STATISTICS_HISTOGRAMS_H
#define KN_NUMPY_STATISTICS_HISTOGRAMS_H
#include "lib/compose.h"

/* bins.c: the edges of bins, 1-d. `which`: the dimension for messages, -1 if there is only one. */
typedef struct knn_bins {
    kn_array bins;         /* a number, edges, or NULL for 10 */
    const char *estimator; /* or NULL */
    const double *range;   /* two numbers, or NULL: from the smallest to the largest element */
    bool weighted;
    int which;
} knn_bins;
kn_array knn_bin_edges(knl_body *c, kn_array a, const knn_bins *given);

bool knn_bins_are_equal(knl_body *c, kn_array bins); /* equally wide: for the option bins no edges were given */

/* histograms.c: for each element of a the number of its bin, -1 if it is in none; int64. */
kn_array knn_bin_of(knl_body *c, kn_array a, kn_array edges, bool uniform);
/* The weights (NULL: ones) added up by their numbers (vectors); those without one of the n are left out. */
kn_array knn_count_into(knl_body *c, kn_array numbers, kn_array weights, int64_t n);
#endif
