/* SPDX-License-Identifier: Apache-2.0
 * stage_driver.h -- a simple driver for stage functions (src/host/stage/stage.h): every stage in the mode that the test asks for,
 * one call at a time, no tiles and no threads. */
#ifndef KN_SUPPORT_STAGE_DRIVER_H
#define KN_SUPPORT_STAGE_DRIVER_H
#include "host/stage/stage.h"

typedef struct stages_style {
    knh_mode mode;    /* of stages with reductions: ROWS (RUNS where rows are not whole), RUNS or COLUMNS */
    bool any;         /* every stream that is not of the class ZERO counts as ANY */
    int lane;         /* lanes along a parallel loop: this one, counted from the innermost, if there are so many */
    int64_t run;      /* RUNS: elements per call at most, 0: as many as there are */
} stages_style;

/* Runs a kernel with the functions that `get` gives. Where it gives NULL the stage is not run: so a first run can
 * collect the requests. False without memory. */
bool stages_run(const knk_kernel *k, const knk_launch *l, const stages_style *style,
                knh_function *(*get)(void *env, const knh_request *r), void *env);
#endif
