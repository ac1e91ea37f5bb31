/* SPDX-License-Identifier: Apache-2.0
 * lock.c -- the context that all arrays of a Python process live in, and who may use it.
 *
 * A context of Kiln is used by one thread at a time. Python's threads share their objects, so the binding has one
 * context and a lock of its own around it. The lock is recursive, because Kiln calls Python functions that it traces.
 * Whoever waits for it does so without the interpreter's lock: the thread that has it may need that one to go on. */
#include "kpy.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static kn_context context;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth; /* how often this thread entered */
static _Thread_local int user;  /* in how many of the user's functions it is */

/* Callbacks of programs that run on the devices of a mesh come from the devices' threads, while the thread that runs
 * the program waits with the context. They have a context of their own, one after the other: arrays of the other one
 * can be read there, and theirs in the other one. */
static kn_context visitors;
static pthread_mutex_t visits = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool visiting;

/* Handles whose objects died in a thread that did not have their context: they are released by the next one that does.
 * So are functions that are to be forgotten, since they may die while the library is at work. */
typedef struct dead_handle {
    void *handle;
    bool forget;
} dead_handle;
typedef struct dead_list {
    pthread_mutex_t mutex;
    dead_handle *at;
    size_t n, room;
    atomic_bool any;
} dead_list;
static dead_list dead = {.mutex = PTHREAD_MUTEX_INITIALIZER}, dead_visitors = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Ctrl-C while something long runs: Python's handlers are called, and what they raise ends it. */
static bool interrupted(void *env)
{
    (void)env;
    if (!Py_IsInitialized())
        return false;
    if (kpy_exception_is_kept())
        return true;
    PyGILState_STATE gil = PyGILState_Ensure();
    if (gil == PyGILState_LOCKED) /* it began as a short call, with the interpreter's lock: others may have it */
        KPY_WITHOUT_GIL((void)0);
    kpy_user_begin();
    bool stop = PyErr_CheckSignals() < 0;
    kpy_user_end();
    PyGILState_Release(gil);
    return stop;
}

int kpy_context_make(void)
{
    kn_context_opts opts = kn_context_opts_default();
    if (context)
        return 0;
    context = kn_context_new(&opts);
    if (!context || kn_context_push(context) < 0)
        return PyErr_NoMemory(), -1;
    kn_run_shared_at_once(true); /* nobody tells when NumPy writes to memory that both have */
    kn_context_pop();
    kn_set_poll(interrupted, NULL);
    return 0;
}

static void forget(void *handle) { kn_forget(handle); }

static void release_dead(dead_list *d)
{
    if (!atomic_load_explicit(&d->any, memory_order_relaxed))
        return;
    pthread_mutex_lock(&d->mutex);
    dead_handle *at = d->at;
    size_t n = d->n;
    d->at = NULL;
    d->n = d->room = 0;
    atomic_store(&d->any, false);
    pthread_mutex_unlock(&d->mutex);
    for (size_t i = 0; i < n; i++)
        (at[i].forget ? forget : kn_release)(at[i].handle);
    free(at);
}

int kpy_enter(void)
{
    if (depth++)
        return 0;
    if (pthread_mutex_trylock(&mutex) != 0)
        KPY_WITHOUT_GIL(pthread_mutex_lock(&mutex));
    if (kn_context_push(context) >= 0) {
        release_dead(&dead);
        return 0;
    }
    kn_error_clear(); /* of this thread's own context */
    pthread_mutex_unlock(&mutex);
    depth--;
    PyErr_SetString(PyExc_RuntimeError, "the context of Kiln is in use by a thread that was lost in a fork");
    return -1;
}

void kpy_leave(void)
{
    if (--depth)
        return;
    if (kpy_exception_is_kept())
        kpy_drop_exception();
    kn_context_pop();
    pthread_mutex_unlock(&mutex);
}

bool kpy_entered(void) { return depth > 0; }

static void release_later(dead_list *d, dead_handle h)
{
    pthread_mutex_lock(&d->mutex);
    if (d->n == d->room) {
        size_t room = d->room ? 2 * d->room : 64;
        dead_handle *at = realloc(d->at, room * sizeof *at);
        if (at) {
            d->at = at;
            d->room = room;
        }
    }
    if (d->n < d->room) /* else the handle stays until the process ends: there is no memory to do better */
        d->at[d->n++] = h;
    atomic_store(&d->any, true);
    pthread_mutex_unlock(&d->mutex);
}

void kpy_release(void *handle)
{
    if (depth && !visiting) {
        kn_release(handle);
        return;
    }
    if (!visiting && pthread_mutex_trylock(&mutex) == 0) {
        if (kn_context_push(context) >= 0) {
            kn_release(handle);
            kn_context_pop();
        }
        pthread_mutex_unlock(&mutex);
        return;
    }
    release_later(&dead, (dead_handle){handle, false});
}

void kpy_forget(void *function) { release_later(&dead, (dead_handle){function, true}); }

/* ---- Visits. */

bool kpy_visiting(void) { return visiting; }

void kpy_release_visitor(void *handle)
{
    if (visiting)
        kn_release(handle);
    else
        release_later(&dead_visitors, (dead_handle){handle, false});
}

bool kpy_visit_begin(void)
{
    if (depth)
        return false;
    pthread_mutex_lock(&visits);
    if (!visitors) {
        kn_context_opts opts = kn_context_opts_default();
        visitors = kn_context_new(&opts);
    }
    if (!visitors || kn_context_push(visitors) < 0) {
        pthread_mutex_unlock(&visits);
        return false;
    }
    visiting = true;
    depth = 1;
    release_dead(&dead_visitors);
    return true;
}

void kpy_visit_leave(void)
{
    depth = 0;
    visiting = false;
    kn_context_pop();
}

void kpy_visit_end(void) { pthread_mutex_unlock(&visits); }

/* ---- Scopes of calls. */

static _Thread_local struct {
    kn_scope *at;
    size_t n, room;
} scopes;

int kpy_enter_scope(void)
{
    if (scopes.n == scopes.room) {
        size_t room = scopes.room ? 2 * scopes.room : 16;
        kn_scope *at = realloc(scopes.at, room * sizeof *at);
        if (!at)
            return PyErr_NoMemory(), -1;
        scopes.at = at;
        scopes.room = room;
    }
    if (kpy_enter() < 0)
        return -1;
    scopes.at[scopes.n++] = kn_scope_begin();
    return 0;
}

void kpy_leave_scope(void)
{
    kn_scope_end(&scopes.at[--scopes.n]);
    kpy_leave();
}

bool kpy_scoped(void) { return scopes.n > 0 || user > 0; }

/* ---- Python code that the library calls. */

static _Thread_local struct {
    struct call {
        PyGILState_STATE gil;
        PyObject *type, *value, *trace; /* the exception that waits */
    } * at;
    int room;
} calls; /* as many as `user` says */

void kpy_user_begin(void)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    if (user == calls.room) {
        int room = calls.room ? 2 * calls.room : 16;
        struct call *at = realloc(calls.at, (size_t)room * sizeof *at);
        if (!at)
            Py_FatalError("kiln: no memory to call Python code");
        calls.at = at;
        calls.room = room;
    }
    struct call *c = &calls.at[user++];
    c->gil = gil;
    PyErr_Fetch(&c->type, &c->value, &c->trace);
}

void kpy_user_end(void)
{
    struct call *c = &calls.at[--user];
    if (PyErr_Occurred())
        kpy_keep_exception();
    PyErr_Restore(c->type, c->value, c->trace);
    PyGILState_Release(c->gil);
}

bool kpy_in_user(void) { return user > 0; }

/* ---- fork: nobody is in the middle of something, so that the child finds everything whole. */

static PyObject *fork_begins(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (kpy_enter() < 0)
        return NULL;
    if (depth == 1)
        pthread_mutex_lock(&dead.mutex);
    Py_RETURN_NONE;
}

static PyObject *fork_ends(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (depth == 1)
        pthread_mutex_unlock(&dead.mutex);
    if (depth)
        kpy_leave();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"fork_begins", fork_begins, METH_NOARGS, "Waits until no other thread uses Kiln, and keeps them out."},
    {"fork_ends", fork_ends, METH_NOARGS, "In parent and child: the others may go on."},
    {0}};

int kpy_lock_make(PyObject *module)
{
    PyObject *os = PyImport_ImportModule("os");
    if (!os || PyModule_AddFunctions(module, functions) < 0) {
        Py_XDECREF(os);
        return -1;
    }
    int result = 0;
    if (PyObject_HasAttrString(os, "register_at_fork")) {
        PyObject *f = PyObject_GetAttrString(os, "register_at_fork"), *none = PyTuple_New(0);
        PyObject *begins = PyObject_GetAttrString(module, "fork_begins");
        PyObject *ends = PyObject_GetAttrString(module, "fork_ends"), *done = NULL;
        PyObject *kw =
            Py_BuildValue("{s:O,s:O,s:O}", "before", begins, "after_in_parent", ends, "after_in_child", ends);
        if (f && none && begins && ends && kw)
            done = PyObject_Call(f, none, kw);
        result = done ? 0 : -1;
        Py_XDECREF(f);
        Py_XDECREF(none);
        Py_XDECREF(begins);
        Py_XDECREF(ends);
        Py_XDECREF(kw);
        Py_XDECREF(done);
    }
    Py_DECREF(os);
    return result;
}
