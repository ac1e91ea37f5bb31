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
