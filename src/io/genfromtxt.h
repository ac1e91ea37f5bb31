/* SPDX-License-Identifier: Apache-2.0
 * genfromtxt.h -- the columns of np.genfromtxt: what is missing in them, and how their texts become elements. */
#ifndef KN_IO_GENFROMTXT_H
#define KN_IO_GENFROMTXT_H
#include "io/lines.h"
#include "io/table.h"

/* What a column's texts are read as: in the order in which NumPy tries them when it looks for a dtype. */
typedef enum { KNIO_BOOL, KNIO_INT, KNIO_FLOAT, KNIO_COMPLEX, KNIO_TEXT } knio_status;

typedef struct knio_column {
    knio_status status;
    kn_dtype dtype;
    bool checked;               /* it says something about the dtype */
    bool filled;                /* a value for what is missing was given: `fill` */
    knx_scalar_bits fill;       /* of dtype */
    knx_error *fill_error;      /* why there is no such value of that dtype; NULL: there is */
    knio_converter converter;
    kn_array filling_value;     /* NULL: none of its own */
    const char *missing[3];     /* lists with commas between their texts; NULL: none */
} knio_column;

/* The column for what it was found to be, or for a dtype. */
void knio_column_begin(knio_column *c, kn_dtype dtype);
bool knio_column_upgrade(knio_column *c); /* false: nothing is left but text */
void knio_column_fill(knio_column *c, kn_dtype from, const void *value); /* what stands for what is missing */
/* Does the text fit the column as it is? What is missing fits. */
bool knio_column_takes(knio_column *c, knio_cell text);
/* The element of a text; of what is none, and may be left out, what stands for it. *late: it is a number, but none of
 * the dtype, which NumPy sees when all columns are read. */
knx_error *knio_column_read(const knio_column *c, knio_cell text, bool loose, void *element, knx_str *scratch,
                            knx_error **late);
#endif
