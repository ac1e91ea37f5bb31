/* SPDX-License-Identifier: Apache-2.0
 * code_debug.h -- tells gdb and perf what a piece of generated code is called. The callers hold the lock of code.c. */
#ifndef KN_HOST_X86_CODE_DEBUG_H
#define KN_HOST_X86_CODE_DEBUG_H
#include <stddef.h>

typedef struct knh_gdb_entry knh_gdb_entry;
/* An object file in memory with one symbol (GDB's "JIT compilation interface"). NULL without memory: gdb then does not
 * know the piece. */
knh_gdb_entry *knh_gdb_add(const void *code, size_t n, const char *name);
void knh_gdb_remove(knh_gdb_entry *e); /* NULL is fine */
void knh_perf_note(const void *code, size_t n, const char *name); /* a line in /tmp/perf-PID.map */
#endif
