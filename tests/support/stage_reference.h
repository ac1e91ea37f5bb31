/* SPDX-License-Identifier: Apache-2.0
 * stage_reference.h -- a generator of stage functions that work element by element: the second meaning of host/stage/stage.h.
 * It also checks what the driver promises: classes, limits, alignment. */
#ifndef KN_TESTS_STAGE_REFERENCE_H
#define KN_TESTS_STAGE_REFERENCE_H
#include "host/native.h"

extern const knh_generator stage_reference;
const char *stage_reference_complaint(void); /* the first broken promise since the last call; NULL: none */
int stage_reference_live(void);              /* functions that were made and not dropped */
/* Is told of each element of a buffer that a point reads or writes. NULL: nobody. */
typedef void stage_reference_watcher(void *env, int buffer, const void *element, int size);
void stage_reference_watch(stage_reference_watcher *w, void *env);
#endif
