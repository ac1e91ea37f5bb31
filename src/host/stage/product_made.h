/* SPDX-License-Identifier: Apache-2.0
 * product_made.h -- the inner loops of products that a process has made: a table that only fills up, found without a
 * lock. A slot gets its key first, for good, and then its function. */
#ifndef KN_HOST_STAGE_PRODUCT_MADE_H
#define KN_HOST_STAGE_PRODUCT_MADE_H
#include "base/error.h"
#include "host/stage/product_maker.h"
#include <stddef.h>

/* Makes the function of a request for one of the kinds of code that a maker has. `*keep` is what it lives in. */
typedef struct knh_product_making {
    knx_error *(*make)(const knh_product_request *r, int kind, knh_product_function **f, void **keep, size_t *bytes);
    void (*drop)(void *keep);
} knh_product_making;
/* `kind`: below 64, so that it and `extra` (below 4) tell functions of one request apart. NULL: `make` refused, and
 * is not asked again; or there was no memory, and it is. */
knh_product_function *knh_product_made(const knh_product_making *m, const knh_product_request *r, int kind, int extra);
#endif
