/* SPDX-License-Identifier: Apache-2.0
 * rows.h -- the table of the public functions that bindings of other languages share. generate.py makes it of
 * docs/api.json and of the files in names/: a row says under which names a function takes what, and has a function that calls it.
 * A binding converts the values of its language by their kinds, calls, and wraps the result by its kind. */
#ifndef KNB_ROWS_H
#define KNB_ROWS_H
#include "kiln/kiln.h"

typedef enum knb_kind {
    KNB_ARRAY,
    KNB_POSITIONS, /* an array of positions */
    KNB_VALUES,    /* what is written to the first array */
    KNB_OPTIONAL_ARRAY,
    KNB_ARRAYS,
    KNB_SHAPE,
    KNB_SHAPE_POINTER,
    KNB_AXES,
    KNB_AXES_POINTER,
    KNB_DTYPE,
    KNB_BOOL,
    KNB_INT,
    KNB_INT32,
    KNB_DIAGONAL, /* the number of one: beyond all arrays an integer of any size */
    KNB_FLOAT,
    KNB_FLOAT32,
    KNB_STRING,
    KNB_CHARACTER,
    KNB_DTYPE_LIKE,
    KNB_OUT_ARRAY, /* where an array is put; a Python bool asks for it */
    KNB_OUT_PAIR,  /* two such places */
    KNB_INTERVAL,  /* two numbers */
    KNB_INTERVALS, /* two such pairs */
    KNB_OUT,       /* NumPy's out=: the result is written there */
    KNB_DEVICE,    /* where the result is put */
    KNB_IGNORED,   /* what has no meaning here: only the default is taken */
    KNB_HINT,      /* what changes no result: anything is taken */
    KNB_TREE,      /* a flat sequence of arrays as a tree of the library */
    /* results alone */
    KNB_STRUCT,
    KNB_STATUS,
    KNB_NOTHING,
    /* what kpy_put_special converts (convert_lax.c) */
    KNB_SHAPE_OR_NULL,
    KNB_FUNCTION,
    KNB_OBJECT, /* an optimizer or a schedule, a kiln._core.Handle */
    KNB_PADS,
    KNB_PADDING,
    KNB_CONV_NUMBERS,
    KNB_FOUR_AXES,
    KNB_FIVE_AXES,
    KNB_AXIS_NAMES,
    KNB_AXIS_GROUPS,
    KNB_LANE_PAIRS,
    KNB_LANES
} knb_kind;
#define KNB_IS_SPECIAL(kind) ((kind) >= KNB_SHAPE_OR_NULL || (kind) == KNB_TREE)

typedef struct knb_param {
    const char *name;
    uint8_t kind, option; /* option: a member of the options at `at`, else argument number `at` */
    uint8_t keyword_only, positional_only, required, rest; /* rest: takes all further positional arguments (*args) */
    uint16_t at;
} knb_param;

typedef struct knb_member {
    const char *name;
    uint8_t kind;
    uint16_t at;
} knb_member;
typedef struct knb_struct {
    const char *name;
    uint16_t bytes, n;
    const knb_member *member;
} knb_struct;

typedef union knb_slot {
    void *handle;
    kn_array array;
    kn_list list;
    const char *string;
    kn_dtype dtype;
    int64_t integer;
    double number;
    bool truth;
    char character;
    kn_axes axes;
    kn_shape shape;
    max_align_t structure[64];
} knb_slot;

enum { KNB_MAX_ARGUMENTS = 12, KNB_MAX_PARAMETERS = 40, KNB_OPTION_BYTES = 4096 };
typedef struct knb_call {
    const void *arg[KNB_MAX_ARGUMENTS]; /* each points to a value of its kind */
    void *options;
    knb_slot result;
} knb_call;

/* Texts of functions, for those who show them. */
#ifndef KNB_NO_DOCS
#define KNB_DOC(name, text) static const char name[] = text;
#else
#define KNB_DOC(name, text) static const char name[] = "";
#endif

typedef struct knb_row {
    const char *name, *doc; /* doc: the signature, a line of dashes, the text */
    void (*call)(knb_call *c);
    void (*defaults)(void *options);
    uint16_t n_params, n_positional, n_required;
    uint8_t result, as_list, looks; /* looks: it may run what waits, whatever its operands are */
    const knb_param *param;
    const knb_struct *structure; /* of the result */
} knb_row;
typedef struct knb_table {
    const char *name;
    uint16_t n;
    const knb_row *const *row;
} knb_table;
extern const knb_table knb_tables[];
#endif
