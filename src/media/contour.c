/* SPDX-License-Identifier: Apache-2.0
 * contour.c -- where numbers on a grid have one value: marching squares. */
#include "media/plot.h"
#include <math.h>
#include <stdlib.h>

typedef struct cell {
    double x[2], y[2], z[4]; /* corners: (0, 0), (1, 0), (1, 1), (0, 1) */
} cell;

/* Where side k of the cell, from corner k to the next one, meets the level. */
static knmedia_point meets(const cell *c, int k, double level)
{
    static const int column[] = {0, 1, 1, 0}, row[] = {0, 0, 1, 1};
    int next = (k + 1) % 4;
    double t = (level - c->z[k]) / (c->z[next] - c->z[k]);
    double x0 = c->x[column[k]], x1 = c->x[column[next]], y0 = c->y[row[k]], y1 = c->y[row[next]];
    return (knmedia_point){x0 + t * (x1 - x0), y0 + t * (y1 - y0)};
}

/* The lines of a cell: two sides for each. */
static int lines_of(const cell *c, double level, int side[4])
{
    int n = 0;
    for (int k = 0; k < 4; k++)
        if ((c->z[k] >= level) != (c->z[(k + 1) % 4] >= level))
            side[n++] = k;
    /* A saddle: its middle says which corners belong together. */
    if (n == 4 && (c->z[0] >= level) == ((c->z[0] + c->z[1] + c->z[2] + c->z[3]) / 4 >= level)) {
        side[0] = 0, side[1] = 1, side[2] = 2, side[3] = 3;
    } else if (n == 4) {
        side[0] = 3, side[1] = 0, side[2] = 1, side[3] = 2;
    }
    return n;
}

knmedia_point *knmedia_contour(const double *x, const double *y, const double *z, int64_t columns, int64_t rows,
                               double level, int64_t *n)
{
    int64_t room = 1024;
    knmedia_point *p = malloc((size_t)room * sizeof *p);
    *n = 0;
    for (int64_t i = 0; p && i + 1 < rows; i++)
        for (int64_t j = 0; j + 1 < columns; j++) {
            const double *a = z + i * columns + j;
            cell c = {{x[j], x[j + 1]}, {y[i], y[i + 1]}, {a[0], a[1], a[columns + 1], a[columns]}};
            int side[4], sides = isfinite(c.z[0] + c.z[1] + c.z[2] + c.z[3]) ? lines_of(&c, level, side) : 0;
            if (*n + 6 > room) {
                knmedia_point *more = realloc(p, (size_t)(room *= 2) * sizeof *p);
                if (!more) {
                    free(p);
                    return NULL;
                }
                p = more;
            }
            for (int k = 0; k < sides; k += 2) {
                p[(*n)++] = meets(&c, side[k], level);
                p[(*n)++] = meets(&c, side[k + 1], level);
                p[(*n)++] = (knmedia_point){NAN, NAN};
            }
        }
    return p;
}
