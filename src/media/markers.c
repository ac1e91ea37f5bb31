/* SPDX-License-Identifier: Apache-2.0
 * markers.c -- the shapes of markers, and the dashes of lines. */
#include "media/markers.h"
#include <string.h>

int knmedia_marker(char marker, double size, knmedia_point corner[KNMEDIA_MOST_CORNERS], double *round, bool *lines)
{
    static const struct {
        char marker;
        bool lines;
        int n;
        knmedia_point at[KNMEDIA_MOST_CORNERS];
    } shapes[] = {{'s', false, 4, {{-0.45, -0.45}, {0.45, -0.45}, {0.45, 0.45}, {-0.45, 0.45}}},
                  {'^', false, 3, {{0, -0.58}, {0.52, 0.38}, {-0.52, 0.38}}},
                  {'v', false, 3, {{0, 0.58}, {-0.52, -0.38}, {0.52, -0.38}}},
                  {'d', false, 4, {{0, -0.62}, {0.5, 0}, {0, 0.62}, {-0.5, 0}}},
                  {'x', true, 4, {{-0.42, -0.42}, {0.42, 0.42}, {-0.42, 0.42}, {0.42, -0.42}}},
                  {'+', true, 4, {{-0.55, 0}, {0.55, 0}, {0, -0.55}, {0, 0.55}}}};
    *lines = false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].marker == marker) {
            for (int k = 0; k < shapes[i].n; k++)
                corner[k] = (knmedia_point){shapes[i].at[k].x * size, shapes[i].at[k].y * size};
            *lines = shapes[i].lines;
            return shapes[i].n;
        }
    *round = marker == '.' ? size / 4 : size / 2;
    return 0;
}

double knmedia_marker_width(double size) { return size < 5 ? 1 : size / 5; }

int knmedia_dashes(const char *style, double width, double dash[4])
{
    static const struct {
        const char *style;
        int n;
        double dash[4];
    } styles[] = {{"--", 2, {4, 2.2}}, {":", 2, {1.2, 1.8}}, {"-.", 4, {5, 2, 1.2, 2}}};
    width = width < 0.8 ? 0.8 : width;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (!strcmp(styles[i].style, style)) {
            for (int k = 0; k < styles[i].n; k++)
                dash[k] = styles[i].dash[k] * width;
            return styles[i].n;
        }
    return 0;
}
