/* SPDX-License-Identifier: Apache-2.0
 * transform.h -- functions from jaxpr to jaxpr. They ask an equation's row for its rule; none knows a primitive by
 * name. Constvars of a jaxpr are treated as inputs that have no tangent and no batch axis, and stay constvars of the
 * result. */
#ifndef KN_TRANSFORM_TRANSFORM_H
#define KN_TRANSFORM_TRANSFORM_H
#include "ir/prim.h"

/* f linearised: f's results and its derivative as a linear function, sharing residuals.
 *     primal:  consts; inputs -> results..., residuals...
 *     linear:  residuals..., tangents of the inputs that have one... -> tangents of the results that have one...
 * A result whose tangent is zero whatever the inputs, or that has none (integers), has out_tangent false. */
typedef struct knt_linearized {
    kni_jaxpr *primal, *linear;
    uint32_t n_residual;
    uint32_t n_tangent_in, n_tangent_out;
    bool *out_tangent; /* per result of f; knx_alloc'ed */
} knt_linearized;
void knt_linearized_free(knt_linearized *l);
knx_error *knt_linearize(const kni_jaxpr *j, const bool *has_tangent /* per input */, knt_linearized *out);

/* consts; inputs..., tangents of the inputs marked... -> results..., tangents of all inexact results (zeros made
 * where they are zero). */
knx_error *knt_jvp(const kni_jaxpr *j, const bool *has_tangent, kni_jaxpr **out);
/* The same with tangents only of those results that depend on a tangent or are marked in `instantiate`:
 * out_tangent[i] tells. */
knx_error *knt_jvp_lazily(const kni_jaxpr *j, const bool *has_tangent, const bool *instantiate, bool *out_tangent,
                         kni_jaxpr **out);

/* A function linear in the inputs marked, transposed:
 *     consts; the unmarked inputs..., cotangents of the results... -> cotangents of the marked inputs (zeros made
 *     where there is none). */
knx_error *knt_transpose(const kni_jaxpr *j, const bool *linear /* per input */, kni_jaxpr **out);

/* j over a new axis of extent `size`, perhaps an expression, and this name (NULL: none; rules pass on theirs,
 * kni_rule.axis_name). in_axis[i]: the batch axis of input i, -1: none. out_axis[i]: where the axis of result i is to
 * be; -1 asks for an unbatched result, an error if it depends on a batched input. With out_axis NULL results come with
 * the axis in front. */
knx_error *knt_batch(const kni_jaxpr *j, int64_t size, const char *name, const int *in_axis, const int *out_axis,
                    kni_jaxpr **out);
/* The same, but results that depend on no batched input stay unbatched: was_batched[i] tells. Batched ones have the
 * axis in front. */
knx_error *knt_batch_lazily(const kni_jaxpr *j, int64_t size, const char *name, const int *in_axis, bool *was_batched,
                           kni_jaxpr **out);

/* n passes, one after the other. */
typedef knx_error *knt_pass(const kni_jaxpr *j, kni_jaxpr **out);
knx_error *knt_passes(const kni_jaxpr *j, int n, knt_pass *const *pass, kni_jaxpr **out);
/* Dead code, common subexpressions, and only algebra that changes no bits. Equations that can fail stay. */
knx_error *knt_simplify(const kni_jaxpr *j, kni_jaxpr **out);
/* The same where calls are inlined and rows expanded: those too that come out of a branch or a loop that went away. */
knx_error *knt_simplify_opened(const kni_jaxpr *j, kni_jaxpr **out);
/* Equations of KN_CALLS rows replaced by their bodies, to any depth. */
knx_error *knt_inline_calls(const kni_jaxpr *j, kni_jaxpr **out);
/* Equations of rows with `expand` replaced by what they stand for, until none is left. */
knx_error *knt_expand(const kni_jaxpr *j, kni_jaxpr **out);
/* Calls inlined, and of the other equations those expanded that can fail and have no unfailing form of their own. */
knx_error *knt_expand_failing(const kni_jaxpr *j, kni_jaxpr **out);

/* j with one more result, an array of booleans that is true somewhere iff j fails; what j gives then is any value.
 * *out is NULL if an equation that can fail has no such form. */
knx_error *knt_unfailing(const kni_jaxpr *j, kni_jaxpr **out);
/* Flags of failure, over the axes that they share with arrays of type `points`; over none; of two things. */
int knt_common_axes(kni_type a, kni_type b); /* how many first axes are the same */
kni_atom knt_failed_over(kni_builder *b, kni_atom failed, kni_type points);
kni_atom knt_any_failed(kni_builder *b, kni_atom failed);
kni_atom knt_either_failed(kni_builder *b, kni_atom a, kni_atom c);
#endif
