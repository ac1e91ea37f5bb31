/* SPDX-License-Identifier: Apache-2.0
 * kiln/kiln.hpp -- Kiln for C++17 and newer: arrays with operators, exceptions, lambdas as functions. See docs/guides/cpp.md. */
#ifndef KILN_KILN_HPP
#define KILN_KILN_HPP

#include "kiln/cpp/base.hpp"
#include "kiln/cpp/values.hpp"
#include "kiln/cpp/index.hpp"
#include "kiln/cpp/array.hpp"
#include "kiln/cpp/trees.hpp"
#include "kiln/cpp/callables.hpp"
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/transforms.hpp"
#include "kiln/cpp/control.hpp"
#include "kiln/cpp/functions.hpp"
#include "kiln/cpp/extras.hpp"

#endif
