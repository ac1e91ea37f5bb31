/* SPDX-License-Identifier: Apache-2.0
 * jaxpr.h -- the jaxpr: a typed function in A-normal form, immutable once built, in one arena, reference-counted.
 *
 * Variables are numbered: constvars first, then invars, then the results of the equations in order. An atom is a
 * variable or a literal (a scalar constant of the jaxpr's literal table). Constants' values are not here: whoever
 * holds a jaxpr with constvars holds their values beside it, in order ("closed by explicit constants"). */
#ifndef KN_IR_JAXPR_H
#define KN_IR_JAXPR_H
#include "ir/type.h"

typedef uint32_t kni_atom;
#define KN_LITERAL_BIT 0x80000000u
#define KN_ATOM_NONE   0x7fffffffu /* the result of a failed builder call */
#define KN_ATOM_ZERO   0x7ffffffeu /* a symbolic zero: no tangent, no cotangent */
#define KN_ATOM_LINEAR 0x7ffffffdu /* in transpose rules: a linear operand, whose value does not exist */
#define KN_ATOM_DROP   0x7ffffffcu /* a binder that nothing reads, printed _ */
static inline bool kni_is_literal(kni_atom a) { return (a & KN_LITERAL_BIT) != 0; }
static inline bool kni_is_var(kni_atom a) { return a < KN_ATOM_DROP; }

typedef struct kni_literal {
    kni_type type;
    knx_scalar_bits bits;
} kni_literal; /* type.ndim is 0 */

typedef struct kni_prim kni_prim;

typedef struct kni_eqn {
    const kni_prim *prim;
    const void *params;    /* the struct that prim->fields describes */
    const kn_place *place; /* the user's source line; may be NULL */
    uint32_t n_in, n_out;
    const kni_atom *in;
    uint32_t out; /* results are variables out .. out + n_out - 1 */
} kni_eqn;

typedef struct kni_jaxpr {
    atomic_int refs;
    uint32_t n_const, n_in, n_var, n_eqn, n_out, n_literal;
    const kni_type *type; /* per variable */
    const kni_eqn *eqn;
    const kni_atom *out;
    const kni_literal *literal;
    const char *name; /* of the recorded function; "" if none */
    uint32_t has;     /* those of KN_DEEP_BITS that some equation has, at any depth */
    bool whole;       /* as it was written: what is made of it keeps equations that no one reads until it is compiled */
    uint64_t hash;    /* of structure: everything but names and places */
    knx_arena arena;
} kni_jaxpr;

kni_jaxpr *kni_retain(const kni_jaxpr *j);
size_t kni_bytes(const kni_jaxpr *j); /* of memory, with jaxprs in parameters */
void kni_release(kni_jaxpr *j); /* NULL is fine; releases jaxprs in parameters too */
static inline kni_type kni_atom_type(const kni_jaxpr *j, kni_atom a)
{
    return kni_is_literal(a) ? j->literal[a & ~KN_LITERAL_BIT].type : j->type[a];
}
static inline kni_type kni_in_type(const kni_jaxpr *j, uint32_t i) { return j->type[j->n_const + i]; }
static inline kni_type kni_out_type(const kni_jaxpr *j, uint32_t i) { return kni_atom_type(j, j->out[i]); }
/* same structure (alpha-equivalent); names and places do not count */
bool kni_equal(const kni_jaxpr *a, const kni_jaxpr *b);
/* what belongs into `hash`; sub-jaxprs count by their own hash */
uint64_t kni_hash(const kni_jaxpr *j);
/* every rule of the language; used after each pass in debug builds */
knx_error *kni_check(const kni_jaxpr *j);

/* = KN_JAXPR_CLASSIC .. of the public header */
typedef enum kni_jaxpr_form { KN_FORM_CLASSIC, KN_FORM_TYPED, KN_FORM_FULL } kni_jaxpr_form;
/* Texts. The full form loses nothing (weak types, places, literal bits, names) and is parsed back: docs/jaxpr.md has
 * its grammar. Constants' values are not in a jaxpr; `consts` (may be NULL) gives for each constvar a text that the
 * full form prints, quoted, behind it (NULL: none). All results are knx_alloc'ed. */
knx_error *kni_text(const kni_jaxpr *j, kni_jaxpr_form form, char **out);
knx_error *kni_text_consts(const kni_jaxpr *j, kni_jaxpr_form form, const char *const *consts, char **out);
knx_error *kni_parse(const char *text, kni_jaxpr **out); /* the full form; messages say line and column */
/* The same, handing back the constants' texts: j->n_const strings or NULLs in one block, freed with knx_free. */
knx_error *kni_parse_consts(const char *text, kni_jaxpr **out, char ***consts);
/* The classic form, which has no types: those of the constants and inputs are given, the others follow. Literals take
 * the dtype of the operands beside them if the type rule agrees, else the default one of 32 bits, else 64. */
knx_error *kni_parse_classic(const char *text, int n_const, const kni_type *consts, int n_in, const kni_type *in,
                            kni_jaxpr **out);
/* A drawing for Graphviz; knx_alloc'ed. */
knx_error *kni_graphviz(const kni_jaxpr *j, char **out);
/* Places of parsed jaxprs: one per distinct line, alive until kni_places_free (for shutdown: no one may hold one).
 * NULL when there is no memory or there are too many. */
const kn_place *kni_place(const char *file, int line, const char *function);
void kni_places_free(void);
#endif
