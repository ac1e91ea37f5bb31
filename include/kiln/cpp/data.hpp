/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/data.hpp -- the functions of kiln/data.h in C++. */
/* Made by scripts/make-api.py from api/data.api. */
/* clang-format off */
#ifndef KILN_CPP_DATA_HPP
#define KILN_CPP_DATA_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/tree.hpp"

namespace kiln {
struct loader_opts {
    KILN_OPTION((int64_t), batch_size, 1) /* examples in a batch, of this process */
    KILN_OPTION((::kiln::array), key, {}) /* kn_random_key(seed): each epoch has an order of its own */
    KILN_OPTION((int64_t), epochs, 1) /* how often all examples come; 0: without end */
    KILN_OPTION((bool), drop_remainder, {})
    KILN_OPTION((int64_t), shards, {}) /* parts of an epoch; this loader has every shards-th example of the order */
    KILN_OPTION((int64_t), shard, {}) /* which part this loader has; with shards */
    KILN_OPTION((int), workers, {}) /* threads that make batches; 0: kn_loader_next makes them */
    KILN_OPTION((int), prefetch, 2) /* batches that may wait to be taken, with workers */
    KILN_OPTION((kn_batch_function), map, {})
    KILN_OPTION((void *), map_env, {}) /* the first argument of map */
    kn_loader_opts c() const {
        kn_loader_opts to_ = {}; to_.size_ = sizeof to_; to_.batch_size = detail::c_of(batch_size);
        to_.key = detail::c_of(key); to_.epochs = detail::c_of(epochs);
        to_.drop_remainder = detail::c_of(drop_remainder); to_.shards = detail::c_of(shards);
        to_.shard = detail::c_of(shard); to_.workers = detail::c_of(workers); to_.prefetch = detail::c_of(prefetch);
        to_.map = detail::c_of(map); to_.map_env = detail::c_of(map_env); return to_; }
};
using loader_new_opts = ::kiln::loader_opts;
/* a loader of arrays: all leaves of the tree have the same extent along their first axis, the number of examples,
 * and a batch is a tree like it of some rows of each. Rows are copied from where the arrays lie, so those of a
 * memory-mapped file are read when they are needed. ValueError for extents that differ or are 0, for numbers that
 * make no sense, and where drop_remainder leaves no batch; TypeError for a key that is none */
inline kn_loader loader_new(const ::kiln::pytree &examples, const ::kiln::loader_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_loader_opts opts_c = opts.c(); c_.here(); return c_.value(kn_loader_new(examples.c(),
    &opts_c)); }
using loader_of_opts = ::kiln::loader_opts;
/* a loader of n examples that a function makes: example(env, i) is a tree of arrays, of the same structure, shapes
 * and dtypes for each i; a batch stacks them along a new first axis. With workers it is called on their threads,
 * several at a time, each in a context of its own: what it makes goes when it returns, and env is shared. Its error
 * is the error of kn_loader_next, with its own place */
inline kn_loader loader_of(int64_t n, kn_example_function example, void *env, const ::kiln::loader_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_loader_opts opts_c = opts.c(); c_.here(); return c_.value(kn_loader_of(n, example, env,
    &opts_c)); }
/* the next batch: a tree of arrays of the caller's context. NULL at the end of the last epoch, and NULL with an
 * error where the making of the batch failed; then the loader stays before that batch */
inline pytree loader_next(kn_loader loader, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_loader_next(loader))); }
/* how many batches an epoch has; -1 with an error */
inline int64_t loader_length(kn_loader loader, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_loader_length(loader)); }
/* where the loader is: behind the batches that kn_loader_next gave. A dict of integers (epoch, batch, what the
 * loader was made with, and the key), for kn_loader_restore and for checkpoints */
inline pytree loader_state(kn_loader loader, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_loader_state(loader))); }
/* goes to the place that kn_loader_state told, in the same process or another: the batches from there on are those
 * that came then, to the bit. The key of the state, or that it has none, takes the place of the loader's. ValueError
 * for the state of a loader with another number of examples, another size of batches or other shards; KeyError for
 * what is no such state. 0, or -1 with an error; then the loader stays where it is */
inline int loader_restore(kn_loader loader, const ::kiln::pytree &state, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_loader_restore(loader, state.c())); }
} // namespace kiln
#endif
