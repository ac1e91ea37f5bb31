/* SPDX-License-Identifier: Apache-2.0
 * legend.h -- the list of labels in a panel. */
#ifndef KN_MEDIA_LEGEND_H
#define KN_MEDIA_LEGEND_H
#include "media/plot.h"

void knmedia_draw_legend(knmedia_canvas *c, const knmedia_panel *p, const knmedia_frame *f);
#endif
