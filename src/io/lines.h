/* SPDX-License-Identifier: Apache-2.0
 * lines.h -- the lines of a text as np.genfromtxt divides them: at a delimiter, at white space, or by widths. */
#ifndef KN_IO_LINES_H
#define KN_IO_LINES_H
#include "base/memory.h"
#include "io/text_in.h"
#include "kiln/io.h"

typedef struct knio_cell {
    const char *s;
    size_t n;
} knio_cell;

typedef struct knio_splitter {
    const char *comments, *delimiter; /* NULL: none; white space */
    const kn_int_list *widths;        /* instead of a delimiter; one: of all fields */
    bool autostrip;
} knio_splitter;

/* The next line with its end as '\n'; false: there is none. It stays until the next call. */
knx_error *knio_next_line(knio_text *t, bool *is, knio_cell *line);
/* Its fields, which point into the line. */
typedef struct knio_cells { KN_VEC(knio_cell) cell; } knio_cells;
knx_error *knio_split(const knio_splitter *how, knio_cell line, knio_cells *out);
#endif
