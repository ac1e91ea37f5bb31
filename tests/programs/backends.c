/* SPDX-License-Identifier: Apache-2.0
 * backends.c -- stands between programs and their kernels: the linker sends calls of knk_interpret and
 * knh_prepare_in here (--wrap), and kernels run as `way_now` says. */
#include "programs.h"
#include "host/drive.h"
#include "support/scratch.h"

#include <stdlib.h>

knx_error *__real_knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch);
knx_error *__real_knh_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch, knh_batch *batch,
                                 const knh_prepared **out);
knx_error *__wrap_knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch);
knx_error *__wrap_knh_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch, knh_batch *batch,
                                 const knh_prepared **out);

/* With a scratch of its own: the program planned one for another way. What the generator leaves to the interpreter
 * runs there as usual. */
static knx_error *run_native(const way *w, const knk_kernel *k, const knk_launch *launch)
{
    size_t bytes = any_scratch(k, w->threads);
    void *own = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!own)
        abort();
    way_now = NULL;
    knh_tune.turns = 3; /* loops ask whether to go on, as long ones do */
    knx_error *error = knh_run_on(w->generator, k, launch, own, w->threads);
    knh_tune.turns = 0;
    way_now = w;
    free(own);
    return error;
}

knx_error *__wrap_knk_interpret(const knk_kernel *k, const knk_launch *launch, void *scratch)
{
    const way *w = way_now;
    if (w && w->generator)
        return run_native(w, k, launch);
    if (w && w->lanes != KNK_LANES_AUTO)
        return knk_interpret_with(k, launch, scratch, w->lanes);
    return __real_knk_interpret(k, launch, scratch);
}

/* Nothing is prepared for a way: all its launches come by above. */
knx_error *__wrap_knh_prepare_in(void *room, const knk_kernel *k, const knk_launch *launch, knh_batch *batch,
                                 const knh_prepared **out)
{
    return __real_knh_prepare_in(way_now ? NULL : room, k, launch, batch, out);
}
