/* SPDX-License-Identifier: Apache-2.0
 * build.h -- how the tests were built. */
#ifndef KN_TEST_BUILD_H
#define KN_TEST_BUILD_H

/* For a sanitizer or without optimisation: what sweeps does less. */
#ifdef NDEBUG
enum { KN_SLOW_BUILD = 0 };
#else
enum { KN_SLOW_BUILD = 1 };
#endif
#endif
