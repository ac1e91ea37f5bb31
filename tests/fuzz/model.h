/* SPDX-License-Identifier: Apache-2.0
 * model.h -- NumPy's arrays as memory: bytes, an offset, a shape and strides. A view has the bytes of another array.
 * Everything is done the plain way, one element at a time. */
#ifndef KN_FUZZ_MODEL_H
#define KN_FUZZ_MODEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of NumPy's promotion, but for float32 (see m_promote). */
typedef enum { M_BOOL, M_U8, M_I64, M_F32, M_F64, M_C128, M_DTYPES } m_dtype;
enum { M_NDIM = 8, M_SIZE = 1200, M_ITEMS = 10 };

/* The kinds of error that NumPy gives. M_LIMIT: too large for the model. */
typedef enum { M_OK, M_VALUE, M_INDEX, M_TYPE, M_AXIS, M_OVERFLOW, M_LIMIT } m_error;

typedef struct { int ndim; int64_t dim[M_NDIM]; } m_shape;

typedef struct m_store {
    struct m_store *next;
    int64_t bytes;
    unsigned char data[];
} m_store;

/* The memory of one program: freed as a whole. */
typedef struct { m_store *stores; } m_heap;
void m_heap_free(m_heap *heap);

typedef struct {
    m_store *store;
    m_dtype dtype;
    bool readonly;
    m_shape shape;
    int64_t offset, stride[M_NDIM]; /* bytes */
} m_array;

/* One number of any dtype: i for bool, uint8 and int64, re for floats, re and im for complex128. */
typedef struct { m_dtype dtype; int64_t i; double re, im; } m_number;

/* The right side of an operation: an array, or a number of Python (dtype M_I64, M_F64 or M_C128). */
typedef struct { bool weak; m_number number; m_array array; } m_value;

typedef enum { M_INT, M_SLICE, M_ELLIPSIS, M_NEW_AXIS, M_ARRAY } m_item_kind;
typedef struct {
    m_item_kind kind;
    bool has_start, has_stop, has_step;
    int64_t start, stop, step; /* M_INT: start */
    m_array array;             /* of int64 or bool */
} m_item;

/* What an index selects: a view, or the offsets of single elements in C order. */
typedef struct {
    bool basic;
    bool scalar; /* integers for all axes: Python gets a number, not an array */
    m_array view;
    m_shape shape;
    int64_t offset[M_SIZE];
} m_places;

typedef enum { M_ADD, M_SUBTRACT, M_MULTIPLY, M_MAXIMUM, M_MINIMUM, M_GREATER, M_UFUNCS } m_ufunc;

int64_t m_count(const m_shape *shape);
int64_t m_item_size(m_dtype dtype);
m_dtype m_promote(m_dtype a, m_dtype b);
m_error m_new(m_heap *heap, m_dtype dtype, const m_shape *shape, m_array *out); /* zeros */
void m_offsets(const m_array *a, int64_t offset[M_SIZE]);                       /* of its elements in C order */
m_number m_get(const m_array *a, int64_t offset);
void m_put(const m_array *a, int64_t offset, m_number x);                       /* converts without asking */
bool m_is_ordered(const m_array *a); /* C-contiguous */
bool m_shares(const m_array *a, const m_array *b);

/* Views. m_reshape and m_ravel are copies where no strides can do it. */
m_error m_reshape(m_heap *heap, const m_array *a, const m_shape *shape, m_array *out);
m_error m_ravel(m_heap *heap, const m_array *a, m_array *out);
m_error m_transpose(const m_array *a, int n, const int64_t *axes, m_array *out); /* n < 0: reversed */
m_error m_flip(const m_array *a, int n, const int64_t *axes, m_array *out);      /* n < 0: all */
m_error m_expand(const m_array *a, int64_t axis, m_array *out);
m_error m_squeeze(const m_array *a, int n, const int64_t *axes, m_array *out);   /* n < 0: all of extent 1 */
m_error m_broadcast(const m_array *a, const m_shape *shape, m_array *out);
m_error m_diagonal(const m_array *a, m_array *out);
m_error m_part(const m_array *a, bool imag, m_array *out);                       /* real, imag */

/* New arrays. */
m_error m_astype(m_heap *heap, const m_array *a, m_dtype dtype, m_array *out);
m_error m_copy(m_heap *heap, const m_array *a, m_dtype dtype, m_array *out); /* in order K */
m_error m_binary(m_heap *heap, m_ufunc f, const m_array *a, const m_value *b, m_array *out);

/* Indexing and writing. */
m_error m_select(const m_array *a, int n, const m_item *item, m_places *out);
m_error m_take(m_heap *heap, const m_array *a, const m_places *places, m_array *out); /* a[index] */
m_error m_set(const m_array *a, const m_places *places, const m_value *v);            /* a[index] = v */
m_error m_in_place(m_ufunc f, const m_array *a, const m_value *v);                    /* a op= v */
m_error m_in_place_at(m_ufunc f, const m_array *a, const m_places *places, const m_value *v); /* a[index] op= v */
m_error m_ufunc_at(m_ufunc f, const m_array *a, const m_places *places, const m_value *v);
#endif
