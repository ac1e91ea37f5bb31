/* SPDX-License-Identifier: Apache-2.0
 * generators.h -- the generators of this build (host/stage/generator.h), and which one is in use. All give the same
 * bits. */
#ifndef KN_HOST_GENERATORS_H
#define KN_HOST_GENERATORS_H
#include "host/stage/generator.h"

/* The one in use: the first that works, from the one that KILN_BACKEND names on if it names one; "base" means the
 * interpreter. Never NULL. */
const knh_generator *knh_generator_best(void);
bool knh_generator_works(const knh_generator *g);
const knh_generator *knh_generator_number(int i); /* 0, 1, ...: the best one first, the interpreter last; then NULL */
const knh_generator *knh_generator_named(const char *name); /* NULL: there is none in this build */

/* A further one, which is better than all that are there: it is in use from now on if it works and KILN_BACKEND names
 * no other. False: there are too many. Not while kernels run. */
bool knh_add_generator(const knh_generator *g);
/* It is not in use any more. Functions that it made stay with their kernels, so the structure must stay, too. */
void knh_remove_generator(const knh_generator *g);
#endif
