/* SPDX-License-Identifier: Apache-2.0
 * read.c -- what onnx.proto declares, as tables of fields, and what has to be true of a message beyond its form. */
#include "models/onnx/read.h"
#include "models/onnx/proto.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE(number, wire, T, member)                          \
    {                                                         \
        number, KNONNX_W_##wire, offsetof(T, member), 0, NULL \
    }
#define MANY(number, wire, T, member, n)                                   \
    {                                                                      \
        number, KNONNX_W_##wire, offsetof(T, member), offsetof(T, n), NULL \
    }
#define SUB(number, T, member, sub)                            \
    {                                                          \
        number, KNONNX_W_MESSAGE, offsetof(T, member), 0, &sub \
    }
#define SUBS(number, T, member, n, sub)                                      \
    {                                                                        \
        number, KNONNX_W_MESSAGES, offsetof(T, member), offsetof(T, n), &sub \
    }
#define END                         \
    {                               \
        0, KNONNX_W_INT, 0, 0, NULL \
    }

static const knonnx_message text_message = {
    "StringStringEntryProto", sizeof(knonnx_text),
    (const knonnx_field[]){ONE(1, TEXT, knonnx_text, key), ONE(2, TEXT, knonnx_text, value), END}, NULL};

/* ---- Tensors. */

static const char *text_of(const knonnx_tensor *t, const char *key)
{
    for (int i = 0; i < t->file.n_external; i++)
        if (!strcmp(t->file.external[i].key, key))
            return t->file.external[i].value;
    return NULL;
}

static bool number_of(const char *text, uint64_t otherwise, uint64_t *out)
{
    char *end = NULL;
    *out = otherwise;
    if (!text)
        return true;
    if (text[0] < '0' || text[0] > '9')
        return false;
    *out = strtoull(text, &end, 10);
    return !*end && *out < UINT64_MAX;
}

/* External data are named by a path below the model's folder: neither absolute nor upwards. */
static bool is_inside(const char *path)
{
    if (!*path || *path == '/')
        return false;
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
            return false;
    }
    return true;
}

static int external_data(knonnx_reader *r, knonnx_tensor *t)
{
    const knonnx_source *s = r->env;
    const char *location = text_of(t, "location");
    uint64_t offset, length;
    knonnx_bytes file = {NULL, 0};
    char path[4096];
    if (!location || !is_inside(location))
        return knonnx_read_failed(r,
                                  "tensor \"%s\": the location \"%s\" of its data is not inside of the model's folder",
                                  t->name, location ? location : "");
    if (!s->folder || !s->external)
        return knonnx_read_failed(r, "tensor \"%s\": its data lie in \"%s\": the model has to be read from a folder",
                                  t->name, location);
    if (snprintf(path, sizeof path, "%s/%s", s->folder, location) >= (int)sizeof path)
        return knonnx_read_failed(r, "tensor \"%s\": the path of its data is too long", t->name);
    if (s->external(s->env, path, &file))
        return -1;
    if (!number_of(text_of(t, "offset"), 0, &offset) || offset > file.n ||
        !number_of(text_of(t, "length"), file.n - offset, &length) || length > file.n - offset)
        return knonnx_read_failed(r, "tensor \"%s\": \"%s\" does not have the bytes that the model says", t->name,
                                  location);
    t->raw = (knonnx_bytes){file.at + offset, (size_t)length};
    return 0;
}

/* Bytes of n packed elements; -1: strings. */
static int64_t raw_size(knonnx_elem elem, int64_t n)
{
    switch (elem) {
    case KNONNX_STRING: return -1;
    case KNONNX_UINT4:
    case KNONNX_INT4:
    case KNONNX_FLOAT4E2M1: return (n + 1) / 2;
    case KNONNX_UINT2:
    case KNONNX_INT2: return (n + 3) / 4;
    default: return n * (int64_t)kn_dtype_size(knonnx_dtype(elem));
    }
}

/* The field of its own that elements of this type have, and how many entries n elements need. */
static void field_data(knonnx_tensor *t, int64_t *wanted)
{
    *wanted = t->n;
    switch (t->elem) {
    case KNONNX_COMPLEX64: *wanted *= 2; /* fall through */
    case KNONNX_FLOAT: t->packed = t->file.floats, t->n_packed = t->file.n_floats, t->packed_kind = 'f'; break;
    case KNONNX_COMPLEX128: *wanted *= 2; /* fall through */
    case KNONNX_DOUBLE: t->packed = t->file.doubles, t->n_packed = t->file.n_doubles, t->packed_kind = 'd'; break;
    case KNONNX_INT64: t->packed = t->file.int64s, t->n_packed = t->file.n_int64s, t->packed_kind = 'l'; break;
    case KNONNX_UINT32:
    case KNONNX_UINT64: t->packed = t->file.uint64s, t->n_packed = t->file.n_uint64s, t->packed_kind = 'u'; break;
    case KNONNX_STRING: t->packed = t->file.strings, t->n_packed = t->file.n_strings, t->packed_kind = 's'; break;
    default:
        if (t->elem == KNONNX_UINT4 || t->elem == KNONNX_INT4 || t->elem == KNONNX_FLOAT4E2M1 ||
            t->elem == KNONNX_UINT2 || t->elem == KNONNX_INT2)
            *wanted = raw_size(t->elem, t->n);
        t->packed = t->file.int32s, t->n_packed = t->file.n_int32s, t->packed_kind = 'i';
    }
}

static int finish_tensor(knonnx_reader *r, void *message)
{
    knonnx_tensor *t = message;
    int64_t wanted;
    if (t->file.data_type <= 0 || t->file.data_type >= KNONNX_ELEM_COUNT)
        return knonnx_read_failed(r, "tensor \"%s\" has elements of the unknown type %lld", t->name,
                                  (long long)t->file.data_type);
    t->elem = (knonnx_elem)t->file.data_type;
    if (t->ndim > KN_MAX_NDIM)
        return knonnx_read_failed(r, "tensor \"%s\" has %d axes: there are at most %d", t->name, t->ndim, KN_MAX_NDIM);
    t->n = 1;
    bool empty = false;
    for (int i = 0; i < t->ndim; i++)
        empty = empty || !t->dim[i];
    for (int i = 0; i < t->ndim; i++) {
        if (t->dim[i] < 0 || (t->dim[i] && !empty && t->n > INT64_MAX / 32 / t->dim[i]))
            return knonnx_read_failed(r, "tensor \"%s\": %lld is no extent", t->name, (long long)t->dim[i]);
        t->n = empty ? 0 : t->n * t->dim[i];
    }
    if (t->file.location == 1 && external_data(r, t))
        return -1;
    field_data(t, &wanted);
    bool raw = t->file.location == 1 || t->raw.n || (!t->n_packed && t->elem != KNONNX_STRING);
    if (raw) {
        t->packed = NULL;
        t->n_packed = 0;
        t->packed_kind = 0;
        if (t->elem == KNONNX_STRING || (int64_t)t->raw.n != raw_size(t->elem, t->n))
            return knonnx_read_failed(r, "tensor \"%s\" has %lld elements (%s) and %zu bytes", t->name, (long long)t->n,
                                      knonnx_elem_name(t->elem), t->raw.n);
    } else if (t->n_packed != wanted) {
        return knonnx_read_failed(r, "tensor \"%s\" has %lld elements (%s) and %d numbers", t->name, (long long)t->n,
                                  knonnx_elem_name(t->elem), t->n_packed);
    }
    return 0;
}

const knonnx_message knonnx_tensor_message = {
    "TensorProto", sizeof(knonnx_tensor),
    (const knonnx_field[]){MANY(1, INTS, knonnx_tensor, dim, ndim), ONE(2, INT, knonnx_tensor, file.data_type),
                           MANY(4, FLOATS, knonnx_tensor, file.floats, file.n_floats),
                           MANY(5, INT32S, knonnx_tensor, file.int32s, file.n_int32s),
                           MANY(6, BYTES_LIST, knonnx_tensor, file.strings, file.n_strings),
                           MANY(7, INTS, knonnx_tensor, file.int64s, file.n_int64s), ONE(8, TEXT, knonnx_tensor, name),
                           ONE(9, BYTES, knonnx_tensor, raw),
                           MANY(10, DOUBLES, knonnx_tensor, file.doubles, file.n_doubles),
                           MANY(11, UINT64S, knonnx_tensor, file.uint64s, file.n_uint64s),
                           SUBS(13, knonnx_tensor, file.external, file.n_external, text_message),
                           ONE(14, INT, knonnx_tensor, file.location), END},
    finish_tensor};

static int finish_sparse(knonnx_reader *r, void *message)
{
    const knonnx_sparse *s = message;
    if (!s->values || !s->indices || s->values->ndim != 1 || s->indices->elem != KNONNX_INT64 || s->ndim > KN_MAX_NDIM)
        return knonnx_read_failed(r, "a sparse tensor lacks its values or its positions");
    return 0;
}

static const knonnx_message sparse_message = {
    "SparseTensorProto", sizeof(knonnx_sparse),
    (const knonnx_field[]){SUB(1, knonnx_sparse, values, knonnx_tensor_message),
                           SUB(2, knonnx_sparse, indices, knonnx_tensor_message),
                           MANY(3, INTS, knonnx_sparse, dim, ndim), END},
    finish_sparse};

/* ---- Types. */

typedef struct raw_dim {
    const int64_t *value;
    const char *param;
    int n; /* values: 0 or 1 */
} raw_dim;
typedef struct raw_shape {
    const raw_dim *dim;
    int n;
} raw_shape;
typedef struct raw_tensor_type {
    int64_t elem;
    const raw_shape *shape;
} raw_tensor_type;
typedef struct raw_of {
    int64_t key;
    const knonnx_type *of;
} raw_of;
typedef struct raw_opaque {
    const char *name;
} raw_opaque;
typedef struct raw_type {
    knonnx_type made; /* the first member: a pointer to this struct is one to the type */
    const raw_tensor_type *tensor, *sparse;
    const raw_of *sequence, *map, *optional;
    const raw_opaque *opaque;
} raw_type;

static const knonnx_message dim_message = {
    "Dimension", sizeof(raw_dim),
    (const knonnx_field[]){MANY(1, INTS, raw_dim, value, n), ONE(2, TEXT, raw_dim, param), END}, NULL};
static const knonnx_message shape_message = {
    "TensorShapeProto", sizeof(raw_shape), (const knonnx_field[]){SUBS(1, raw_shape, dim, n, dim_message), END}, NULL};
static const knonnx_message tensor_type_message = {
    "TypeProto.Tensor", sizeof(raw_tensor_type),
    (const knonnx_field[]){ONE(1, INT, raw_tensor_type, elem), SUB(2, raw_tensor_type, shape, shape_message), END},
    NULL};
static const knonnx_message type_message;
static const knonnx_message of_message = {"TypeProto.Sequence", sizeof(raw_of),
                                          (const knonnx_field[]){SUB(1, raw_of, of, type_message), END}, NULL};
static const knonnx_message map_message = {
    "TypeProto.Map", sizeof(raw_of),
    (const knonnx_field[]){ONE(1, INT, raw_of, key), SUB(2, raw_of, of, type_message), END}, NULL};
static const knonnx_message opaque_message = {"TypeProto.Opaque", sizeof(raw_opaque),
                                              (const knonnx_field[]){ONE(2, TEXT, raw_opaque, name), END}, NULL};

static int tensor_type(knonnx_reader *r, const raw_tensor_type *raw, knonnx_type *t)
{
    t->elem = raw->elem > 0 && raw->elem < KNONNX_ELEM_COUNT ? (knonnx_elem)raw->elem : KNONNX_UNDEFINED;
    t->kind = t->elem == KNONNX_STRING ? KN_ONNX_STRINGS : KN_ONNX_TENSOR;
    t->ndim = raw->shape ? raw->shape->n : -1;
    if (t->ndim > KN_MAX_NDIM)
        return knonnx_read_failed(r, "a type has %d axes: there are at most %d", t->ndim, KN_MAX_NDIM);
    int64_t *dim = knmodels_take(r->arena, (uint64_t)(t->ndim > 0 ? t->ndim : 1), sizeof *dim);
    const char **name = knmodels_take(r->arena, (uint64_t)(t->ndim > 0 ? t->ndim : 1), sizeof *name);
    if (!dim || !name)
        return knbeside_no_memory(r->operation);
    for (int i = 0; i < t->ndim; i++) {
        const raw_dim *d = &raw->shape->dim[i];
        name[i] = *d->param ? d->param : NULL;
        dim[i] = name[i] || !d->n || d->value[0] < 0 ? -1 : d->value[0];
    }
    t->dim = dim;
    t->dim_name = name;
    return 0;
}

static int finish_type(knonnx_reader *r, void *message)
{
    raw_type *raw = message;
    knonnx_type *t = &raw->made;
    t->ndim = -1;
    const raw_of *of = raw->sequence ? raw->sequence : raw->optional ? raw->optional : raw->map;
    t->sparse = raw->sparse;
    t->opaque = raw->opaque;
    if (raw->tensor || raw->sparse)
        return tensor_type(r, raw->tensor ? raw->tensor : raw->sparse, t);
    t->kind = raw->sequence   ? KN_ONNX_SEQUENCE
              : raw->optional ? KN_ONNX_OPTIONAL
              : raw->map      ? KN_ONNX_MAP
                              : KN_ONNX_TENSOR;
    t->of = of ? of->of : NULL;
    t->key = raw->map && raw->map->key > 0 && raw->map->key < KNONNX_ELEM_COUNT ? (knonnx_elem)raw->map->key
                                                                                : KNONNX_UNDEFINED;
    return 0;
}

static const knonnx_message type_message = {
    "TypeProto", sizeof(raw_type),
    (const knonnx_field[]){SUB(1, raw_type, tensor, tensor_type_message), SUB(4, raw_type, sequence, of_message),
                           SUB(5, raw_type, map, map_message), SUB(7, raw_type, opaque, opaque_message),
                           SUB(8, raw_type, sparse, tensor_type_message), SUB(9, raw_type, optional, of_message), END},
    finish_type};

static const knonnx_message info_message = {
    "ValueInfoProto", sizeof(knonnx_info),
    (const knonnx_field[]){ONE(1, TEXT, knonnx_info, name), SUB(2, knonnx_info, type, type_message), END}, NULL};

/* ---- Nodes and graphs. */

static int finish_attr(knonnx_reader *r, void *message)
{
    static const unsigned char kinds[15] = {KNONNX_A_NONE,    KNONNX_A_FLOAT,   KNONNX_A_INT,    KNONNX_A_STRING,
                                            KNONNX_A_TENSOR,  KNONNX_A_GRAPH,   KNONNX_A_FLOATS, KNONNX_A_INTS,
                                            KNONNX_A_STRINGS, KNONNX_A_TENSORS, KNONNX_A_GRAPHS, KNONNX_A_SPARSE,
                                            KNONNX_A_SPARSES, KNONNX_A_TYPE,    KNONNX_A_TYPES};
    knonnx_attr *a = message;
    if (a->ref && !*a->ref)
        a->ref = NULL;
    if (a->file.kind < 0 || a->file.kind > 14)
        return knonnx_read_failed(r, "the attribute \"%s\" is of the unknown kind %lld", a->name,
                                  (long long)a->file.kind);
    a->kind = kinds[a->file.kind];
    if (a->kind == KNONNX_A_NONE && !a->ref) /* files of 2017 do not say it */
        a->kind = a->file.n_floats    ? KNONNX_A_FLOATS
                  : a->file.n_ints    ? KNONNX_A_INTS
                  : a->file.n_strings ? KNONNX_A_STRINGS
                  : a->file.n_tensors ? KNONNX_A_TENSORS
                  : a->file.n_graphs  ? KNONNX_A_GRAPHS
                  : a->file.tensor    ? KNONNX_A_TENSOR
                  : a->file.graph     ? KNONNX_A_GRAPH
                  : a->s.at           ? KNONNX_A_STRING
                  : a->f != 0         ? KNONNX_A_FLOAT
                                      : KNONNX_A_INT;
    const int n[15] = {[KNONNX_A_FLOATS] = a->file.n_floats,   [KNONNX_A_INTS] = a->file.n_ints,
                       [KNONNX_A_STRINGS] = a->file.n_strings, [KNONNX_A_TENSORS] = a->file.n_tensors,
                       [KNONNX_A_GRAPHS] = a->file.n_graphs,   [KNONNX_A_SPARSES] = a->file.n_sparses};
    a->n = n[a->kind];
    if (a->kind == KNONNX_A_TENSOR)
        a->tensors = a->file.tensor;
    if (a->kind == KNONNX_A_GRAPH)
        a->graphs = &a->file.graph;
    if (a->kind == KNONNX_A_SPARSE)
        a->sparses = a->file.sparse;
    if ((a->kind == KNONNX_A_TENSOR && !a->file.tensor) || (a->kind == KNONNX_A_GRAPH && !a->file.graph) ||
        (a->kind == KNONNX_A_SPARSE && !a->file.sparse) || (a->kind == KNONNX_A_TYPE && !a->type))
        return knonnx_read_failed(r, "the attribute \"%s\" has no value", a->name);
    return 0;
}

static const knonnx_message graph_message;
static const knonnx_message attr_message = {
    "AttributeProto", sizeof(knonnx_attr),
    (const knonnx_field[]){
        ONE(1, TEXT, knonnx_attr, name),
        ONE(2, FLOAT, knonnx_attr, f),
        ONE(3, INT, knonnx_attr, i),
        ONE(4, BYTES, knonnx_attr, s),
        SUB(5, knonnx_attr, file.tensor, knonnx_tensor_message),
        SUB(6, knonnx_attr, file.graph, graph_message),
        MANY(7, FLOATS, knonnx_attr, floats, file.n_floats),
        MANY(8, INTS, knonnx_attr, ints, file.n_ints),
        MANY(9, BYTES_LIST, knonnx_attr, strings, file.n_strings),
        SUBS(10, knonnx_attr, tensors, file.n_tensors, knonnx_tensor_message),
        {11, KNONNX_W_POINTERS, offsetof(knonnx_attr, graphs), offsetof(knonnx_attr, file.n_graphs), &graph_message},
        SUB(14, knonnx_attr, type, type_message),
        ONE(20, INT, knonnx_attr, file.kind),
        ONE(21, TEXT, knonnx_attr, ref),
        SUB(22, knonnx_attr, file.sparse, sparse_message),
        SUBS(23, knonnx_attr, sparses, file.n_sparses, sparse_message),
        END},
    finish_attr};

static int finish_node(knonnx_reader *r, void *message)
{
    knonnx_node *n = message;
    if (!*n->op)
        return knonnx_read_failed(r, "the node \"%s\" has no operator", n->name);
    if (!strcmp(n->domain, "ai.onnx"))
        n->domain = "";
    return 0;
}

static const knonnx_message node_message = {
    "NodeProto", sizeof(knonnx_node),
    (const knonnx_field[]){MANY(1, TEXTS, knonnx_node, in, n_in), MANY(2, TEXTS, knonnx_node, out, n_out),
                           ONE(3, TEXT, knonnx_node, name), ONE(4, TEXT, knonnx_node, op),
                           SUBS(5, knonnx_node, attrs, n_attrs, attr_message), ONE(7, TEXT, knonnx_node, domain),
                           ONE(8, TEXT, knonnx_node, overload), END},
    finish_node};

static const knonnx_message graph_message = {
    "GraphProto", sizeof(knonnx_graph),
    (const knonnx_field[]){
        SUBS(1, knonnx_graph, nodes, n_nodes, node_message), ONE(2, TEXT, knonnx_graph, name),
        SUBS(5, knonnx_graph, init, n_init, knonnx_tensor_message), SUBS(11, knonnx_graph, in, n_in, info_message),
        SUBS(12, knonnx_graph, out, n_out, info_message), SUBS(13, knonnx_graph, info, n_info, info_message),
        SUBS(15, knonnx_graph, sparse, n_sparse, sparse_message), END},
    NULL};

static int finish_opset(knonnx_reader *r, void *message)
{
    knonnx_opset *o = message;
    (void)r;
    if (!strcmp(o->domain, "ai.onnx"))
        o->domain = "";
    return 0;
}

static const knonnx_message opset_message = {
    "OperatorSetIdProto", sizeof(knonnx_opset),
    (const knonnx_field[]){ONE(1, TEXT, knonnx_opset, domain), ONE(2, INT, knonnx_opset, version), END}, finish_opset};

static int finish_function(knonnx_reader *r, void *message)
{
    knonnx_function *f = message;
    (void)r;
    if (!strcmp(f->domain, "ai.onnx"))
        f->domain = "";
    return 0;
}

static const knonnx_message function_message = {
    "FunctionProto", sizeof(knonnx_function),
    (const knonnx_field[]){
        ONE(1, TEXT, knonnx_function, name), MANY(4, TEXTS, knonnx_function, in, n_in),
        MANY(5, TEXTS, knonnx_function, out, n_out), MANY(6, TEXTS, knonnx_function, attr_names, n_attrs),
        SUBS(7, knonnx_function, nodes, n_nodes, node_message),
        SUBS(9, knonnx_function, opsets, n_opsets, opset_message), ONE(10, TEXT, knonnx_function, domain),
        SUBS(11, knonnx_function, defaults, n_defaults, attr_message), ONE(13, TEXT, knonnx_function, overload), END},
    finish_function};

static const knonnx_message model_message = {
    "ModelProto", sizeof(knonnx_proto),
    (const knonnx_field[]){ONE(1, INT, knonnx_proto, ir_version), ONE(2, TEXT, knonnx_proto, producer),
                           ONE(3, TEXT, knonnx_proto, producer_version), ONE(4, TEXT, knonnx_proto, domain),
                           ONE(5, INT, knonnx_proto, model_version), ONE(6, TEXT, knonnx_proto, doc),
                           SUB(7, knonnx_proto, graph, graph_message),
                           SUBS(8, knonnx_proto, opsets, n_opsets, opset_message),
                           SUBS(14, knonnx_proto, texts, n_texts, text_message),
                           SUBS(25, knonnx_proto, functions, n_functions, function_message), END},
    NULL};

int knonnx_read_proto(const knonnx_source *s, knmodels_arena *arena, knonnx_proto *out)
{
    knonnx_reader r = {s->operation, arena, s->bytes, 0, (void *)(uintptr_t)s};
    if (knonnx_read(&r, &model_message, s->bytes, s->n, out))
        return -1;
    if (!out->graph)
        return knonnx_read_failed(&r, "the file is no model: it has no graph");
    return 0;
}
