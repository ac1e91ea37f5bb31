/* SPDX-License-Identifier: Apache-2.0
 * kiln/numpy.h -- NumPy's functions, by chapter: one declaration and one line each.
 *
 * In C the macros of kiln/macros.h take numbers where arrays go, shapes and axes by value, and options by name:
 * `kn_sum(x, KN_AXIS(0), .keepdims = true)`. Here are the functions themselves: options are NULL or what
 * kn_X_opts_default() gives, changed. Options without a word below are NumPy's of the same name: `dtype` of the result,
 * `keepdims` leaves reduced axes with extent 1, `where` takes only these elements, `initial` joins the result. An array
 * option that is NULL, or a dtype that is NULL, is not given. Arrays of different dtypes are promoted as in NumPy 2,
 * shapes broadcast; an error is carried by the result. */
#ifndef KILN_NUMPY_H
#define KILN_NUMPY_H
#include "kiln/numpy/creation.h"
#include "kiln/numpy/dtypes.h"
#include "kiln/numpy/error_state.h"
#include "kiln/numpy/functional.h"
#include "kiln/numpy/indexing.h"
#include "kiln/numpy/introspection.h"
#include "kiln/numpy/iteration.h"
#include "kiln/numpy/logic.h"
#include "kiln/numpy/manipulation.h"
#include "kiln/numpy/mathematics.h"
#include "kiln/numpy/polynomials.h"
#include "kiln/numpy/printing.h"
#include "kiln/numpy/products.h"
#include "kiln/numpy/reductions.h"
#include "kiln/numpy/sorting.h"
#include "kiln/numpy/statistics.h"
#include "kiln/numpy/ufunc.h"
#endif
