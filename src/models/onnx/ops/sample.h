/* SPDX-License-Identifier: Apache-2.0
 * sample.h -- values of images between their elements. */
#ifndef KN_MODELS_ONNX_SAMPLE_H
#define KN_MODELS_ONNX_SAMPLE_H
#include "models/onnx/ops/layers.h"

enum { KNONNX_MOST_SPACE = 3 };
typedef enum knonnx_border { KNONNX_ZEROS, KNONNX_CLAMP, KNONNX_REFLECT } knonnx_border;

/* An image (batch, features, ...) as rows of features, so that what stands at one place lies together. */
kn_array knonnx_rows_of_image(kn_array x);
/* The value at places of each image of a batch: x (batch, features, d1, ...), at[k] (batch, places) along axis k of
 * the image; taps 1 (the nearest), 2 (linear) or 4 (cubic). Places beyond low ... high of `border` are brought inside
 * first, but with zeros. (batch, places, features). */
kn_array knonnx_sampled(kn_array x, const kn_array *at, int taps, knonnx_border border, bool aligned);
#endif
