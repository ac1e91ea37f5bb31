/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/sampling.h -- the next token of a language model, of its logits (..., V). Options that are arrays are a
 * number, or one for each row, (...): operands, so that a compiled step serves all of their values. */
/* Made by scripts/make-api.py from api/nn/sampling.api. */
/* clang-format off */
#ifndef KILN_NN_SAMPLING_H
#define KILN_NN_SAMPLING_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_nn_sample_opts {
    size_t size_;
    kn_array temperature; /* NULL, 1: logits are divided by it; 0: the largest logit alone, the first one of equals */
    int64_t top_k;        /* all: as many of the largest stay, and those that are equal to the last */
    kn_array top_p;       /* NULL, 1: the most likely stay whose probabilities add to at least so much */
    kn_array min_p;       /* NULL, 0: those stay whose probability is at least so much of the largest one */
} kn_nn_sample_opts;
KN_API kn_nn_sample_opts kn_nn_sample_opts_default(void);
typedef struct kn_nn_penalize_logits_opts {
    size_t size_;
    kn_array repetition; /* positive logits of what stands in ids are divided by it, negative ones multiplied */
    kn_array presence;   /* is taken off what stands in ids */
    kn_array frequency;  /* is taken off for each time that it stands there */
} kn_nn_penalize_logits_opts;
KN_API kn_nn_penalize_logits_opts kn_nn_penalize_logits_opts_default(void);
/* a token of each row, int64 (...), drawn with the probabilities of kn_nn_filter_logits; rows are independent.
 * ValueError for an empty last axis */
KN_API kn_array kn_nn_sample(kn_array key, kn_array logits, const kn_nn_sample_opts *opts);
/* logits divided by the temperature, -infinity where they are not to be drawn: by top_k, of what stays by top_p,
 * then by min_p. The largest always stays */
KN_API kn_array kn_nn_filter_logits(kn_array logits, const kn_nn_sample_opts *opts);
/* logits (..., V) where what stands in ids, integers (..., L), is less likely; ids outside of 0 .. V - 1 count for
 * nothing, so that rows may be filled up with -1 */
KN_API kn_array kn_nn_penalize_logits(kn_array logits, kn_array ids, const kn_nn_penalize_logits_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_sample(key, logits, ...) KN_F2O(kn_nn_sample, kn_nn_sample_opts, (), key, logits, __VA_ARGS__)
#define kn_nn_filter_logits(logits, ...) KN_F1O(kn_nn_filter_logits, kn_nn_sample_opts, (), logits, __VA_ARGS__)
#define kn_nn_penalize_logits(logits, ids, ...)                                                                        \
    KN_F2O(kn_nn_penalize_logits, kn_nn_penalize_logits_opts, (), logits, ids, __VA_ARGS__)
#endif
#endif
