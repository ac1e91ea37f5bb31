/* SPDX-License-Identifier: Apache-2.0
 * checkpoint_manager.c -- the checkpoints of a training run: one now and then, the last few of them kept, written by a
 * thread while the program goes on. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#endif
#include "array/handle.h"
#include "array/op.h"
#include "base/context.h"
#include "base/options.h"
#include "base/str.h"
#include "base/worker.h"
#include "dist/dist.h"
#include "io/checkpoint.h"
#include "kiln/checkpoint.h"
#include "kiln/extend.h"
#include "tree/tree.h"
#include <inttypes.h>
#include <string.h>
#if KN_POSIX_THREADS
#include <unistd.h>
#endif

static const char type_name[] = "checkpoint manager";

typedef struct manager {
    char *folder;
    int64_t keep, every;
    bool in_background;
    /* What is being written: */
    knio_checkpoint *writing; /* NULL: nothing */
    int64_t step;
    uintptr_t thread;
    long process; /* that has the thread */
    knx_error *error;
} manager;

static long this_process(void)
{
#if KN_POSIX_THREADS
    return (long)getpid();
#else
    return 0;
#endif
}

/* ---- Writing. */

/* By the first process: of more checkpoints than are kept the oldest go, but for the one that was just written. */
static knx_error *remove_old(const manager *m, int64_t written)
{
    int64_t *step = NULL;
    size_t n = 0;
    if (!m->keep || kndist_job_now()->process)
        return NULL;
    knx_error *e = knio_steps_read(m->folder, &step, &n);
    size_t left = n;
    for (size_t i = 0; !e && i < n && (uint64_t)m->keep < left; i++) {
        if (step[i] == written)
            continue;
        char *path = knio_step_path(m->folder, step[i]);
        e = path ? knio_folder_remove(path) : knx_error_nomem();
        left--;
        knx_free(path);
    }
    knx_free(step);
    return e;
}

static knx_error *write_step(const manager *m, const knio_checkpoint *w, knx_error *e, int64_t step)
{
    char *path = knio_step_path(m->folder, step);
    if (!path && !e)
        e = knx_error_nomem();
    e = knio_checkpoint_write(w, e, path);
    knx_free(path);
    return e ? e : remove_old(m, step);
}

static void write_job(void *arg)
{
    manager *m = arg;
    m->error = write_step(m, m->writing, NULL, m->step);
}

/* What is being written is there, or its error. */
static knx_error *finish_writing(manager *m)
{
    if (!m->writing)
        return NULL;
    bool ours = m->process == this_process(); /* a child of a fork does not have the thread */
    if (ours)
        knx_thread_join(m->thread);
    knx_error *e = ours ? m->error : NULL;
    m->error = NULL;
    knio_checkpoint_free(m->writing);
    m->writing = NULL;
    return e;
}

static void drop(void *p)
{
    manager *m = p;
    knx_error *e = finish_writing(m);
    if (e)
        kntree_tree_failed("checkpoint_manager_save", e);
    knx_free(m->folder);
    knx_free(m);
}

/* ---- Handles. */

kn_checkpoint_manager kn_checkpoint_manager_new(const char *folder, const kn_checkpoint_manager_opts *opts)
{
    kna_op op;
    KNX_OPTS(kn_checkpoint_manager_opts, o, opts);
    kna_begin(&op, "checkpoint_manager_new");
    manager *m = knx_alloc_zero(sizeof *m);
    knx_error *e = !folder       ? knx_error_new(KN_ERROR_TYPE, "null folder")
                   : !*folder    ? knx_error_new(KN_ERROR_FILE, "the path is empty")
                   : o.keep < 0  ? knx_error_new(KN_ERROR_VALUE, "keep must be at least 0, but is %" PRId64, o.keep)
                   : o.every < 1 ? knx_error_new(KN_ERROR_VALUE, "every must be at least 1, but is %" PRId64, o.every)
                   : !m          ? knx_error_nomem()
                                 : NULL;
    if (m) {
        *m = (manager){.keep = o.keep, .every = o.every, .in_background = o.in_background};
        m->folder = e ? NULL : knio_in_folder(folder, NULL, NULL);
        if (!e && !m->folder)
            e = knx_error_nomem();
    }
    if (!e && kndist_job_now()->process == 0)
        e = knio_steps_open(m->folder);
    e = knio_checkpoint_together(e);
    if (e)
        kna_fail_with(&op, e);
    if (kna_end_plain(&op))
        return kn_object_new(type_name, m, drop);
    if (m)
        drop(m);
    return NULL;
}

/* The manager, with nothing being written. */
static manager *get(const char *operation, kn_checkpoint_manager handle)
{
    manager *m = kn_object_get(operation, type_name, handle);
    knx_error *e = m ? finish_writing(m) : NULL;
    if (e)
        kntree_tree_failed("checkpoint_manager_save", e);
    return e ? NULL : m;
}

static knx_error *is_new(const manager *m, int64_t step, bool force)
{
    int64_t *all = NULL;
    size_t n = 0;
    KN_TRY(knio_steps_read(m->folder, &all, &n));
    bool there = false;
    for (size_t i = 0; i < n; i++)
        there |= all[i] == step;
    knx_free(all);
    return there && !force ? knx_error_new(KN_ERROR_VALUE,
                                           "there is a checkpoint of step %" PRId64 " already: .force "
                                           "replaces it",
                                           step)
                           : NULL;
}

/* False: there is no thread for it. */
static bool write_behind(manager *m, knio_checkpoint *w, int64_t step)
{
    m->writing = w;
    m->step = step;
    m->process = this_process();
    if (knx_thread_start(&m->thread, write_job, m))
        return true;
    m->writing = NULL;
    return false;
}

int kn_checkpoint_manager_save(kn_checkpoint_manager handle, int64_t step, kn_tree tree,
                               const kn_checkpoint_manager_save_opts *opts)
{
    static const char operation[] = "checkpoint_manager_save";
    kna_op op;
    KNX_OPTS(kn_checkpoint_manager_save_opts, o, opts);
    manager *m = get(operation, handle);
    kntree_tree *t = m ? kntree_tree_get(operation, tree) : NULL;
    const kntree_structure *s = t ? kntree_structure_in(operation, t) : NULL;
    if (m && s && step >= 0 && step % m->every && !o.force)
        return 0;
    knio_checkpoint *w = NULL;
    if (!s) { /* the others do not wait for this one */
        knx_error_release(knio_checkpoint_together(knx_error_new(KN_ERROR_TYPE, "it was given no tree")));
        return -1;
    }
    kna_begin(&op, operation);
    knx_error *e = step < 0 ? knx_error_new(KN_ERROR_VALUE, "steps are not negative, but this one is %" PRId64, step)
                            : is_new(m, step, o.force);
    if (!e)
        e = knio_checkpoint_new(t, s, &w);
    bool behind = !e && m->in_background && knio_checkpoint_is_here(w);
    if (behind)
        e = knio_checkpoint_freeze(w);
    behind = behind && !e && write_behind(m, w, step);
    if (!behind) {
        e = write_step(m, w, e, step);
        knio_checkpoint_free(w);
    }
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 1 : -1;
}

int kn_checkpoint_manager_wait(kn_checkpoint_manager handle) { return get("checkpoint_manager_wait", handle) ? 0 : -1; }

kn_array kn_checkpoint_manager_steps(kn_checkpoint_manager handle)
{
    kna_op op;
    int64_t *step = NULL;
    size_t n = 0;
    const manager *m = get("checkpoint_manager_steps", handle);
    kna_begin(&op, "checkpoint_manager_steps");
    knx_error *e = m ? knio_steps_read(m->folder, &step, &n) : NULL;
    if (e)
        kna_fail_with(&op, e);
    int64_t extent = (int64_t)n;
    knx_buffer *b = m && !e ? knx_buffer_new(n * sizeof *step) : NULL;
    if (b && n)
        memcpy(b->data, step, n * sizeof *step);
    knx_free(step);
    if (!m) /* it was told */
        kna_fail(&op, KN_ERROR_RUNTIME, "there is no such manager, or what it wrote has failed");
    return kna_failed(&op) ? kna_end(&op, KN_ATOM_NONE) : kna_from_buffer(&op, kni_type_of(KN_DT(I64), 1, &extent), b);
}

static knx_error *newest(const manager *m, int64_t *step)
{
    int64_t *all = NULL;
    size_t n = 0;
    KN_TRY(knio_steps_read(m->folder, &all, &n));
    *step = n ? all[n - 1] : -1;
    knx_free(all);
    return NULL;
}

int64_t kn_checkpoint_manager_latest(kn_checkpoint_manager handle)
{
    static const char operation[] = "checkpoint_manager_latest";
    const manager *m = get(operation, handle);
    int64_t step = -1;
    knx_error *e = m ? newest(m, &step) : NULL;
    if (e)
        kntree_tree_failed(operation, e);
    return step;
}

kn_tree kn_checkpoint_manager_restore(kn_checkpoint_manager handle, const kn_checkpoint_manager_restore_opts *opts)
{
    static const char operation[] = "checkpoint_manager_restore";
    KNX_OPTS(kn_checkpoint_manager_restore_opts, o, opts);
    const manager *m = get(operation, handle);
    if (!m)
        return NULL;
    int64_t step = o.step;
    knx_error *e = step == -1 ? newest(m, &step) : NULL;
    if (!e && step == -1)
        e = knx_error_new(KN_ERROR_FILE, "%s: there is no checkpoint", m->folder);
    if (!e && step < 0)
        e = knx_error_new(KN_ERROR_VALUE, "steps are not negative, but this one is %" PRId64, step);
    char *path = e ? NULL : knio_step_path(m->folder, step);
    if (!e && !path)
        e = knx_error_nomem();
    if (e) {
        kntree_tree_failed(operation, e);
        return NULL;
    }
    kn_load_checkpoint_opts load = kn_load_checkpoint_opts_default();
    load.like = o.like;
    load.sharding = o.sharding;
    kn_tree tree = kn_load_checkpoint(path, &load);
    knx_free(path);
    return tree;
}
