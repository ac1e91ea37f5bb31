/* SPDX-License-Identifier: Apache-2.0
 * kiln/models/onnx.h -- models in ONNX's format: a file becomes a function of trees, whose weights are a tree.
 *
 * kn_tree out = kn_onnx_run(model, kn_tree_dict("x", x)) runs it. kn_onnx_function(model) is a function (params,
 * inputs) -> outputs of dictionaries, as any other function of trees: it can be jitted, differentiated, batched,
 * sharded and exported. Operators are Kiln's public functions; shape arithmetic is worked out while the function is
 * recorded. What cannot be supported is an error that names the node, its operator and opset (docs/models.md has the
 * table). */
/* Made by scripts/make-api.py from api/models/onnx.api. */
/* clang-format off */
#ifndef KILN_MODELS_ONNX_H
#define KILN_MODELS_ONNX_H
#include "kiln/function.h"
#include "kiln/io.h"
#include "kiln/tree.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_onnx_s *kn_onnx; /* a model that was read; a handle of the scope */

/* ---- Reading. NULL with an error if it cannot be read. */
typedef struct kn_onnx_load_opts {
    size_t size_;
    /* every float initializer is a parameter, those of one element, too, which otherwise are constants */
    bool all_params;
    const char *folder; /* where external data lie; NULL: the folder of the file */
} kn_onnx_load_opts;
KN_API kn_onnx_load_opts kn_onnx_load_opts_default(void);
/* Reads a file: its graph is checked, its weights are mapped and stay as they are in the file, without a copy where
 * they are aligned. Any version of the format and any opset that its operators know. FileError if there is no such
 * file, ValueError if it is no model or says what cannot be, NotImplementedError for operators that are not here
 * (all of them are named) */
KN_API kn_onnx kn_onnx_load(const char *path, const kn_onnx_load_opts *opts);
/* Reads a model that is in memory; the bytes are copied. External data need .folder */
KN_API kn_onnx kn_onnx_parse(const void *bytes, size_t n, const kn_onnx_load_opts *opts);

/* ---- Running. */
/* The weights, a dictionary from the names of initializers to arrays: those of floating and complex dtype, and
 * quantised ones; integers, which are shapes and positions, are constants of the function */
KN_API kn_tree kn_onnx_params(kn_onnx model);
/* The model as a function (params, inputs) -> outputs of dictionaries, for kn_call and all transformations: params
 * as kn_onnx_params gives them, inputs by name, outputs by name. An input that is a sequence is a list, an optional
 * one that has nothing kn_tree_none(). Inputs with initializers may be left out. The model has to live while it is
 * called (ValueError) */
KN_API kn_fn kn_onnx_function(kn_onnx model);
/* Runs the model on a dictionary of inputs by name, or a list of them by position: the dictionary of its outputs. It
 * is compiled when it is run first with these types, and run node by node where shapes depend on values. KeyError
 * for a name that is no input or is missing, TypeError and ValueError for dtypes and shapes that do not fit what the
 * model says */
KN_API kn_tree kn_onnx_run(kn_onnx model, kn_tree inputs);

/* ---- What a model says of itself. */
typedef enum kn_onnx_kind {
    KN_ONNX_TENSOR, KN_ONNX_STRINGS, KN_ONNX_SEQUENCE, KN_ONNX_OPTIONAL, KN_ONNX_MAP
} kn_onnx_kind;
typedef struct kn_onnx_info {
    const char *name;
    kn_onnx_kind kind;           /* of a sequence and an optional, the rest is that of what is in it */
    kn_dtype dtype;              /* NULL: not a tensor of numbers, or not said */
    int ndim;                    /* -1: not said */
    int64_t dim[KN_MAX_NDIM];    /* -1: not a number */
    const char *dim_name[KN_MAX_NDIM]; /* NULL: it has none */
} kn_onnx_info;
/* The number of inputs, without those that have an initializer; -1 for an error */
KN_API int kn_onnx_input_count(kn_onnx model);
KN_API int kn_onnx_output_count(kn_onnx model); /* The number of outputs; -1 for an error */
/* What the model says of input i: 0, or -1 with an error. Texts live as long as the model */
KN_API int kn_onnx_input(kn_onnx model, int i, kn_onnx_info *out);
/* What the model says of output i: 0, or -1 with an error. Texts live as long as the model */
KN_API int kn_onnx_output(kn_onnx model, int i, kn_onnx_info *out);
/* A text of the model's metadata, or "producer_name", "producer_version", "domain", "doc_string", "graph_name",
 * "model_version", "ir_version"; NULL if there is none (no error). It lives as long as the model */
KN_API const char *kn_onnx_metadata(kn_onnx model, const char *key);
/* The version of the operators of a domain ("" is ai.onnx) that the model was written for; 0 if it does not name
 * that domain, -1 for an error */
KN_API int64_t kn_onnx_opset(kn_onnx model, const char *domain);

/* ---- Values that are no arrays: strings, sequences, optionals, maps. A value is a handle of the scope; arrays in
 * it live as long as the scope that they were made in. */
typedef struct kn_onnx_value_s *kn_onnx_value;
typedef struct kn_onnx_named { const char *name; kn_onnx_value value; } kn_onnx_named;
/* A tensor: an array as a value. NULL for an array that carries an error */
KN_API kn_onnx_value kn_onnx_tensor(kn_array x);
/* A tensor of strings, one for each element in C order; they are copied (UTF-8, zero-terminated). TypeError for a
 * NULL among them */
KN_API kn_onnx_value kn_onnx_strings(const kn_shape *shape, const char *const *texts);
KN_API kn_onnx_value kn_onnx_sequence(int n, const kn_onnx_value *items); /* A sequence of n values */
/* An optional value with something in it, or with nothing: NULL */
KN_API kn_onnx_value kn_onnx_optional(kn_onnx_value item);
/* A map from n keys to the elements of values, an array of shape (n): keys are texts, or integers where `keys` is
 * NULL */
KN_API kn_onnx_value kn_onnx_map(int n, const char *const *keys, const int64_t *int_keys, kn_array values);
/* Runs the model node by node on n inputs by name (a NULL name: by position) and fills the first n_outputs of its
 * outputs, in their order; an optional output that was not made is NULL. 0, or -1 with an error. kn_onnx_run is the
 * way for arrays: it compiles */
KN_API int kn_onnx_call(kn_onnx model, int n, const kn_onnx_named *inputs, int n_outputs, kn_onnx_value *outputs);
KN_API kn_onnx_kind kn_onnx_value_kind(kn_onnx_value v); /* What a value is; KN_ONNX_TENSOR for an error */
KN_API kn_array kn_onnx_value_array(kn_onnx_value v); /* The array of a tensor; TypeError for another value */
/* The texts of a tensor of strings in C order, and its shape; they live as long as the value. NULL and TypeError for
 * another value */
KN_API const char *const *kn_onnx_value_texts(kn_onnx_value v, kn_shape *shape);
/* How many items a sequence, an optional (0 or 1) or a map has; -1 and TypeError for another value */
KN_API int kn_onnx_value_count(kn_onnx_value v);
/* Item i of a sequence, of an optional that has one (0), or the value of pair i of a map; IndexError if there is
 * none */
KN_API kn_onnx_value kn_onnx_value_item(kn_onnx_value v, int i);
/* The key of pair i of a map: a text, which lives as long as the map, or NULL and a number in *key */
KN_API const char *kn_onnx_value_key(kn_onnx_value v, int i, int64_t *key);

/* ---- Writing. */
typedef struct kn_onnx_save_opts {
    size_t size_;
    /* arguments whose arrays are stored in the file as initializers; the others are inputs */
    kn_argnums params;
    /* names of the inputs; as default the paths of trees' leaves, else input_0, input_1, ... */
    const kn_text_list *inputs;
    const kn_text_list *outputs; /* names of the outputs; as default output, or output_0, output_1, ... */
    /* "b 3 224 224": extents that are not known, as in kn_make_jaxpr; in the file they have these names */
    const char *symbolic;
    const char *constraints;     /* "b >= 2": as in kn_make_jaxpr */
    const char *name;            /* of the graph */
    int64_t opset;               /* 20: between 18 and 26 */
    FILE *file;
} kn_onnx_save_opts;
KN_API kn_onnx_save_opts kn_onnx_save_opts_default(void);
/* Writes a function, as it is recorded for these arguments, as an ONNX file that other runtimes run: 0, or -1 with
 * an error. NotImplementedError names the primitive that has no form in ONNX, and the line that it came from. What
 * derivatives say apart (custom ones, checkpoints) is no part of the file, nor is what functions print */
KN_API int kn_onnx_save(const char *path, kn_fn fn, const kn_args *args, const kn_onnx_save_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_onnx_load(path, ...) KN_G1O(kn_onnx_load, kn_onnx_load_opts, (), const char *, path, __VA_ARGS__)
#define kn_onnx_parse(bytes, n, ...)                                                                                   \
    KN_G2O(kn_onnx_parse, kn_onnx_load_opts, (), const void *, bytes, size_t, n, __VA_ARGS__)
#define kn_onnx_params(model) KN_G1(kn_onnx_params, kn_onnx, model)
#define kn_onnx_function(model) KN_G1(kn_onnx_function, kn_onnx, model)
#define kn_onnx_run(model, inputs) KN_G2(kn_onnx_run, kn_onnx, model, kn_tree, inputs)
#define kn_onnx_input_count(model) KN_G1(kn_onnx_input_count, kn_onnx, model)
#define kn_onnx_output_count(model) KN_G1(kn_onnx_output_count, kn_onnx, model)
#define kn_onnx_input(model, i, out) KN_ONNX_INPUT_(__COUNTER__, model, i, out)
#define KN_ONNX_INPUT_(c, model, i, out)                                                                               \
    __extension__({ KN_TAKE(kn_onnx, 1, c, model) KN_TAKE(int, 2, c, i) KN_TAKE(kn_onnx_info *, 3, c, out) KN_HERE();  \
    (kn_onnx_input)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_onnx_output(model, i, out) KN_ONNX_OUTPUT_(__COUNTER__, model, i, out)
#define KN_ONNX_OUTPUT_(c, model, i, out)                                                                              \
    __extension__({ KN_TAKE(kn_onnx, 1, c, model) KN_TAKE(int, 2, c, i) KN_TAKE(kn_onnx_info *, 3, c, out) KN_HERE();  \
    (kn_onnx_output)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_onnx_metadata(model, key) KN_G2(kn_onnx_metadata, kn_onnx, model, const char *, key)
#define kn_onnx_opset(model, domain) KN_G2(kn_onnx_opset, kn_onnx, model, const char *, domain)
#define kn_onnx_tensor(x) KN_F1(kn_onnx_tensor, x)
#define kn_onnx_value_kind(v) KN_G1(kn_onnx_value_kind, kn_onnx_value, v)
#define kn_onnx_value_array(v) KN_G1(kn_onnx_value_array, kn_onnx_value, v)
#define kn_onnx_value_count(v) KN_G1(kn_onnx_value_count, kn_onnx_value, v)
#define kn_onnx_value_item(v, i) KN_G2(kn_onnx_value_item, kn_onnx_value, v, int, i)
#define kn_onnx_save(path, fn, args, ...) KN_ONNX_SAVE_(__COUNTER__, path, fn, args, __VA_ARGS__)
#define KN_ONNX_SAVE_(c, path, fn, args, ...)                                                                          \
    __extension__({ KN_TAKE(const char *, 1, c, path) KN_TAKE(kn_fn, 2, c, fn) KN_TAKE(const kn_args *, 3, c, args)    \
    KN_OPTS(c, kn_onnx_save_opts, (.opset = 20, ), __VA_ARGS__) KN_HERE(); (kn_onnx_save)(KN_V(1, c), KN_V(2, c),      \
    KN_V(3, c), KN_V(opt, c)); })
#endif
#endif
