/* SPDX-License-Identifier: Apache-2.0
 * numbers.c -- numbers that a program was written with become operands of its kernels: programs that differ in a number
 * share a kernel and its code. A number stays a constant of the kernel where the kernel is better if it knows the
 * number: see docs/compiler.md. */
#include "compile/group/group.h"
#include "compile/group/lowering.h"
#include <math.h>

enum { MAX_NUMBERS = 8 }; /* numbers of a kernel, each a buffer of its own, which costs some nanoseconds of a call */

/* Numbers that stay constants: 0, 1 and -1, which algebra on kernels looks for (kernel/simplify.c), infinities and
 * NaN, which no one tunes. */
static bool is_plain(double v) { return v == 0 || v == 1 || v == -1 || !isfinite(v); }

static bool has_plain_part(const kni_literal *x)
{
    double re = knx_scalar_to_double(x->type.dtype, x->bits), im = 2;
    if (knx_is_complex(x->type.dtype))
        im = x->type.dtype->id == KN_ID_C64 ? (double)x->bits.c64.im : x->bits.c128.im;
    return is_plain(re) || is_plain(im);
}

bool knc_is_given(const kni_literal *x) { return knx_is_inexact(x->type.dtype) && !has_plain_part(x); }

/* The literal that the operand is, perhaps repeated to a shape; KN_ATOM_NONE: it is none. */
static kni_atom literal_behind(const kni_lower *l, kni_atom a)
{
    while (kni_is_var(a)) {
        const knc_value *v = &l->p->value[a];
        if (!v->constant || v->state != KNC_INLINE)
            return KN_ATOM_NONE;
        const kni_eqn *e = &l->j->eqn[v->eqn];
        knc_class c = knc_class_of(l->j, e);
        if (c != KNC_VIEW && c != KNC_IDENTITY)
            return KN_ATOM_NONE;
        a = e->in[0];
    }
    return a;
}

static bool has_room(const kni_lower *l, uint32_t slot)
{
    int n = 0;
    for (size_t b = 0; b < l->buffer.n; b++) {
        if (l->buffer.at[b].slot == slot)
            return true;
        n += l->p->slot.at[l->buffer.at[b].slot].space == KNC_AT_LITERAL;
    }
    return n < MAX_NUMBERS;
}

/* Makes literal a an operand of the kernel: *value is its load. False if it stays a constant. */
static bool give(kni_lower *l, kni_atom a, kni_pair *value)
{
    knx_bytes offset;
    if (a == KN_ATOM_NONE)
        return false;
    const kni_literal *x = &l->j->literal[a & ~KN_LITERAL_BIT];
    if (!knc_is_given(x))
        return false;
    uint32_t slot = knc_slot_of(l->p, a, &offset);
    if (l->p->failed || !has_room(l, slot))
        return false;
    *value = knc_load(l, knc_buffer_of(l, slot, offset, x->type.dtype, false), x->type, l->scalar,
                      (kni_pair){KNK_NONE, KNK_NONE});
    return true;
}

bool knc_number(kni_lower *l, const kni_eqn *e, kni_atom a, kni_pair *value)
{
    const knc_value *y = &l->p->value[e->out];
    if (l->scope || (y->constant && y->state != KNC_STORED) || knc_weight(l->j, e, &l->p->scratch) > KNC_CHEAP_OPS)
        return false; /* expressions of many operations are shorter if they know a number */
    return give(l, literal_behind(l, a), value);
}

bool knc_filled(kni_lower *l, uint32_t var, kni_pair *value)
{
    const knc_value *v = &l->p->value[var];
    if (!v->constant || v->eqn == KNC_NO)
        return false;
    const kni_eqn *e = &l->j->eqn[v->eqn];
    return knc_class_of(l->j, e) == KNC_VIEW && give(l, literal_behind(l, e->in[0]), value);
}
