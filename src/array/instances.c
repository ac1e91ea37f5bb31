/* SPDX-License-Identifier: Apache-2.0
 * instances.c -- the last programs that were made of a program of variables, by their numbers. Each set of four holds
 * those whose hashes end alike, the last used first; what leaves a set gives its memory to what comes in. */
#include "array/plans.h"
#include "compile/step.h"
#include <string.h>

enum { WAYS = 4, MOST_SETS = 16, MOST_BYTES = 1 << 20 };

typedef struct way {
    uint64_t hash;
    knd_loaded *program; /* NULL: there is none */
    size_t bytes;        /* that it takes */
    int64_t *number;     /* per variable */
} way;

struct kna_instances {
    uint32_t n_var, sets;
    size_t bytes;
    way at[];
};

void kna_instances_free(kna_instances *x)
{
    for (uint32_t i = 0; x && i < x->sets * WAYS; i++)
        knd_release(x->at[i].program);
    knx_free(x);
}

size_t kna_instances_bytes(const kna_instances *x) { return x ? x->bytes : 0; }

/* Its jaxpr is that of the program of variables. */
static size_t bytes_of(const knd_loaded *l) { return knd_bytes(l, l->program->jaxpr); }

static knd_loaded *take(kna_instances *x, way *w)
{
    knd_loaded *l = w->program;
    x->bytes -= l ? w->bytes : 0;
    w->program = NULL;
    return l;
}

bool kna_instances_drop(kna_instances *x)
{
    bool went = false;
    for (uint32_t i = 0; x && i < x->sets * WAYS; i++) {
        const knd_loaded *l = x->at[i].program;
        if (!l || atomic_load(&l->refs) > 1)
            continue;
        knd_release(take(x, &x->at[i]));
        went = true;
    }
    return went;
}

static uint64_t hash_of(uint32_t n, const int64_t *number)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++)
        h = knx_hash_mix(h, (uint64_t)number[i]);
    return h;
}

/* There are 2^k sets. */
static way *set_of(kna_instances *x, uint64_t hash) { return &x->at[((size_t)(hash >> 32) & (x->sets - 1)) * WAYS]; }

static void move_to_front(way *set, int i)
{
    way w = set[i];
    for (; i; i--)
        set[i] = set[i - 1];
    set[0] = w;
}

KNX_HOT knd_loaded *kna_instance_find(kna_instances *x, const int64_t *number)
{
    if (!x)
        return NULL;
    uint64_t hash = hash_of(x->n_var, number);
    way *set = set_of(x, hash);
    for (int i = 0; i < WAYS; i++)
        if (set[i].program && set[i].hash == hash && !memcmp(set[i].number, number, x->n_var * sizeof *number)) {
            move_to_front(set, i);
            return knd_retain(set[0].program);
        }
    return NULL;
}

/* As many as have room, each of so many bytes. */
static kna_instances *make_room(uint32_t n_var, size_t bytes)
{
    uint32_t sets = MOST_SETS;
    while (sets > 1 && sets * WAYS * bytes > MOST_BYTES)
        sets /= 2;
    size_t fixed = sizeof(kna_instances) + sets * WAYS * sizeof(way), own = n_var * sizeof(int64_t);
    kna_instances *x = knx_alloc_zero(fixed + sets * WAYS * own);
    if (!x)
        return NULL;
    x->n_var = n_var;
    x->sets = sets;
    x->bytes = fixed + sets * WAYS * own;
    for (uint32_t i = 0; i < sets * WAYS; i++)
        x->at[i].number = (int64_t *)(void *)((char *)x + fixed + i * own);
    return x;
}

/* Made of the program into *io, whose memory is used again if there is one. */
static knx_error *make(const kna_instance_of *of, knd_loaded **io)
{
    if (knc_has_variables(of->program))
        return knd_instance(of->device, of->program, (int)of->n, of->value, io);
    knd_release(*io);
    return knd_load(of->device, (knc_program *)(uintptr_t)of->program, io);
}

KNX_HOT knx_error *kna_instance_make(kna_instances **x, const kna_instance_of *of, knd_loaded **out)
{
    uint64_t hash = of->n;
    for (uint32_t i = 0; i < of->n; i++)
        hash = knx_hash_mix(hash, (uint64_t)of->value[i].value);
    way *set = *x ? set_of(*x, hash) : NULL;
    knd_loaded *made = set ? take(*x, &set[WAYS - 1]) : NULL;
    KN_TRY(make(of, &made));
    if (!*x)
        *x = make_room(of->n, bytes_of(made));
    if (!*x) {
        knd_release(made);
        return knx_error_nomem();
    }
    set = set_of(*x, hash);
    move_to_front(set, WAYS - 1);
    set->hash = hash;
    set->program = made;
    for (uint32_t i = 0; i < of->n; i++)
        set->number[i] = of->value[i].value;
    set->bytes = bytes_of(made);
    (*x)->bytes += set->bytes;
    *out = knd_retain(made);
    return NULL;
}
