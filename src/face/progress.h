/* SPDX-License-Identifier: Apache-2.0
 * progress.h -- progress of loops that are compiled. */
#ifndef KN_FACE_PROGRESS_H
#define KN_FACE_PROGRESS_H
#include "base/error.h"

/* Is a line written where nothing says otherwise? */
bool knface_progress_shows(void);
/* A label that lives as long as the process, for knface_progress_told; NULL: no memory. */
void *knface_progress_label(const char *label);
void knface_progress_told(void *label, int64_t step, int64_t length); /* a kn_scan_step */
#endif
