/* SPDX-License-Identifier: Apache-2.0
 * element.c -- elements of arrays in memory that is words: how each dtype is read and written. What is less than a word
 * goes the way of src/wgsl/memory.c; elements that many tally in are atomic. */
#include "webgpu/routine/routine.h"
#include <stdio.h>

bool kng_is_part(kn_dtype d) { return d->size < 4; }

static bool is_atomic(const kng_code *c, uint32_t slot) { return c->memory[slot].atomic; }

/* Are the words of the slot signed ones, because the smallest, the largest of such is looked for? */
static bool is_signed(const kng_code *c, uint32_t slot)
{
    for (int i = 0; i < c->n_array; i++) {
        const kng_array *a = &c->array[i];
        if (a->slot == slot && a->use & (KNG_TALLY_MIN | KNG_TALLY_MAX) && a->dtype == KN_DT(I32))
            return true;
    }
    return false;
}

const char *kng_words_of(const kng_code *c, uint32_t slot)
{
    return is_signed(c, slot) ? "atomic<i32>" : is_atomic(c, slot) ? "atomic<u32>" : "u32";
}

static void bits(const kng_code *c, const kng_array *a, knx_str *t)
{
    bool atomic = is_atomic(c, a->slot);
    bool other = is_signed(c, a->slot);
    const char *read = other ? "bitcast<u32>(atomicLoad(&" : atomic ? "atomicLoad(&" : "";
    const char *end = other ? "))" : atomic ? ")" : "";
    unsigned s = a->slot, size = a->dtype->size;
    char words[16];
    snprintf(words, sizeof words, "memory%u", s);
    knx_str_printf(t, "fn bits_%s(i: u32) -> %s {\n", a->name, kng_bits_type(a->dtype));
    if (size == 8)
        knx_str_printf(
            t, "    let at = at_%s() + 2u * i;\n    return vec2<u32>(%smemory%u[at]%s, %smemory%u[at + 1u]%s);\n",
            a->name, read, s, end, read, s, end);
    else if (size == 4)
        knx_str_printf(t, "    return %smemory%u[at_%s() + i]%s;\n", read, s, a->name, end);
    else {
        knx_str_printf(t, "    let at = at_%s() + i;\n    return %s(", a->name, other ? "bitcast<u32>" : "");
        knw_part_of_word(t, words, atomic, "at", (int)size);
        knx_str_printf(t, ") & %uu;\n", (1u << 8 * size) - 1);
    }
    knx_str_puts(t, "}\n");
}

static void put(const kng_code *c, const kng_array *a, knx_str *t)
{
    bool atomic = is_atomic(c, a->slot);
    unsigned s = a->slot, size = a->dtype->size;
    const char *write = atomic ? "    atomicStore(&memory%u[at%s], b%s);\n" : "    memory%u[at%s] = b%s;\n";
    knx_str_printf(t, "fn put_%s(i: u32, b: %s) {\n    let at = at_%s() + %si;\n", a->name, kng_bits_type(a->dtype),
                   a->name, size == 8 ? "2u * " : "");
    if (size == 8) {
        knx_str_printf(t, write, s, "", ".x");
        knx_str_printf(t, write, s, " + 1u", ".y");
    } else if (size == 4) {
        knx_str_printf(t, write, s, "", "");
    } else {
        char words[16];
        snprintf(words, sizeof words, "memory%u", s);
        knw_put_part(t, words, "at", (int)size, "b");
    }
    knx_str_puts(t, "}\n");
}

static void tally(const kng_code *c, const kng_array *a, knx_str *t)
{
    unsigned s = a->slot;
    const char *b = is_signed(c, s) ? "bitcast<i32>(b)" : "b";
    const char *what = a->use & KNG_TALLY_MIN ? "Min" : a->use & KNG_TALLY_MAX ? "Max" : "Add";
    knx_str_printf(t, "fn tally_%s(i: u32, b: %s) {\n    let at = at_%s() + %si;\n", a->name, kng_bits_type(a->dtype),
                   a->name, a->dtype->size == 8 ? "2u * " : "");
    if (a->use & KNG_TALLY_OR)
        knx_str_printf(t, "    atomicOr(&memory%u[at >> 2u], b << ((at & 3u) << 3u));\n", s);
    else if (a->use & KNG_TALLY_AND)
        knx_str_printf(t, "    if (b == 0u) { atomicAnd(&memory%u[at >> 2u], ~(0xffu << ((at & 3u) << 3u))); }\n", s);
    else if (a->dtype->size == 8) /* each time that the lower word passes its end is one for the higher one */
        knx_str_printf(t,
                       "    let low = atomicAdd(&memory%u[at], b.x);\n"
                       "    let high = b.y + select(0u, 1u, low + b.x < b.x);\n"
                       "    if (high != 0u) { atomicAdd(&memory%u[at + 1u], high); }\n",
                       s, s);
    else
        knx_str_printf(t, "    atomic%s(&memory%u[at], %s);\n", what, s, b);
    knx_str_puts(t, "}\n");
}

static void number_of_bits(kng_code *c, kn_dtype d, knx_str *t)
{
    unsigned low = 32 - 8 * d->size;
    switch (d->id) {
    case KN_ID_BOOL: knx_str_puts(t, "b != 0u"); break;
    case KN_ID_I8:
    case KN_ID_I16: knx_str_printf(t, "bitcast<i32>(b << %uu) >> %uu", low, low); break;
    case KN_ID_I32: knx_str_puts(t, "bitcast<i32>(b)"); break;
    case KN_ID_F32: knx_str_puts(t, "bitcast<f32>(b)"); break;
    case KN_ID_C64: knx_str_puts(t, "bitcast<vec2<f32>>(b)"); break;
    case KN_ID_F16:
    case KN_ID_BF16: knw_cast(&c->unit, t, d->id, KN_ID_F32, "b"); break;
    default: knx_str_puts(t, "b"); break;
    }
}

static void bits_of_number(kng_code *c, kn_dtype d, knx_str *t)
{
    switch (d->id) {
    case KN_ID_BOOL: knx_str_puts(t, "select(0u, 1u, x)"); break;
    case KN_ID_I8:
    case KN_ID_I16:
    case KN_ID_I32:
    case KN_ID_F32: knx_str_puts(t, "bitcast<u32>(x)"); break;
    case KN_ID_C64: knx_str_puts(t, "bitcast<vec2<u32>>(x)"); break;
    case KN_ID_F16:
    case KN_ID_BF16: knw_cast(&c->unit, t, KN_ID_F32, d->id, "x"); break;
    default: knx_str_puts(t, "x"); break;
    }
}

void kng_elements(kng_code *c, knx_str *out)
{
    for (int i = 0; i < c->n_array; i++) {
        const kng_array *a = &c->array[i];
        if (a->use & (KNG_LOAD | KNG_BITS))
            bits(c, a, out);
        if (a->use & (KNG_STORE | KNG_PUT))
            put(c, a, out);
        if (a->use & KNG_TALLY)
            tally(c, a, out);
        if (a->use & KNG_LOAD) {
            knx_str_printf(out, "fn load_%s(i: u32) -> %s {\n    let b = bits_%s(i);\n    return ", a->name,
                           kng_type(a->dtype), a->name);
            number_of_bits(c, a->dtype, out);
            knx_str_puts(out, ";\n}\n");
        }
        if (a->use & KNG_STORE) {
            knx_str_printf(out, "fn store_%s(i: u32, x: %s) { put_%s(i, ", a->name, kng_type(a->dtype), a->name);
            bits_of_number(c, a->dtype, out);
            knx_str_puts(out, "); }\n");
        }
    }
}
