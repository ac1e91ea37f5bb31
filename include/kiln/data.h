/* SPDX-License-Identifier: Apache-2.0
 * kiln/data.h -- loading data: batches of examples in an order that a key gives, made beforehand by threads
 * (docs/training.md).
 *
 * A loader has examples: arrays whose first axis counts them (in memory, or of a file by kn_memmap and kn_load), or
 * a function of an index. Which examples are in which batch depends on the options and the key alone, not on threads
 * or on when batches are asked for. A place in the middle of an epoch is a small tree, which goes into a checkpoint
 * with the parameters. */
/* Made by scripts/make-api.py from api/data.api. */
/* clang-format off */
#ifndef KILN_DATA_H
#define KILN_DATA_H
#include "kiln/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_loader_s *kn_loader; /* a handle: its threads end with its scope */
/* The example with that number; NULL with an error. */
typedef kn_tree (*kn_example_function)(void *env, int64_t index);
/* What takes a batch's place; NULL with an error. */
typedef kn_tree (*kn_batch_function)(void *env, kn_tree batch, kn_array key);
typedef struct kn_loader_opts {
    size_t size_;
    int64_t batch_size;    /* 1: examples in a batch, of this process */
    /* NULL, in the order that they have: kn_random_key(seed): each epoch has an order of its own */
    kn_array key;
    int64_t epochs;        /* 1: how often all examples come; 0: without end */
    bool drop_remainder;   /* what is left at the end of an epoch and is less than a batch does not come */
    /* as many as there are processes: parts of an epoch; this loader has every shards-th example of the order */
    int64_t shards;
    int64_t shard;         /* that of this process: which part this loader has; with shards */
    int workers;           /* threads that make batches; 0: kn_loader_next makes them */
    int prefetch;          /* 2: batches that may wait to be taken, with workers */
    /* NULL, nothing: what each batch goes through, on the thread that makes it. key is of the batch, if the loader
     * has one */
    kn_batch_function map;
    void *map_env;         /* the first argument of map */
} kn_loader_opts;
KN_API kn_loader_opts kn_loader_opts_default(void);
/* a loader of arrays: all leaves of the tree have the same extent along their first axis, the number of examples,
 * and a batch is a tree like it of some rows of each. Rows are copied from where the arrays lie, so those of a
 * memory-mapped file are read when they are needed. ValueError for extents that differ or are 0, for numbers that
 * make no sense, and where drop_remainder leaves no batch; TypeError for a key that is none */
KN_API kn_loader kn_loader_new(kn_tree examples, const kn_loader_opts *opts);
/* a loader of n examples that a function makes: example(env, i) is a tree of arrays, of the same structure, shapes
 * and dtypes for each i; a batch stacks them along a new first axis. With workers it is called on their threads,
 * several at a time, each in a context of its own: what it makes goes when it returns, and env is shared. Its error
 * is the error of kn_loader_next, with its own place */
KN_API kn_loader kn_loader_of(int64_t n, kn_example_function example, void *env, const kn_loader_opts *opts);
/* the next batch: a tree of arrays of the caller's context. NULL at the end of the last epoch, and NULL with an
 * error where the making of the batch failed; then the loader stays before that batch */
KN_API kn_tree kn_loader_next(kn_loader loader);
KN_API int64_t kn_loader_length(kn_loader loader); /* how many batches an epoch has; -1 with an error */
/* where the loader is: behind the batches that kn_loader_next gave. A dict of integers (epoch, batch, what the
 * loader was made with, and the key), for kn_loader_restore and for checkpoints */
KN_API kn_tree kn_loader_state(kn_loader loader);
/* goes to the place that kn_loader_state told, in the same process or another: the batches from there on are those
 * that came then, to the bit. The key of the state, or that it has none, takes the place of the loader's. ValueError
 * for the state of a loader with another number of examples, another size of batches or other shards; KeyError for
 * what is no such state. 0, or -1 with an error; then the loader stays where it is */
KN_API int kn_loader_restore(kn_loader loader, kn_tree state);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_loader_new(examples, ...)                                                                                   \
    KN_G1O(kn_loader_new, kn_loader_opts, (.batch_size = 1, .epochs = 1, .prefetch = 2, ), kn_tree, examples,          \
    __VA_ARGS__)
#define kn_loader_of(n, example, env, ...) KN_LOADER_OF_(__COUNTER__, n, example, env, __VA_ARGS__)
#define KN_LOADER_OF_(c, n, example, env, ...)                                                                         \
    __extension__({ KN_TAKE(int64_t, 1, c, n) KN_TAKE(kn_example_function, 2, c, example) KN_TAKE(void *, 3, c, env)   \
    KN_OPTS(c, kn_loader_opts, (.batch_size = 1, .epochs = 1, .prefetch = 2, ), __VA_ARGS__) KN_HERE();                \
    (kn_loader_of)(KN_V(1, c), KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_loader_next(loader) KN_G1(kn_loader_next, kn_loader, loader)
#define kn_loader_length(loader) KN_G1(kn_loader_length, kn_loader, loader)
#define kn_loader_state(loader) KN_G1(kn_loader_state, kn_loader, loader)
#define kn_loader_restore(loader, state) KN_G2(kn_loader_restore, kn_loader, loader, kn_tree, state)
#endif
#endif
