/* SPDX-License-Identifier: Apache-2.0
 * gpu.h -- an adapter of an engine with all that is kept for it: memory, commands that are recorded and not yet
 * submitted, pipelines. All functions but those of engine.c are called by one thread at a time for each adapter:
 * whoever calls them holds knd_lock. */
#ifndef KN_WEBGPU_GPU_H
#define KN_WEBGPU_GPU_H
#include "base/hash.h"
#include "base/lock.h"
#include "device/device.h"
#include "kiln/device.h"
#include "webgpu/abi.h"
#include "wgsl/wgsl.h"
#include <stdlib.h>

enum {
    KNG_ADAPTERS = 8,         /* of an engine, at most */
    KNG_SLOTS = 31,           /* memories of a dispatch, at most */
    KNG_MESSAGE = 1024,       /* bytes of what an engine says */
    KNG_POOLS = 160,          /* size classes of memory */
    KNG_LANDINGS = 4,         /* buffers for what comes down that are kept, at most */
    KNG_PLACES = 1024,        /* of the tables of pipelines and of bind groups: a power of 2 */
    KNG_GROUPS = 2048,        /* bind groups that are kept, at most */
    KNG_IDLE = 256,           /* pipelines that nobody holds, at most, and bytes of their texts: a driver in software */
    KNG_IDLE_TEXT = 1 << 19,  /* has several hundred bytes of code for each of them */
    KNG_UNIFORM_BYTES = 1 << 20, /* words of all dispatches of a submission */
    KNG_STAGE_BYTES = 1 << 22    /* small uploads of a submission */
};

typedef struct kng_gpu kng_gpu;

/* What happened since the adapter was opened, or since kng_forget. */
typedef struct kng_counters {
    int64_t dispatches, copies, submits, waits;
    int64_t pipelines, pipeline_hits, groups, group_hits; /* made; found again */
    int64_t bytes_up, bytes_down;
    int64_t nanoseconds; /* of all dispatches, where times are taken */
} kng_counters;

/* Memory of what is kept with an adapter as long as the process lives: it is nobody's who asks for something today, so
 * it is not counted among what is to be given back. Zeros. */
static inline void *kng_keep(size_t bytes) { return knx_alloc_must_fail() ? NULL : calloc(1, bytes); }
static inline void kng_drop(void *p) { free(p); }

/* ---- engine.c: the library and its adapters. */

/* Loads the engine, once, and makes its adapters known as webgpu:0, webgpu:1, ... An engine that is missing or cannot
 * be used is an error, which the next call tries again. Any thread. */
knx_error *kng_open(void);
int kng_n_gpus(void);
kng_gpu *kng_gpu_at(int i);
/* Requests the adapter's device, if it has none yet. */
knx_error *kng_ready(kng_gpu *g);
/* The device is gone: what a reset of a driver does; for tests. */
void kng_lose(kng_gpu *g);
void kng_pump(kng_gpu *g); /* callbacks that are due are called */
/* The same, again and again until something has come: after a moment, which grows with the time that the wait has taken
 * so far. *since: 0 at first. An error where there is no waiting. */
knx_error *kng_pump_again(kng_gpu *g, int64_t *since);
/* The first error that the engine has told since the last call; `what`: was being done, "copying". */
knx_error *kng_check(kng_gpu *g, const char *what);
knx_error *kng_lost(const kng_gpu *g); /* NULL: it is not, and nobody waits for it */
/* probe.c: g->facts, once. Begins it, nobody waits; brings it. */
knx_error *kng_begin_facts(kng_gpu *g);
knx_error *kng_bring_facts(kng_gpu *g);
void kng_make_device(kng_gpu *g);      /* device.c: g->device, its table */

/* ---- memory.c: buffers by size classes; freed ones are used again, also by commands that are not yet submitted, since
 * all commands run in order. */
struct knd_memory {
    WGPUBuffer buffer;
    uint64_t bytes, room; /* asked for; of the buffer */
    uint64_t id;          /* of the buffer */
    uint64_t used;        /* number of the last submission that has to do with it */
    knd_memory *next;     /* in a pool */
    uint8_t pool;
};
typedef struct kng_heap {
    knd_memory *free[KNG_POOLS];
    uint64_t live, n_live, kept, next_id; /* bytes in use, memories in use, bytes in pools */
    uint64_t most;                        /* bytes in use, the most there were */
    WGPUBuffer landing[KNG_LANDINGS];     /* downloads pass through one; NULL: none */
    uint64_t landing_room[KNG_LANDINGS];
} kng_heap;
knx_error *kng_alloc(kng_gpu *g, uint64_t bytes, knd_memory **out);
void kng_free(kng_gpu *g, knd_memory *m);
void kng_trim(kng_gpu *g, uint64_t keep); /* pools keep so many bytes at most */
knx_error *kng_upload(kng_gpu *g, knd_memory *to, uint64_t at, const void *from, uint64_t bytes);
uint64_t kng_room_for(uint64_t bytes); /* of the class that holds so many */
/* Any bytes; where both lie in one memory they may overlap. */
knx_error *kng_copy(kng_gpu *g, knd_memory *to, uint64_t to_at, knd_memory *from, uint64_t from_at, uint64_t bytes);

/* Memory for good: it is in no class, and nobody counts it. */
knx_error *kng_memory_new(kng_gpu *g, uint64_t room, knd_memory **out);

/* ---- read.c: contents come down. Records of checks come with each, and alone where nothing else is wanted. */
typedef struct kng_reading kng_reading;
/* Behind what is recorded, which is submitted; nobody waits. from NULL: the records alone, and the end of all that. */
knx_error *kng_reading_begin(kng_gpu *g, knd_memory *from, uint64_t at, uint64_t bytes, kng_reading **out);
/* Waits, if it has not come; r is gone then, also with an error. */
knx_error *kng_reading_end(kng_gpu *g, kng_reading *r, void *to);
bool kng_reading_came(const kng_reading *r); /* has it been mapped? */
void kng_reading_drop(kng_gpu *g, kng_reading *r); /* nobody wants it any more; NULL is fine */
extern const knd_ahead kng_ahead_table;
/* Both at once. */
knx_error *kng_download(kng_gpu *g, void *to, knd_memory *from, uint64_t at, uint64_t bytes);
knx_error *kng_bring_checks(kng_gpu *g);
/* The first bytes of a buffer that is mapped; false: it gives none. */
bool kng_read_mapped(kng_gpu *g, WGPUBuffer from, void *to, size_t n);

/* ---- checks.c: checks that fail on the device (knd_device.begin_checks). Each run has a record there, which comes
 * down with whatever is looked at next. */
enum { KNG_RECORDS = KND_RUNS, KNG_RECORD_WORDS = 8, KNG_FAILURES = 1 << 16 };
typedef struct kng_failure {
    uint64_t first, last; /* runs: one, or all between failures that were joined for want of room */
    int64_t index;
    uint32_t axis, size;
    const kn_place *place;
    const char *operation;
} kng_failure;
typedef struct kng_check_line {
    const kn_place *place;
    const char *operation;
} kng_check_line;
typedef struct kng_checks {
    knd_memory *records;  /* of run n: record n % KNG_RECORDS; zeros: nothing has failed */
    uint64_t last, known; /* the last run with checks; up to which one it is known how they went */
    uint64_t current, outermost; /* of the runs that go on, one inside of the other; 0: none */
    struct kng_reading *coming;  /* of records, which kng_flush has begun; NULL: none */
    kng_check_line *line; /* that checks belong to, each once */
    uint32_t n_line, room, at_line; /* at_line: 1 + that of the check that is launched next */
    uint32_t n_failure, failure_room;
    kng_failure *failure; /* in the order of their runs, KNG_FAILURES at most */
} kng_checks;
typedef struct kng_checks_part {
    uint64_t first, n, known;
} kng_checks_part;
/* Runs lie in each other where the user's functions call Kiln: *outer is the one that goes on after the end. */
knx_error *kng_checks_begin(kng_gpu *g, uint64_t *number, uint64_t *outer);
void kng_checks_end(kng_gpu *g, uint64_t outer);
knx_error *kng_checks_name(kng_gpu *g, const kn_place *place, const char *operation);
knx_error *kng_checks_failed(const kng_gpu *g, uint64_t number);
/* The record of the run, for a launch: its memory and where its words begin. */
knx_error *kng_checks_record(kng_gpu *g, knd_memory **out, uint32_t *word);
/* The records of which nothing is known yet, those of n runs; their bytes; records a copy of them; what came of it, up
 * to which run it is known then. Several such parts may be under way, and have runs in common. */
kng_checks_part kng_checks_unknown(const kng_gpu *g);
static inline uint64_t kng_checks_bytes(const kng_checks_part *p)
{
    return p->n * KNG_RECORD_WORDS * sizeof(uint32_t);
}
void kng_checks_copy(kng_gpu *g, const kng_checks_part *p, WGPUCommandEncoder encoder, WGPUBuffer to, uint64_t at);
knx_error *kng_checks_take(kng_gpu *g, const kng_checks_part *p, const uint32_t *records);

/* ---- pipeline.c: pipelines by text. */
typedef struct kng_layout { /* which bindings a text declares */
    uint32_t slots, written; /* a bit per slot: it has it, it writes to it */
    bool uniform;            /* it has binding 0 */
    WGPUBindGroupLayout groups;
    WGPUPipelineLayout pipelines;
    struct kng_layout *next;
} kng_layout;
typedef struct kng_pipeline {
    uint64_t hash;
    char *text;
    size_t length;
    int refs;
    const kng_layout *layout;
    WGPUComputePipeline pipeline;
    uint32_t number;           /* in the order in which they were made */
    int64_t dispatches, nanoseconds; /* nanoseconds: where times are taken */
    struct kng_pipeline *older, *newer; /* among those that nobody holds */
    struct kng_pipeline *next;          /* of the same place in the table */
} kng_pipeline;
typedef struct kng_pipelines {
    kng_pipeline *by_text[KNG_PLACES];
    kng_layout *layout;
    kng_pipeline *newest, *oldest; /* that nobody holds */
    uint32_t n_idle, made, given_up;
    size_t idle_text; /* bytes of the texts of those that nobody holds */
    struct kng_group *groups[KNG_PLACES], *group[KNG_GROUPS]; /* bind groups (group.c), by what they bind; all */
    uint32_t n_group, hand;
} kng_pipelines;
knx_error *kng_pipeline_for(kng_gpu *g, const char *text, kng_pipeline **out);
void kng_pipeline_release(kng_gpu *g, kng_pipeline *p); /* NULL is fine */
/* cache.c: texts in files, if the user says where: keeps one; makes pipelines of all that are kept. */
void kng_cache_keep(const kng_gpu *g, const kng_pipeline *p);
void kng_cache_warm(kng_gpu *g);
/* group.c: the bind group of these memories, which the gpu keeps. */
typedef struct kng_bound {
    knd_memory *memory;   /* NULL: the slot is not used */
    uint64_t at, bytes;   /* what of it is bound; bytes 0: all */
} kng_bound;
knx_error *kng_group_for(kng_gpu *g, const kng_layout *l, const kng_bound *slot, uint32_t uniform_bytes,
                         WGPUBindGroup *out);
void kng_groups_drop(kng_gpu *g, uint64_t memory_id); /* those that have this buffer */

/* ---- queue.c: commands are recorded, and submitted when somebody looks at a result or enough of them are there. */
typedef struct kng_queue {
    WGPUCommandEncoder encoder;
    WGPUComputePassEncoder pass;
    WGPUBuffer uniform, stage; /* words of the dispatches; uploads in the midst of commands */
    uint8_t *words, *staged;   /* of the submission that is being recorded, here */
    uint32_t words_used, staged_used;
    int recorded;              /* commands */
    uint64_t number;           /* of the submission that is being recorded, from 1 on */
    atomic_llong ended;        /* submissions */
    WGPUQuerySet times;        /* NULL: none are taken */
    WGPUBuffer resolved, read;
    atomic_int times_mapped;   /* how mapping them went, and 1; 0: not known yet */
    kng_pipeline **timed;      /* whose dispatch has times 2 i, 2 i + 1 */
    uint32_t n_timed;
} kng_queue;
/* Where words of a recorded dispatch lie: for commands that change them before it runs. */
typedef struct kng_late_word {
    knd_memory *from;
    uint64_t at;   /* bytes */
    uint32_t word;
} kng_late_word;
/* A dispatch, behind all that was recorded before. `late`: words that are taken from memory when it runs. */
knx_error *kng_dispatch_text(kng_gpu *g, kng_pipeline *p, const kng_bound *slot, const uint32_t *words,
                             uint32_t n_words, const uint32_t grid[3], const kng_late_word *late, int n_late);
/* Whole words, between two memories. */
knx_error *kng_copy_words(kng_gpu *g, knd_memory *to, uint64_t to_at, knd_memory *from, uint64_t from_at,
                          uint64_t bytes);
/* From here into the midst of the commands. */
knx_error *kng_stage(kng_gpu *g, knd_memory *to, uint64_t at, const void *from, uint64_t bytes);
knx_error *kng_encoder(kng_gpu *g, WGPUCommandEncoder *out); /* to record copies: no pass is open */
knx_error *kng_submit(kng_gpu *g);
knx_error *kng_finish(kng_gpu *g); /* submits, and waits until all has ended */
knx_error *kng_wait_for(kng_gpu *g, uint64_t number); /* until this submission has ended */
knx_error *kng_flush(kng_gpu *g); /* submits, and begins what kng_finish would wait for; nobody waits */
/* times.c: of a pass that is about to begin, if times are taken; at the end of a submission; after it. */
bool kng_times_begin(kng_gpu *g, kng_pipeline *p, WGPUPassTimestampWrites *out);
void kng_times_resolve(kng_gpu *g);
knx_error *kng_times_take(kng_gpu *g);

/* ---- gate.c: dispatches that have no workgroups once a gate is shut (knd_gate). Their grids lie in memory of the
 * device, which empties them. */
enum { KNG_GRIDS = 64 };
typedef struct kng_gate {
    bool on;            /* what is recorded is behind it */
    knd_memory *memory; /* words: is it open, how many have passed; then grids. NULL: none yet */
    uint32_t n, next;   /* grids; where the next one comes */
    uint32_t grid[KNG_GRIDS][3];
    uint32_t passed; /* when somebody asked last */
    int64_t total;
} kng_gate;
extern const knd_gate kng_gate_table;
extern const knd_loops kng_loops_table; /* turns.c */
/* Where in the gate's memory this grid lies, in bytes. */
knx_error *kng_gate_place(kng_gpu *g, const uint32_t grid[3], uint64_t *at);

typedef struct kng_probing kng_probing;
struct kng_gpu {
    knd_device device; /* the first: a knd_device of this kind is a kng_gpu */
    char name[16];
    const kng_api *api;
    WGPUInstance instance;
    WGPUAdapter adapter;
    WGPUAdapterType type;
    WGPUBackendType backend;
    char label[192], driver[256]; /* "llvmpipe (LLVM 15.0.6, 256 bits)"; what tells drivers apart */
    char vendor[64], driver_name[96], features[96]; /* for people */
    kn_device_info info;
    WGPULimits limits;
    uint32_t subgroup_min, subgroup_max;
    bool can_f16, can_subgroups, can_time; /* features that it offers */
    knc_target target;
    WGPUDevice handle; /* NULL: not requested yet */
    WGPUQueue commands;
    knw_facts facts;
    bool probed, exact; /* exact: the host's bits, whatever it costs */
    kng_probing *probing; /* facts that are coming; NULL: none are */
    bool take_times;
    knx_mutex mutex;    /* of what follows: an engine may tell on threads of its own */
    _Atomic bool lost;        /* read without it, too */
    bool failed;
    bool waiting; /* somebody lets time pass: in a page other calls go on meanwhile */
    bool forked; /* lost to a fork: the engine is not to be called any more */
    WGPUErrorType failure;
    char message[KNG_MESSAGE], why_lost[KNG_MESSAGE];
    kng_counters counters;
    kng_heap heap;
    kng_checks checks;
    kng_pipelines pipelines;
    kng_queue queue;
    kng_gate gate;
};
static inline kng_gpu *kng_gpu_of(const knd_device *d) { return (kng_gpu *)(uintptr_t)d; }

#endif
