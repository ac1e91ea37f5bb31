/* SPDX-License-Identifier: Apache-2.0
 * kiln/safetensors.h -- files of safetensors, in which weights of models are published: read by memory map, without
 * a copy, and written byte for byte as the Python package writes them (docs/models/files.md).
 *
 * A file is the length of its header, the header (JSON: names, dtypes, shapes, places; texts as metadata), and the
 * elements. Larger models are several files under an index, "model.safetensors.index.json". A path is that of a
 * file, of an index (it ends in .json), or of a folder in which there is model.safetensors.index.json or
 * model.safetensors. What is wrong with a file is a ValueError with its path when it is opened, and nothing is
 * allocated that the file has no bytes for. */
/* Made by scripts/make-api.py from api/safetensors.api. */
/* clang-format off */
#ifndef KILN_SAFETENSORS_H
#define KILN_SAFETENSORS_H
#include "kiln/io.h"
#include "kiln/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_safetensors_s *kn_safetensors; /* a handle of an open file, or of the files of an index */

/* ---- Reading. Arrays are the file's own pages, which are read where they are used; so a slice (kn_at) reads what
 * it needs. Copied are only elements below 8 bits (F4, F6: the first one is in the lowest bits; one byte each here),
 * elements that lie unaligned in their file, and truth values that are neither 0 nor 1. Dtypes are the file's:
 * F8_E4M3 is float8_e4m3fn, F8_E8M0 float8_e8m0fnu. A file that others make shorter meanwhile ends the program where
 * an array is read (SIGBUS), as with kn_memmap. Where files are not mapped (Windows, WebAssembly) they are read. */
typedef struct kn_load_safetensors_opts {
    size_t size_;
    kn_tree like;       /* NULL, all that the file has: the leaves that are wanted, found by their names */
    /* NULL, a flat dict: "." makes a tree of names such as layers.0.w, as kn_tree_nested does; with `like` what is
     * between the keys */
    const char *nested;
    const char *mode;   /* NULL, "r"; or "c": "r": arrays are read-only; "c": they can be written to, in memory alone */
} kn_load_safetensors_opts;
KN_API kn_load_safetensors_opts kn_load_safetensors_opts_default(void);
/* the tensors of a file as a dict of arrays by their names, or as a tree. With `like` those of its leaves alone, in
 * its structure: layers/0/w is found as layers.0.w. NULL with an error: FileError if there is no such file,
 * ValueError for one that is none, KeyError for a leaf of `like` that it lacks, ValueError for one of another shape. */
KN_API kn_tree kn_load_safetensors(const char *path, const kn_load_safetensors_opts *opts);
typedef struct kn_safetensors_open_opts {
    size_t size_;
    const char *mode; /* NULL, "r"; or "c": as in kn_load_safetensors */
} kn_safetensors_open_opts;
KN_API kn_safetensors_open_opts kn_safetensors_open_opts_default(void);
/* an open file, or all files of an index, of which only headers have been read. Arrays of it outlive it. NULL with
 * an error: FileError, ValueError for what is no such file, KeyError for a tensor of an index that its file lacks */
KN_API kn_safetensors kn_safetensors_open(const char *path, const kn_safetensors_open_opts *opts);
typedef struct kn_safetensors_parse_opts {
    size_t size_; void (*release)(void *data, void *env); void *env;
} kn_safetensors_parse_opts;
KN_API kn_safetensors_parse_opts kn_safetensors_parse_opts_default(void);
/* loaders.safetensors.parse: the same of a file that is in memory already, and stays there, as it is, until
 * `release` is called with it: once, when no array uses it any more (at once if there is an error), from any thread,
 * and it must not call Kiln */
KN_API kn_safetensors kn_safetensors_parse(const void *bytes, size_t n, const kn_safetensors_parse_opts *opts);
KN_API int kn_safetensors_count(kn_safetensors file); /* the number of tensors; -1 for an error */
/* the name of tensor i, in the order of names, as long as the file lives; NULL and an IndexError if there is none */
KN_API const char *kn_safetensors_name(kn_safetensors file, int i);
/* whether there is a tensor of that name; no error if not */
KN_API bool kn_safetensors_has(kn_safetensors file, const char *name);
/* the dtype of a tensor, as its array will have it; NULL and a KeyError if there is none */
KN_API kn_dtype kn_safetensors_dtype(kn_safetensors file, const char *name);
/* the shape of a tensor; ndim -1 and a KeyError if there is none */
KN_API kn_shape kn_safetensors_shape(kn_safetensors file, const char *name);
/* the array of a tensor: a view of the file. KeyError if there is none */
KN_API kn_array kn_safetensors_get(kn_safetensors file, const char *name);
/* the number of texts of its metadata; -1 for an error. Of an index they are those of the index */
KN_API int kn_safetensors_metadata_count(kn_safetensors file);
/* the name of text i of the metadata, in the order of names; NULL and an IndexError if there is none */
KN_API const char *kn_safetensors_metadata_name(kn_safetensors file, int i);
/* a text of the metadata, as long as the file lives; NULL, without an error, if there is none */
KN_API const char *kn_safetensors_metadata(kn_safetensors file, const char *name);

/* ---- Writing. It runs what is recorded; 0, or -1 with an error. A file is there as a whole or not at all: an older
 * one stays until the new one is complete. The same tree gives the same bytes. TypeError for dtypes that the format
 * does not have (complex128, int4, keys, ...). */
typedef struct kn_save_safetensors_opts {
    size_t size_;
    const kn_text_list *metadata; /* names and their texts by turns, KN_TEXTS("format", "pt") */
    const char *separator;        /* ".": between the keys of a leaf, in its name */
    FILE *file;                   /* instead of a path */
} kn_save_safetensors_opts;
KN_API kn_save_safetensors_opts kn_save_safetensors_opts_default(void);
/* loaders.safetensors.(writer): writes the leaves of a tree to a file, named by their keys: layers.0.w. ValueError
 * if two would have the same name */
KN_API int kn_save_safetensors(const char *path, kn_tree tree, const kn_save_safetensors_opts *opts);
typedef struct kn_save_safetensors_sharded_opts {
    size_t size_;
    /* 5000000000: bytes of elements in a file; a tensor that has more is in one of its own */
    int64_t max_shard_size;
    const kn_text_list *metadata; /* of the index, or of the only file */
    const char *separator;        /* "." */
    const char *name;             /* "model": of the files */
} kn_save_safetensors_sharded_opts;
KN_API kn_save_safetensors_sharded_opts kn_save_safetensors_sharded_opts_default(void);
/* writes a tree to a folder as model-00001-of-00003.safetensors and so on and model.safetensors.index.json, or as
 * model.safetensors if one file is enough: as huggingface_hub.save_torch_state_dict does. Tensors are taken in the
 * order of the tree. Files of an older model of that name go away; its index goes first and the new one comes last,
 * so that what was interrupted is an error when it is read and never a mixture. */
KN_API int kn_save_safetensors_sharded(const char *folder, kn_tree tree, const kn_save_safetensors_sharded_opts *opts);

/* ---- Names of weights. */
typedef struct kn_rename_weights_opts {
    size_t size_;
    const kn_text_list *exact;     /* whole names and what stands for them by turns */
    const kn_text_list *prefix;    /* the same for what names begin with */
    const kn_text_list *suffix;    /* what they end in */
    const kn_text_list *substring; /* all that is inside of them */
    bool camel_case;               /* then some_name becomes someName */
    bool inverse;                  /* the way back: all rules from the last to the first, each the other way round */
    const char *separator;         /* ".": between the keys of a leaf, in its name */
} kn_rename_weights_opts;
KN_API kn_rename_weights_opts kn_rename_weights_opts_default(void);
/* loaders.WeightMapper: a flat dict of the leaves of a tree under other names: rules are applied one after the
 * other, those for whole names first, then `prefix`, `suffix` and `substring`. kn_tree_nested makes a tree of it.
 * ValueError if two leaves get the same name */
KN_API kn_tree kn_rename_weights(kn_tree tree, const kn_rename_weights_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_load_safetensors(path, ...)                                                                                 \
    KN_G1O(kn_load_safetensors, kn_load_safetensors_opts, (), const char *, path, __VA_ARGS__)
#define kn_safetensors_open(path, ...)                                                                                 \
    KN_G1O(kn_safetensors_open, kn_safetensors_open_opts, (), const char *, path, __VA_ARGS__)
#define kn_safetensors_count(file) KN_G1(kn_safetensors_count, kn_safetensors, file)
#define kn_safetensors_name(file, i) KN_G2(kn_safetensors_name, kn_safetensors, file, int, i)
#define kn_safetensors_has(file, name) KN_G2(kn_safetensors_has, kn_safetensors, file, const char *, name)
#define kn_safetensors_dtype(file, name) KN_G2(kn_safetensors_dtype, kn_safetensors, file, const char *, name)
#define kn_safetensors_shape(file, name) KN_G2(kn_safetensors_shape, kn_safetensors, file, const char *, name)
#define kn_safetensors_get(file, name) KN_G2(kn_safetensors_get, kn_safetensors, file, const char *, name)
#define kn_safetensors_metadata_count(file) KN_G1(kn_safetensors_metadata_count, kn_safetensors, file)
#define kn_safetensors_metadata_name(file, i) KN_G2(kn_safetensors_metadata_name, kn_safetensors, file, int, i)
#define kn_safetensors_metadata(file, name) KN_G2(kn_safetensors_metadata, kn_safetensors, file, const char *, name)
#define kn_save_safetensors(path, tree, ...)                                                                           \
    KN_G2O(kn_save_safetensors, kn_save_safetensors_opts, (.separator = ".", ), const char *, path, kn_tree, tree,     \
    __VA_ARGS__)
#define kn_save_safetensors_sharded(folder, tree, ...)                                                                 \
    KN_G2O(kn_save_safetensors_sharded, kn_save_safetensors_sharded_opts, (.max_shard_size = 5000000000,               \
    .separator = ".", .name = "model", ), const char *, folder, kn_tree, tree, __VA_ARGS__)
#define kn_rename_weights(tree, ...)                                                                                   \
    KN_G1O(kn_rename_weights, kn_rename_weights_opts, (.separator = ".", ), kn_tree, tree, __VA_ARGS__)
#endif
#endif
