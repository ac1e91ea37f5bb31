/* SPDX-License-Identifier: Apache-2.0
 * call.h -- the interface of operators. An operator is a function that reads the inputs and attributes of one node by
 * the functions below and sets its outputs, by Kiln's public functions alone: it works on arrays and on tracers alike.
 * It returns 0, or -1 with an error (knonnx_fail says the node). Which version of an operator a node means is what
 * `version` says: that of the opset which the model names for its domain. Sizes and flags that ONNX gives as tensors
 * are read by knonnx_ints_in and its kin: constants are there also while a function is recorded, all that depends on
 * shapes alone; what depends on values of inputs is an error then that says so. */
#ifndef KN_MODELS_ONNX_OPS_CALL_H
#define KN_MODELS_ONNX_OPS_CALL_H
#include "models/onnx/value.h"

typedef struct knonnx_run knonnx_run;
typedef struct knonnx_scope knonnx_scope; /* names of a graph, or of a function's body, and their values */

typedef struct knonnx_call {
    const knonnx_node *node;
    int64_t version;
    int n_in, n_out;
    const knonnx_value *in; /* absent ones have the kind KNONNX_ABSENT */
    knonnx_value *out;      /* absent at first; out[i] is wanted where knonnx_wants */
    knonnx_run *run;
} knonnx_call;

typedef int knonnx_op(knonnx_call *c);

/* An operator: for nodes of its domain whose opset is at least `since` (the row with the largest fitting one is taken).
 * Numbers of inputs and outputs are checked before it is called; max -1: any number. Rows of a family end with a row
 * without a name. */
typedef struct knonnx_row {
    const char *name;
    int since;
    knonnx_op *op;
    int min_in, max_in, min_out, max_out;
} knonnx_row;

typedef struct knonnx_family {
    const char *domain;
    const knonnx_row *rows;
} knonnx_family;
extern const knonnx_family knonnx_families[]; /* tables.c; ends with rows NULL */
const knonnx_row *knonnx_row_of(const char *domain, const char *name, int64_t version); /* NULL: there is none */

/* ---- Errors: "onnx_run: node "conv1" (Conv, ai.onnx 22): ..."; -1. */
void knonnx_report(const knonnx_call *c, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
#define knonnx_fail(...) (knonnx_report(__VA_ARGS__), knbeside_minus_one())
/* NotImplementedError with what is missing. */
void knonnx_report_missing(const knonnx_call *c, const char *format, ...) KN_PRINTF_LIKE(2, 3);
#define knonnx_cannot(...) (knonnx_report_missing(__VA_ARGS__), knbeside_minus_one())
/* The end of an operator that made arrays: -1 if an error is pending (it gets the node's name in front), else 0. */
int knonnx_done(const knonnx_call *c);

/* ---- Inputs and outputs. */
bool knonnx_has(const knonnx_call *c, int i);
bool knonnx_wants(const knonnx_call *c, int i); /* whether the node names output i */
/* Input i, which must be a tensor; NULL with an error. Of an absent one knonnx_has tells: optional ones give NULL
 * without an error. */
kn_array knonnx_in(knonnx_call *c, int i);
kn_array knonnx_in_or(knonnx_call *c, int i, kn_array otherwise);
const knonnx_strings *knonnx_strings_in(knonnx_call *c, int i); /* NULL with an error */
const knonnx_value *knonnx_sequence_in(knonnx_call *c, int i);  /* NULL with an error; ->n, ->item */
int knonnx_set(knonnx_call *c, int i, kn_array x);              /* sets output i if it is wanted; knonnx_done(c) */
int knonnx_set_value(knonnx_call *c, int i, knonnx_value v);
void *knonnx_take(knonnx_call *c, uint64_t n, size_t size); /* of the run's arena; NULL with an error */

/* ---- What can be known now. */
/* Whether the values of tensor i can be looked at: no traced argument is in them. */
bool knonnx_known(const knonnx_call *c, int i);
/* The integers of input i (of any integer dtype, any shape: flat): their number in *n; NULL with an error, also where
 * they depend on data. */
const int64_t *knonnx_ints_in(knonnx_call *c, int i, int *n);
const double *knonnx_doubles_in(knonnx_call *c, int i, int *n);
int knonnx_int_in(knonnx_call *c, int i, int64_t *out); /* one number; 0, or -1 with an error */

/* ---- Attributes; `otherwise` where the node does not give one. An attribute of another kind is an error that stays
 * pending. */
const knonnx_attr *knonnx_attr_of(const knonnx_call *c, const char *name); /* NULL: not given */
bool knonnx_given(const knonnx_call *c, const char *name);
int64_t knonnx_int(const knonnx_call *c, const char *name, int64_t otherwise);
double knonnx_float(const knonnx_call *c, const char *name, double otherwise);
/* A text, zero-terminated, in the run's arena; `otherwise` may be NULL. */
const char *knonnx_string(knonnx_call *c, const char *name, const char *otherwise);
/* NULL, *n = 0: not given (a given empty list is not NULL). */
const int64_t *knonnx_ints(const knonnx_call *c, const char *name, int *n);
const float *knonnx_floats(const knonnx_call *c, const char *name, int *n);
const char *const *knonnx_texts(knonnx_call *c, const char *name, int *n);
/* ---- Axes. */
/* An axis in 0 ... ndim - 1; -1 with an error. */
int knonnx_axis(const knonnx_call *c, int64_t axis, int ndim);
/* The axes that an attribute (before opset `since`) or input i (from it on) gives, normalised, in the order given, as
 * kn_axes has them (n: one more than there are; 0: not given); -1: an error. At most KN_MAX_NDIM. */
int knonnx_axes(knonnx_call *c, const char *name, int since, int i, int ndim, kn_axes *out);

/* ---- Tensors and subgraphs. */
/* A tensor of the file as an array (a constant): a view of the file where it can be. Carries an error. */
kn_array knonnx_array_of(const knonnx_call *c, const knonnx_tensor *t);
/* Strings, too; the kind is KNONNX_ABSENT with an error. */
knonnx_value knonnx_value_of(knonnx_call *c, const knonnx_tensor *t);
/* Runs a graph that an attribute of the node has: it sees the names around it. in: as many as its inputs; out: as many
 * as its outputs. 0, or -1 with an error. */
int knonnx_run_graph(knonnx_call *c, const knonnx_graph *g, const knonnx_value *in, knonnx_value *out);
/* The names that a graph takes from around it, so that control flow can pass their values as operands: knonnx_outer is
 * the value of one, and between knonnx_rebind and knonnx_unbind the names stand for other values. */
const char *const *knonnx_captures(knonnx_call *c, const knonnx_graph *g, int *n);
const knonnx_value *knonnx_outer(const knonnx_call *c, const char *name); /* NULL: there is none */
int knonnx_rebind(knonnx_call *c, int n, const char *const *names, const knonnx_value *values, knonnx_scope **before);
void knonnx_unbind(knonnx_call *c, knonnx_scope *before);
/* Runs one operator on values, as a node of it would (with n_attrs attributes): for operators made of others. */
int knonnx_apply(knonnx_call *c, const char *op, int n_attrs, const knonnx_attr *attrs, int n_in,
                 const knonnx_value *in, int n_out, knonnx_value *out);
#endif
