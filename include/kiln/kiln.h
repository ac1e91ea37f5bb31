/* SPDX-License-Identifier: Apache-2.0
 * kiln/kiln.h -- everything: array programs in C. See docs/api.md. */
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include "kiln/types.h"
#include "kiln/print.h"
#include "kiln/core.h"
#include "kiln/memory.h"
#include "kiln/context.h"
#include "kiln/device.h"
#include "kiln/tree.h"
#include "kiln/function.h"
#include "kiln/prepared.h"
#include "kiln/jaxpr.h"
#include "kiln/control.h"
#include "kiln/lax.h"
#include "kiln/callback.h"
#include "kiln/progress.h"
#include "kiln/extend.h"
#include "kiln/primitive.h"
#include "kiln/numpy.h"
#include "kiln/linalg.h"
#include "kiln/fft.h"
#include "kiln/special.h"
#include "kiln/signal.h"
#include "kiln/random.h"
#include "kiln/rng.h"
#include "kiln/random_state.h"
#include "kiln/nn.h"
#include "kiln/initializers.h"
#include "kiln/segments.h"
#include "kiln/optim.h"
#include "kiln/io.h"
#include "kiln/testing.h"
#include "kiln/macros.h"

#endif
