/* SPDX-License-Identifier: Apache-2.0
 * state.h -- what the arrays floor keeps in a context. */
#ifndef KN_ARRAY_STATE_H
#define KN_ARRAY_STATE_H
#include "array/foreign.h"
#include "array/recording.h"
#include "base/context.h"
#include "base/hash.h"
#include "kiln/core.h"
#include "device/device.h"

/* What an operation has recorded so far, set aside while it calls the user's code. */
typedef struct kna_aside {
    kni_builder lazy;
    kna_value **lazy_value; /* as a vector's parts */
    size_t n_lazy_value, cap_lazy_value;
    kna_held *held;
    size_t n_held, cap_held;
    bool lazy_can_fail, lazy_shared;
} kna_aside;
/* The user's code that is running inside of a public call. If it leaves by longjmp, the end of a scope around the call
 * unwinds it (unwind.c). */
typedef struct kna_frame {
    uint32_t scopes;                /* open when it was entered */
    knx_guard guard;                /* knx_context_guard's; depth -1: none */
    kna_recording *before, *inside; /* the current recording outside of it, and where it begins */
    kna_named_axis *axes;           /* bound where it begins */
    uint8_t fold;
    knx_dim_scope *dims;            /* in force where it begins */
    bool called;                    /* counts in call_depth */
    bool is_aside;
    kna_aside aside;
    struct kn_level_s *level; /* the innermost open one of lift.h; NULL: there was none yet */
} kna_frame;

enum { KNA_GONE = 64 };
typedef struct kna_plans kna_plans; /* plans.h */
/* What the default contexts of all threads share; other contexts have one each, without plans. */
typedef struct kna_caches {
    int refs;
    knc_kernel_cache *kernels;
    kna_plans *plans; /* NULL: none beside the context's own */
} kna_caches;
kna_caches *kna_caches_of(bool default_context); /* NULL without memory */
void kna_caches_release(kna_caches *c);          /* NULL is fine */
bool kna_give_back(size_t bytes);                /* see kn_context.give_back */
struct knf_entry;
/* Kernels in use cannot go, so what holds them goes, the oldest first, until all fit; `needed` stays. */
void kna_bound_kernels(const struct knf_entry *needed);
kna_plans *kna_own_plans(void);                  /* of a context */

/* How much work may wait. */
typedef struct kna_pending_bound {
    kn_pending_limits limits;
    size_t used;       /* bytes of the operands of all that waits, counted at each use */
    size_t look_again; /* what that has to be for finding out how much there is for waiting work alone */
    bool full;         /* it was too much the last time */
} kna_pending_bound;

/* Recordings of functions are kept by the floor of functions, which says how they go. */
typedef struct kna_entry_rules {
    void (*bound)(const struct knf_entry *needed);       /* entries go until those of the context fit; `needed` stays */
    bool (*drop_oldest)(const struct knf_entry *needed); /* false: there is none */
} kna_entry_rules;

enum { KNA_FOLD_ALL = 1, KNA_FOLD_SMALL = 2 };

/* How recordings that begin now are made: a part of what a recorded function is found by. */
typedef union kna_how {
    struct {
        uint8_t fold;    /* they compute what depends on none of them: all of it, or what is not larger than operands */
        bool whole;      /* their jaxprs keep equations that no one reads */
        uint16_t events; /* the error state: kna_watcher */
    };
    uint32_t all;
} kna_how;

/* Watches the floating-point events of equations while the error state (s->how.events) is not 0 (numpy/error_state). */
typedef struct kna_watcher {
    /* the place of equations of a public function: alone equations with such a one are told of */
    const kn_place *(*place)(const kn_place *here, const char *operation);
    void *(*begin)(void); /* of a run; NULL without memory */
    /* after an equation; node: what runs it alone, NULL: it is a part of a recorded function. An error ends the run */
    knx_error *(*after)(void *run, const kna_node *node, const kni_eqn *e, int n_in, const void *const *x,
                        const kni_type *xt, int n_out, const void *const *y, const kni_type *yt);
    knx_error *(*end)(void *run, knx_error *error); /* says what was found; the error that the run has */
    void (*drop)(struct kna_watcher *w);
} kna_watcher;

typedef struct kna_state {
    kna_recording *recording;      /* the innermost active one; NULL: lazy recording */
    kna_named_axis *axes;          /* bound now; NULL: none */
    kna_how how;
    kna_node *waiting;             /* all nodes, newest first */
    int64_t pending;               /* nodes alive */
    kna_pending_bound bound;
    kni_builder lazy;              /* hooked: its equations become nodes */
    kni_builder_hook hook;         /* `below`, or kna_lifted_equation while some value is lifted */
    kni_builder_hook below;        /* kna_lazy_equation, or a watcher's that calls it */
    KN_VEC(kna_value *) lazy_value; /* per variable of `lazy`, a reference each */
    KN_VEC(kna_held) held;         /* values lent to the operation that is running */
    bool lazy_can_fail;            /* this operation recorded something that can fail */
    bool lazy_shared;              /* it recorded something that reads or writes memory that others see */
    uint16_t looked_site;          /* where committed arrays are that it has looked at; 0: there are none */
    bool shared_at_once;           /* which runs at once: kn_run_shared_at_once */
    uint32_t mark;                 /* of the newest cut */
    struct kna_cut *cut_room;      /* of force.c, kept between cuts */
    kna_plans *plans;              /* compiled cuts */
    struct kna_scalars *scalars;   /* compiled functions of scalars; NULL: none yet */
    kna_caches *caches;
    uint64_t clock;
    kn_stats trace_stats;
    const kna_entry_rules *entries;                /* NULL: no function was recorded yet */
    knx_table entry;                               /* recordings of all jitted functions */
    struct knf_entry *newest_entry, *oldest_entry; /* by use */
    uint64_t looked_at;                            /* recordings, to find one or to let one go: for tests */
    uint64_t gone[KNA_GONE];                       /* hashes of recordings that were evicted last */
    KN_VEC(kna_frame) frame;                       /* user's code that is running, innermost last */
    int call_depth;                                /* of user functions being recorded inside each other */
    knx_error *said;                               /* by the function of a primitive that is running */
    size_t speaker;                                /* the number of frames while that is: 0: none runs */
    struct knf_recorded_rules *recorded;           /* functions of primitives; NULL: none yet */
    void (*drop_recorded)(struct knf_recorded_rules *r);
    kna_watcher *watcher; /* NULL: there never was an error state */
    struct kna_lifting *lifting;   /* NULL: there never was a lifted value */
    struct knl_calls *calls; /* programs of functions of few elements; NULL: none yet */
    void (*drop_calls)(struct knl_calls *c);
} kna_state;

kna_state *kna_state_make(void);
knx_error *kna_lazy_equation(void *env, kni_builder *b, const kni_draft_eqn *e); /* op.c; env: the state */
static inline kna_state *kna_state_get(void) /* of this context; NULL without memory */
{
    kna_state *s = (kna_state *)knx_slot_state(KNX_SLOT_ARRAYS);
    return s ? s : kna_state_make();
}

/* user.c. The user's code begins between public calls: keeps what the context says about the running call. */
typedef struct kna_user_call {
    const kn_place *here;
    const char *operation;
    int depth;
    unsigned floats;
    knx_guard guard;
    int frame;
} kna_user_call;
knx_error *kna_enter_user(kna_user_call *u);
void kna_leave_user(const kna_user_call *u);
knx_error *kna_call_user(void (*f)(void *arg), void *arg); /* in the middle of an operation: see knx_call_user */

/* unwind.c. The user's code begins, with s->recording, s->axes and s->how as they are now; `before`: the recording
 * outside. The number of its frame, or -1 without memory. */
int kna_frame_push(kna_state *s, kna_recording *before, bool called, knx_guard guard);
void kna_frame_pop(kna_state *s, int frame);      /* it returned; frames inside of it were left by longjmp */
void kna_set_aside(kna_state *s, kna_aside *to);  /* the operation that is running, and begins an empty one */
void kna_set_back(kna_state *s, kna_aside *from);
void kna_op_abandon(kna_state *s);                /* op.c: nothing is running any more */

/* force.c. Runs what these values wait for (tracers are refused before). Afterwards none of them is pending: each is a
 * buffer, a number or an error. The result is the first error met, a new reference. */
knx_error *kna_force(int n, kna_value *const *values);
/* The same, and their elements are on the host: for whoever looks at them. */
knx_error *kna_force_here(int n, kna_value *const *values);
/* Is it what a check has not let pass? Of a value whose program has run, perhaps on a device, which is waited for. */
knx_error *kna_doubt(const kna_value *v);
/* Runs what was recorded with v as an operand, as far as there is memory for it; its errors are its results' own. */
void kna_force_readers(const kna_value *v);
/* Makes a node, as kna_node_new does, and runs it at once and alone: its results are there, or there is an error and
 * none. Of nodes that run the user's code, which may call Kiln. */
knx_error *kna_run_now(const kni_prim *prim, const void *params, const kn_place *place, const char *operation,
                      uint32_t n_in, kna_value *const *in, const kni_literal *literals, uint32_t n_out,
                      const kni_type *out_type, kna_value **out);
/* The one of these two that the equation asks for. */
static inline knx_error *kna_node_for(const kni_prim *prim, const void *params, const kn_place *place,
                                      const char *operation, uint32_t n_in, kna_value *const *in,
                                      const kni_literal *literals, uint32_t n_out, const kni_type *out_type,
                                      kna_value **out)
{
    bool now = kni_bits(prim, params) & KN_USER;
    return (now ? kna_run_now : kna_node_new)(prim, params, place, operation, n_in, in, literals, n_out, out_type, out);
}
/* watch.c. Runs an unfused program whose equations are watched: the first NaN or infinity that comes from nowhere is
 * reported, at the node's place if the program is that of one node alone; so are events. */
/* site.c: where things are meant to be, and programs run. Numbers of knd_site_of. */
static inline uint16_t kna_default_site(void) /* of what nobody placed, in this context */
{
    uint16_t own = knx_context()->site;
    if (__builtin_expect(own != KND_NOWHERE, 0))
        return own == KND_HOST_ASKED ? KND_NOWHERE : own;
    return atomic_load_explicit(&knd_default_site, memory_order_relaxed);
}
static inline uint32_t kna_any_default_site(void) /* 0: it is KND_NOWHERE; else it may be */
{
    return (uint32_t)knx_current->site | atomic_load_explicit(&knd_default_site, memory_order_relaxed);
}
static inline uint16_t kna_asked_site(const knd_device *d) /* for c->site; NULL: what the process says */
{
    return !d ? KND_NOWHERE : d == &knd_host ? KND_HOST_ASKED : knd_site_of(d, false, NULL);
}
/* The device of a program that is meant to run there; where programs are watched, the host. */
static inline const knd_device *kna_device_at(uint16_t site)
{
    return site && !knx_context()->watched ? knd_site_at(site)->device : &knd_host;
}
static inline bool kna_are_together(uint16_t a, uint16_t b) /* on one device */
{
    return a == b || knd_site_at(a)->device == knd_site_at(b)->device;
}
/* Joins the site of one more operand to that of those before (0: none is committed): ValueError if both are committed
 * to different devices. */
knx_error *kna_join_site(uint16_t *all, uint16_t one);
/* Where the results of a node of these operands are; those that wait for another device are run. */
knx_error *kna_site_of_node(const kni_prim *prim, const void *params, uint32_t n_in, kna_value *const *in,
                            uint16_t *site);
/* The same of something that runs on this mesh, which is known. */
knx_error *kna_join_mesh(uint16_t *all, const struct kni_mesh *m);
/* Of a program of these operands. */
knx_error *kna_join_sites(uint32_t n, kna_value *const *in, uint16_t *site);
static inline knx_error *kna_site_of_call(uint32_t n, kna_value *const *in, uint16_t *site)
{
    uint32_t any = kna_any_default_site();
    for (uint32_t i = 0; i < n; i++)
        any |= in[i]->site;
    *site = KND_NOWHERE;
    return __builtin_expect(any != 0, 0) ? kna_join_sites(n, in, site) : NULL;
}
/* Of an operand of op; numbers, and what is traced, are where the default is. */
uint16_t kna_site_of_array(kna_op *op, kn_array x);
/* *v is to be a value that is meant to be at `site`: itself, or, run, another one of the same elements. Replaces the
 * reference. */
knx_error *kna_move_to_site(kna_value **v, uint16_t site);
knx_error *kna_run_checked(const knd_loaded *p, const kna_node *node, const knd_operand *in, knx_buffer **out);
kn_step_hook kna_step_hook(void); /* settings.c: of this context; one that does nothing where steps are only watched */
void kna_cut_room_free(kna_state *s);

/* pending.c */
void kna_pending_init(kna_state *s);
bool kna_pending_is_full(kna_state *s);       /* what is recorded now runs at once */
size_t kna_pending_used(const kna_node *n);   /* bytes of its operands */
void kna_pending_stats(kn_cache_stats_result *r);
#endif
