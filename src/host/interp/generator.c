/* SPDX-License-Identifier: Apache-2.0
 * generator.c -- the interpreter among the generators: it makes no functions. */
#include "host/stage/generator.h"

const knh_generator knh_interpreter = {.name = "interp", .lanes = 16};
