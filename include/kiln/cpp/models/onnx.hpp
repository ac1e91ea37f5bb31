/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/models/onnx.hpp -- the functions of kiln/models/onnx.h in C++. */
/* Made by scripts/make-api.py from api/models/onnx.api. */
/* clang-format off */
#ifndef KILN_CPP_MODELS_ONNX_HPP
#define KILN_CPP_MODELS_ONNX_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/io.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
struct onnx_load_opts {
    KILN_OPTION((bool), all_params, {})
    KILN_OPTION((::kiln::text), folder, {}) /* where external data lie; NULL: the folder of the file */
    kn_onnx_load_opts c() const {
        kn_onnx_load_opts to_ = {}; to_.size_ = sizeof to_; to_.all_params = detail::c_of(all_params);
        to_.folder = detail::c_of(folder); return to_; }
};
/* Reads a file: its graph is checked, its weights are mapped and stay as they are in the file, without a copy where
 * they are aligned. Any version of the format and any opset that its operators know. FileError if there is no such
 * file, ValueError if it is no model or says what cannot be, NotImplementedError for operators that are not here
 * (all of them are named) */
inline kn_onnx onnx_load(const ::kiln::text &path, const ::kiln::onnx_load_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_onnx_load_opts opts_c = opts.c(); c_.here(); return c_.value(kn_onnx_load(path.c(),
    &opts_c)); }
using onnx_parse_opts = ::kiln::onnx_load_opts;
/* Reads a model that is in memory; the bytes are copied. External data need .folder */
inline kn_onnx onnx_parse(const void *bytes, size_t n, const ::kiln::onnx_load_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_onnx_load_opts opts_c = opts.c(); c_.here(); return c_.value(kn_onnx_parse(bytes, n,
    &opts_c)); }
/* The weights, a dictionary from the names of initializers to arrays: those of floating and complex dtype, and
 * quantised ones; integers, which are shapes and positions, are constants of the function */
inline pytree onnx_params(kn_onnx model, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_onnx_params(model))); }
/* The model as a function (params, inputs) -> outputs of dictionaries, for kn_call and all transformations: params
 * as kn_onnx_params gives them, inputs by name, outputs by name. An input that is a sequence is a list, an optional
 * one that has nothing kn_tree_none(). Inputs with initializers may be left out. The model has to live while it is
 * called (ValueError) */
inline fn onnx_function(kn_onnx model, place where = here())
{ detail::call c_(where); c_.here(); return fn(c_.take(kn_onnx_function(model))); }
/* Runs the model on a dictionary of inputs by name, or a list of them by position: the dictionary of its outputs. It
 * is compiled when it is run first with these types, and run node by node where shapes depend on values. KeyError
 * for a name that is no input or is missing, TypeError and ValueError for dtypes and shapes that do not fit what the
 * model says */
inline pytree onnx_run(kn_onnx model, const ::kiln::pytree &inputs, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_onnx_run(model, inputs.c()))); }
/* The number of inputs, without those that have an initializer; -1 for an error */
inline int onnx_input_count(kn_onnx model, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_input_count(model)); }
/* The number of outputs; -1 for an error */
inline int onnx_output_count(kn_onnx model, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_output_count(model)); }
/* What the model says of input i: 0, or -1 with an error. Texts live as long as the model */
inline int onnx_input(kn_onnx model, int i, kn_onnx_info *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_input(model, i, out)); }
/* What the model says of output i: 0, or -1 with an error. Texts live as long as the model */
inline int onnx_output(kn_onnx model, int i, kn_onnx_info *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_output(model, i, out)); }
/* A text of the model's metadata, or "producer_name", "producer_version", "domain", "doc_string", "graph_name",
 * "model_version", "ir_version"; NULL if there is none (no error). It lives as long as the model */
inline std::string onnx_metadata(kn_onnx model, const ::kiln::text &key, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_onnx_metadata(model, key.c())); }
/* The version of the operators of a domain ("" is ai.onnx) that the model was written for; 0 if it does not name
 * that domain, -1 for an error */
inline int64_t onnx_opset(kn_onnx model, const ::kiln::text &domain, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_opset(model, domain.c())); }
/* A tensor: an array as a value. NULL for an array that carries an error */
inline kn_onnx_value onnx_tensor(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_onnx_tensor(x_h)); }
/* A tensor of strings, one for each element in C order; they are copied (UTF-8, zero-terminated). TypeError for a
 * NULL among them */
inline kn_onnx_value onnx_strings(const ::kiln::shape &shape, const char *const *texts, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_strings(&shape, texts)); }
/* A sequence of n values */
inline kn_onnx_value onnx_sequence(const std::vector<kn_onnx_value> &items, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_sequence(static_cast<int>(items.size()), items.data())); }
/* An optional value with something in it, or with nothing: NULL */
inline kn_onnx_value onnx_optional(kn_onnx_value item, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_optional(item)); }
/* A map from n keys to the elements of values, an array of shape (n): keys are texts, or integers where `keys` is
 * NULL */
inline kn_onnx_value onnx_map(int n, const char *const *keys, const int64_t *int_keys, const ::kiln::operand &values,
    place where = here())
{ detail::call c_(where); kn_array values_h = values.c(); c_.here(); return c_.value(kn_onnx_map(n, keys, int_keys,
    values_h)); }
/* Runs the model node by node on n inputs by name (a NULL name: by position) and fills the first n_outputs of its
 * outputs, in their order; an optional output that was not made is NULL. 0, or -1 with an error. kn_onnx_run is the
 * way for arrays: it compiles */
inline int onnx_call(kn_onnx model, const std::vector<kn_onnx_named> &inputs, int n_outputs, kn_onnx_value *outputs,
    place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_call(model, static_cast<int>(inputs.size()), inputs.data(),
    n_outputs, outputs)); }
/* What a value is; KN_ONNX_TENSOR for an error */
inline kn_onnx_kind onnx_value_kind(kn_onnx_value v, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_value_kind(v)); }
/* The array of a tensor; TypeError for another value */
inline array onnx_value_array(kn_onnx_value v, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_onnx_value_array(v))); }
/* The texts of a tensor of strings in C order, and its shape; they live as long as the value. NULL and TypeError for
 * another value */
inline const char *const *onnx_value_texts(kn_onnx_value v, kn_shape *shape, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_value_texts(v, shape)); }
/* How many items a sequence, an optional (0 or 1) or a map has; -1 and TypeError for another value */
inline int onnx_value_count(kn_onnx_value v, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_value_count(v)); }
/* Item i of a sequence, of an optional that has one (0), or the value of pair i of a map; IndexError if there is
 * none */
inline kn_onnx_value onnx_value_item(kn_onnx_value v, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_onnx_value_item(v, i)); }
/* The key of pair i of a map: a text, which lives as long as the map, or NULL and a number in *key */
inline std::string onnx_value_key(kn_onnx_value v, int i, int64_t *key, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_onnx_value_key(v, i, key)); }
struct onnx_save_opts {
    KILN_OPTION((::kiln::positions), params, {})
    KILN_OPTION((const kn_text_list *), inputs, {})
    KILN_OPTION((const kn_text_list *), outputs, {})
    KILN_OPTION((::kiln::text), symbolic, {})
    KILN_OPTION((::kiln::text), constraints, {}) /* "b >= 2": as in kn_make_jaxpr */
    KILN_OPTION((::kiln::text), name, {}) /* of the graph */
    KILN_OPTION((int64_t), opset, 20) /* between 18 and 26 */
    KILN_OPTION((FILE *), file, {})
    kn_onnx_save_opts c() const {
        kn_onnx_save_opts to_ = {}; to_.size_ = sizeof to_; to_.params = detail::c_of(params);
        to_.inputs = detail::c_of(inputs); to_.outputs = detail::c_of(outputs); to_.symbolic = detail::c_of(symbolic);
        to_.constraints = detail::c_of(constraints); to_.name = detail::c_of(name); to_.opset = detail::c_of(opset);
        to_.file = detail::c_of(file); return to_; }
};
/* Writes a function, as it is recorded for these arguments, as an ONNX file that other runtimes run: 0, or -1 with
 * an error. NotImplementedError names the primitive that has no form in ONNX, and the line that it came from. What
 * derivatives say apart (custom ones, checkpoints) is no part of the file, nor is what functions print */
inline int onnx_save(const ::kiln::text &path, const ::kiln::fn &fn, const kn_args *args, const ::kiln::onnx_save_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_onnx_save_opts opts_c = opts.c(); c_.here(); return c_.value(kn_onnx_save(path.c(), fn.c(),
    args, &opts_c)); }
} // namespace kiln
#endif
