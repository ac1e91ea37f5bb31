/* SPDX-License-Identifier: Apache-2.0
 * x86_row.h -- what the columns of x86.def mean, for the assembler and its tests. The short names are the table's. */
#ifndef KN_HOST_X86_X86_ROW_H
#define KN_HOST_X86_X86_ROW_H
#include <stdint.h>

/* Kinds of registers, and (FULL and after it) sizes of memory. */
enum {
    NO,                                            /* none */
    V, H, Q, E,                                    /* a vector as long as the operation, half, a quarter, an eighth of
                                                      it (but an xmm register at least) */
    X, Y,                                          /* always xmm, always ymm */
    K,                                             /* mask register */
    R, RQ,                                         /* general-purpose, 32 and 64 bits */
    FULL, HALF, QUARTER, EIGHTH, B1, B2, B4, B8, B16, B32, /* of the vector; so many bytes */
    DUP                                            /* 8, 32, 64 bytes (VMOVDDUP) */
};
enum { L0 = 1, L1 = 2, L2 = 4, L01 = 3, L12 = 6, L012 = 7 }; /* which of 128, 256, 512 bits there are */
enum {
    VEX = 1, EVEX = 2,     /* the forms there are; VEX is taken where it can carry the operands */
    MASK = 4, MZ = 12,     /* a write mask is possible; and zeroing too */
    NEED = 16,             /* a mask is necessary */
    BC = 32,               /* one element for all lanes: 4 bytes, or 8 if W of EVEX is 1 */
    IMM = 64,              /* has an immediate */
    IMM_REG = 128,         /* ... which is a register << 4 */
    ST = 256,              /* rm is the destination, reg the source */
    VSIB = 512,            /* the index is a vector register of the kind in column rm */
    V_LAST = 1024,         /* in text, v is the last operand (else it is in the middle) */
    VEX_REG = 2048,        /* the VEX form has no memory operand */
    L_ONE = 4096,          /* the bit VEX.L is 1 though the length is 0 (mask registers) */
    OPCODE_EXTENSION = 8192 /* reg is not a register; v is the destination */
};
#define EXT(n) OPCODE_EXTENSION | (n) << 16

typedef struct knh_row {
    const char *name;
    uint8_t map, prefix, opcode, w_vex, w_evex; /* as in x86.def */
    uint8_t reg, v, rm, memory, lengths;
    uint32_t flags;
} knh_row;
extern const knh_row knh_rows[];
int knh_row_memory(const knh_row *w, int length); /* bytes of the memory operand, 0: it has none */
#endif
