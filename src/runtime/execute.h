/* SPDX-License-Identifier: Apache-2.0
 * execute.h -- the one executor of programs. */
#ifndef KN_RUNTIME_EXECUTE_H
#define KN_RUNTIME_EXECUTE_H
#include "compile/program.h"

typedef struct kn_operand {
    const void *data;  /* C-contiguous elements */
    kn_buffer *buffer; /* that holds them; NULL: plain memory such as a scalar's bits */
} kn_operand;

/* Runs p: out[i] gets a new reference per output. An output that is an operand, or a view of a whole one in the same
 * order, shares its buffer; from plain memory it is copied. `workspace`: knc_workspace_bytes(p) bytes, 64-byte
 * aligned; NULL takes them from the pool. After an error everything is given back and out[] is all NULL; the error's
 * place is that of the equation that failed. */
kn_error *knd_run(const kn_program *p, const kn_operand *in, kn_buffer **out, void *workspace);
#endif
