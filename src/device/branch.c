/* SPDX-License-Identifier: Apache-2.0
 * branch.c -- runs one of several programs. Nothing is allocated. */
#include "device/run.h"

kn_error *knd_run_branch(const knd_one_run *r, const knc_step *s, void **at)
{
    const knc_branch *b = s->u.r.branch;
    char *room = at[s->u.r.n_in + s->u.r.n_out];
    kn_operand *in = (kn_operand *)(void *)(room + b->in);
    int64_t index = *(const int32_t *)at[0], last = (int64_t)b->n - 1;
    for (uint32_t i = 1; i < s->u.r.n_in; i++)
        in[i - 1] = (kn_operand){.data = at[i]};
    return knd_run_to(&(knd_one_run){.p = b->program[index < 0      ? 0
                                                     : index > last ? last
                                                                    : index],
                                     .in = in,
                                     .to = at + s->u.r.n_in,
                                     .work = room + b->work,
                                     .scratch = r->scratch,
                                     .threads = r->threads,
                                     .observer = r->observer,
                                     .on_step = r->on_step,
                                     .on_step_env = r->on_step_env});
}
