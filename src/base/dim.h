/* SPDX-License-Identifier: Apache-2.0
 * dim.h -- dimensions: extents that are numbers, or expressions of dimension variables (docs/shapes.md). Source: the
 * symbolic shapes of jax.export.
 *
 * A dimension is an int64_t. Numbers are themselves. An expression has a number of its own in the process, its
 * *handle*, in a range of numbers that no extent reaches: equal expressions have equal handles. The constant of a sum
 * is a part of its handle, so plain C may add and subtract plain numbers (`t.dim[a] - 1`), and the difference of two
 * expressions that differ in their constants is their difference. All else goes through the functions below: products,
 * quotients, sums of two expressions, and every comparison whose answer may depend on the variables.
 *
 * What may be assumed of the variables is in a scope, which is in force on one thread at a time. A comparison that the
 * bounds do not decide is refused there (the scope keeps the error), or it is decided by the numbers that the variables
 * have in a sample, and the scope keeps it as a guard: what was made under it holds for all numbers that give all
 * guards the same answers. */
#ifndef KN_BASE_DIM_H
#define KN_BASE_DIM_H
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"

#define KNX_DIM_FIRST   ((int64_t)1 << 61)  /* handles lie from here on ... */
#define KNX_DIM_ROOM    ((uint64_t)1 << 60) /* ... so far */
#define KNX_DIM_UNKNOWN KNX_DIM_FIRST       /* of a failed operation: the scope has the error */

static inline bool knx_is_symbolic(int64_t d) { return (uint64_t)d - (uint64_t)KNX_DIM_FIRST < KNX_DIM_ROOM; }
static inline bool knx_any_symbolic(int64_t a, int64_t b) { return knx_is_symbolic(a) || knx_is_symbolic(b); }
bool knx_has_symbolic(int n, const int64_t *d);

/* A number of bytes that may be an expression: of 64 bits on every machine. */
typedef uint64_t knx_bytes;

typedef uint32_t knx_dim_var; /* a dimension variable: the number of its name */
/* The variable of this name (a C identifier that is none of floordiv, mod, max, min) in the scope in force; the name is
 * NUL-terminated or of n bytes. The handle is put into *d. False without memory. */
bool knx_dim_named(const char *name, size_t n, int64_t *d);
const char *knx_dim_name(knx_dim_var v);
bool knx_dim_is_var(int64_t d, knx_dim_var *v); /* is it a single variable? */

/* Arithmetic. floordiv and mod as in Python: the remainder has the sign of the divisor. A divisor of 0, numbers that do
 * not fit and lack of memory are errors of the scope. */
int64_t knx_dim_combine(int64_t a, int64_t ka, int64_t b, int64_t kb); /* a * ka + b * kb; ka, kb are numbers */
int64_t knx_dim_product(int64_t a, int64_t b);
int64_t knx_dim_quotient(int64_t a, int64_t b);
int64_t knx_dim_remainder(int64_t a, int64_t b);
int64_t knx_dim_greater(int64_t a, int64_t b);
int64_t knx_dim_smaller(int64_t a, int64_t b);

/* Files that are compiled for size leave the test for plain numbers to the functions. */
#ifdef __OPTIMIZE_SIZE__
#define KNX_DIM_ASKS(a, b) true
#else
#define KNX_DIM_ASKS(a, b) knx_any_symbolic(a, b)
#endif
static inline int64_t knx_floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static inline int64_t knx_floormod(int64_t a, int64_t b)
{
    int64_t rest = b == -1 ? 0 : a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}
static inline int64_t knx_dim_add(int64_t a, int64_t b)
{
    return KNX_DIM_ASKS(a, b) ? knx_dim_combine(a, 1, b, 1) : a + b;
}
static inline int64_t knx_dim_sub(int64_t a, int64_t b)
{
    return KNX_DIM_ASKS(a, b) ? knx_dim_combine(a, 1, b, -1) : a - b;
}
static inline int64_t knx_dim_mul(int64_t a, int64_t b) { return KNX_DIM_ASKS(a, b) ? knx_dim_product(a, b) : a * b; }
static inline int64_t knx_dim_floordiv(int64_t a, int64_t b)
{
    return KNX_DIM_ASKS(a, b) || !b ? knx_dim_quotient(a, b) : knx_floordiv(a, b);
}
static inline int64_t knx_dim_mod(int64_t a, int64_t b)
{
    return KNX_DIM_ASKS(a, b) || !b ? knx_dim_remainder(a, b) : knx_floormod(a, b);
}
static inline int64_t knx_dim_max(int64_t a, int64_t b)
{
    return KNX_DIM_ASKS(a, b) ? knx_dim_greater(a, b) : a > b ? a : b;
}
static inline int64_t knx_dim_min(int64_t a, int64_t b)
{
    return KNX_DIM_ASKS(a, b) ? knx_dim_smaller(a, b) : a < b ? a : b;
}
/* a / b rounded up; b > 0 */
static inline int64_t knx_dim_ceildiv(int64_t a, int64_t b) { return knx_dim_floordiv(knx_dim_add(a, b) - 1, b); }
/* the product of all; 1 for none */
int64_t knx_dim_size(int n, const int64_t *d);

/* Comparisons. What is not decided is guarded or refused by the scope in force; a refused one answers false. Without a
 * scope an undecided comparison is refused, and nobody hears of it. */
bool knx_dim_decide_le(int64_t a, int64_t b);
bool knx_dim_decide_eq(int64_t a, int64_t b);
static inline bool knx_dim_le(int64_t a, int64_t b) { return KNX_DIM_ASKS(a, b) ? knx_dim_decide_le(a, b) : a <= b; }
static inline bool knx_dim_lt(int64_t a, int64_t b) { return KNX_DIM_ASKS(a, b) ? !knx_dim_decide_le(b, a) : a < b; }
static inline bool knx_dim_eq(int64_t a, int64_t b)
{
    return a == b || (knx_any_symbolic(a, b) && knx_dim_decide_eq(a, b));
}
/* A number to judge by where any answer is right and some are faster: of an expression what it is in the sample. */
int64_t knx_dim_estimate(int64_t d);
static inline int64_t knx_dim_hint(int64_t d) { return knx_is_symbolic(d) ? knx_dim_estimate(d) : d; }
/* Does the equality hold for all numbers that the scope and its guards allow? Asks nothing, guards nothing. */
bool knx_dim_same(int64_t a, int64_t b);
/* Is a <= b for all of them? Asks nothing, guards nothing. */
bool knx_dim_known_le(int64_t a, int64_t b);
/* a <= b, as one may take it for a cheaper way: a scope that assumes keeps a guard; any other is not asked. */
bool knx_dim_taken_le(int64_t a, int64_t b);
/* The extent as a number, where equations are unrolled by it: an expression has its sample's number in a scope that
 * assumes, which keeps that as a guard, so the same bits come out as without variables. In other scopes it stays. */
int64_t knx_dim_taken(int64_t d);
/* Is a <= b? For what is left undone where it is not: true holds, under a guard if need be; false leaves none. */
bool knx_dim_rely_le(int64_t a, int64_t b);
/* What the scope knows: lower <= d <= upper; INT64_MIN and INT64_MAX stand for no bound. */
void knx_dim_bounds(int64_t d, int64_t *lower, int64_t *upper);

/* ---- Scopes. */

typedef struct knx_dim_guard {
    int64_t e;  /* an expression */
    bool equal; /* the question is e == 0, else e >= 0 ... */
    bool holds; /* ... and this its answer */
    const kn_place *place; /* where it was asked; NULL: nowhere, it is a constraint */
} knx_dim_guard;
typedef struct knx_dim_told {
    int64_t d;
    const kn_place *place;
} knx_dim_told;
typedef struct knx_dim_rule {
    uint32_t term;    /* a product of factors ... */
    int64_t times, e; /* ... of which so many are e */
} knx_dim_rule;
typedef struct knx_dim_value {
    knx_dim_var var;
    int64_t value;
} knx_dim_value;
typedef struct knx_dim_scope {
    /* Variables of one name in scopes with different keys are different: whoever keeps what was made of handles keeps
     * it apart for scopes that know different things of their variables. */
    uint64_t key;
    int64_t least;                /* of all variables */
    KN_VEC(knx_dim_guard) given;  /* constraints: hold by themselves */
    KN_VEC(knx_dim_rule) rule;    /* equalities among them, by which expressions are rewritten */
    KN_VEC(const char *) text;    /* of the constraints, as they were given */
    KN_VEC(knx_dim_value) sample; /* numbers of the variables */
    bool assumes;                 /* decides by the sample, and keeps a guard; else it refuses */
    KN_VEC(knx_dim_guard) guard;
    bool tells; /* the user's code gets the sample's numbers for extents that it asks for ... */
    KN_VEC(knx_dim_told) told; /* ... and asked for these */
    knx_error *error; /* the first refusal; owned */
    knx_arena arena;
    struct knx_dim_scope *outer; /* in force before this one */
} knx_dim_scope;

void knx_dim_scope_init(knx_dim_scope *s);
void knx_dim_scope_free(knx_dim_scope *s);
void knx_dim_enter(knx_dim_scope *s); /* in force on this thread, until */
void knx_dim_leave(knx_dim_scope *s);
knx_dim_scope *knx_dim_now(void); /* NULL: none */
/* "b >= 2", "t == 8*u", "mod(t, 8) == 0", "a <= b": a ValueError if it is none of these forms or cannot hold. */
knx_error *knx_dim_constrain(knx_dim_scope *s, const char *text);
/* All of "b >= 2; t == 8*u", in a fresh scope; NULL: there are none. Scopes that are read of the same text have the
 * same variables. */
knx_error *knx_dim_scope_read(knx_dim_scope *s, const char *constraints);
bool knx_dim_key(const char *constraints, uint64_t *key); /* of such scopes; false without memory */
/* The text for the scope of the variables of d; NULL: it has none. */
const char *knx_dim_constraints(int64_t d);
bool knx_dim_sample(knx_dim_scope *s, knx_dim_var v, int64_t value); /* false without memory */
knx_error *knx_dim_take_error(knx_dim_scope *s);
void knx_dim_refuse(knx_error *e); /* takes it over; the scope in force keeps the first */
/* What the user's code is told of an extent: itself, or its number in the sample. */
int64_t knx_dim_tell_symbolic(int64_t d);
static inline int64_t knx_dim_tell(int64_t d) { return knx_is_symbolic(d) ? knx_dim_tell_symbolic(d) : d; }

/* ---- Numbers of expressions. */

/* Of a handle, with the variables' numbers, or expressions in their place; false: a variable has none, or the result
 * does not fit. */
bool knx_dim_evaluate(int64_t d, int n, const knx_dim_value *v, int64_t *out);

/* The variables in it, each once; how many they are, at most `most`. */
int knx_dim_variables(int64_t d, int most, knx_dim_var *out);
/* Is it times * v + rest, with one variable v of which v[n] has no number? */
bool knx_dim_is_linear(int64_t d, int n, const knx_dim_value *known, knx_dim_var *v, int64_t *times, int64_t *rest);

/* Many at once, quickly: expressions as instructions over a table of numbers, whose first ones are the variables'. The
 * expression with the handle d, which was added, is then table[at] + what d has beside the handle knx_dim_bare(d). */
typedef struct knx_dim_code {
    KN_VEC(knx_dim_var) var; /* numbers 0 .. var.n - 1 of the table */
    KN_VEC(int64_t) word;
    KN_VEC(int64_t) bare; /* per number of the table: the handle of its expression without its constant; 0: of none */
    knx_table known;
} knx_dim_code;
/* First the variables, in their order; then expressions of them. False without memory. */
bool knx_dim_code_var(knx_dim_code *c, knx_dim_var v);
bool knx_dim_code_add(knx_dim_code *c, int64_t d, uint32_t *at);
void knx_dim_code_free(knx_dim_code *c);
/* table: room for c->bare.n numbers, of which those of the variables are given. False: something does not fit. */
bool knx_dim_code_run(const knx_dim_code *c, int64_t *table);
/* The handle without the constant; the constant. */
int64_t knx_dim_bare(int64_t d);
static inline int64_t knx_dim_constant(int64_t d) { return d - knx_dim_bare(d); }

/* ---- What was guarded, asked again for other numbers. */

typedef struct knx_dim_conditions {
    knx_dim_code code;
    struct knx_dim_condition {
        uint32_t at;       /* number of the code's table */
        bool equal, holds; /* as in knx_dim_guard, of that number + constant */
        int64_t constant;
    } * at;
    size_t n;
} knx_dim_conditions;
/* The guards of the scope, over the variables of its sample. False without memory. */
bool knx_dim_conditions_of(const knx_dim_scope *s, knx_dim_conditions *c);
/* value[i]: the number of variable i of the sample */
bool knx_dim_conditions_hold(const knx_dim_conditions *c, const int64_t *value);
size_t knx_dim_conditions_bytes(const knx_dim_conditions *c);
void knx_dim_conditions_free(knx_dim_conditions *c);

/* ---- Texts. */

/* As JAX prints it: "b", "2*b + 3", "floordiv(t, 2)", "a*b^2 - 1"; numbers as numbers. */
bool knx_dim_text(knx_str *s, int64_t d); /* false without memory */
const char *knx_dim_show(knx_text *t, int64_t d);
/* Reads one from *text on; ValueError with what was expected. Spaces between tokens are skipped, also behind it. */
knx_error *knx_dim_parse(const char **text, int64_t *d);
/* The same where blanks and commas end it, unless they are inside of parentheses. */
knx_error *knx_dim_parse_word(const char **text, int64_t *d);
void knx_dims_free(void); /* all expressions, for shutdown: no handle is used afterwards */
#endif
