/* SPDX-License-Identifier: Apache-2.0
 * kiln/jaxpr.h -- jaxprs as values: made of functions, printed, read back, compared, drawn, walked equation by
 * equation and run.
 *
 * A jaxpr has constants, inputs, equations and results. Its variables are numbered: constants first, then inputs,
 * then the results of the equations in order. An atom is the number of a variable or, with KN_JAXPR_LITERAL set, of
 * a literal. */
/* Made by scripts/make-api.py from api/jaxpr.api. */
/* clang-format off */
#ifndef KILN_JAXPR_H
#define KILN_JAXPR_H
#include "kiln/function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making, texts. The classic form is that of 2020, without types; the typed form is JAX's of today; the full
 * form loses nothing (docs/jaxpr.md has its grammar). */
enum { KN_JAXPR_CLASSIC, KN_JAXPR_TYPED, KN_JAXPR_FULL };

/* axis_env: named axes that are bound around fn, the first one outermost; the list ends with a NULL name. A jaxpr
 * that speaks of them can be printed, walked and used under vmaps that bind them; run without, it is a NameError. */
typedef struct kn_axis_size { const char *name; int64_t size; } kn_axis_size;
typedef struct kn_make_jaxpr_opts {
    size_t size_;
    kn_axis_size axis_env[KN_MAX_ARGS];
    /* what does not depend on the arguments is worked out at once, and its value is a constant of the jaxpr, as JAX
     * did it in 2020. (What the user's code has to be run for, and what changes random state or prints, is
     * recorded.) */
    bool fold;
    /* "b t 128, 128": extents that are unknown, as in kn_jit; those of the examples are numbers that they may have.
     * NULL: the extents of the examples */
    const char *symbolic;
    const char *constraints;            /* "b >= 2": as in kn_jit */
} kn_make_jaxpr_opts;
/* jax.make_jaxpr: the jaxpr of a function: what it does, recorded as equations. Of the example arguments only shapes
 * and dtypes count. Equations whose results nobody reads stay, as in JAX, unless `fold` (JAX of 2020 dropped them);
 * kn_jit leaves them out when it compiles. */
KN_API kn_jaxpr kn_make_jaxpr(kn_fn fn, const kn_args *args, const kn_make_jaxpr_opts *opts);
/* Writes the text of a jaxpr in one of the three forms, and a new line; 0, or -1 with an error. */
KN_API int kn_jaxpr_print(kn_jaxpr jaxpr, FILE *file, int form);
/* The text of a jaxpr in one of the three forms, owned by the scope; "" for an error. */
KN_API const char *kn_jaxpr_text(kn_jaxpr jaxpr, int form);
/* Reads the full form, the values of constants with it: the jaxpr that kn_jaxpr_text wrote. ValueError with line and
 * column. */
KN_API kn_jaxpr kn_jaxpr_parse(const char *text);
/* Reads the classic form. Its types come from examples (KN_LIST): first the constants, whose values count too, then
 * the inputs. A literal takes the dtype of an operand beside it, else one of 32 bits. */
KN_API kn_jaxpr kn_jaxpr_parse_classic(const char *text, kn_list examples);
/* Are they the same program with the same constants? Names and places do not count. */
KN_API bool kn_jaxpr_equal(kn_jaxpr a, kn_jaxpr b);
/* A drawing for Graphviz (`dot -Tsvg`): values along the edges, nested jaxprs as clusters. Owned by the scope. */
KN_API const char *kn_jaxpr_graphviz(kn_jaxpr jaxpr);
/* What kn_jit would run: the steps (kernels, routines, copies), what became of each equation, and why. The text and
 * a drawing for Graphviz: steps, and the values that go between them through memory. Owned by the scope; "" for an
 * error. Of dimension variables it is the one for all extents. */
KN_API const char *kn_jaxpr_program(kn_jaxpr jaxpr);
/* a drawing, for Graphviz, of what kn_jit would run: steps, and the values that go between them through memory.
 * Owned by the scope; "" for an error */
KN_API const char *kn_jaxpr_program_graphviz(kn_jaxpr jaxpr);

/* A group: the operations of a jaxpr that kn_jit runs as one step. */
typedef struct kn_group_node { int id; const char *primitive; const kn_place *place; } kn_group_node;
typedef struct kn_group {
    size_t size_;
    int64_t id;             /* as in kn_step: grows with each program, and with the steps of one; never given twice */
    int kind, support;      /* KN_STEP_..., KN_SUPPORT_... */
    const char *operations; /* "exp sub div" */
    int n_node;
    const kn_group_node *node; /* its operations; ids count those of the whole program, as it was simplified */
    kn_dtype dtype;         /* of its last result, and the shape */
    kn_shape shape;
    int64_t elements;       /* that it runs over; bytes of a copy */
    const char *file;       /* of the user's source; NULL: not known */
    int first_line, last_line;
} kn_group;
/* The groups of the program that kn_jaxpr_program shows, in the order in which they run: *n of them, the scope's.
 * NULL and *n = 0 after an error. */
KN_API const kn_group *kn_jaxpr_groups(kn_jaxpr jaxpr, int *n);

/* ---- Running: a function of one array per argument; more than KN_MAX_ARGS inputs are one argument. */
/* the jaxpr as a function, which can be called, transformed and compiled */
KN_API kn_fn kn_fn_from_jaxpr(kn_jaxpr jaxpr);

/* ---- Walking. Pointers in the structures live as long as the jaxpr. */
#define KN_JAXPR_LITERAL 0x80000000u
typedef struct kn_jaxpr_counts { int constvars, invars, equations, outvars; } kn_jaxpr_counts;
/* how many constants, inputs, equations and results a jaxpr has; all -1 for an error */
KN_API kn_jaxpr_counts kn_jaxpr_count(kn_jaxpr jaxpr);
KN_API int kn_jaxpr_equation_count(kn_jaxpr jaxpr); /* how many equations; -1 for an error */
typedef struct kn_equation {
    size_t size_;
    const char *primitive;  /* "scatter-add" */
    int n_in, n_out;
    const uint32_t *in;     /* n_in atoms */
    uint32_t first_out;     /* the results are variables first_out .. first_out + n_out - 1 */
    const kn_place *place;  /* of the user's call; may be NULL */
} kn_equation;
/* Fills *out with equation i: its primitive, operands, results and place in the source. IndexError if there is none. */
KN_API int kn_jaxpr_equation(kn_jaxpr jaxpr, int i, kn_equation *out);
/* The parameters of equation i as the typed form shows them, "axes=(0,) out_sharding=None"; owned by the scope. */
KN_API const char *kn_jaxpr_params(kn_jaxpr jaxpr, int i);
/* The number of jaxprs in the parameters of equation i: bodies of loops, branches, jitted functions. */
KN_API int kn_jaxpr_sub_count(kn_jaxpr jaxpr, int i);
/* the k-th jaxpr in the parameters of equation i; NULL for an error */
KN_API kn_jaxpr kn_jaxpr_sub(kn_jaxpr jaxpr, int i, int k);
typedef struct kn_variable { size_t size_; kn_dtype dtype; kn_shape shape; bool literal; double value; } kn_variable;
/* Fills *out with dtype and shape of an atom; `value` is that of a literal. */
KN_API int kn_jaxpr_variable(kn_jaxpr jaxpr, uint32_t atom, kn_variable *out);
KN_API uint32_t kn_jaxpr_outvar(kn_jaxpr jaxpr, int i); /* the atom of result i */
/* A constant (atom < constvars) or literal as an array. */
KN_API kn_array kn_jaxpr_constant(kn_jaxpr jaxpr, uint32_t atom);
/* Applies the primitive of equation i, with its parameters, to other operands (n_in arrays) and fills n_out results:
 * so interpreters of jaxprs are written. It takes operands of any shapes and dtypes that the primitive takes. */
KN_API int kn_jaxpr_bind(kn_jaxpr jaxpr, int i, const kn_array *in, kn_array *out);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_make_jaxpr(fn, args, ...)                                                                                   \
    KN_G2O(kn_make_jaxpr, kn_make_jaxpr_opts, (), kn_fn, fn, const kn_args *, args, __VA_ARGS__)
#define kn_jaxpr_parse(text) KN_G1(kn_jaxpr_parse, const char *, text)
#define kn_jaxpr_parse_classic(text, examples) KN_G2(kn_jaxpr_parse_classic, const char *, text, kn_list, examples)
#define kn_fn_from_jaxpr(jaxpr) KN_G1(kn_fn_from_jaxpr, kn_jaxpr, jaxpr)
#endif
#endif
