/* SPDX-License-Identifier: Apache-2.0
 * kiln/kiln.h -- everything: array programs in C. See docs/api.md. */
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include "kiln/types.h"
#include "kiln/print.h"
#include "kiln/core.h"
#include "kiln/function.h"
#include "kiln/numpy.h"
#if __has_include("kiln/random.h")
#include "kiln/random.h"
#endif
#if __has_include("kiln/nn.h")
#include "kiln/nn.h"
#endif
#if __has_include("kiln/optim.h")
#include "kiln/optim.h"
#endif
#if __has_include("kiln/io.h")
#include "kiln/io.h"
#endif
#include "kiln/macros.h"

#endif
