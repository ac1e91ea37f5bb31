/* SPDX-License-Identifier: Apache-2.0
 * far.c -- the far devices. The memory of each is one reservation of addresses that can be touched while the device is
 * at work only: whoever takes a handle for an address, or keeps one, crashes. */
#include "devices/devices.h"
#include "device/steps/steps.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 256, MAX_BUFFERS = 8, MAX_MAPS = 512 };
static const size_t RESERVED = (size_t)1 << (sizeof(size_t) > 4 ? 32 : 29);

struct knd_memory {
    size_t at, bytes; /* bytes: in whole units, at least one */
    knd_memory *next; /* in the order of `at` */
};

/* What one of them is at the moment. */
typedef struct far {
    char *region;
    knd_memory *all;
    far_faults faults;
    far_counts counts;
    bool lost;
} far;
static far fars[2] = {{.faults = {-1, -1, -1}}, {.faults = {-1, -1, -1}}};

static far *far_of(const knd_device *d) { return &fars[d == &far_second]; }

void far_fail_on(const knd_device *d, far_faults after) { far_of(d)->faults = after; }

void far_find_again_on(const knd_device *d)
{
    far_of(d)->faults = (far_faults){-1, -1, -1};
    far_of(d)->lost = false;
}

far_counts far_count_on(const knd_device *d)
{
    far_counts c = far_of(d)->counts;
    c.live = 0;
    for (const knd_memory *m = far_of(d)->all; m; m = m->next)
        c.live++;
    return c;
}

void far_forget_on(const knd_device *d) { far_of(d)->counts = (far_counts){0}; }

static knx_error *is_lost(const knd_device *d)
{
    return knx_error_new(KN_ERROR_RUNTIME, "device '%s' is lost", d->name);
}

/* Does this go wrong? */
static bool fails(int64_t *left)
{
    if (*left < 0)
        return false;
    if (*left > 0) {
        --*left;
        return false;
    }
    return true;
}

static void open_region(const far *f, bool open)
{
    if (mprotect(f->region, RESERVED, open ? PROT_READ | PROT_WRITE : PROT_NONE))
        abort();
}

/* ---- Memory: the lowest place that is free. */

static knx_error *alloc(const knd_device *d, size_t bytes, knd_memory **out)
{
    size_t units = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT, at = 0;
    far *f = far_of(d);
    *out = NULL;
    if (f->lost)
        return is_lost(d);
    if (!f->region) {
        f->region = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (f->region == MAP_FAILED)
            abort();
    }
    knd_memory **m = &f->all;
    for (; *m && (*m)->at - at < units; m = &(*m)->next)
        at = (*m)->at + (*m)->bytes;
    if (fails(&f->faults.allocations) || at > RESERVED || units > RESERVED - at)
        return knx_error_new(KN_ERROR_MEMORY, "device '%s' has no memory for %zu bytes", d->name, bytes);
    knd_memory *fresh = malloc(sizeof *fresh); /* not counted: it is the device's, not the library's */
    if (!fresh)
        abort();
    *fresh = (knd_memory){at, units, *m};
    *m = fresh;
    f->counts.allocations++;
    *out = fresh;
    return NULL;
}

static void release(const knd_device *d, knd_memory *m)
{
    knd_memory **at = &far_of(d)->all;
    while (*at && *at != m)
        at = &(*at)->next;
    if (!*at)
        abort(); /* given back twice, or another device's */
    *at = m->next;
    free(m);
}

static knx_error *check_copy(const knd_device *d, const knd_memory *m, size_t at, size_t bytes)
{
    far *f = far_of(d);
    if (!f->lost && fails(&f->faults.copies))
        f->lost = true;
    if (f->lost)
        return is_lost(d);
    return at + bytes > m->bytes ? knx_error_new(KN_ERROR_ASSERTION, "a copy leaves its memory") : NULL;
}

static knx_error *copy_in(const knd_device *d, knd_memory *to, size_t at, const void *from, size_t bytes)
{
    far *f = far_of(d);
    KN_TRY(check_copy(d, to, at, bytes));
    open_region(f, true);
    if (bytes)
        memcpy(f->region + to->at + at, from, bytes);
    open_region(f, false);
    f->counts.copied_in += (int64_t)bytes;
    return NULL;
}

static knx_error *copy_out(const knd_device *d, void *to, knd_memory *from, size_t at, size_t bytes)
{
    far *f = far_of(d);
    KN_TRY(check_copy(d, from, at, bytes));
    open_region(f, true);
    if (bytes)
        memcpy(to, f->region + from->at + at, bytes);
    open_region(f, false);
    f->counts.copied_out += (int64_t)bytes;
    return NULL;
}

static knx_error *copy(const knd_device *d, knd_memory *to, size_t to_at, knd_memory *from, size_t from_at,
                       size_t bytes)
{
    far *f = far_of(d);
    KN_TRY(check_copy(d, to, to_at, bytes));
    KN_TRY(check_copy(d, from, from_at, bytes));
    open_region(f, true);
    memmove(f->region + to->at + to_at, f->region + from->at + from_at, bytes);
    open_region(f, false);
    return NULL;
}

/* ---- Steps. */

typedef struct prepared {
    const knc_step *step;
    knk_map_values map[]; /* with what is left of offsets that are no multiples of the alignment */
} prepared;

/* How many elements of buffer b lie between the multiple of the alignment that is bound and its beginning. */
static int64_t shift_of(const knc_step *s, int b)
{
    return s->ref[b].space == KNC_AT_LITERAL
               ? 0
               : (int64_t)(s->ref[b].offset % ALIGNMENT) / knx_dtype_table[s->u.k.kernel->buffer[b].dtype].size;
}

/* The shift of each map; false: two buffers of a map differ, or a position is worked out by it. */
static bool shift_maps(const knc_step *s, int64_t *shift)
{
    const knk_kernel *k = s->u.k.kernel;
    bool known[MAX_MAPS] = {false}, fits = k->n_map <= MAX_MAPS;
    for (int i = 0; fits && i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        if (n->map < 0 || (n->op != KNK_LOAD && n->op != KNK_STORE && n->op != KNK_INDEX))
            continue;
        int64_t mine = n->op == KNK_INDEX ? 0 : shift_of(s, n->buffer);
        fits = !known[n->map] || shift[n->map] == mine;
        known[n->map] = true;
        shift[n->map] = mine;
    }
    return fits;
}

static const char *refuses(const knd_device *d, const knc_program *p, const knc_step *s)
{
    int64_t shift[MAX_MAPS];
    (void)d, (void)p;
    if (s->kind == KNC_COPY)
        return NULL;
    if (s->kind != KNC_KERNEL)
        return s->kind == KNC_PUT       ? "it runs no kernels that look up where they write"
               : s->kind == KNC_PRODUCT ? "it has no products"
               : s->kind == KNC_ROUTINE ? "it has no routines"
                                        : "it runs no programs inside of steps";
    return shift_maps(s, shift) ? NULL : "parts of a buffer that do not begin at multiples of 256 bytes";
}

static knx_error *prepare(const knd_device *d, const knc_program *p, const knc_step *s, void **out)
{
    int n = s->kind == KNC_KERNEL ? s->u.k.kernel->n_map : 0;
    int64_t shift[MAX_MAPS] = {0};
    (void)d, (void)p;
    if (s->kind == KNC_KERNEL)
        KN_TRY(knk_prepare(s->u.k.kernel));
    prepared *x = malloc(sizeof *x + (size_t)n * sizeof x->map[0]);
    if (!x)
        abort();
    x->step = s;
    if (n)
        shift_maps(s, shift);
    for (int m = 0; m < n; m++) {
        x->map[m] = s->u.k.map[m];
        x->map[m].offset += shift[m];
    }
    *out = x;
    return NULL;
}

static void discard(const knd_device *d, void *x)
{
    (void)d;
    free(x);
}

/* The address of a binding, which must be a multiple of the alignment. */
static knx_error *bind(const far *f, const prepared *x, uint32_t r, const knd_place *at, void **out)
{
    if (!at->memory) {
        *out = (void *)(uintptr_t)at->bits;
        return NULL;
    }
    size_t offset = at->offset - (x->step->kind == KNC_KERNEL ? x->step->ref[r].offset % ALIGNMENT : 0);
    if (offset % ALIGNMENT && x->step->kind == KNC_KERNEL)
        return knx_error_new(KN_ERROR_ASSERTION, "a binding at %zu", offset);
    if (offset > at->memory->bytes)
        return knx_error_new(KN_ERROR_ASSERTION, "a binding leaves its memory");
    *out = f->region + at->memory->at + offset;
    return NULL;
}

static knx_error *launch(const knd_device *d, void *made, const knd_place *at)
{
    const prepared *x = made;
    const knc_step *s = x->step;
    void *address[MAX_BUFFERS];
    far *f = far_of(d);
    if (!f->lost && fails(&f->faults.launches))
        f->lost = true;
    if (f->lost)
        return is_lost(d);
    for (uint32_t r = 0; r < s->n_ref; r++)
        KN_TRY(bind(f, x, r, &at[r], &address[r]));
    f->counts.launches++;
    void *scratch =
        s->kind == KNC_KERNEL ? aligned_alloc(64, (knk_scratch_bytes(s->u.k.kernel) + 127) / 64 * 64) : NULL;
    open_region(f, true);
    if (s->kind == KNC_COPY && address[0] != address[1])
        memcpy(address[0], address[1], s->u.bytes);
    else if (s->kind == KNC_KERNEL)
        knk_interpret(s->u.k.kernel,
                      &(knk_launch){.buffer = address, .map = x->map, .par = s->u.k.par, .inner = s->u.k.inner},
                      scratch);
    open_region(f, false);
    free(scratch);
    return NULL;
}

static knx_error *wait(const knd_device *d)
{
    far_of(d)->counts.waits++;
    return far_of(d)->lost ? is_lost(d) : NULL;
}

static const knc_target *target(const knd_device *d)
{
    static const knc_target t = {.name = "far",
                                 .dtypes = ~(1u << KN_ID_F64 | 1u << KN_ID_C128),
                                 .index_bits = 64,
                                 .max_buffers = MAX_BUFFERS,
                                 .alignment = ALIGNMENT,
                                 .first_cache = 32 << 10,
                                 .second_cache = 2 << 20,
                                 .ns_per_unit = 0.01};
    (void)d;
    return &t;
}

#define FAR(number)                                                                                              \
    {                                                                                                            \
        .name = "far:" number, .target = target, .alloc = alloc, .free = release, .copy_in = copy_in,            \
        .copy_out = copy_out, .copy = copy, .refuses = refuses, .prepare = prepare, .discard = discard,          \
        .launch = launch, .wait = wait, .load = knd_steps_load, .unload = knd_steps_unload, .run = knd_steps_run \
    }
const knd_device far_device = FAR("0"), far_second = FAR("1");
