/* SPDX-License-Identifier: Apache-2.0
 * context.c -- contexts, each thread's stack of them, the sticky error, and the slots of the floors below. */
#include "base/context.h"
#include "base/print_options.h"
#include "base/log.h"
#include "base/lock.h"
#include <stdarg.h>
#include <string.h>

struct knx_thread {
    kn_context own;
    KN_VEC(kn_context) pushed;
    size_t guard; /* those below are not the running code's to pop */
    int guards;
};

KNX_TLS kn_context knx_current;
static KNX_TLS knx_thread this_thread;
knx_share knx_shares[KNX_SHARES];
static knx_global_lock all_lock = KN_GLOBAL_LOCK_INIT;
static kn_context all;
static atomic_uint made;
#if KN_POSIX_THREADS
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
#endif

/* ---- One context. */

static void drop_context(kn_context c)
{
    kn_context before = knx_current;
    knx_current = c; /* destructors of the slots may look, and the user's callbacks may fill slots again */
    for (int round = 0, left = 1; left && round < 4; round++) {
        left = 0;
        for (int i = KNX_SLOTS; i-- > 0;)
            if (c->slot[i]) {
                c->drop[i](c->slot[i]);
                c->slot[i] = NULL;
                left++;
            }
    }
    knx_current = before == c ? NULL : before;
    knx_global_lock_take(&all_lock);
    *(c->prev ? &c->prev->next : &all) = c->next;
    if (c->next)
        c->next->prev = c->prev;
    knx_global_unlock(&all_lock);
    knx_error_release(c->first);
    for (size_t i = 0; i < c->unheard.n; i++)
        knx_error_release(c->unheard.at[i]);
    KN_VEC_FREE(&c->unheard);
    while (knx_defaults_pop(c))
        continue;
    KN_VEC_FREE(&c->defaults);
    knx_print_set_release(c->print);
    knx_free(c->first_text);
    knx_free(c);
    knx_pieces_trim();
}

bool knx_context_running(kn_context c, bool *known, kn_running_step *out)
{
    bool any = false;
    knx_global_lock_take(&all_lock);
    kn_context at = all;
    while (at && at != c)
        at = at->next;
    *known = at != NULL;
    if (at) {
        knx_spin_lock(&at->watch_lock);
        any = at->watching && at->is_running;
        if (any)
            *out = at->running;
        knx_spin_unlock(&at->watch_lock);
    }
    knx_global_unlock(&all_lock);
    return any;
}

static void pop_all(knx_thread *t)
{
    t->guard = 0;
    t->guards = 0;
    while (knx_context_pop())
        continue;
    KN_VEC_FREE(&t->pushed);
}

static void end_thread(void *p)
{
    knx_thread *t = p;
    pop_all(t);
    if (t->own) {
        kn_context c = t->own;
        drop_context(c);
        t->own = NULL;
    }
}

#if !KN_POSIX_THREADS
static void make_ready(void) { (void)knx_env(); /* reads the environment, sets the debug level */ }

/* The pool's workers close theirs, the first thread ends with the process. */
static void when_thread_ends(knx_thread *t) { (void)t; }
#else
/* A fork while another thread looks at an array must not leave its lock taken in the child. */
static void lock_shares(void)
{
    for (int i = 0; i < KNX_SHARES; i++)
        knx_spin_lock(&knx_shares[i].lock);
}

static void unlock_shares(void)
{
    for (int i = 0; i < KNX_SHARES; i++)
        knx_spin_unlock(&knx_shares[i].lock);
}

static void make_key(void)
{
    pthread_key_create(&at_exit, end_thread);
    static knx_fork_watch watch = {.before = lock_shares, .in_parent = unlock_shares, .in_child = unlock_shares};
    knx_watch_forks(&watch);
    (void)knx_env(); /* reads the environment, sets the debug level */
}

static void make_ready(void) { pthread_once(&once, make_key); }

/* t NULL: nothing is to be done any more. */
static void when_thread_ends(knx_thread *t) { pthread_setspecific(at_exit, t); }
#endif

kn_context knx_context_new(void)
{
    make_ready();
    kn_context c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->operation = "";
    c->default_float = KN_DT(F64);
    c->lazy = c->wants_lazy = true;
    c->share = (uint8_t)(atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % KNX_SHARES);
    knx_global_lock_take(&all_lock);
    c->next = all;
    if (all)
        all->prev = c;
    all = c;
    knx_global_unlock(&all_lock);
    return c;
}

/* A context without memory: what is reported to it is that. */
static KNX_TLS struct kn_context_s nowhere;

static kn_context without_memory(void)
{
    nowhere.operation = "";
    nowhere.default_float = KN_DT(F64);
    nowhere.lazy = nowhere.wants_lazy = true;
    nowhere.own = true;
    return &nowhere;
}

kn_context knx_context_make(void)
{
    kn_context c = knx_context_new();
    if (!c)
        return without_memory();
    c->own = true;
    c->first = nowhere.first;
    nowhere.first = NULL;
    atomic_store(&c->user, &this_thread);
    this_thread.own = knx_current = c;
    when_thread_ends(&this_thread);
    return c;
}

void knx_context_close(void)
{
    pop_all(&this_thread);
    if (!this_thread.own)
        return;
    when_thread_ends(NULL);
    end_thread(&this_thread);
}

bool knx_slot_set(knx_slot slot, void *state, void (*drop)(void *state))
{
    kn_context c = knx_context();
    if (c == &nowhere || !state)
        return false;
    c->slot[slot] = state;
    c->drop[slot] = drop;
    return true;
}

/* ---- The stack of a thread. */

/* Takes c for this thread if it exists and no one else has it. */
static knx_error *take(kn_context c)
{
    if (!c)
        return knx_error_new(KN_ERROR_TYPE, "null context");
    knx_thread *nobody = NULL;
    knx_global_lock_take(&all_lock);
    kn_context known = all;
    while (known && known != c)
        known = known->next;
    bool taken = known && (atomic_compare_exchange_strong(&c->user, &nobody, &this_thread) || nobody == &this_thread);
    knx_global_unlock(&all_lock);
    if (taken)
        return NULL;
    return knx_error_new(KN_ERROR_CONTEXT, known ? "another thread uses this context" : "this context was freed");
}

static void give_back(kn_context c)
{
    if (!c->own && c->pushed == 0)
        atomic_store(&c->user, NULL);
}

knx_error *knx_context_push(kn_context c)
{
    KN_TRY(take(c));
    if (!KN_VEC_PUSH(&this_thread.pushed, c)) {
        give_back(c);
        return knx_error_nomem();
    }
    when_thread_ends(&this_thread);
    c->pushed++;
    knx_current = c;
    return NULL;
}

void knx_context_unpush(void)
{
    knx_thread *t = &this_thread;
    kn_context c = t->pushed.at[--t->pushed.n];
    knx_current = t->pushed.n ? t->pushed.at[t->pushed.n - 1] : t->own;
    c->pushed--;
    give_back(c);
}

bool knx_context_pop(void)
{
    if (this_thread.pushed.n <= this_thread.guard)
        return false;
    knx_context_unpush();
    return true;
}

kn_context knx_context_aside(void)
{
    kn_context c = knx_current;
    knx_current = this_thread.own;
    return c;
}

void knx_context_back(kn_context c) { knx_current = c; }

size_t knx_context_pushed(void) { return this_thread.pushed.n; }

knx_guard knx_context_guard(void)
{
    knx_guard before = {this_thread.guard, this_thread.pushed.n, this_thread.guards};
    this_thread.guards++;
    this_thread.guard = this_thread.pushed.n;
    return before;
}

void knx_context_unguard(knx_guard before)
{
    this_thread.guard = before.own;
    while (knx_context_pop())
        continue;
    this_thread.guard = before.level;
    this_thread.guards = before.depth;
}

bool knx_context_guarded(void) { return this_thread.guards > 0; }

bool knx_context_can_go(kn_context c) { return c->pushed == 1 && !c->own; }

void knx_context_drop_pushed(void)
{
    knx_thread *t = &this_thread;
    kn_context c = t->pushed.at[--t->pushed.n];
    knx_current = t->pushed.n ? t->pushed.at[t->pushed.n - 1] : t->own;
    c->pushed = 0; /* still taken: no one else can have it any more */
    drop_context(c);
}

knx_error *knx_defaults_push(kn_context c, uint32_t scopes)
{
    if (!c || !KN_VEC_RESERVE(&c->defaults, 1))
        return knx_error_nomem();
    c->defaults.at[c->defaults.n++] =
        (knx_defaults){c->default_float, c->threads, c->site, knx_print_set_retain(c->print), scopes};
    return NULL;
}

bool knx_defaults_pop(kn_context c)
{
    if (!c || !c->defaults.n)
        return false;
    knx_defaults before = c->defaults.at[--c->defaults.n];
    c->default_float = before.default_float;
    c->threads = before.threads;
    c->site = before.site;
    knx_print_set_release(c->print);
    c->print = before.print;
    return true;
}

void knx_defaults_end(kn_context c, uint32_t scopes)
{
    while (c->defaults.n && c->defaults.at[c->defaults.n - 1].scope > scopes)
        knx_defaults_pop(c);
}

/* ---- Errors. */

const char *knx_error_text(const knx_error *e, char **owned)
{
    *owned = NULL;
    if (!e->operation || !*e->operation)
        return e->message;
    size_t n = strlen(e->operation) + strlen(e->message) + 3;
    char *text = knx_alloc(n);
    if (!text)
        return e->message;
    snprintf(text, n, "%s: %s", e->operation, e->message);
    return *owned = text;
}

/* The hook may call Kiln; what fails in there is not told again. */
static void call_hook(kn_context c, const knx_error *e)
{
    char *owned;
    if (!c->hook || c->in_hook)
        return;
    c->in_hook = true;
    c->hook_scopes = c->scopes;
    c->hook(c->hook_env, e->kind, knx_error_text(e, &owned), e->place);
    c->in_hook = false;
    knx_free(owned);
}

void knx_report_unheard(kn_context c)
{
    if (c->in_hook)
        return;
    for (size_t i = 0; i < c->unheard.n; i++) {
        knx_error *e = c->unheard.at[i];
        c->unheard.at[i] = NULL;
        if (!e) /* told before, by a hook that left with longjmp */
            continue;
        call_hook(c, e);
        knx_error_release(e);
    }
    c->unheard.n = 0;
}

knx_error *knx_report(knx_error *e)
{
    kn_context c = knx_context();
    if (!c || !e || (e->reported && !knx_tells_again(c)))
        return e;
    if (atomic_load(&e->refs) > 0 && !e->reported) { /* the static one is no one's to write to */
        if (!e->operation || !*e->operation)
            e->operation = c->operation;
        if (!e->place)
            e->place = c->here;
        e->reported = true;
    }
    c->reports++;
    char *owned;
    const char *text = knx_error_text(e, &owned);
    KN_LOG(1, "error: %s (%s:%d)", text, e->place ? e->place->file : "?", e->place ? e->place->line : 0);
    if (!c->first) {
        c->first = knx_error_retain(e);
        c->first_read = false;
        knx_free(c->first_text);
        c->first_text = owned;
        owned = NULL;
    }
    knx_free(owned);
    if (c->trial.on && !c->trial.passed && knx_error_passes(e))
        c->trial.passed = knx_error_retain(e);
    if (c->hook && !c->in_hook && !c->trial.on && c->depth == 0)
        call_hook(c, e);
    else if (c->hook && !c->in_hook && !c->trial.on &&
             KN_VEC_RESERVE(&c->unheard, 1)) /* without memory it goes unheard */
        c->unheard.at[c->unheard.n++] = knx_error_retain(e);
    return e;
}

bool knx_trial_begin(kn_context c)
{
    if (c->trial.on)
        return false;
    c->trial = (struct knx_trial){true, c->scopes, c->first, c->first_read, c->first_text, c->reports, NULL};
    c->first = NULL;
    c->first_read = false;
    c->first_text = NULL;
    return true;
}

bool knx_trial_end(kn_context c, knx_error **passed)
{
    bool failed = c->reports != c->trial.reports;
    if (c->trial.passed && atomic_load(&c->trial.passed->refs) > 0)
        c->trial.passed->reported = false; /* it will be, by whoever gets it */
    *passed = c->trial.passed;
    knx_error_release(c->first);
    knx_free(c->first_text);
    c->first = c->trial.first;
    c->first_read = c->trial.first_read;
    c->first_text = c->trial.first_text;
    c->reports = c->trial.reports;
    c->trial = (struct knx_trial){0};
    return failed;
}

void knx_report_new(const char *operation, kn_error_kind kind, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    knx_error *e = knx_error_new(kind, "%s", text);
    kn_context c = knx_context();
    if (atomic_load(&e->refs) > 0)
        e->operation = c && c->depth ? c->operation : operation;
    knx_report(e);
    knx_error_release(e);
}
