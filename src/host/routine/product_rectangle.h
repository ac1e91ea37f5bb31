/* SPDX-License-Identifier: Apache-2.0
 * product_rectangle.h -- one rectangle of a product in C: what a product maker's functions do, for machines
 * that have none, and for the interpreter. */
#ifndef KN_HOST_ROUTINE_PRODUCT_RECTANGLE_H
#define KN_HOST_ROUTINE_PRODUCT_RECTANGLE_H
#include "host/stage/product_maker.h"

/* lanes: of a full vector, in which packed B is laid out. */
void knr_rectangle(const knh_product_request *r, const knh_product_args *x, int lanes);
/* n complex numbers (re, im) as (-im, re). */
void knr_transpose_complex(bool wide, int64_t n, const void *from, void *to);
#endif
