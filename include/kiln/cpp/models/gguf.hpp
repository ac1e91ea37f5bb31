/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/models/gguf.hpp -- the functions of kiln/models/gguf.h in C++. */
/* Made by scripts/make-api.py from api/models/gguf.api. */
/* clang-format off */
#ifndef KILN_CPP_MODELS_GGUF_HPP
#define KILN_CPP_MODELS_GGUF_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
/* an open file, of which all but the tensors has been read. Arrays of it outlive it. NULL with an error: FileError
 * if there is no such file, ValueError if it is none or does not agree with itself, NotImplementedError for version
 * 1 and for files of the other byte order */
inline handle<kn_gguf> gguf_open(const ::kiln::text &path, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_gguf>(c_.take(kn_gguf_open(path.c()))); }
/* the same of a file that is in memory; the bytes are copied */
inline handle<kn_gguf> gguf_parse(const void *bytes, size_t n, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_gguf>(c_.take(kn_gguf_parse(bytes, n))); }
/* the number of tensors; -1 for an error */
inline int gguf_count(const ::kiln::handle<kn_gguf> &file, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_count(file.c())); }
/* the name of tensor i, in the file's order, as long as the file lives; NULL and an IndexError if there is none */
inline std::string gguf_name(const ::kiln::handle<kn_gguf> &file, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_gguf_name(file.c(), i)); }
/* whether there is a tensor of that name; no error if not */
inline bool gguf_has(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_has(file.c(), name.c())); }
/* the kind of a tensor; KeyError (and KN_GGUF_F32) if there is none */
inline kn_gguf_kind gguf_kind_of(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_kind_of(file.c(), name.c())); }
/* the name of a kind, "Q4_K"; NULL and a ValueError if there is none */
inline std::string gguf_kind_name(kn_gguf_kind kind, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_gguf_kind_name(kind)); }
/* the shape of a tensor's numbers; ndim -1 and a KeyError if there is none */
inline ::kiln::shape gguf_shape(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_shape(file.c(), name.c())); }
/* what the file has of a tensor, without a copy where it is aligned: plain kinds (F32, F16, BF16, F64, I8 to I64)
 * have their dtype and shape, blocks are bytes, of which the last axis has more or less than the tensor has numbers */
inline array gguf_blocks(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_gguf_blocks(file.c(), name.c()))); }
/* the numbers that blocks mean, in float32: an expression, so that inside of a function that is jitted they need not
 * be made. float16 and bfloat16 become float32, other plain kinds stay as they are. ValueError for bytes that are no
 * whole blocks, NotImplementedError for IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S and Q1_0 */
inline array gguf_dequantize(const ::kiln::operand &blocks, kn_gguf_kind kind, place where = here())
{ detail::call c_(where); kn_array blocks_h = blocks.c(); c_.here(); return
    array::share(c_.take(kn_gguf_dequantize(blocks_h, kind))); }
/* the numbers of a tensor: kn_gguf_dequantize of its blocks; of plain kinds the elements in their own dtype.
 * KeyError if there is none */
inline array gguf_get(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_gguf_get(file.c(), name.c()))); }
struct load_gguf_opts {
    KILN_OPTION((::kiln::text), nested, {})
    KILN_OPTION((bool), blocks, {}) /* what kn_gguf_blocks gives instead of numbers */
    kn_load_gguf_opts c() const {
        kn_load_gguf_opts to_ = {}; to_.size_ = sizeof to_; to_.nested = detail::c_of(nested);
        to_.blocks = detail::c_of(blocks); return to_; }
};
/* all tensors of a file as a dict by name, or as a tree; NULL with an error as kn_gguf_open */
inline pytree load_gguf(const ::kiln::text &path, const ::kiln::load_gguf_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_load_gguf_opts opts_c = opts.c(); c_.here(); return pytree(c_.take(kn_load_gguf(path.c(),
    &opts_c))); }
/* the number of entries; -1 for an error */
inline int gguf_metadata_count(const ::kiln::handle<kn_gguf> &file, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_metadata_count(file.c())); }
/* the name of entry i, "general.architecture", in the file's order; NULL and an IndexError if there is none */
inline std::string gguf_metadata_name(const ::kiln::handle<kn_gguf> &file, int i, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_gguf_metadata_name(file.c(), i)); }
/* the type of an entry, KN_GGUF_TYPE_ARRAY for an array; KN_GGUF_TYPE_NONE, without an error, if there is none */
inline kn_gguf_type gguf_metadata_type(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_metadata_type(file.c(), name.c())); }
/* how many elements an array has; 1 for what is none; -1 and a KeyError if there is no such entry */
inline int64_t gguf_metadata_length(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_gguf_metadata_length(file.c(), name.c())); }
/* a number or a truth value as an array without axes, an array of them as a vector, in their dtype. KeyError if
 * there is none, TypeError for texts */
inline array gguf_metadata(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_gguf_metadata(file.c(), name.c()))); }
/* a text (i is 0), or text i of an array, as long as the file lives. NULL with KeyError, TypeError for what has no
 * texts, IndexError */
inline std::string gguf_metadata_text(const ::kiln::handle<kn_gguf> &file, const ::kiln::text &name, int64_t i, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_gguf_metadata_text(file.c(), name.c(), i)); }
} // namespace kiln
#endif
