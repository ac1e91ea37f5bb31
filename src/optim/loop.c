/* SPDX-License-Identifier: Apache-2.0
 * loop.c -- the while loop of a line search in the making. */
#include "optim/loop.h"

void kno_loop_room(kno_pass *s, kno_loop *l, int n_const, int n)
{
    *l = (kno_loop){.n_const = n_const, .n = n};
    l->init = kno_room(s, (size_t)n_const + (size_t)n, sizeof *l->init);
}

bool kno_loop_begin(kno_pass *s, kno_loop *l)
{
    if (kna_failed(s->op))
        return false;
    bool room = knp_frame_begin(&l->cond, (size_t)l->n, 1);
    room &= knp_frame_begin(&l->body, (size_t)l->n_const + (size_t)l->n, (size_t)l->n);
    if (!room)
        kna_fail_with(s->op, knx_error_nomem());
    for (int i = 0; room && i < l->n_const + l->n; i++) {
        kni_type t = knb_type(s->b, l->init[i]);
        knp_frame_input(&l->body, t);
        if (i >= l->n_const)
            knp_frame_input(&l->cond, t);
    }
    return room;
}

void kno_loop_end(kno_pass *s, kno_loop *l, kni_atom *y)
{
    kni_jaxpr *cond = NULL, *body = NULL;
    knx_error *error = NULL;
    for (int i = 0; i < l->n && !kna_failed(s->op) && !l->body.b.error; i++)
        l->body.out[i] = kno_spread(&l->body.b, l->body.out[i], l->body.in[l->n_const + i]);
    if (!kna_failed(s->op))
        error = knp_frame_finish(&l->cond, 1, l->cond.out, "cond_fun", &cond);
    if (!error && cond)
        error = knp_frame_finish(&l->body, (uint32_t)l->n, l->body.out, "body_fun", &body);
    if (error)
        kna_fail_with(s->op, error);
    for (int i = 0; i < l->n; i++)
        y[i] = KN_ATOM_NONE;
    if (cond && body)
        knb_while(s->b, &(kni_p_while){body, l->n_const, cond, 0, 0, 0, 0}, l->init, y);
    kni_release(cond);
    kni_release(body);
    knp_frame_end(&l->cond);
    knp_frame_end(&l->body);
}
