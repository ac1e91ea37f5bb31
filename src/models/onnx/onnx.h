/* SPDX-License-Identifier: Apache-2.0
 * onnx.h -- a model as it stands in its file: what onnx.proto declares, as structs whose texts and bytes point into the
 * file. They live in the model's arena; numbers of elements are what the file honestly has. */
#ifndef KN_MODELS_ONNX_ONNX_H
#define KN_MODELS_ONNX_ONNX_H
#include "models/models.h"
#include "kiln/models/onnx.h"

/* TensorProto.DataType. */
typedef enum knonnx_elem {
    KNONNX_UNDEFINED,
    KNONNX_FLOAT,
    KNONNX_UINT8,
    KNONNX_INT8,
    KNONNX_UINT16,
    KNONNX_INT16,
    KNONNX_INT32,
    KNONNX_INT64,
    KNONNX_STRING,
    KNONNX_BOOL,
    KNONNX_FLOAT16,
    KNONNX_DOUBLE,
    KNONNX_UINT32,
    KNONNX_UINT64,
    KNONNX_COMPLEX64,
    KNONNX_COMPLEX128,
    KNONNX_BFLOAT16,
    KNONNX_FLOAT8E4M3FN,
    KNONNX_FLOAT8E4M3FNUZ,
    KNONNX_FLOAT8E5M2,
    KNONNX_FLOAT8E5M2FNUZ,
    KNONNX_UINT4,
    KNONNX_INT4,
    KNONNX_FLOAT4E2M1,
    KNONNX_FLOAT8E8M0,
    KNONNX_UINT2,
    KNONNX_INT2,
    KNONNX_FLOAT6E2M3,
    KNONNX_FLOAT6E3M2,
    KNONNX_ELEM_COUNT
} knonnx_elem;

/* Bytes with a length and, behind them, no zero: texts, too. */
typedef struct knonnx_bytes {
    const char *at;
    size_t n;
} knonnx_bytes;

typedef struct knonnx_text {
    const char *key, *value;
} knonnx_text;

typedef struct knonnx_tensor {
    const char *name; /* "": none */
    knonnx_elem elem;
    int ndim;
    const int64_t *dim;
    int64_t n; /* elements; sub-byte ones each, not the bytes that have them */
    /* raw_data, or the external bytes: little-endian, sub-byte elements packed, the first in the low bits */
    knonnx_bytes raw;
    const void *packed; /* else the field of its own, n_packed elements of ... */
    int n_packed;
    char packed_kind; /* 'f' float, 'i' int32_t, 'l' int64_t, 'd' double, 'u' uint64_t, 's' knonnx_bytes; 0: raw */
    struct {          /* as in the file */
        int64_t data_type, location;
        const float *floats;
        const int32_t *int32s;
        const knonnx_bytes *strings;
        const int64_t *int64s;
        const double *doubles;
        const uint64_t *uint64s;
        const knonnx_text *external;
        int n_floats, n_int32s, n_strings, n_int64s, n_doubles, n_uint64s, n_external;
    } file;
} knonnx_tensor;

typedef struct knonnx_sparse {
    const knonnx_tensor *values, *indices;
    int ndim;
    const int64_t *dim;
} knonnx_sparse;

typedef struct knonnx_type { /* of a value: the outermost first */
    kn_onnx_kind kind;
    knonnx_elem elem;             /* of a tensor */
    int ndim;                     /* -1: not said */
    const int64_t *dim;           /* -1: not said */
    const char *const *dim_name;  /* NULL: it has none */
    const struct knonnx_type *of; /* of a sequence, an optional, and of a map's values; NULL: not said */
    knonnx_elem key;              /* of a map */
    bool sparse, opaque;
} knonnx_type;

typedef struct knonnx_info {
    const char *name;
    const knonnx_type *type; /* NULL: not said */
} knonnx_info;

/* AttributeProto.AttributeType. */
typedef enum knonnx_attr_kind {
    KNONNX_A_NONE,
    KNONNX_A_FLOAT,
    KNONNX_A_INT,
    KNONNX_A_STRING,
    KNONNX_A_TENSOR,
    KNONNX_A_GRAPH,
    KNONNX_A_FLOATS,
    KNONNX_A_INTS,
    KNONNX_A_STRINGS,
    KNONNX_A_TENSORS,
    KNONNX_A_GRAPHS,
    KNONNX_A_SPARSE,
    KNONNX_A_SPARSES,
    KNONNX_A_TYPE,
    KNONNX_A_TYPES
} knonnx_attr_kind;

typedef struct knonnx_attr {
    const char *name;
    const char *ref; /* in a function: the caller's attribute that it is; NULL: none */
    knonnx_attr_kind kind;
    float f;
    int64_t i;
    knonnx_bytes s;
    int n; /* of a list */
    const float *floats;
    const int64_t *ints;
    const knonnx_bytes *strings;
    const knonnx_tensor *tensors; /* of a list, or the one */
    const struct knonnx_graph *const *graphs;
    const knonnx_sparse *sparses;
    const knonnx_type *type;
    struct { /* as in the file */
        int64_t kind;
        const knonnx_tensor *tensor;
        const struct knonnx_graph *graph;
        const knonnx_sparse *sparse;
        int n_floats, n_ints, n_strings, n_tensors, n_graphs, n_sparses;
    } file;
} knonnx_attr;

typedef struct knonnx_node {
    const char *name, *op, *domain, *overload; /* domain "": ai.onnx */
    int n_in, n_out, n_attrs;
    const char *const *in, *const *out; /* "": absent */
    const knonnx_attr *attrs;
} knonnx_node;

typedef struct knonnx_graph {
    const char *name;
    int n_nodes, n_init, n_sparse, n_in, n_out, n_info;
    const knonnx_node *nodes;
    const knonnx_tensor *init;
    const knonnx_sparse *sparse;
    const knonnx_info *in, *out, *info;
} knonnx_graph;

typedef struct knonnx_opset {
    const char *domain;
    int64_t version;
} knonnx_opset;

typedef struct knonnx_function {
    const char *name, *domain, *overload;
    int n_in, n_out, n_attrs, n_opsets;
    const char *const *in, *const *out;
    const char *const *attr_names; /* those without defaults */
    int n_defaults;
    const knonnx_attr *defaults;
    int n_nodes;
    const knonnx_node *nodes;
    const knonnx_opset *opsets;
} knonnx_function;

typedef struct knonnx_proto {
    int64_t ir_version, model_version;
    const char *producer, *producer_version, *domain, *doc;
    int n_opsets;
    const knonnx_opset *opsets;
    const knonnx_graph *graph;
    int n_functions, n_texts;
    const knonnx_function *functions;
    const knonnx_text *texts;
} knonnx_proto;

/* The dtype of an element type; NULL for strings and what is none. The other way round 0. */
kn_dtype knonnx_dtype(knonnx_elem elem);
knonnx_elem knonnx_elem_of(kn_dtype dtype);
const char *knonnx_elem_name(knonnx_elem elem);
#endif
