/* SPDX-License-Identifier: Apache-2.0
 * encode.c -- bytes of WebAssembly. */
#include "host/wasm/encode.h"
#include <stdio.h>
#include <string.h>

void knh_wasm_byte(knx_str *t, unsigned byte)
{
    char c = (char)byte;
    knx_str_add(t, &c, 1);
}

void knh_wasm_unsigned(knx_str *t, uint64_t v)
{
    do
        knh_wasm_byte(t, (unsigned)(v & 127) | (v > 127 ? 128 : 0));
    while (v >>= 7);
}

void knh_wasm_signed(knx_str *t, int64_t v)
{
    for (bool more = true; more; v >>= 7) {
        int64_t rest = v >> 7;
        more = !((rest == 0 && !(v & 64)) || (rest == -1 && (v & 64)));
        knh_wasm_byte(t, (unsigned)(v & 127) | (more ? 128 : 0));
    }
}

void knh_wasm_op0(knh_wasm_function *f, knh_wasm_op op)
{
    unsigned prefix = (unsigned)op >> 16;
    if (prefix) {
        knh_wasm_byte(&f->code, prefix);
        knh_wasm_unsigned(&f->code, (unsigned)op & 0xffff);
    } else {
        knh_wasm_byte(&f->code, op);
    }
}

static void local(knh_wasm_function *f, knh_wasm_op op, int number)
{
    knh_wasm_op0(f, op);
    knh_wasm_unsigned(&f->code, (uint64_t)number);
}

/* What was set just now stays on the stack, too. */
void knh_wasm_get(knh_wasm_function *f, int number)
{
    if (f->set_end == f->code.n && f->set == number && !f->code.failed && f->set_end)
        f->code.s[f->set_at] = (char)KNH_WASM_LOCAL_TEE;
    else
        local(f, KNH_WASM_LOCAL_GET, number);
    f->set_end = 0;
}
void knh_wasm_set(knh_wasm_function *f, int number)
{
    f->set = number;
    f->set_at = f->code.n;
    local(f, KNH_WASM_LOCAL_SET, number);
    f->set_end = f->code.n;
}
void knh_wasm_tee(knh_wasm_function *f, int number) { local(f, KNH_WASM_LOCAL_TEE, number); }

void knh_wasm_i32(knh_wasm_function *f, int32_t value)
{
    knh_wasm_op0(f, KNH_WASM_I32_CONST);
    knh_wasm_signed(&f->code, value);
}

void knh_wasm_i64(knh_wasm_function *f, int64_t value)
{
    knh_wasm_op0(f, KNH_WASM_I64_CONST);
    knh_wasm_signed(&f->code, value);
}

void knh_wasm_v128(knh_wasm_function *f, const uint8_t bytes[16])
{
    knh_wasm_op0(f, KNH_WASM_V128_CONST);
    knx_str_add(&f->code, (const char *)bytes, 16);
}

void knh_wasm_splat(knh_wasm_function *f, uint64_t bits, int size)
{
    uint8_t bytes[16];
    for (int i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(bits >> 8 * (i % size));
    knh_wasm_v128(f, bytes);
}

void knh_wasm_memory(knh_wasm_function *f, knh_wasm_op op, int64_t offset)
{
    knh_wasm_op0(f, op);
    knh_wasm_unsigned(&f->code, 0); /* alignment: of a byte */
    knh_wasm_unsigned(&f->code, (uint64_t)offset);
}

void knh_wasm_memory_lane(knh_wasm_function *f, knh_wasm_op op, int64_t offset, int lane)
{
    knh_wasm_memory(f, op, offset);
    knh_wasm_byte(&f->code, (unsigned)lane);
}

void knh_wasm_lane(knh_wasm_function *f, knh_wasm_op op, int lane)
{
    knh_wasm_op0(f, op);
    knh_wasm_byte(&f->code, (unsigned)lane);
}

void knh_wasm_shuffle(knh_wasm_function *f, const uint8_t from[16])
{
    knh_wasm_op0(f, KNH_WASM_I8X16_SHUFFLE);
    knx_str_add(&f->code, (const char *)from, 16);
}

int knh_wasm_open(knh_wasm_function *f, knh_wasm_op op)
{
    knh_wasm_op0(f, op);
    knh_wasm_byte(&f->code, KNH_WASM_NO_TYPE);
    return f->depth++;
}

void knh_wasm_close(knh_wasm_function *f)
{
    f->depth--;
    knh_wasm_op0(f, KNH_WASM_FINISH);
}

void knh_wasm_branch(knh_wasm_function *f, knh_wasm_op op, int depth)
{
    knh_wasm_op0(f, op);
    knh_wasm_unsigned(&f->code, (uint64_t)(f->depth - 1 - depth));
}

void knh_wasm_call(knh_wasm_function *f, knh_wasm_signature signature)
{
    knh_wasm_op0(f, KNH_WASM_CALL_INDIRECT);
    knh_wasm_unsigned(&f->code, signature);
    knh_wasm_unsigned(&f->code, 0); /* the table */
}

void knh_wasm_insert(knh_wasm_function *f, size_t at, knh_wasm_function *g)
{
    size_t old = f->code.n, more = g->code.n;
    knx_str_add(&f->code, g->code.s ? g->code.s : "", more);
    f->code.failed |= g->code.failed;
    if (!f->code.failed && more) {
        memmove(f->code.s + at + more, f->code.s + at, old - at);
        memcpy(f->code.s + at, g->code.s, more);
    }
    f->set_end = 0;
    knx_str_free(&g->code);
}

/* ---- The module. */

static void name(knx_str *t, const char *s)
{
    knh_wasm_unsigned(t, strlen(s));
    knx_str_puts(t, s);
}

static void section(knx_str *out, unsigned id, knx_str *content)
{
    knh_wasm_byte(out, id);
    knh_wasm_unsigned(out, content->n);
    knx_str_add(out, content->s ? content->s : "", content->n);
    out->failed |= content->failed;
    knx_str_free(content);
}

static void types(knx_str *out)
{
    static const char text[] = "\x04"
                               "\x60\x01\x7f\x00"
                               "\x60\x05\x7f\x7f\x7f\x7f\x7f\x00"
                               "\x60\x01\x7f\x01\x7e"
                               "\x60\x03\x7b\x7b\x7b\x01\x7b";
    knx_str s = {0};
    knx_str_add(&s, text, sizeof text - 1);
    section(out, 1, &s);
}

#if defined(__wasm_atomics__)
#define MEMORY "\x02\x03\x01\x80\x80\x04" /* shared: from 1 to 65,536 pages */
#else
#define MEMORY "\x02\x00\x01" /* any number of pages */
#endif

static void imports(knx_str *out)
{
    knx_str s = {0};
    knh_wasm_unsigned(&s, 3);
    name(&s, "kiln"), name(&s, "memory"), knx_str_add(&s, MEMORY, sizeof MEMORY - 1);
    name(&s, "kiln"), name(&s, "table"), knx_str_add(&s, "\x01\x70\x00\x00", 4);
    name(&s, "kiln"), name(&s, "stack"), knx_str_add(&s, "\x03\x7f\x01", 3); /* i32, it changes */
    section(out, 2, &s);
}

static void body(knx_str *out, knh_wasm_function *f)
{
    static const uint8_t type[3] = {KNH_WASM_TYPE_I32, KNH_WASM_TYPE_I64, KNH_WASM_TYPE_V128};
    const int number[3] = {f->n_i32, f->n_i64, f->n_v128};
    knx_str s = {0};
    knh_wasm_unsigned(&s, 3);
    for (int i = 0; i < 3; i++) {
        knh_wasm_unsigned(&s, (uint64_t)number[i]);
        knh_wasm_byte(&s, type[i]);
    }
    knx_str_add(&s, f->code.s ? f->code.s : "", f->code.n);
    knh_wasm_byte(&s, KNH_WASM_FINISH);
    knh_wasm_unsigned(out, s.n);
    knx_str_add(out, s.s ? s.s : "", s.n);
    out->failed |= s.failed | f->code.failed;
    knx_str_free(&s);
    knx_str_free(&f->code);
}

void knh_wasm_module(knh_wasm_function *f, int n, knx_str *out)
{
    char number[16];
    knx_str s = {0};
    knx_str_add(out, "\0asm\1\0\0\0", 8);
    types(out);
    imports(out);
    knh_wasm_unsigned(&s, (uint64_t)n);
    for (int i = 0; i < n; i++)
        knh_wasm_unsigned(&s, KNH_WASM_STAGE);
    section(out, 3, &s);
    knh_wasm_unsigned(&s, (uint64_t)n);
    for (int i = 0; i < n; i++) {
        snprintf(number, sizeof number, "%d", i);
        name(&s, number), knh_wasm_byte(&s, 0), knh_wasm_unsigned(&s, (uint64_t)i);
    }
    section(out, 7, &s);
    knh_wasm_unsigned(&s, (uint64_t)n);
    for (int i = 0; i < n; i++)
        body(&s, &f[i]);
    section(out, 10, &s);
}
