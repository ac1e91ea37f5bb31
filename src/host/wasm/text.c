/* SPDX-License-Identifier: Apache-2.0
 * text.c -- from the bytes of a function back to instructions, by the table that they were written with: one on each
 * line, indented by blocks. */
#include "host/wasm/text.h"
#include <inttypes.h>
#include <string.h>

typedef struct reader {
    const uint8_t *at, *end;
    int depth;
} reader;

static const struct {
    uint32_t code;
    const char *text;
} table[] = {
#define KNH_WASM_OP(id, code, text) {code, text},
#include "host/wasm/ops.def"
#undef KNH_WASM_OP
};

static const char *name_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return table[i].text;
    return NULL;
}

static uint32_t byte(reader *r) { return r->at < r->end ? *r->at++ : 0; }

static uint64_t number(reader *r)
{
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        uint32_t b = byte(r);
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128 || shift > 56)
            return v;
    }
}

static int64_t signed_number(reader *r)
{
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
        uint32_t b = byte(r);
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128 || shift > 56)
            return (int64_t)(shift < 57 && b & 64 ? v | ~(uint64_t)0 << (shift + 7) : v);
    }
}

/* ---- What follows an instruction. */

static bool accesses(uint32_t code)
{
    return (code >= 0x28 && code <= 0x3e) || (code >= 0xfd0000 && code <= 0xfd000b) ||
           (code >= 0xfd0054 && code <= 0xfd005d);
}

static bool has_lane(uint32_t code)
{
    return (code >= 0xfd0015 && code <= 0xfd0022) || (code >= 0xfd0054 && code <= 0xfd005b);
}

static void address(reader *r, knx_str *out)
{
    uint64_t alignment = number(r), offset = number(r);
    if (offset)
        knx_str_printf(out, " offset=%" PRIu64, offset);
    knx_str_printf(out, " align=%d", 1 << (alignment & 7));
}

static void sixteen(reader *r, knx_str *out, bool hexadecimal)
{
    uint32_t word[4] = {0};
    for (int i = 0; i < 16; i++) {
        uint32_t b = byte(r);
        word[i / 4] |= b << i % 4 * 8;
        if (!hexadecimal)
            knx_str_printf(out, " %u", (unsigned)b);
    }
    if (hexadecimal)
        knx_str_printf(out, " i32x4 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32 " 0x%08" PRIx32, word[0], word[1],
                       word[2], word[3]);
}

static void operands(reader *r, uint32_t code, knx_str *out)
{
    if (accesses(code))
        address(r, out);
    if (has_lane(code))
        knx_str_printf(out, " %u", (unsigned)byte(r));
    switch (code) {
    case KNH_WASM_BLOCK:
    case KNH_WASM_LOOP:
    case KNH_WASM_IF: byte(r); break; /* they leave nothing on the stack */
    case KNH_WASM_BR:
    case KNH_WASM_BR_IF:
    case KNH_WASM_LOCAL_GET:
    case KNH_WASM_LOCAL_SET:
    case KNH_WASM_LOCAL_TEE: knx_str_printf(out, " %" PRIu64, number(r)); break;
    case KNH_WASM_GLOBAL_GET:
    case KNH_WASM_GLOBAL_SET: number(r), knx_str_puts(out, " $stack"); break;
    case KNH_WASM_I32_CONST:
    case KNH_WASM_I64_CONST: knx_str_printf(out, " %" PRId64, signed_number(r)); break;
    case KNH_WASM_CALL_INDIRECT: knx_str_printf(out, " (type %" PRIu64 ")", number(r)), number(r); break;
    case KNH_WASM_V128_CONST: sixteen(r, out, true); break;
    case KNH_WASM_I8X16_SHUFFLE: sixteen(r, out, false); break;
    default: break;
    }
}

static bool instruction(reader *r, knx_str *out)
{
    uint32_t code = byte(r);
    if (code >= 0xfc)
        code = code << 16 | (uint32_t)number(r);
    const char *name = name_of(code);
    bool opens = code == KNH_WASM_BLOCK || code == KNH_WASM_LOOP || code == KNH_WASM_IF || code == KNH_WASM_ELSE;
    r->depth -= code == KNH_WASM_FINISH || code == KNH_WASM_ELSE;
    knx_str_printf(out, "%*s%s", 2 * r->depth, "", name ? name : ";; unknown");
    r->depth += opens;
    operands(r, code, out);
    knx_str_puts(out, "\n");
    return name != NULL;
}

static void locals(const knh_wasm_function *f, knx_str *out)
{
    const int n[] = {f->n_i32, f->n_i64, f->n_v128};
    static const char *const type[] = {"i32", "i64", "v128"};
    for (int t = 0; t < 3; t++) {
        if (n[t])
            knx_str_puts(out, "    (local");
        for (int i = 0; i < n[t]; i++)
            knx_str_printf(out, " %s", type[t]);
        if (n[t])
            knx_str_puts(out, ")\n");
    }
}

void knh_wasm_text(const knh_wasm_function *f, const char *name, knx_str *out)
{
    const uint8_t *code = (const uint8_t *)f->code.s;
    reader r = {code, code + f->code.n, 2};
    knx_str_printf(out,
                   "(module\n"
                   "  (type (func (param i32)))\n"
                   "  (type (func (param i32 i32 i32 i32 i32)))\n"
                   "  (type (func (param i32) (result i64)))\n"
                   "  (type (func (param v128 v128 v128) (result v128)))\n"
                   "  (import \"kiln\" \"memory\" (memory 1))\n"
                   "  (import \"kiln\" \"table\" (table 0 funcref))\n"
                   "  (import \"kiln\" \"stack\" (global $stack (mut i32)))\n"
                   "  (func $%s (export \"0\") (type 0) (param i32)\n",
                   name);
    locals(f, out);
    while (r.at < r.end && instruction(&r, out))
        continue;
    knx_str_puts(out, "  ))\n");
}
