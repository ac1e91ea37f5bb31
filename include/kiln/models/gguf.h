/* SPDX-License-Identifier: Apache-2.0
 * kiln/models/gguf.h -- files of gguf, in which language models are published with quantised weights, versions 2 and
 * 3: read by memory map.
 *
 * A tensor is the file's own bytes. kn_gguf_get gives the numbers that they mean as an expression over the bytes,
 * which a kernel that uses them reads; a function that shall have blocks as its arguments takes kn_gguf_blocks and
 * calls kn_gguf_dequantize inside. Bits are those of the Python package gguf. Shapes are NumPy's, the last axis is
 * what lies side by side: those in the file the other way round. What is wrong with a file is a ValueError with its
 * path when it is opened. */
/* Made by scripts/make-api.py from api/models/gguf.api. */
/* clang-format off */
#ifndef KILN_MODELS_GGUF_H
#define KILN_MODELS_GGUF_H
#include "kiln/tree.h"
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_gguf_s *kn_gguf; /* an open file; a handle of the scope */
/* Kinds of tensors, by their numbers in files. */
typedef enum kn_gguf_kind {
    KN_GGUF_F32 = 0, KN_GGUF_F16 = 1, KN_GGUF_Q4_0 = 2, KN_GGUF_Q4_1 = 3, KN_GGUF_Q5_0 = 6, KN_GGUF_Q5_1 = 7,
    KN_GGUF_Q8_0 = 8, KN_GGUF_Q8_1 = 9, KN_GGUF_Q2_K = 10, KN_GGUF_Q3_K = 11, KN_GGUF_Q4_K = 12, KN_GGUF_Q5_K = 13,
    KN_GGUF_Q6_K = 14, KN_GGUF_Q8_K = 15, KN_GGUF_IQ2_XXS = 16, KN_GGUF_IQ2_XS = 17, KN_GGUF_IQ3_XXS = 18,
    KN_GGUF_IQ1_S = 19, KN_GGUF_IQ4_NL = 20, KN_GGUF_IQ3_S = 21, KN_GGUF_IQ2_S = 22, KN_GGUF_IQ4_XS = 23, KN_GGUF_I8
    = 24, KN_GGUF_I16 = 25, KN_GGUF_I32 = 26, KN_GGUF_I64 = 27, KN_GGUF_F64 = 28, KN_GGUF_IQ1_M = 29, KN_GGUF_BF16 =
    30, KN_GGUF_TQ1_0 = 34, KN_GGUF_TQ2_0 = 35, KN_GGUF_MXFP4 = 39, KN_GGUF_NVFP4 = 40, KN_GGUF_Q1_0 = 41
} kn_gguf_kind;
/* Types of metadata, by their numbers in files; -1 for an error. */
typedef enum kn_gguf_type {
    KN_GGUF_TYPE_NONE = -1, KN_GGUF_TYPE_U8 = 0, KN_GGUF_TYPE_I8 = 1, KN_GGUF_TYPE_U16 = 2, KN_GGUF_TYPE_I16 = 3,
    KN_GGUF_TYPE_U32 = 4, KN_GGUF_TYPE_I32 = 5, KN_GGUF_TYPE_F32 = 6, KN_GGUF_TYPE_BOOL = 7, KN_GGUF_TYPE_TEXT = 8,
    KN_GGUF_TYPE_ARRAY = 9, KN_GGUF_TYPE_U64 = 10, KN_GGUF_TYPE_I64 = 11, KN_GGUF_TYPE_F64 = 12
} kn_gguf_type;

/* ---- Tensors. */
/* an open file, of which all but the tensors has been read. Arrays of it outlive it. NULL with an error: FileError
 * if there is no such file, ValueError if it is none or does not agree with itself, NotImplementedError for version
 * 1 and for files of the other byte order */
KN_API kn_gguf kn_gguf_open(const char *path);
/* the same of a file that is in memory; the bytes are copied */
KN_API kn_gguf kn_gguf_parse(const void *bytes, size_t n);
KN_API int kn_gguf_count(kn_gguf file);                  /* the number of tensors; -1 for an error */
/* the name of tensor i, in the file's order, as long as the file lives; NULL and an IndexError if there is none */
KN_API const char *kn_gguf_name(kn_gguf file, int i);
KN_API bool kn_gguf_has(kn_gguf file, const char *name); /* whether there is a tensor of that name; no error if not */
/* the kind of a tensor; KeyError (and KN_GGUF_F32) if there is none */
KN_API kn_gguf_kind kn_gguf_kind_of(kn_gguf file, const char *name);
/* the name of a kind, "Q4_K"; NULL and a ValueError if there is none */
KN_API const char *kn_gguf_kind_name(kn_gguf_kind kind);
/* the shape of a tensor's numbers; ndim -1 and a KeyError if there is none */
KN_API kn_shape kn_gguf_shape(kn_gguf file, const char *name);
/* what the file has of a tensor, without a copy where it is aligned: plain kinds (F32, F16, BF16, F64, I8 to I64)
 * have their dtype and shape, blocks are bytes, of which the last axis has more or less than the tensor has numbers */
KN_API kn_array kn_gguf_blocks(kn_gguf file, const char *name);
/* the numbers that blocks mean, in float32: an expression, so that inside of a function that is jitted they need not
 * be made. float16 and bfloat16 become float32, other plain kinds stay as they are. ValueError for bytes that are no
 * whole blocks, NotImplementedError for IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S and Q1_0 */
KN_API kn_array kn_gguf_dequantize(kn_array blocks, kn_gguf_kind kind);
/* the numbers of a tensor: kn_gguf_dequantize of its blocks; of plain kinds the elements in their own dtype.
 * KeyError if there is none */
KN_API kn_array kn_gguf_get(kn_gguf file, const char *name);
typedef struct kn_load_gguf_opts {
    size_t size_;
    /* NULL, a flat dict: "." makes a tree of names such as blk.0.attn_q.weight, as kn_tree_nested does */
    const char *nested;
    bool blocks;        /* what kn_gguf_blocks gives instead of numbers */
} kn_load_gguf_opts;
KN_API kn_load_gguf_opts kn_load_gguf_opts_default(void);
/* all tensors of a file as a dict by name, or as a tree; NULL with an error as kn_gguf_open */
KN_API kn_tree kn_load_gguf(const char *path, const kn_load_gguf_opts *opts);

/* ---- Metadata: texts, numbers, truth values, arrays of them. */
KN_API int kn_gguf_metadata_count(kn_gguf file); /* the number of entries; -1 for an error */
/* the name of entry i, "general.architecture", in the file's order; NULL and an IndexError if there is none */
KN_API const char *kn_gguf_metadata_name(kn_gguf file, int i);
/* the type of an entry, KN_GGUF_TYPE_ARRAY for an array; KN_GGUF_TYPE_NONE, without an error, if there is none */
KN_API kn_gguf_type kn_gguf_metadata_type(kn_gguf file, const char *name);
/* how many elements an array has; 1 for what is none; -1 and a KeyError if there is no such entry */
KN_API int64_t kn_gguf_metadata_length(kn_gguf file, const char *name);
/* a number or a truth value as an array without axes, an array of them as a vector, in their dtype. KeyError if
 * there is none, TypeError for texts */
KN_API kn_array kn_gguf_metadata(kn_gguf file, const char *name);
/* a text (i is 0), or text i of an array, as long as the file lives. NULL with KeyError, TypeError for what has no
 * texts, IndexError */
KN_API const char *kn_gguf_metadata_text(kn_gguf file, const char *name, int64_t i);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_gguf_open(path) KN_G1(kn_gguf_open, const char *, path)
#define kn_gguf_count(file) KN_G1(kn_gguf_count, kn_gguf, file)
#define kn_gguf_name(file, i) KN_G2(kn_gguf_name, kn_gguf, file, int, i)
#define kn_gguf_has(file, name) KN_G2(kn_gguf_has, kn_gguf, file, const char *, name)
#define kn_gguf_kind_of(file, name) KN_G2(kn_gguf_kind_of, kn_gguf, file, const char *, name)
#define kn_gguf_kind_name(kind) KN_G1(kn_gguf_kind_name, kn_gguf_kind, kind)
#define kn_gguf_shape(file, name) KN_G2(kn_gguf_shape, kn_gguf, file, const char *, name)
#define kn_gguf_blocks(file, name) KN_G2(kn_gguf_blocks, kn_gguf, file, const char *, name)
#define kn_gguf_dequantize(blocks, kind) KN_H1(kn_gguf_dequantize, blocks, kn_gguf_kind, kind)
#define kn_gguf_get(file, name) KN_G2(kn_gguf_get, kn_gguf, file, const char *, name)
#define kn_load_gguf(path, ...) KN_G1O(kn_load_gguf, kn_load_gguf_opts, (), const char *, path, __VA_ARGS__)
#define kn_gguf_metadata_count(file) KN_G1(kn_gguf_metadata_count, kn_gguf, file)
#define kn_gguf_metadata_name(file, i) KN_G2(kn_gguf_metadata_name, kn_gguf, file, int, i)
#define kn_gguf_metadata_type(file, name) KN_G2(kn_gguf_metadata_type, kn_gguf, file, const char *, name)
#define kn_gguf_metadata_length(file, name) KN_G2(kn_gguf_metadata_length, kn_gguf, file, const char *, name)
#define kn_gguf_metadata(file, name) KN_G2(kn_gguf_metadata, kn_gguf, file, const char *, name)
#define kn_gguf_metadata_text(file, name, i) KN_GGUF_METADATA_TEXT_(__COUNTER__, file, name, i)
#define KN_GGUF_METADATA_TEXT_(c, file, name, i)                                                                       \
    __extension__({ KN_TAKE(kn_gguf, 1, c, file) KN_TAKE(const char *, 2, c, name) KN_TAKE(int64_t, 3, c, i)           \
    KN_HERE(); (kn_gguf_metadata_text)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#endif
#endif
