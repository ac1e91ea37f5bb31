/* SPDX-License-Identifier: Apache-2.0
 * coverage.h -- one call for each name that docs/coverage.md says is here, and what its result is as an array. */
#ifndef KN_TESTS_COVERAGE_H
#define KN_TESTS_COVERAGE_H
#include "support/expect.h"

typedef struct row {
    const char *name; /* there, with its module */
    const char *here; /* the call, as text */
    kn_array (*call)(void);
    double tolerance;
} row;
typedef struct rows {
    const row *at;
    int n;
} rows;
extern const rows rows_dtypes, rows_error_state, rows_files, rows_lax, rows_memory, rows_nn, rows_numpy, rows_optax,
    rows_polynomials, rows_printing, rows_random, rows_rng, rows_transforms, rows_ufunc;

/* The operands of all rows, as the tables name them. */
extern kn_array b, d, f, g, h, i, j, n, q, r, s, t, u, v, w, x, y, z, image, kernel, local, key, half, three, ignored;

/* ---- Results that are no single array. */
kn_array joined(kn_list list); /* the elements of all of them, as doubles */
kn_array text_array(const char *text);
kn_array extents(kn_shape shape);
#define JOIN(...)       joined(KN_LIST(__VA_ARGS__))
#define ALL(list)       joined(list)
#define FIRST(list)     kn_list_get(list, 0)
#define TEXT(text)      text_array(text)
#define EXTENTS(shape)  extents(shape)
#define NUMBER(number)  kn_scalar((int64_t)(number))
#define TRUTH(truth)    kn_asarray((bool)(truth))
#define AS_TRUTH(array) kn_asarray(array)
/* a copy of an array, changed */
#define CHANGED(from, ...)          \
    __extension__({                 \
        kn_array c = kn_copy(from); \
        __VA_ARGS__;                \
        c;                          \
    })
/* what a function returns for one array */
#define AT(fn, in)            \
    __extension__({           \
        kn_array o = NULL;    \
        kn_call(fn, &o, &in); \
        o;                    \
    })
/* what a call writes to o, or to o and p */
#define OUT1(call)         \
    __extension__({        \
        kn_array o = NULL; \
        call;              \
        o;                 \
    })
#define OUT2(call)                   \
    __extension__({                  \
        kn_array o = NULL, p = NULL; \
        call;                        \
        JOIN(o, p);                  \
    })
#define OUT2_SECOND(call)            \
    __extension__({                  \
        kn_array o = NULL, p = NULL; \
        call;                        \
        p;                           \
    })
/* whether calls of an assertion say yes (0) and no (an error) */
kn_array raises(int good, int bad);
#define RAISES(good, bad)   \
    __extension__({         \
        int yes = (good);   \
        raises(yes, (bad)); \
    })

/* Functions that several tables apply. */
typedef struct Pair {
    kn_array first, second;
} Pair;

/* ---- A table: its calls, then its rows. */
#define CALL_OF_ROW KN_CAT(row_, __LINE__)
#endif
