/* SPDX-License-Identifier: Apache-2.0
 * branch.c -- runs one of several programs. Nothing is allocated. */
#include "device/host/run.h"

knx_error *knd_run_branch(const knd_one_run *r, uint32_t i, void **at)
{
    const knc_step *s = &r->p->step[i];
    const knc_branch *b = s->u.r.branch;
    char *room = r->room + r->l->step_room;
    knd_operand *in = (knd_operand *)(void *)room;
    int64_t index = *(const int32_t *)at[0], last = (int64_t)b->n - 1;
    for (uint32_t k = 1; k < s->u.r.n_in; k++)
        in[k - 1] = (knd_operand){.data = at[k]};
    const knd_host_loaded *l = r->l->step[i].branch->program[index < 0 ? 0 : index > last ? last : index];
    return knd_run_to(&(knd_one_run){.l = l,
                                     .p = l->head.program,
                                     .in = in,
                                     .to = at + s->u.r.n_in,
                                     .work = at[s->u.r.n_in + s->u.r.n_out],
                                     .room = room + r->l->step[i].branch->inner,
                                     .scratch = r->scratch,
                                     .threads = r->threads,
                                     .observer = r->observer,
                                     .on_step = r->on_step,
                                     .on_step_env = r->on_step_env});
}
