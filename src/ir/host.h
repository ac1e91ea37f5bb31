/* SPDX-License-Identifier: Apache-2.0
 * host.h -- functions of the user's that compiled programs call: each pair of a function and its environment has a
 * number, which stands in the parameters of equations. Numbers are good in one process only. */
#ifndef KN_IR_HOST_H
#define KN_IR_HOST_H
#include "ir/params.h"

typedef struct kni_host {
    int64_t id;
    int number; /* from 1 on, as texts show it */
    void (*function)(void);
    void *env;
    /* calls it on C-contiguous operands for C-contiguous results */
    knx_error *(*call)(const struct kni_host *h, int n_in, const kni_type *xt, const void *const *x, int n_out,
                      const kni_type *yt, void *const *y);
} kni_host;

/* The one with these members but for id and number, made if it is new; NULL without memory. It lives on. */
const kni_host *kni_host_of(const kni_host *like);
const kni_host *kni_host_find(int64_t id); /* NULL: none of this process */

/* Types in a list of integers: the number of the dtype, ndim and the extents of each. -1: that is none. */
int kni_types_count(kni_ints list);
/* Type i, whose extents are in the list. */
kni_type kni_types_get(kni_ints list, int i);
#endif
