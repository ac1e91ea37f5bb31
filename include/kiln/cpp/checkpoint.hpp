/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/checkpoint.hpp -- the functions of kiln/checkpoint.h in C++. */
/* Made by scripts/make-api.py from api/checkpoint.api. */
/* clang-format off */
#ifndef KILN_CPP_CHECKPOINT_HPP
#define KILN_CPP_CHECKPOINT_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/sharding.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
/* writes the leaves of a tree to the folder `path`; of what several devices have, the first one in the mesh writes
 * it, and the first process writes what lies in no mesh. All processes call it, with the same tree and a folder that
 * all of them see. The folder is written beside the old one (path.new), which it replaces when every process has
 * written its file: until then, and after an error, the old one is as it was. 0, or -1 with an error, in all
 * processes. FileError, ValueError if at `path` is something else than a checkpoint or an empty folder. */
inline int save_checkpoint(const ::kiln::text &path, const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_save_checkpoint(path.c(), tree.c())); }
struct load_checkpoint_opts {
    KILN_OPTION((::kiln::pytree), like, {})
    KILN_OPTION((kn_sharding), sharding, {}) /* of all leaves */
    kn_load_checkpoint_opts c() const {
        kn_load_checkpoint_opts to_ = {}; to_.size_ = sizeof to_; to_.like = detail::c_of(like);
        to_.sharding = detail::c_of(sharding); return to_; }
};
/* the tree that kn_save_checkpoint wrote. Of leaves that go onto a mesh each process reads only what its own devices
 * have, whatever the mesh was when they were written. Leaves of `like` are found by their paths (layers/0), and
 * others of the file are not read. Each process calls it for itself. NULL with an error: FileError if there is none,
 * KeyError for a leaf of `like` that it lacks, ValueError for one that has another shape, a file that was cut off, a
 * manifest of another version; TypeError for another dtype. */
inline pytree load_checkpoint(const ::kiln::text &path, const ::kiln::load_checkpoint_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_load_checkpoint_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_load_checkpoint(path.c(), &opts_c))); }
struct checkpoint_manager_opts {
    KILN_OPTION((int64_t), keep, {})
    KILN_OPTION((int64_t), every, 1) /* steps between two checkpoints: others are not written */
    KILN_OPTION((bool), in_background, {})
    kn_checkpoint_manager_opts c() const {
        kn_checkpoint_manager_opts to_ = {}; to_.size_ = sizeof to_; to_.keep = detail::c_of(keep);
        to_.every = detail::c_of(every); to_.in_background = detail::c_of(in_background); return to_; }
};
using checkpoint_manager_new_opts = ::kiln::checkpoint_manager_opts;
/* the checkpoints in this folder, which is made if it is not there; each is a checkpoint of kn_save_checkpoint in a
 * folder of its own that has the number of the step as its name. What a process that was killed left half written
 * goes away, and is never taken for a checkpoint. Several processes call it together. FileError, ValueError */
inline kn_checkpoint_manager checkpoint_manager_new(const ::kiln::text &folder, const ::kiln::checkpoint_manager_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_checkpoint_manager_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_checkpoint_manager_new(folder.c(), &opts_c)); }
struct checkpoint_manager_save_opts {
    KILN_OPTION((bool), force, {}) /* write it whichever step it is, and in the place of one of the same step */
    kn_checkpoint_manager_save_opts c() const {
        kn_checkpoint_manager_save_opts to_ = {}; to_.size_ = sizeof to_; to_.force = detail::c_of(force); return to_; }
};
/* writes the tree as the checkpoint of this step, if it is one of those that are written (a multiple of .every): 1,
 * 0 if it is not, -1 with an error. At each moment there is either no checkpoint of the step or a whole one,
 * whenever the process is killed. Where it is written in the background the next call of any function of the manager
 * waits for it, and tells its error; arrays that are spread over a mesh and trees of several processes are written
 * before the call returns */
inline int checkpoint_manager_save(kn_checkpoint_manager manager, int64_t step, const ::kiln::pytree &tree, const
    ::kiln::checkpoint_manager_save_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_checkpoint_manager_save_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_checkpoint_manager_save(manager, step, tree.c(), &opts_c)); }
struct checkpoint_manager_restore_opts {
    KILN_OPTION((int64_t), step, -1) /* of the checkpoint; -1: the latest */
    KILN_OPTION((::kiln::pytree), like, {}) /* as for kn_load_checkpoint */
    KILN_OPTION((kn_sharding), sharding, {}) /* as in `like` */
    kn_checkpoint_manager_restore_opts c() const {
        kn_checkpoint_manager_restore_opts to_ = {}; to_.size_ = sizeof to_; to_.step = detail::c_of(step);
        to_.like = detail::c_of(like); to_.sharding = detail::c_of(sharding); return to_; }
};
/* the tree of a step, or of the latest one. NULL with an error: FileError where there is none, and those of
 * kn_load_checkpoint */
inline pytree checkpoint_manager_restore(kn_checkpoint_manager manager, const ::kiln::checkpoint_manager_restore_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_checkpoint_manager_restore_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_checkpoint_manager_restore(manager, &opts_c))); }
/* the step of the newest checkpoint; -1 if there is none, or with an error */
inline int64_t checkpoint_manager_latest(kn_checkpoint_manager manager, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_checkpoint_manager_latest(manager)); }
/* the steps of all checkpoints that are there, ascending: int64 */
inline array checkpoint_manager_steps(kn_checkpoint_manager manager, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_checkpoint_manager_steps(manager))); }
/* waits until what is being written is there. 0, or -1 with the error of the writing */
inline int checkpoint_manager_wait(kn_checkpoint_manager manager, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_checkpoint_manager_wait(manager)); }
struct load_npy_sharded_opts {
    KILN_OPTION((int64_t), max_header_size, 10000) /* -1: no limit */
    kn_load_npy_sharded_opts c() const {
        kn_load_npy_sharded_opts to_ = {}; to_.size_ = sizeof to_; to_.max_header_size = detail::c_of(max_header_size);
        return to_; }
};
/* the array of an npy file, of which each process reads only the parts of its own devices: the bytes that they lie
 * in, in whichever order the file has. What kn_load(path, .mmap_mode = "r") and kn_make_array_from_callback do
 * together, for files of the other byte order, too. FileError if there is no such file, ValueError if it is no such
 * file, or the sharding has more dimensions */
inline array load_npy_sharded(const ::kiln::text &path, kn_sharding sharding, const ::kiln::load_npy_sharded_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_load_npy_sharded_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_load_npy_sharded(path.c(), sharding, &opts_c))); }
} // namespace kiln
#endif
