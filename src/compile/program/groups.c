/* SPDX-License-Identifier: Apache-2.0
 * groups.c -- what people ask about a program's steps: their numbers, the lines that they come from, how they run. */
#include "compile/step.h"
#include "kiln/context.h"
#include <string.h>

uint64_t knc_new_groups(uint32_t n)
{
    static atomic_ullong next = 1;
    return atomic_fetch_add(&next, n);
}

static void add_place(knc_span *s, const kn_place *place)
{
    if (!place || !place->file || (s->file && strcmp(s->file, place->file)))
        return;
    s->first = !s->file || place->line < s->first ? place->line : s->first;
    s->last = !s->file || place->line > s->last ? place->line : s->last;
    s->file = place->file;
}

knc_span knc_step_span(const kn_program *p, uint32_t step)
{
    knc_span s = {NULL, 0, 0};
    for (uint32_t i = p->first_eqn[step]; i < p->first_eqn[step + 1]; i++)
        add_place(&s, p->jaxpr->eqn[p->step_eqn[i]].place);
    if (p->step[step].eqn < p->jaxpr->n_eqn)
        add_place(&s, p->jaxpr->eqn[p->step[step].eqn].place);
    return s;
}

static int support_of(const knc_step *s)
{
    if (knc_is_kernel(s))
        return s->u.k.prepared ? KN_SUPPORT_NATIVE : KN_SUPPORT_INTERPRETED;
    if (s->kind != KNC_BAND)
        return s->kind == KNC_PRODUCT ? KN_SUPPORT_NATIVE : KN_SUPPORT_ROUTINE;
    for (uint32_t i = 0; i < s->u.band->n_step; i++)
        if (support_of(&s->u.band->step[i].step) == KN_SUPPORT_INTERPRETED)
            return KN_SUPPORT_INTERPRETED;
    return KN_SUPPORT_NATIVE;
}

int knc_step_support(const kn_program *p, uint32_t step) { return support_of(&p->step[step]); }
