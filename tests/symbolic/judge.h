/* SPDX-License-Identifier: Apache-2.0
 * judge.h -- functions of unknown extents, run: compiled once with kn_jit(.symbolic), called with many sets of extents,
 * and compared with what kn_jit without it gives for each set. */
#ifndef KN_TESTS_SYMBOLIC_JUDGE_H
#define KN_TESTS_SYMBOLIC_JUDGE_H
#include "support/symbolic.h"

/* Rows in files *.def: CALL(types, call), and REFUSED(types, message, call), as in support/symbolic.h; their names are
 * the texts of the calls. */
typedef struct rows {
    const symbolic_case *at;
    size_t n;
} rows;
extern const rows rows_numpy, rows_libraries;

typedef enum way { VALUES, GRADIENTS, LANES, WAYS } way; /* lanes: vmap over an axis of unknown extent */
extern const char *const way_name[WAYS];

typedef enum verdict {
    SAME,    /* the same bits for all sets */
    REFUSED, /* with the message that the row, or refused.def, has */
    NONE,    /* nothing is there to compare: no derivative, or no set of extents for which it is no error */
    WRONG
} verdict;
typedef struct outcome {
    verdict verdict;
    int sets, errors, compiles; /* compared; of them errors on both sides; programs of variables that were compiled */
    char what[600];
} outcome;
enum { MOST_SETS = 20 };
const char *known_defect(const symbolic_case *c, way w); /* NULL: none */
void judge(const symbolic_case *c, way w, int sets, bool talk, outcome *o);

/* sets.c: numbers for a .. z; false: there are no more that the constraints allow. */
bool set_of_extents(const char *types, const char *want, int k, int64_t number[26]);
/* The types with another axis in front, whose variable they do not have; NULL: no room. */
bool types_of_lanes(const char *types, char *out, size_t room);
/* "b t, t", "b>=2;t<=4" of "f32[b,t] f32[t] | b >= 2 | t <= 4" */
void shapes_of_types(const char *types, char *shapes, char *constraints, size_t room);
#endif
