/* SPDX-License-Identifier: Apache-2.0
 * make_derived.c -- some programs are the derivatives of random ones, forward or backward, or random ones over lanes. */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

/* Rows whose derivatives run long, or that have none. */
static bool has_derivative(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (j->eqn[i].prim->expand || (j->eqn[i].prim->bits & (KN_USER | KN_EFFECT)))
            return false;
    return j->n_eqn < 16;
}

static kni_jaxpr *forward(const kni_jaxpr *j, const bool *tangent)
{
    kni_jaxpr *out = NULL;
    knx_error *e = knt_jvp(j, tangent, &out);
    knx_error_release(e);
    return out;
}

static kni_jaxpr *backward(const kni_jaxpr *j, const bool *tangent)
{
    bench b = {0};
    int n;
    return bench_pullback(&b, j, tangent, &n);
}

/* Over two lanes, all operands along their first axis. */
static kni_jaxpr *lanes(const kni_jaxpr *j)
{
    int axis[MAX_VALUES] = {0};
    kni_jaxpr *out = NULL;
    knx_error *e = knt_batch(j, 2, NULL, axis, axis, &out);
    knx_error_release(e);
    return out;
}

/* Operand i of the new program has the elements of the old one, as often as they fit, or those of the last one of its
 * dtype: so counts and positions stay legal. */
static knx_buffer *operand_like(const program *old, int i, kni_type t, uint64_t *state)
{
    size_t bytes = kni_type_bytes(t), have = i < program_operands(old) ? kni_type_bytes(old->j->type[i]) : 0;
    knx_buffer *b = knx_buffer_new(bytes);
    for (size_t at = 0; b && have && at < bytes; at += have)
        memcpy((char *)b->data + at, old->x[i]->data, have < bytes - at ? have : bytes - at);
    if (b && !have) {
        tensor x = {.dtype = t.dtype, .ndim = t.ndim, .n = kni_type_size(t), .data = b->data};
        tensor_fill(&x, -2, 2, 0, 0, state);
    }
    return b;
}

void program_derive(maker *m, program *p)
{
    bool tangent[MAX_VALUES];
    int how = below(m, sharded ? 8 : 24), n = 0;
    kni_jaxpr *j = p->j, *next = NULL;
    for (uint32_t i = 0; i < j->n_in; i++)
        n += tangent[i] = knx_is_inexact(kni_in_type(j, i).dtype);
    if (m->room > 5000)
        return;
    if (how < 2 && n && !j->n_const && has_derivative(j))
        next = how ? forward(j, tangent) : backward(j, tangent);
    else if (how == 2 && j->n_in && !j->n_const && !(j->has & (KN_USER | KN_EFFECT)))
        next = lanes(j);
    if (!next)
        return;
    program made = {next, calloc((size_t)next->n_const + next->n_in + 1, sizeof *made.x)};
    bool fine = made.x && next->n_in + next->n_const <= MAX_VALUES && next->n_out <= MAX_VALUES;
    for (int i = 0; fine && i < program_operands(&made); i++)
        fine = (made.x[i] = operand_like(p, i, next->type[i], &m->state)) != NULL;
    if (fine) {
        program_free(p);
        *p = made;
    } else {
        program_free(&made);
    }
}
