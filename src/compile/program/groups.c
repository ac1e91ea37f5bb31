/* SPDX-License-Identifier: Apache-2.0
 * groups.c -- questions about a program's steps: their numbers, the user's lines that they come from, which references
 * they write to. */
#include "compile/step.h"
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

knc_span knc_step_span(const knc_program *p, uint32_t step)
{
    knc_span s = {NULL, 0, 0};
    for (uint32_t i = p->first_eqn[step]; i < p->first_eqn[step + 1]; i++)
        add_place(&s, p->jaxpr->eqn[p->step_eqn[i]].place);
    if (p->step[step].eqn < p->jaxpr->n_eqn)
        add_place(&s, p->jaxpr->eqn[p->step[step].eqn].place);
    return s;
}

uint32_t knc_band_ref(const knc_step *band, const knc_ref *r)
{
    uint32_t i = 0;
    while (i < band->n_ref && (band->ref[i].space != r->space || band->ref[i].index != r->index ||
                               band->ref[i].first != r->first || band->ref[i].bytes != r->bytes))
        i++;
    return i < band->n_ref ? i : KNC_NO;
}

/* Values that need their memory one after the other may lie at one place. */
static bool band_writes(const knc_step *band, uint32_t r)
{
    for (uint32_t i = 0; i < band->u.band->n_step; i++) {
        const knc_step *s = &band->u.band->step[i].step;
        for (uint32_t k = 0; k < s->n_ref; k++)
            if (s->ref[k].space != KNC_AT_BLOCK && knc_band_ref(band, &s->ref[k]) == r && knc_is_written(s, k))
                return true;
    }
    return false;
}

bool knc_is_written(const knc_step *s, uint32_t r)
{
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
    case KNC_PUT: return r < (uint32_t)s->u.k.kernel->n_buffer && s->u.k.kernel->buffer[r].written;
    case KNC_COPY: return r == 0;
    case KNC_PRODUCT: return s->u.p.writes[r];
    case KNC_BAND: return band_writes(s, r);
    case KNC_LOOP:
    case KNC_BRANCH:
    case KNC_ROUTINE: break;
    }
    return r >= s->u.r.n_in;
}

const char *knc_half_text(const knc_step *s)
{
    if (s->kind != KNC_ROUTINE || s->half == KNC_WHOLE)
        return "";
    return s->half == KNC_START ? " start" : " wait";
}
