/* SPDX-License-Identifier: Apache-2.0
 * device.h -- the interface of a device: where programs run and buffers live (docs/devices.md). The compiler asks a
 * device's target facts and makes a program, which is pure data; the device loads it and runs what it loaded. */
#ifndef KN_DEVICE_DEVICE_H
#define KN_DEVICE_DEVICE_H
#include "compile/program.h"
#include "kiln/context.h"

typedef struct knd_device knd_device;
typedef struct knd_memory knd_memory; /* of a device: what only the device can read */
struct kn_device_handle;

/* A program that a device has loaded: immutable, counted. A device puts its own part behind this one. */
typedef struct knd_loaded {
    atomic_int refs;
    const knd_device *device;
    knc_program *program; /* a reference of its own */
    size_t bytes;        /* that the device's part takes; of a mesh it grows while others may read it */
} knd_loaded;

/* An operand of a run: C-contiguous elements in a buffer, wherever that lives, or in plain memory of the host such as
 * a scalar's bits. */
typedef struct knd_operand {
    knx_buffer *buffer; /* NULL: they are at `data` */
    size_t offset;     /* bytes from its beginning */
    const void *data;
    bool lent; /* somebody else may write to the buffer: it is neither kept as a result nor written over */
} knd_operand;

typedef struct knd_observer knd_observer;
typedef struct knd_options {
    int threads;                 /* of the host, at most so many; 0: as many as there are */
    void *workspace;             /* knd_workspace_bytes(l, threads) bytes, 64-byte aligned; NULL: from the pool */
    const knd_observer *observer; /* NULL: none; on the host alone */
    kn_step_hook on_step;        /* hears of each step that has run; NULL: nobody does */
    void *on_step_env;
    /* Whose an equation is, by its place: the line to be told, and the operation. NULL: the
     * place, and what the user has called. */
    void (*whose)(void *env, const kn_place **place, const char **operation);
    void *whose_env;
} knd_options;

/* What a reference of a step is on a device. */
typedef struct knd_place {
    knd_memory *memory; /* NULL: a literal, or what goes by value: its bits are at `bits` */
    size_t offset;      /* bytes */
    const void *bits;
} knd_place;

/* Turns of a loop that are begun before anybody knows whether they are wanted (docs/devices.md). From `open` to `close`
 * what is launched, and copied from the device to the device, is done while the gate is open only. There is one gate at
 * a time. */
typedef struct knd_gate {
    knx_error *(*open)(const knd_device *d);
    /* After all that was begun before: the gate shuts if the bool there is false, else one more has passed. */
    knx_error *(*ask)(const knd_device *d, knd_memory *flag, size_t at);
    /* Waits: how many have passed since it was opened, and whether it is open still. */
    knx_error *(*count)(const knd_device *d, int64_t *passed, bool *open);
    void (*close)(const knd_device *d);
} knd_gate;

/* Turns of a loop that the device makes by itself (docs/devices.md). The places are, of the condition and then of the
 * body, those of the references of the steps, one after the other, then for each result that no step writes
 * (KNC_OUT_OPERAND, KNC_OUT_SAME) where it comes to and from; between the two that of the condition's bool. at[0]: at
 * turn 0, at[1]: where the carries are at odd turns; move: bytes that each turn adds. */
typedef struct knd_turns {
    int64_t first, n; /* turns first, ..., first + n - 1, as long as the condition holds */
    uint32_t n_at;
    const knd_place *at[2];
    const int64_t *move;
} knd_turns;
typedef struct knd_turned {
    bool ran; /* false: with these places it does not, and has done nothing */
    bool open;
    int64_t passed;
} knd_turned;
typedef struct knd_loops {
    /* Of step s of p, a loop whose steps it has prepared all. *out NULL: they are to be launched. */
    knx_error *(*prepare)(const knd_device *d, const knc_program *p, const knc_step *s, void **out);
    void (*discard)(const knd_device *d, void *prepared);
    /* Of a scan it begins all turns. Of a while it makes some, and waits: how many have passed, and whether the loop
     * may go on. */
    knx_error *(*run)(const knd_device *d, void *prepared, const knd_turns *t, knd_turned *out);
} knd_loops;

/* Copies to the host that begin ahead, so that who wants the bytes later waits less, or, in a page, not at all. */
typedef struct knd_ahead {
    /* Behind all that was begun; nobody waits. from NULL: no bytes, but the end of all that. */
    knx_error *(*begin)(const knd_device *d, knd_memory *from, size_t at, size_t bytes, void **coming);
    /* The same as copy_out, of what is coming, which is gone then also after an error. */
    knx_error *(*end)(const knd_device *d, void *coming, void *to);
    void (*drop)(const knd_device *d, void *coming); /* nobody wants it any more */
} knd_ahead;

/* ---- The interface. Functions are called by one thread at a time for each device, but for the host's. Errors leave
 * everything as it was. */
struct knd_device {
    const char *name; /* "host", or a kind and a number: "webgpu:0" */
    /* What the compiler asks; the same for the whole process. */
    const knc_target *(*target)(const knd_device *d);

    /* Memory, at multiples of the target's alignment; NULL for the host, whose memory is buffers' own. Copies and free
     * come after all that was launched before them; copy_out has ended when it returns. */
    knx_error *(*alloc)(const knd_device *d, size_t bytes, knd_memory **out);
    void (*free)(const knd_device *d, knd_memory *m);
    knx_error *(*copy_in)(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes);
    knx_error *(*copy_out)(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes);
    knx_error *(*copy)(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                      size_t bytes);

    /* Steps, for devices whose programs are run by device/steps, which offers kernels that fit the target only, and
     * runs loops and branches itself. Operands and results of programs inside of those may lie at any multiple of their
     * element's size, and copies may be of any bytes, from one part of a memory to another, too. NULL if
     * the device runs this one, else the reason why the host has to, for people: "it has no routines". */
    const char *(*refuses)(const knd_device *d, const knc_program *p, const knc_step *s);
    knx_error *(*prepare)(const knd_device *d, const knc_program *p, const knc_step *s, void **out);
    void (*discard)(const knd_device *d, void *prepared);
    /* Begins a step; at: of each reference. It runs after all that was begun before. */
    knx_error *(*launch)(const knd_device *d, void *prepared, const knd_place *at);
    /* Until all that was begun has ended: an error of any of it is told here at the latest. */
    knx_error *(*wait)(const knd_device *d);
    const knd_loops *loops; /* NULL: all turns are launched */
    const knd_ahead *ahead; /* NULL: copies begin when somebody waits for them */
    const knd_gate *gate; /* NULL: it has none, and somebody waits for the condition of a loop at each turn */

    /* Programs: of the host its own executor, of others those of device/steps. load takes a reference to p. */
    knx_error *(*load)(const knd_device *d, knc_program *p, knd_loaded **out);
    void (*unload)(knd_loaded *l); /* the device's part of it, and l */
    /* The numbers of l's program are others now, and nobody else holds either; after an error l is unloaded next. NULL:
     * the device loads programs anew. */
    knx_error *(*reload)(knd_loaded *l);
    knx_error *(*run)(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o);

    /* A device that makes its own of whole jaxprs (device/mesh): knd_compile asks it, and what it loads has a program
     * without steps, knc_outline's. Jaxprs have no dimension variables there. NULL: it loads programs. */
    knx_error *(*compile)(const knd_device *d, const kni_jaxpr *j, const knc_compile_options *o, knd_loaded **out);
    const struct kni_mesh *mesh; /* that it is; NULL: it is none */

    /* What people are told of it beside its name; NULL: nothing. */
    const struct kn_device_info *(*info)(const knd_device *d);
    /* The memory as others know it who use the same device, after all that was begun; bytes is set. NULL: nobody
     * does. */
    knx_error *(*share)(const knd_device *d, knd_memory *m, struct kn_device_handle *out);

    /* May reference r of a step that it runs be a place without memory, if the host has the contents? bits: they are
     * read while the step is launched. NULL: literals alone may. */
    bool (*by_value)(const knd_device *d, const knc_step *s, uint32_t r);

    /* Steps that can fail, of a device that learns of it late (docs/devices.md); all NULL: launch fails. A run that
     * has such steps begins with the next number, from 1 on; runs lie in each other where the user's functions call
     * Kiln, and the end of one gives back the number that goes on, *outer (0: none). Each of the steps is named before
     * it is launched. `failed` gives the error of a run, as far as is known; how those up to `known` went is, after
     * copy_out and after wait all are but those that go on and those inside of them; and never are KND_RUNS of them
     * not. */
    knx_error *(*begin_checks)(const knd_device *d, uint64_t *number, uint64_t *outer);
    void (*end_checks)(const knd_device *d, uint64_t outer);
    knx_error *(*name_check)(const knd_device *d, const kn_place *place, const char *operation);
    uint64_t (*known)(const knd_device *d);
    knx_error *(*failed)(const knd_device *d, uint64_t number);
};

/* ---- Programs on any device (run.c). */

/* Compiles for the device and loads; o->target is the device's, whatever it says. */
knx_error *knd_compile(const knd_device *d, const kni_jaxpr *j, const knc_compile_options *o, knd_loaded **out);
knx_error *knd_load(const knd_device *d, knc_program *p, knd_loaded **out);
/* Makes an instance of a program of variables and loads it. *io: NULL, or an earlier one of the same program, whose
 * reference is taken over, and whose memory is used again if that was the last one. After an error NULL. */
knx_error *knd_instance(const knd_device *d, const knc_program *p, int n, const knx_dim_value *value, knd_loaded **io);
knd_loaded *knd_retain(const knd_loaded *l);
void knd_release(knd_loaded *l); /* NULL is fine */
/* Bytes of the program and of what the device made of it, without its kernels; with its jaxpr, unless that is
 * `counted`. */
size_t knd_bytes(const knd_loaded *l, const kni_jaxpr *counted);
/* Runs it: out[i] gets a new reference per output. An output that is an operand, or a view of a whole one in the same
 * order, shares its buffer unless that is lent; from plain memory it is copied. After an error everything is given back
 * and out[] is all NULL; the error's place is that of the equation that failed. */
knx_error *knd_run_with(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o);
/* On this thread alone; workspace as above. */
knx_error *knd_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, void *workspace);

/* For devices (tell.c): runs step i of p on d by calling run(env), and tells the hook of it if that was well. */
knx_error *knd_tell_step(const knd_device *d, const knc_program *p, uint32_t i, int support, kn_step_hook hook,
                        void *hook_env, knx_error *(*run)(void *env), void *env);

/* What a device is asked to do, counted (work.c, kn_device_count); under the lock. bytes: as many as were asked for. */
knx_error *knd_alloc(const knd_device *d, size_t bytes, knd_memory **out);
void knd_count_memory(const knd_device *d, size_t bytes); /* it has so many more */
void knd_free(const knd_device *d, knd_memory *m, size_t bytes); /* NULL is fine */
knx_error *knd_copy_in(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes);
knx_error *knd_copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes);
knx_error *knd_end_copy_out(const knd_device *d, void *coming, void *to, size_t bytes);
knx_error *knd_copy_there(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                         size_t bytes);
knx_error *knd_launch(const knd_device *d, void *prepared, const knd_place *at);
knx_error *knd_run_turns(const knd_device *d, void *prepared, const knd_turns *t, bool waits, knd_turned *out);
knx_error *knd_gate_count(const knd_device *d, int64_t *passed, bool *open);
void knd_forget_work(const knd_device *d); /* it goes away */

/* ---- Devices (registry.c). */

extern const knd_device knd_host;
/* Makes a device known by its name; it must stay. MemoryError; ValueError if the name is taken. */
knx_error *knd_register(const knd_device *d);
void knd_unregister(const knd_device *d);
const knd_device *knd_find(const char *name); /* NULL: there is none */
/* The same with what there is to be said where there is none: ValueError. "webgpu" is the first one of that kind, whose
 * engine is loaded when the first of them is asked for. */
knx_error *knd_need(const char *name, const knd_device **out);
bool knd_is_known(const knd_device *d); /* from whatever pointer */
/* Makes known what comes with this name, or with all names (NULL): "auto", an engine's devices (engines.c). */
knx_error *knd_open_engines(const char *name);
/* Those of this kind (NULL: of all that are no meshes), the host first: at most `room` of them, and how many there
 * are. */
int knd_list(const char *kind, int room, const knd_device **out);
/* "webgpu" of "webgpu:0" */
size_t knd_kind_length(const char *name);
/* That was made known first, beside this one and the host; NULL: none. */
const knd_device *knd_first(const knd_device *but);
/* Where the arrays' programs of this process run, but for those that the user placed and those over memory of the
 * caller: the host, unless KILN_DEVICE or knd_set_default says otherwise. What was recorded before stays where it
 * is. */
const knd_device *knd_default(void);
void knd_set_default(const knd_device *d); /* NULL: the host */
/* Reads KILN_DEVICE, once in the process: an error if there is no such device. */
knx_error *knd_read_default(void);

/* ---- Where arrays are meant to be (sites.c). Contents may be anywhere: that is below. An array that the user put on
 * a device is committed: programs run where it is. Others follow, and results of none such are where the default is. */
typedef struct knd_site {
    const knd_device *device;
    const kn_place *line; /* file and line of the user's call, a copy; NULL: not known, or not committed */
    bool committed;
} knd_site;
/* Nowhere in particular: on the host and not committed, as nearly all. The same for a context whose user has asked for
 * the host whatever the process says. */
enum { KND_NOWHERE, KND_HOST_ASKED };
uint16_t knd_site_of(const knd_device *d, bool committed, const kn_place *line); /* its number */
const knd_site *knd_site_at(uint16_t number);
extern _Atomic(uint16_t) knd_default_site; /* of the process */

/* ---- Where the contents of a buffer are (residency.c): on the host, on a device, or the same on both. A buffer of a
 * device has `data` NULL until somebody looks. Thread-safe. */

/* Buffers of which a device has something: usually none, and then nobody need look at each. */
extern atomic_int knd_buffers_away;
/* Held while a device is at work; whoever has it may take it again. */
void knd_lock(void);
void knd_unlock(void);
/* Makes `data` of the buffer valid: what is only on a device is copied to the host, once. */
knx_error *knd_fetch(knx_buffer *b);
/* Begins that, where the device can begin ahead; nobody waits. */
knx_error *knd_begin_fetch(knx_buffer *b);
/* The host is about to write to it: then a device's copy is old. */
knx_error *knd_fetch_to_write(knx_buffer *b);
knx_error *knd_begin_here(knx_buffer *b); /* the same, but what it has so far is not wanted */
/* Its memory on the device, with its contents. `keep`: the copy stays with the buffer; else it is the caller's, in
 * *own, to be freed (NULL: it is the buffer's). */
knx_error *knd_send(const knd_device *d, knx_buffer *b, bool keep, knd_memory **out, knd_memory **own);
/* Until the device that has its contents has done what was begun. */
knx_error *knd_wait(knx_buffer *b);
knx_error *knd_be_sure(knx_buffer *b); /* the same if its contents may be what a check has not let pass */
/* A new buffer on the device, contents undefined. */
knx_error *knd_buffer_new(const knd_device *d, size_t bytes, knx_buffer **out);
/* The same of memory that the device has made, of so many bytes, which is taken over, also on failure. */
knx_error *knd_buffer_of(const knd_device *d, knd_memory *m, size_t bytes, knx_buffer **out);
/* What the device has of it, valid as long as nobody writes to the buffer; NULL: nothing. */
knd_memory *knd_memory_of(const knd_device *d, const knx_buffer *b);
/* The device has written to its copy: what the host has is old. */
void knd_written(knx_buffer *b);
/* Runs with checks whose failure would be that of the contents, too (doubt.c). */
enum { KND_RUNS = 1024 };
typedef struct knd_doubt {
    uint64_t last;   /* no run is later; 0: there is no doubt */
    uint64_t failed; /* a run that is known to have failed; 0: none is */
    uint64_t run[KND_RUNS / 64]; /* bit n % KND_RUNS: run n, the last one of that bit up to `last` */
} knd_doubt;
void knd_doubt_run(const knd_device *d, knd_doubt *to, uint64_t number); /* one run more */
void knd_add_doubt(const knd_device *d, knd_doubt *to, const knd_doubt *more);
/* What is known to have failed of it; NULL: nothing. What is known to be well goes out. */
knx_error *knd_failed(const knd_device *d, knd_doubt *doubt);
const knd_doubt *knd_doubt_of(const knd_device *d, const knx_buffer *b); /* on d; NULL: none */
void knd_set_doubt(knx_buffer *b, const knd_doubt *doubt); /* of a buffer that the device has written to */
bool knd_is_on(const knd_device *d, const knx_buffer *b); /* has it a valid copy? */
const knd_device *knd_device_of(const knx_buffer *b); /* with a valid copy; the host, if that has one */

/* ---- The host alone. l: loaded by it. */

/* Threads that l has work for, of so many (0: as many as there are): small programs have it for one. */
int knd_threads(const knd_loaded *l, int threads);
/* All memory of a run beside operands and outputs: the program's workspace, addresses, the scratch of kernels on so
 * many threads (0: as there are). */
uint64_t knd_workspace_bytes(const knd_loaded *l, int threads); /* UINT64_MAX: no memory to find out */
uint64_t knd_peak_bytes(const knd_loaded *l, int threads); /* workspace, operands and the outputs' own buffers */
int knd_step_support(const knd_loaded *l, uint32_t step); /* how the step runs: KN_SUPPORT_... */
/* Runs with all memory the caller's: output i is written to to[i], which overlaps nothing else of the run. The program
 * was compiled without donated operands; operands need no buffer. Allocates nothing, locks nothing, and makes no system
 * call if threads is 1. */
knx_error *knd_run_into(const knd_loaded *l, const knd_operand *in, void *const *to, void *workspace, int threads);
/* The same for a program that is one kernel: its operands are those that are fixed, then in[]. `threads` is what
 * knd_threads said. It fails only where somebody ends it (kn_set_poll). */
bool knd_is_one_kernel(const knd_loaded *l);
knx_error *knd_run_kernel(const knd_loaded *l, uint32_t n_fixed, const knd_operand *fixed, const void *const *in,
                          void *const *to, void *workspace, int threads);
/* One that is a single call, of a kernel on one thread or of a routine, its arguments made ahead; l lives longer; freed
 * by knx_free. NULL: it is not one, or there is no memory. The floating-point environment is looked at once per thread,
 * and at each call while it is unusual. A kernel needs no workspace and has no error. */
typedef struct knd_direct knd_direct;
knd_direct *knd_make_direct(const knd_loaded *l, uint32_t n_fixed, const knd_operand *fixed, int threads);
size_t knd_direct_workspace(const knd_direct *d); /* bytes; 0: it may be NULL */
knx_error *knd_run_direct(const knd_direct *d, const void *const *in, void *const *to, void *workspace);

/* Sees each equation after it has run: its operands as they were before and its results (y[i] is NULL for one that
 * nothing reads). An error ends the run like that of a step; without a place it gets the equation's. Equations that
 * did not run are not seen: those that nothing reads, and views that share their operand's memory. */
struct knd_observer {
    knx_error *(*after)(void *env, const kni_eqn *e, int n_in, const void *const *x, const kni_type *xt, int n_out,
                       const void *const *y, const kni_type *yt);
    void *env;
};
/* The same run and the same results, watched. The program must have been compiled with fuse = false; `o` NULL is
 * knd_run. */
knx_error *knd_run_observed(const knd_loaded *l, const knd_operand *in, knx_buffer **out, void *workspace,
                           const knd_observer *o);

/* An observer (nans.c) that stops at the equation where a NaN, or an infinity, comes from: a result has one and no
 * operand had. ValueError "nan encountered in log", "inf encountered in div". NULL if nothing is to be looked for. */
const knd_observer *knd_nan_observer(bool nans, bool infs);
#endif
