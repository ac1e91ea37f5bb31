/* SPDX-License-Identifier: Apache-2.0
 * __errno.h -- stands before wasi-libc's file of this name where programs have threads: that C library was compiled
 * without, so there is one errno for all of them (only the first thread calls what sets it). */
#pragma once
extern int errno;
#define errno errno
