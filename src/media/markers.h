/* SPDX-License-Identifier: Apache-2.0
 * markers.h -- the shapes of markers, and the dashes of lines, for both canvases. */
#ifndef KN_MEDIA_MARKERS_H
#define KN_MEDIA_MARKERS_H
#include "media/canvas.h"

/* A shape of `size` around the origin: its corners; 0: it is a circle of radius *round. *lines: it is no area, but
 * lines of two points each. */
enum { KNMEDIA_MOST_CORNERS = 4 };
int knmedia_marker(char marker, double size, knmedia_point corner[KNMEDIA_MOST_CORNERS], double *round, bool *lines);
double knmedia_marker_width(double size); /* of lines of a marker */
/* Lengths of strokes and gaps by turns; 0: a line without gaps. */
int knmedia_dashes(const char *style, double width, double dash[4]);
#endif
