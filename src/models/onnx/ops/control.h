/* SPDX-License-Identifier: Apache-2.0
 * control.h -- graphs that are run again and again: what Loop and Scan have in common. */
#ifndef KN_MODELS_ONNX_OPS_CONTROL_H
#define KN_MODELS_ONNX_OPS_CONTROL_H
#include "models/onnx/ops/move.h"

/* The graph of a Loop takes the counter, the condition and the state, and gives the condition, the state and what is
 * collected. That of a Scan takes the state and an element of each thing that is scanned, and gives the state and what
 * is collected. */
typedef struct knonnx_repeat {
    knonnx_call *c;
    const knonnx_graph *g;
    bool loop;
    int n_state, n_items, n_collected;
} knonnx_repeat;

/* A graph of the node; NULL with an error. */
const knonnx_graph *knonnx_body(knonnx_call *c, const char *name);

/* The arrays in values: their number; they are put into `to` unless it is NULL. And the same values with other arrays.
 */
int knonnx_leaves(const knonnx_value *v, int n, kn_array *to);
const knonnx_value *knonnx_with_leaves(knonnx_call *c, const knonnx_value *v, int n, const kn_array *from);
bool knonnx_all_tensors(const knonnx_value *v, int n);
bool knonnx_all_known(const knonnx_value *v, int n);

/* The types of all arrays in values as a text: they are the same where it is. NULL with an error. */
const char *knonnx_types_text(knonnx_call *c, const knonnx_value *v, int n);

/* One run of the graph. out: as many as it gives. */
int knonnx_step(const knonnx_repeat *r, kn_array counter, kn_array go_on, const knonnx_value *state,
                const kn_array *item, knonnx_value *out);
/* `length` runs as one kn_scan, over the counter (a Loop) or along the first axis of items: the state at the end and
 * what was collected, stacked in front. 0, or -1 with an error. */
int knonnx_scan(const knonnx_repeat *r, int64_t length, const knonnx_value *state, const kn_array *items,
                knonnx_value *state_out, kn_array *collected);
/* What no runs collect: arrays of 0 elements of the shapes that a run would give. */
int knonnx_collect_none(const knonnx_repeat *r, const knonnx_value *state, const kn_array *items, kn_array *collected);
/* A Loop as kn_while_loop: until the counter is most (NULL: no bound) or, if uses_condition, the condition is false. */
int knonnx_while(const knonnx_repeat *r, kn_array most, int64_t known_most, bool uses_condition, kn_array go_on,
                 const knonnx_value *state, knonnx_value *state_out);
#endif
