/* SPDX-License-Identifier: Apache-2.0
 * scan_separate.h -- a scan over large arrays and some scalars, as two scans. */
#ifndef KN_PRIM_CONTROL_SCAN_SEPARATE_H
#define KN_PRIM_CONTROL_SCAN_SEPARATE_H
#include "prim/rules.h"

/* Does the body have a part that works on a few numbers alone, such as a counter or a key, beside one that works on
 * arrays? (columns `expands` and `expand`) */
bool knp_scan_separates(const kni_rule *r);
knx_error *knp_scan_separate(const kni_rule *r, kni_atom *y);
#endif
