/* SPDX-License-Identifier: Apache-2.0
 * program.h -- random programs of views, writes and reads; running them in the model; printing them as NumPy code. */
#ifndef KN_FUZZ_PROGRAM_H
#define KN_FUZZ_PROGRAM_H
#include "model.h"
#include <stdio.h>

enum { P_LINES = 64, P_SLOTS = 24, P_VALUES = 64, P_ARGUMENT = 32, P_TEXT = 256 };

typedef enum {
    P_NEW,      /* data of its own */
    P_ARGUMENT_PART, /* elements lo .. of the function's argument, reshaped; a copy if `copy` */
    P_AT, P_RESHAPE, P_RAVEL, P_TRANSPOSE, P_FLIP, P_EXPAND, P_SQUEEZE, P_BROADCAST, P_DIAGONAL, P_REAL, P_IMAG,
    P_COPY, P_ASTYPE, P_BINARY,
    P_SET, P_IN_PLACE, P_IN_PLACE_AT, P_UFUNC_AT,
    P_COPY_FROM, /* memory into an array */
    P_DATA_MUT,  /* element `lo` through kn_data_mut */
    P_POKE,      /* element `lo` of the wrapped memory of line b, after kn_touch */
    P_LOOK,     /* at the values of one array */
    P_SHARES,   /* do two arrays share memory? */
    P_CHECK     /* everything */
} p_kind;

/* An item of an index, with where its array comes from. */
typedef struct {
    m_item item;
    bool placeholder; /* numbers are given by % */
    int var;          /* M_ARRAY: this variable (compared with `limit` if `compare`); -1: the values here */
    bool compare;
    int64_t limit;
    m_dtype dtype;
    m_shape shape;
    int64_t value[P_VALUES];
} p_item;

/* A line. Variables are named by the number of the line that makes them. */
typedef struct {
    p_kind kind;
    bool dropped;
    bool copy;
    bool wrap;       /* P_NEW: lies in memory of the fuzzer */
    int slot;        /* a new variable takes the place of the slot's old one */
    int a, b;        /* operands; b < 0: `number` */
    m_number number;
    m_ufunc ufunc;
    m_dtype dtype;
    m_shape shape;
    int n_axes;      /* -1: not given */
    int64_t axes[M_NDIM];
    int64_t lo;
    int n_items;
    p_item item[M_ITEMS];
    unsigned char data[M_SIZE * 16]; /* P_NEW, P_COPY_FROM */
} p_line;

typedef struct {
    uint64_t seed;
    bool traced; /* runs inside functions: no errors, no masks, only what was made inside is written to */
    bool large;  /* some arrays are */
    bool smooth; /* its gradient can be compared with differences */
    bool eager;  /* kn_set_lazy(false) */
    int n;
    p_line line[P_LINES];
} p_program;

/* A run of the model. */
typedef struct {
    m_heap heap;
    m_array var[P_LINES];
    bool alive[P_LINES];
    int slot[P_SLOTS]; /* the variable there, or -1 */
    double argument[P_ARGUMENT];
    m_array argument_array;
} p_run;

/* M_MISSING: an operand is not there (its line was dropped or failed): the line is skipped. */
enum { M_MISSING = M_LIMIT + 1 };

uint64_t p_random(uint64_t *state);
void p_generate(p_program *program, uint64_t seed);
void p_begin(p_run *run, const double argument[P_ARGUMENT]);
void p_end(p_run *run);
/* Runs line i in the model. */
int p_step(p_run *run, const p_program *program, int i);
bool p_makes_variable(p_kind kind);
/* The right side of a line and its index, as they stand now; false if something is missing. */
bool p_value(const p_run *run, const p_line *line, m_value *v);
int p_places(p_run *run, const p_line *line, m_places *out);
void p_index_text(const p_line *line, bool for_kiln, char text[P_TEXT]);
void p_print_line(FILE *to, const p_program *program, int i);
const char *p_error_name(int error);
const char *p_dtype_name(m_dtype dtype);
extern const char *const p_ufunc_name[M_UFUNCS];
#endif
