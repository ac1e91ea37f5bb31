/* SPDX-License-Identifier: Apache-2.0
 * symbolic.h -- functions of arrays whose extents are dimension expressions: recorded in a scope, as kn_jit(.symbolic) does it, and shown as
 * types or as a jaxpr. A list of cases is a macro of rows, which makes the functions and their table:
 *
 *     #define SUMS(CASE)                                                                     \
 *         CASE(sum_last, "f32[b,t]", "f32[b]", kn_sum(x[0], .axis = KN_AXIS(1)))             \
 *         CASE(sum_wrong, "f32[b]", "AxisError: axis 3", kn_sum(x[0], .axis = KN_AXIS(3)))
 *     SUMS(SYMBOLIC_FUNCTION)
 *     static const symbolic_case sums[] = {SUMS(SYMBOLIC_ROW)};
 *     ...
 *     symbolic_check(sums, sizeof sums / sizeof *sums);
 *
 * x[i] are the arguments. What is wanted is the type of the result (of several results, of a list: one blank between), or an error's kind
 * and a part of its message. Constraints stand behind the types, after a bar each: "f32[b] | b >= 2 | b == 4*c". */
#ifndef KN_TESTS_SYMBOLIC_H
#define KN_TESTS_SYMBOLIC_H
#include "ir/type.h"
#include "support/expect.h"

enum { SYMBOLIC_MAX_ARGS = 8 };
typedef struct symbolic_case {
    const char *name, *types, *want;
    void *(*f)(const kn_array *x);
    const char *call; /* the text of what it calls */
} symbolic_case;

/* A case may give an array or a kn_list; both are handles, which tell what they are. */
#define SYMBOLIC_FUNCTION(name, types, want, ...)          \
    static void *symbolic_##name(__attribute__((unused)) const kn_array *x) { return (__VA_ARGS__); }
#define SYMBOLIC_ROW(name, types, want, ...) {#name, types, want, symbolic_##name, #__VA_ARGS__},

/* Each case gives the types, or the error, that it wants; prints those that do not and fails. */
void symbolic_check(const symbolic_case *c, size_t n);
/* Each case that wants no error is recorded once, its extents are then given numbers, several times, and the jaxpr with the
 * numbers gives what the function gives for arrays of these extents. Numbers that the case's constraints or the function
 * itself do not allow are left out. Fails if a case differs, or if none was compared. */
void symbolic_check_values(const symbolic_case *c, size_t n);
/* Gets the cases instead of a check, if it is there: tests/symbolic runs those of all tests. */
extern void (*symbolic_collect)(const symbolic_case *c, size_t n);

/* "f32[b,t] i32[3] | b >= 2", read. */
typedef struct symbolic_arguments {
    int n;
    kni_type type[SYMBOLIC_MAX_ARGS];
    int64_t dim[SYMBOLIC_MAX_ARGS][KN_MAX_NDIM];
} symbolic_arguments;
/* With number[0] for a, number[1] for b, ...; false: the constraints do not allow them, or an extent is negative. */
bool symbolic_with_numbers(const char *types, const int64_t *number, symbolic_arguments *a);
/* An array of this type with elements that differ; integers are small, and so in bounds often. */
kn_array symbolic_sample(kni_type t);
/* The typed text of the jaxpr that c's function becomes (free it); "KIND: MESSAGE" of an error. types: of the results. */
char *symbolic_text(const symbolic_case *c, char **types);
#endif
