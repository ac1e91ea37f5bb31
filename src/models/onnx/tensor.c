/* SPDX-License-Identifier: Apache-2.0
 * tensor.c -- tensors of the file as arrays. What is aligned is a view of the file; packed elements become a byte each.
 * */
#include "models/onnx/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

bool knonnx_sub_byte(knonnx_elem elem, int *per_byte)
{
    switch (elem) {
    case KNONNX_UINT4:
    case KNONNX_INT4:
    case KNONNX_FLOAT4E2M1: *per_byte = 2; return true;
    case KNONNX_UINT2:
    case KNONNX_INT2: *per_byte = 4; return true;
    default: *per_byte = 1; return false;
    }
}

/* The elements one by one into bytes, from whatever holds them. */
static uint32_t small_bits(const knonnx_tensor *t, int64_t byte)
{
    return t->packed ? (uint32_t)((const int32_t *)t->packed)[byte] : (unsigned char)t->raw.at[byte];
}

static kn_array unpacked(const char *operation, const knonnx_tensor *t, const kn_shape *shape, int per_byte)
{
    int bits = 8 / per_byte;
    unsigned char *to = knbeside_alloc((uint64_t)t->n, 1);
    if (!to)
        return kn_fail(KN_ERROR_MEMORY, operation, "no memory");
    for (int64_t i = 0; i < t->n; i++) {
        uint32_t v = small_bits(t, i / per_byte) >> (int)(i % per_byte) * bits & ((1u << bits) - 1);
        bool sign = (t->elem == KNONNX_INT4 || t->elem == KNONNX_INT2) && v >> (bits - 1);
        to[i] = (unsigned char)(sign ? v | 0xffu << bits : v); /* as a byte holds it: sign-extended */
    }
    kn_array x = kn_from_memory(to, shape, knonnx_dtype(t->elem));
    free(to);
    return x;
}

/* Numbers of the file's own fields: wider ones hold narrow elements in their low bits. */
static kn_array from_field(const char *operation, const knonnx_tensor *t, const kn_shape *shape)
{
    kn_dtype dtype = knonnx_dtype(t->elem);
    size_t size = kn_dtype_size(dtype), from = t->packed_kind == 'i' ? 4 : 8;
    if (t->packed_kind == 'f' || t->packed_kind == 'd' || t->packed_kind == 'l' || size == from)
        return kn_from_memory(t->packed, shape, dtype);
    char *to = knbeside_alloc((uint64_t)t->n, size);
    if (!to)
        return kn_fail(KN_ERROR_MEMORY, operation, "no memory");
    for (int64_t i = 0; i < t->n; i++) {
        uint64_t v = from == 4 ? (uint32_t)((const int32_t *)t->packed)[i] : ((const uint64_t *)t->packed)[i];
        if (t->elem == KNONNX_BOOL)
            v = v != 0;
        for (size_t k = 0; k < size; k++) /* elements of Kiln are in the order of the machine */
            to[(size_t)i * size + (BIG ? size - 1 - k : k)] = (char)(v >> 8 * k);
    }
    kn_array x = kn_from_memory(to, shape, dtype);
    free(to);
    return x;
}

static const char *holder(knonnx_model *m, knmodels_map *file, const char *at, knmodels_map **out)
{
    *out = file;
    for (int i = 0; m && i < m->n_external; i++)
        if (at >= m->external[i]->at && at < m->external[i]->at + m->external[i]->n)
            *out = m->external[i];
    return at;
}

kn_array knonnx_tensor_array(const char *operation, knmodels_map *file, knonnx_model *m, const knonnx_tensor *t)
{
    kn_shape shape = {t->ndim, {0}};
    kn_dtype dtype = knonnx_dtype(t->elem);
    int per_byte;
    if (!dtype)
        return kn_fail(KN_ERROR_TYPE, operation, "strings are no array");
    for (int i = 0; i < t->ndim; i++)
        shape.dim[i] = t->dim[i];
    if (knonnx_sub_byte(t->elem, &per_byte))
        return unpacked(operation, t, &shape, per_byte);
    if (t->packed)
        return from_field(operation, t, &shape);
    if (!t->n)
        return kn_from_memory("", &shape, dtype);
    knmodels_map *map;
    const char *at = holder(m, file, t->raw.at, &map);
    return knmodels_map_array(map, at, &shape, dtype);
}

/* ---- Sparse tensors: positions are numbers in the flat array, or one for each axis. */

static int64_t position(const knonnx_tensor *t, int64_t i)
{
    uint64_t v = 0;
    if (t->packed)
        return ((const int64_t *)t->packed)[i];
    for (int k = 0; k < 8; k++)
        v |= (uint64_t)(unsigned char)t->raw.at[8 * i + k] << 8 * k;
    return (int64_t)v;
}

/* Position i in the flat array; -1: it is not inside. */
static int64_t flat_position(const knonnx_sparse *s, int64_t i, int64_t size)
{
    int64_t at = 0;
    if (s->indices->ndim != 2) {
        at = position(s->indices, i);
        return at < size ? at : -1;
    }
    for (int k = 0; k < s->ndim; k++) {
        int64_t own = position(s->indices, i * s->ndim + k);
        if (own < 0 || own >= s->dim[k])
            return -1;
        at = at * s->dim[k] + own;
    }
    return at;
}

static kn_array dense(const knonnx_sparse *s, kn_array values, const int64_t *at, int64_t size)
{
    kn_shape shape = {s->ndim, {0}};
    kn_zeros_opts zero = kn_zeros_opts_default();
    for (int i = 0; i < s->ndim; i++)
        shape.dim[i] = s->dim[i];
    zero.dtype = knonnx_dtype(s->values->elem);
    kn_array whole = kn_zeros(&(kn_shape){1, {size}}, &zero);
    kn_put(whole, kn_from_memory(at, &(kn_shape){1, {s->values->n}}, KN_I64), values, NULL);
    return kn_reshape(whole, &shape, NULL);
}

kn_array knonnx_sparse_array(const char *operation, knonnx_model *m, const knonnx_sparse *s)
{
    char text[200];
    const char *wrong = NULL;
    int64_t size = 1, n = s->values->n, each = s->indices->ndim == 2 ? s->ndim : 1;
    for (int i = 0; i < s->ndim; i++) {
        if (s->dim[i] < 0 || (s->dim[i] && size > ((int64_t)1 << 40) / s->dim[i]))
            wrong = "an extent that is none";
        size *= wrong ? 0 : s->dim[i];
    }
    if (s->indices->n != n * each || (s->indices->ndim == 2 && s->indices->dim[1] != each))
        wrong = "other positions than values";
    int64_t *at = wrong ? NULL : knbeside_alloc((uint64_t)n, sizeof *at);
    if (!wrong && !at)
        return kn_fail(KN_ERROR_MEMORY, operation, "no memory");
    for (int64_t i = 0; i < n && !wrong; i++)
        if ((at[i] = flat_position(s, i, size)) < 0)
            wrong = "a position that is not inside";
    snprintf(text, sizeof text, "the sparse tensor \"%.100s\" has %s", s->values->name, wrong ? wrong : "");
    kn_array made = wrong ? kn_fail(KN_ERROR_VALUE, operation, text)
                          : dense(s, knonnx_tensor_array(operation, m->file, m, s->values), at, size);
    free(at);
    return made;
}

const knonnx_strings *knonnx_tensor_strings(knmodels_arena *arena, const knonnx_tensor *t)
{
    knonnx_strings *s = knmodels_take(arena, 1, sizeof *s);
    const char **text = knmodels_take(arena, (uint64_t)t->n, sizeof *text);
    const knonnx_bytes *from = t->packed;
    if (!s || !text)
        return NULL;
    s->ndim = t->ndim;
    for (int i = 0; i < t->ndim; i++)
        s->dim[i] = t->dim[i];
    s->n = (size_t)t->n;
    s->text = text;
    for (int64_t i = 0; i < t->n; i++)
        if (!(text[i] = knmodels_take_text(arena, from[i].at, from[i].n)))
            return NULL;
    return s;
}
