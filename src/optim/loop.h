/* SPDX-License-Identifier: Apache-2.0
 * loop.h -- the while loop of a line search in the making: a condition on the carry, and a body of constants and the
 * carry. */
#ifndef KN_OPTIM_LOOP_H
#define KN_OPTIM_LOOP_H
#include "optim/optimizer.h"
#include "prim/frame.h"

typedef struct kno_loop {
    int n_const, n;
    kni_atom *init;       /* constants, then the carry */
    knp_frame cond, body; /* in: of the carry; of constants and the carry. out: the condition; the next carry */
} kno_loop;

/* Room for what it begins with, zeroed: to be filled before kno_loop_begin. */
void kno_loop_room(kno_pass *s, kno_loop *l, int n_const, int n);
/* False with the op failed; kno_loop_end has to follow in every case. */
bool kno_loop_begin(kno_pass *s, kno_loop *l);
/* y[]: the carry in the end. What body.out has is converted to the dtype of its carry. */
void kno_loop_end(kno_pass *s, kno_loop *l, kni_atom *y);
#endif
