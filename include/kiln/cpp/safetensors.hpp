/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/safetensors.hpp -- the functions of kiln/safetensors.h in C++. */
/* Made by scripts/make-api.py from api/safetensors.api. */
/* clang-format off */
#ifndef KILN_CPP_SAFETENSORS_HPP
#define KILN_CPP_SAFETENSORS_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/io.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
struct load_safetensors_opts {
    KILN_OPTION((::kiln::pytree), like, {}) /* the leaves that are wanted, found by their names */
    KILN_OPTION((::kiln::text), nested, {})
    KILN_OPTION((::kiln::text), mode, {}) /* "r": arrays are read-only; "c": they can be written to, in memory alone */
    kn_load_safetensors_opts c() const {
        kn_load_safetensors_opts to_ = {}; to_.size_ = sizeof to_; to_.like = detail::c_of(like);
        to_.nested = detail::c_of(nested); to_.mode = detail::c_of(mode); return to_; }
};
/* the tensors of a file as a dict of arrays by their names, or as a tree. With `like` those of its leaves alone, in
 * its structure: layers/0/w is found as layers.0.w. NULL with an error: FileError if there is no such file,
 * ValueError for one that is none, KeyError for a leaf of `like` that it lacks, ValueError for one of another shape. */
inline pytree load_safetensors(const ::kiln::text &path, const ::kiln::load_safetensors_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_load_safetensors_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_load_safetensors(path.c(), &opts_c))); }
struct safetensors_open_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* as in kn_load_safetensors */
    kn_safetensors_open_opts c() const {
        kn_safetensors_open_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode); return to_; }
};
/* an open file, or all files of an index, of which only headers have been read. Arrays of it outlive it. NULL with
 * an error: FileError, ValueError for what is no such file, KeyError for a tensor of an index that its file lacks */
inline handle<kn_safetensors> safetensors_open(const ::kiln::text &path, const ::kiln::safetensors_open_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_safetensors_open_opts opts_c = opts.c(); c_.here(); return
    handle<kn_safetensors>(c_.take(kn_safetensors_open(path.c(), &opts_c))); }
struct safetensors_parse_opts {
    void (*release)(void *data, void *env) = {};
    KILN_OPTION((void *), env, {})
    kn_safetensors_parse_opts c() const {
        kn_safetensors_parse_opts to_ = {}; to_.size_ = sizeof to_; to_.release = release; to_.env = detail::c_of(env);
        return to_; }
};
/* loaders.safetensors.parse: the same of a file that is in memory already, and stays there, as it is, until
 * `release` is called with it: once, when no array uses it any more (at once if there is an error), from any thread,
 * and it must not call Kiln */
inline handle<kn_safetensors> safetensors_parse(const void *bytes, size_t n, const ::kiln::safetensors_parse_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_safetensors_parse_opts opts_c = opts.c(); c_.here(); return
    handle<kn_safetensors>(c_.take(kn_safetensors_parse(bytes, n, &opts_c))); }
/* the number of tensors; -1 for an error */
inline int safetensors_count(const ::kiln::handle<kn_safetensors> &file, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_safetensors_count(file.c())); }
/* the name of tensor i, in the order of names, as long as the file lives; NULL and an IndexError if there is none */
inline std::string safetensors_name(const ::kiln::handle<kn_safetensors> &file, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_safetensors_name(file.c(), i)); }
/* whether there is a tensor of that name; no error if not */
inline bool safetensors_has(const ::kiln::handle<kn_safetensors> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_safetensors_has(file.c(), name.c())); }
/* the dtype of a tensor, as its array will have it; NULL and a KeyError if there is none */
inline ::kiln::dtype safetensors_dtype(const ::kiln::handle<kn_safetensors> &file, const ::kiln::text &name, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_safetensors_dtype(file.c(), name.c())); }
/* the shape of a tensor; ndim -1 and a KeyError if there is none */
inline ::kiln::shape safetensors_shape(const ::kiln::handle<kn_safetensors> &file, const ::kiln::text &name, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_safetensors_shape(file.c(), name.c())); }
/* the array of a tensor: a view of the file. KeyError if there is none */
inline array safetensors_get(const ::kiln::handle<kn_safetensors> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_safetensors_get(file.c(), name.c()))); }
/* the number of texts of its metadata; -1 for an error. Of an index they are those of the index */
inline int safetensors_metadata_count(const ::kiln::handle<kn_safetensors> &file, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_safetensors_metadata_count(file.c())); }
/* the name of text i of the metadata, in the order of names; NULL and an IndexError if there is none */
inline std::string safetensors_metadata_name(const ::kiln::handle<kn_safetensors> &file, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_safetensors_metadata_name(file.c(), i)); }
/* a text of the metadata, as long as the file lives; NULL, without an error, if there is none */
inline std::string safetensors_metadata(const ::kiln::handle<kn_safetensors> &file, const ::kiln::text &name, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_safetensors_metadata(file.c(), name.c())); }
struct save_safetensors_opts {
    KILN_OPTION((const kn_text_list *), metadata, {}) /* names and their texts by turns, KN_TEXTS("format", "pt") */
    KILN_OPTION((::kiln::text), separator, ".") /* between the keys of a leaf, in its name */
    KILN_OPTION((FILE *), file, {}) /* instead of a path */
    kn_save_safetensors_opts c() const {
        kn_save_safetensors_opts to_ = {}; to_.size_ = sizeof to_; to_.metadata = detail::c_of(metadata);
        to_.separator = detail::c_of(separator); to_.file = detail::c_of(file); return to_; }
};
/* loaders.safetensors.(writer): writes the leaves of a tree to a file, named by their keys: layers.0.w. ValueError
 * if two would have the same name */
inline int save_safetensors(const ::kiln::text &path, const ::kiln::pytree &tree, const ::kiln::save_safetensors_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_save_safetensors_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_save_safetensors(path.c(), tree.c(), &opts_c)); }
struct save_safetensors_sharded_opts {
    KILN_OPTION((int64_t), max_shard_size, 5000000000)
    KILN_OPTION((const kn_text_list *), metadata, {}) /* of the index, or of the only file */
    KILN_OPTION((::kiln::text), separator, ".")
    KILN_OPTION((::kiln::text), name, "model") /* of the files */
    kn_save_safetensors_sharded_opts c() const {
        kn_save_safetensors_sharded_opts to_ = {}; to_.size_ = sizeof to_;
        to_.max_shard_size = detail::c_of(max_shard_size); to_.metadata = detail::c_of(metadata);
        to_.separator = detail::c_of(separator); to_.name = detail::c_of(name); return to_; }
};
/* writes a tree to a folder as model-00001-of-00003.safetensors and so on and model.safetensors.index.json, or as
 * model.safetensors if one file is enough: as huggingface_hub.save_torch_state_dict does. Tensors are taken in the
 * order of the tree. Files of an older model of that name go away; its index goes first and the new one comes last,
 * so that what was interrupted is an error when it is read and never a mixture. */
inline int save_safetensors_sharded(const ::kiln::text &folder, const ::kiln::pytree &tree, const
    ::kiln::save_safetensors_sharded_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_save_safetensors_sharded_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_save_safetensors_sharded(folder.c(), tree.c(), &opts_c)); }
struct rename_weights_opts {
    KILN_OPTION((const kn_text_list *), exact, {}) /* whole names and what stands for them by turns */
    KILN_OPTION((const kn_text_list *), prefix, {}) /* the same for what names begin with */
    KILN_OPTION((const kn_text_list *), suffix, {}) /* what they end in */
    KILN_OPTION((const kn_text_list *), substring, {}) /* all that is inside of them */
    KILN_OPTION((bool), camel_case, {}) /* then some_name becomes someName */
    KILN_OPTION((bool), inverse, {}) /* the way back: all rules from the last to the first, each the other way round */
    KILN_OPTION((::kiln::text), separator, ".") /* between the keys of a leaf, in its name */
    kn_rename_weights_opts c() const {
        kn_rename_weights_opts to_ = {}; to_.size_ = sizeof to_; to_.exact = detail::c_of(exact);
        to_.prefix = detail::c_of(prefix); to_.suffix = detail::c_of(suffix); to_.substring = detail::c_of(substring);
        to_.camel_case = detail::c_of(camel_case); to_.inverse = detail::c_of(inverse);
        to_.separator = detail::c_of(separator); return to_; }
};
/* loaders.WeightMapper: a flat dict of the leaves of a tree under other names: rules are applied one after the
 * other, those for whole names first, then `prefix`, `suffix` and `substring`. kn_tree_nested makes a tree of it.
 * ValueError if two leaves get the same name */
inline pytree rename_weights(const ::kiln::pytree &tree, const ::kiln::rename_weights_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_rename_weights_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_rename_weights(tree.c(), &opts_c))); }
} // namespace kiln
#endif
