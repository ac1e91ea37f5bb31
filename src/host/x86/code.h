/* SPDX-License-Identifier: Apache-2.0
 * code.h -- memory that generated code lives in. It is written through one mapping and run through another, so no
 * mapping is ever writable and executable; where that is forbidden, the protection is switched instead. A debugger
 * (GDB's JIT interface) and, if KILN_PERF is set, perf (/tmp/perf-PID.map) are told about each piece. */
#ifndef KN_HOST_X86_CODE_H
#define KN_HOST_X86_CODE_H
#include "base/error.h"
#include <stddef.h>

typedef struct knh_code knh_code; /* a piece of code */
/* Copies the bytes to executable memory, at a multiple of 64. `name` is for debuggers. Thread-safe; a forked child gets
 * memory of its own for what it makes, and keeps what it inherited. MemoryError where the system gives none,
 * NotImplementedError on other machines than x86-64. */
knx_error *knh_publish(const void *bytes, size_t n, const char *name, knh_code **out);
const void *knh_code_start(const knh_code *c);
size_t knh_code_size(const knh_code *c);
void knh_code_free(knh_code *c); /* its memory is used again; NULL is fine. Nobody may be running it */
size_t knh_code_bytes(void);     /* in use by the process */

/* For tests: as if the system forbade one or the other. */
typedef enum knh_code_way {
    KNH_CODE_ANY,      /* what works */
    KNH_CODE_SWITCHED, /* no memory can be mapped twice: protection is switched */
    KNH_CODE_NONE      /* nor may any become executable */
} knh_code_way;
void knh_code_force(knh_code_way way);
size_t knh_code_mapped(void); /* bytes of address space for code */
#endif
