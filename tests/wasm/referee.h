/* SPDX-License-Identifier: Apache-2.0
 * referee.h -- a * b + c with one rounding, whatever the C library does. */
#ifndef KN_TESTS_REFEREE_H
#define KN_TESTS_REFEREE_H

double referee_fma(double a, double b, double c);
float referee_fmaf(float a, float b, float c);
/* what the linker makes of fma and fmaf */
double __wrap_fma(double a, double b, double c);
float __wrap_fmaf(float a, float b, float c);
#endif
