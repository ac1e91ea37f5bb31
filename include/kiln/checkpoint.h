/* SPDX-License-Identifier: Apache-2.0
 * kiln/checkpoint.h -- files of arrays that are spread over a mesh (docs/files.md, "Spread arrays"). No process ever
 * has all of them: each writes the parts that its own devices have, and reads those that they need.
 *
 * A checkpoint is a folder: manifest.json, which says what there is and where, and a file for each process that had
 * something to write. Other processes, as many as there may be, with another mesh, can read it, and one process
 * without any. */
/* Made by scripts/make-api.py from api/checkpoint.api. */
/* clang-format off */
#ifndef KILN_CHECKPOINT_H
#define KILN_CHECKPOINT_H
#include "kiln/sharding.h"
#include "kiln/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Checkpoints. */
/* writes the leaves of a tree to the folder `path`; of what several devices have, the first one in the mesh writes
 * it, and the first process writes what lies in no mesh. All processes call it, with the same tree and a folder that
 * all of them see. The folder is written beside the old one (path.new), which it replaces when every process has
 * written its file: until then, and after an error, the old one is as it was. 0, or -1 with an error, in all
 * processes. FileError, ValueError if at `path` is something else than a checkpoint or an empty folder. */
KN_API int kn_save_checkpoint(const char *path, kn_tree tree);
typedef struct kn_load_checkpoint_opts {
    size_t size_;
    /* NULL, that of the file: the leaves that are wanted; where one lies on a mesh, so does what is read for it */
    kn_tree like;
    kn_sharding sharding; /* NULL, as in `like`: of all leaves */
} kn_load_checkpoint_opts;
KN_API kn_load_checkpoint_opts kn_load_checkpoint_opts_default(void);
/* the tree that kn_save_checkpoint wrote. Of leaves that go onto a mesh each process reads only what its own devices
 * have, whatever the mesh was when they were written. Leaves of `like` are found by their paths (layers/0), and
 * others of the file are not read. Each process calls it for itself. NULL with an error: FileError if there is none,
 * KeyError for a leaf of `like` that it lacks, ValueError for one that has another shape, a file that was cut off, a
 * manifest of another version; TypeError for another dtype. */
KN_API kn_tree kn_load_checkpoint(const char *path, const kn_load_checkpoint_opts *opts);

/* ---- Files of NumPy. */
typedef struct kn_load_npy_sharded_opts {
    size_t size_;
    int64_t max_header_size; /* 10000: -1: no limit */
} kn_load_npy_sharded_opts;
KN_API kn_load_npy_sharded_opts kn_load_npy_sharded_opts_default(void);
/* the array of an npy file, of which each process reads only the parts of its own devices: the bytes that they lie
 * in, in whichever order the file has. What kn_load(path, .mmap_mode = "r") and kn_make_array_from_callback do
 * together, for files of the other byte order, too. FileError if there is no such file, ValueError if it is no such
 * file, or the sharding has more dimensions */
KN_API kn_array kn_load_npy_sharded(const char *path, kn_sharding sharding, const kn_load_npy_sharded_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_save_checkpoint(path, tree) KN_G2(kn_save_checkpoint, const char *, path, kn_tree, tree)
#define kn_load_checkpoint(path, ...)                                                                                  \
    KN_G1O(kn_load_checkpoint, kn_load_checkpoint_opts, (), const char *, path, __VA_ARGS__)
#define kn_load_npy_sharded(path, sharding, ...)                                                                       \
    KN_G2O(kn_load_npy_sharded, kn_load_npy_sharded_opts, (.max_header_size = 10000, ), const char *, path,            \
    kn_sharding, sharding, __VA_ARGS__)
#endif
#endif
