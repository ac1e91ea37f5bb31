/* SPDX-License-Identifier: Apache-2.0
 * setjmp.h -- there is none in wasi-libc. cmocka.h beside this file needs none: a test that fails ends the program. */
