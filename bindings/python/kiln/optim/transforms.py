# SPDX-License-Identifier: Apache-2.0
"""Parts of optimizers, and those made of others (optax.transforms)."""
from .. import _core
from . import (AddNoiseState, ApplyIfFiniteState, ConditionallyMaskState, ConditionallyTransformState, EmaState,
               MaskedNode, MaskedState, MultiSteps, MultiStepsState, PartitionState, TraceState, ZeroNansState,
               add_decayed_weights, add_noise, adaptive_grad_clip, apply_if_finite, chain, clip, clip_by_block_rms,
               clip_by_global_norm, conditionally_mask, conditionally_transform, ema, flatten, freeze,
               keep_params_nonnegative, masked, partition, per_example_global_norm_clip, per_example_layer_norm_clip,
               selective_transform, skip_large_updates, skip_not_finite, trace, zero_nans)

globals().update(_core.functions("kiln.optim.transforms"))

__all__ = sorted(n for n, v in globals().items() if n[0] != "_" and callable(v))
