/* SPDX-License-Identifier: Apache-2.0
 * scan.h -- the parts of a scan, which its rules share: scan.c has the row, scan_linear.c and scan_transpose.c the
 * derivatives, scan_checkpoint.c what is done for memory before that. */
#ifndef KN_PRIM_CONTROL_SCAN_H
#define KN_PRIM_CONTROL_SCAN_H
#include "prim/frame.h"
#include "transform/transform.h"

/* Inputs of the body: constants, carries, elements of the xs; its results: carries, elements of the ys. */
typedef struct knp_scan {
    const kni_p_scan *p;
    const kni_jaxpr *j;
    uint32_t n_const, n_carry, n_x, n_y;
    uint32_t first_x; /* n_const + n_carry */
    uint32_t n_in, n_out;
} knp_scan;
knp_scan knp_scan_of(const void *params);
/* Steps of which there is one at most; an unknown number of them is not. */
static inline bool knp_scan_is_short(const kni_p_scan *p) { return !knx_is_symbolic(p->length) && p->length <= 1; }

/* Marks results that are needed besides those that are marked, and the inputs of the body that all of these need: a
 * carry that is needed is needed from the step before. */
knx_error *knp_scan_needs(const knp_scan *s, bool *out, bool *in);
/* A scan in the making: its operands are put down in the order of the body's inputs, each with that input. */
typedef struct knp_scan_writer {
    knp_frame f; /* of the body */
    kni_atom *in; /* operands */
    uint32_t n_in;
    int64_t *linear; /* per operand, for texts */
    bool tangents;   /* those that are put down now are tangents or cotangents */
} knp_scan_writer;
bool knp_scan_begin(knp_scan_writer *w, const kni_rule *r, size_t inputs, size_t outputs);
/* An operand that the body takes as an array of type t; returns the body's atom. */
kni_atom knp_scan_put(knp_scan_writer *w, kni_atom operand, kni_type t);
/* Writes the equation, with the frame's n_out results f.out: carries first. p: all but the jaxpr. y: its results. */
knx_error *knp_scan_write(knp_scan_writer *w, const kni_rule *r, kni_p_scan p, const char *name, uint32_t n_out,
                         kni_atom *y);
void knp_scan_end(knp_scan_writer *w); /* in every case */

/* scan_sums.c: sums over the steps that are made after them. j: a step's part of each. */
typedef struct knp_scan_sums {
    const kni_jaxpr *j;
    const kni_eqn **made_by; /* per variable; NULL: an input */
    kni_atom *outside;      /* per variable: the array of all steps, if there is one */
    bool *constant;         /* per variable: an input that is the same in all steps */
    bool *is_stacked;       /* per variable: will be an array of all steps */
    uint32_t *stacked, n_stacked;
} knp_scan_sums;
/* To be filled by the caller then: outside and constant of j's inputs. */
knx_error *knp_scan_sums_begin(knp_scan_sums *u, const kni_jaxpr *j, knx_arena *a);
bool knp_scan_sums_take(knp_scan_sums *u, kni_atom a); /* is a's sum better made after the loop? */
knx_error *knp_scan_sums_extend(const knp_scan_sums *u,
                               kni_jaxpr **out); /* j, and `stacked` as results behind its own */
kni_atom knp_scan_sums_write(const knp_scan_sums *u, kni_builder *b, kni_atom a); /* when `outside` of these is set */

knx_error *knp_scan_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty);
knx_error *knp_scan_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in);
/* The scan as one of chunks and one for the rest, behind remat2; takes the same operands, gives the same results. */
knx_error *knp_scan_in_chunks(const kni_rule *r, kni_jaxpr **out);
#endif
