/* SPDX-License-Identifier: Apache-2.0
 * table.h -- rows of elements that become an array: its shape as np.loadtxt and np.genfromtxt give it, and messages. */
#ifndef KN_IO_TABLE_H
#define KN_IO_TABLE_H
#include "array/op.h"
#include "io/element.h"
#include "kiln/io.h"

typedef struct knio_table {
    kn_dtype dtype;
    int64_t rows, columns;
    char *data;
    size_t room; /* rows that fit */
} knio_table;

/* Memory for one row more; NULL without. */
char *knio_table_row(knio_table *t);
/* Ends the operation with the rows as an array: axes of extent 1 are dropped unless ndmin keeps them, and it is
 * transposed if it is to be unpacked. Frees the memory, also if the operation failed. */
kn_array knio_table_end(kna_op *op, knio_table *t, int ndmin, bool unpack);

knx_error *knio_check_ndmin(int ndmin);
/* "could not convert string 'x' to float64 at row 0, column 1." */
knx_error *knio_not_converted(const char *s, size_t n, kn_dtype dtype, int64_t row, int64_t column);
/* The function for this column (of the file; `place` in the row): NULL if there is none. */
typedef struct knio_converter {
    kn_converter convert;
    void *env;
} knio_converter;
bool knio_convert(const knio_converter *c, const char *s, size_t n, void *element, knx_str *text);
#endif
