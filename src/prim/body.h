/* SPDX-License-Identifier: Apache-2.0
 * body.h -- what rows that stand for one jaxpr over their operands share: type, cost, transposition. */
#ifndef KN_PRIM_BODY_H
#define KN_PRIM_BODY_H
#include "prim/rules.h"
#include "transform/transform.h"

/* Operands of the types of the body, but for weakness; its results. `what`: the primitive, for messages. */
knx_error *knp_body_type(const char *what, const kni_jaxpr *j, kni_rule *r, kni_type *y);
bool knp_body_may_fail(const kni_jaxpr *j);
double knp_body_cost(const kni_jaxpr *j);
/* n atoms (and a few more) that live as long as the builder; they begin as KN_ATOM_NONE. NULL without memory. */
kni_atom *knp_atoms(kni_builder *b, size_t n);
/* The body transposed in the operands that are KN_ATOM_LINEAR, by an equation or several that `emit` writes: it gets
 * the transposed body, whose inputs are the other operands and the cotangents. */
typedef void knp_emit_body(const kni_rule *r, kni_jaxpr *j, const kni_atom *in, kni_atom *out);
knx_error *knp_body_transpose(const kni_rule *r, const kni_jaxpr *j, knp_emit_body *emit, const kni_atom *ct,
                             kni_atom *ct_in);
/* Does j take two sets of scalars of the dtypes of the n arrays, and give n results (test: one boolean)? */
knx_error *knp_joins_scalars(const kni_jaxpr *j, int n, const kni_type *x, bool test);
/* Of a row whose operands are arrays and then their initial values, which it joins by such a jaxpr: values and tangents
 * as the operands of the same with the jaxpr's derivative, n arrays x and their initial values; y: room for results.
 * False with the builder failed; knp_end_join in every case, with the tangents of y. */
typedef struct knp_joined {
    kni_jaxpr *jaxpr;
    int n; /* values, then tangents of those that have them */
    kni_atom *x, *y;
} knp_joined;
bool knp_join_tangents(const kni_rule *r, const kni_jaxpr *j, const kni_atom *tx, knp_joined *out);
void knp_end_join(const kni_rule *r, knp_joined *j, kni_atom *ty);
/* The operands of such a row with the arrays' batch axes in front, initial values as they are. starts: one of those has
 * a batch axis. NULL without memory. */
kni_atom *knp_batch_joined(const kni_rule *r, int64_t size, const int *axis, bool *starts, int *axis_out);
/* A jaxpr of scalars over all axes of arrays of type t. */
knx_error *knp_over_axes(const kni_jaxpr *j, kni_type t, kni_jaxpr **out);
#endif
