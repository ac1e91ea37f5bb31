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

/* ---- The checkpoints of a training run: one every so many steps in a folder for all, of which the last few are
 * kept (orbax.checkpoint.CheckpointManager). */
/* A handle: what is being written is complete when it goes. */
typedef struct kn_checkpoint_manager_s *kn_checkpoint_manager;
typedef struct kn_checkpoint_manager_opts {
    size_t size_;
    /* all: how many checkpoints stay; those of the lowest other steps go when a new one is complete */
    int64_t keep;
    int64_t every;      /* 1: steps between two checkpoints: others are not written */
    bool in_background; /* a thread writes while the program goes on; the arrays are written as they were at the call */
} kn_checkpoint_manager_opts;
KN_API kn_checkpoint_manager_opts kn_checkpoint_manager_opts_default(void);
/* the checkpoints in this folder, which is made if it is not there; each is a checkpoint of kn_save_checkpoint in a
 * folder of its own that has the number of the step as its name. What a process that was killed left half written
 * goes away, and is never taken for a checkpoint. Several processes call it together. FileError, ValueError */
KN_API kn_checkpoint_manager kn_checkpoint_manager_new(const char *folder, const kn_checkpoint_manager_opts *opts);
typedef struct kn_checkpoint_manager_save_opts {
    size_t size_;
    bool force;   /* write it whichever step it is, and in the place of one of the same step */
} kn_checkpoint_manager_save_opts;
KN_API kn_checkpoint_manager_save_opts kn_checkpoint_manager_save_opts_default(void);
/* writes the tree as the checkpoint of this step, if it is one of those that are written (a multiple of .every): 1,
 * 0 if it is not, -1 with an error. At each moment there is either no checkpoint of the step or a whole one,
 * whenever the process is killed. Where it is written in the background the next call of any function of the manager
 * waits for it, and tells its error; arrays that are spread over a mesh and trees of several processes are written
 * before the call returns */
KN_API int kn_checkpoint_manager_save(kn_checkpoint_manager manager, int64_t step, kn_tree tree,
    const kn_checkpoint_manager_save_opts *opts);
typedef struct kn_checkpoint_manager_restore_opts {
    size_t size_;
    int64_t step;         /* -1: of the checkpoint; -1: the latest */
    kn_tree like;         /* NULL, that of the file: as for kn_load_checkpoint */
    kn_sharding sharding; /* NULL, as in `like` */
} kn_checkpoint_manager_restore_opts;
KN_API kn_checkpoint_manager_restore_opts kn_checkpoint_manager_restore_opts_default(void);
/* the tree of a step, or of the latest one. NULL with an error: FileError where there is none, and those of
 * kn_load_checkpoint */
KN_API kn_tree kn_checkpoint_manager_restore(kn_checkpoint_manager manager,
    const kn_checkpoint_manager_restore_opts *opts);
/* the step of the newest checkpoint; -1 if there is none, or with an error */
KN_API int64_t kn_checkpoint_manager_latest(kn_checkpoint_manager manager);
/* the steps of all checkpoints that are there, ascending: int64 */
KN_API kn_array kn_checkpoint_manager_steps(kn_checkpoint_manager manager);
/* waits until what is being written is there. 0, or -1 with the error of the writing */
KN_API int kn_checkpoint_manager_wait(kn_checkpoint_manager manager);

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
#define kn_checkpoint_manager_new(folder, ...)                                                                         \
    KN_G1O(kn_checkpoint_manager_new, kn_checkpoint_manager_opts, (.every = 1, ), const char *, folder, __VA_ARGS__)
#define kn_checkpoint_manager_save(manager, step, tree, ...)                                                           \
    KN_CHECKPOINT_MANAGER_SAVE_(__COUNTER__, manager, step, tree, __VA_ARGS__)
#define KN_CHECKPOINT_MANAGER_SAVE_(c, manager, step, tree, ...)                                                       \
    __extension__({ KN_TAKE(kn_checkpoint_manager, 1, c, manager) KN_TAKE(int64_t, 2, c, step)                         \
    KN_TAKE(kn_tree, 3, c, tree) KN_OPTS(c, kn_checkpoint_manager_save_opts, (), __VA_ARGS__) KN_HERE();               \
    (kn_checkpoint_manager_save)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_checkpoint_manager_restore(manager, ...)                                                                    \
    KN_G1O(kn_checkpoint_manager_restore, kn_checkpoint_manager_restore_opts, (.step = -1, ), kn_checkpoint_manager,   \
    manager, __VA_ARGS__)
#define kn_checkpoint_manager_latest(manager) KN_G1(kn_checkpoint_manager_latest, kn_checkpoint_manager, manager)
#define kn_checkpoint_manager_steps(manager) KN_G1(kn_checkpoint_manager_steps, kn_checkpoint_manager, manager)
#define kn_checkpoint_manager_wait(manager) KN_G1(kn_checkpoint_manager_wait, kn_checkpoint_manager, manager)
#define kn_load_npy_sharded(path, sharding, ...)                                                                       \
    KN_G2O(kn_load_npy_sharded, kn_load_npy_sharded_opts, (.max_header_size = 10000, ), const char *, path,            \
    kn_sharding, sharding, __VA_ARGS__)
#endif
#endif
