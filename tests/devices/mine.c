/* SPDX-License-Identifier: Apache-2.0
 * mine.c -- a device of the user's, for tests: its memory is turned inside out while nobody works on it, so that whoever
 * takes a handle for an address reads nonsense. */
#include "devices/devices.h"
#include "kiln/kiln.h"
#include <stdlib.h>
#include <string.h>

typedef struct piece {
    size_t bytes;
    unsigned char *at;
} piece;
static mine_counts counts;

mine_counts mine_count(void) { return counts; }

static void turn(piece *m)
{
    for (size_t i = 0; m && i < m->bytes; i++)
        m->at[i] ^= 0xa5;
}

static int alloc(void *env, size_t bytes, void **memory)
{
    piece *m = malloc(sizeof *m);
    (void)env;
    if (!m)
        return 1;
    *m = (piece){bytes, aligned_alloc(256, (bytes + 256) / 256 * 256)};
    if (!m->at)
        abort();
    counts.live++;
    *memory = m;
    return 0;
}

static void release(void *env, void *memory)
{
    piece *m = memory;
    (void)env;
    counts.live--;
    free(m->at);
    free(m);
}

static int copy_in(void *env, void *to, size_t at, const void *from, size_t bytes)
{
    piece *m = to;
    (void)env;
    if (at + bytes > m->bytes)
        abort();
    turn(m);
    if (bytes)
        memcpy(m->at + at, from, bytes);
    turn(m);
    return 0;
}

static int copy_out(void *env, void *to, void *from, size_t at, size_t bytes)
{
    piece *m = from;
    (void)env;
    if (at + bytes > m->bytes)
        abort();
    turn(m);
    if (bytes)
        memcpy(to, m->at + at, bytes);
    turn(m);
    return 0;
}

static int copy(void *env, void *to, size_t to_at, void *from, size_t from_at, size_t bytes)
{
    piece *x = to, *y = from;
    (void)env;
    memmove(x->at + to_at, y->at + from_at, bytes); /* both are turned */
    return 0;
}

/* Half of the kinds of routines, by their names. */
static const char *refuses(void *env, const kn_provider_step *step)
{
    (void)env;
    for (int i = 0; i < step->n_in + step->n_out; i++)
        if (step->type[i].dtype == KN_C128 || step->type[i].dtype == KN_F64)
            return "it has no 64-bit floats";
    if (step->product && (step->product->operand == KN_F64 || step->product->operand == KN_C128))
        return "it has no 64-bit floats";
    return step->kind == KN_STEP_ROUTINE && step->name[0] % 2 ? "it does not know this routine" : NULL;
}

static int prepare(void *env, const kn_provider_step *step, void **prepared)
{
    (void)env;
    counts.prepared++;
    *prepared = (void *)(uintptr_t)step;
    return 0;
}

static void discard(void *env, void *prepared)
{
    (void)env, (void)prepared;
    counts.prepared--;
}

/* Each memory is turned once, however many places are in it. */
static void turn_all(const kn_provider_step *step, const kn_provider_place *at)
{
    for (int i = 0; i < step->n; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= at[k].memory == at[i].memory;
        if (!again)
            turn(at[i].memory);
    }
}

static int launch(void *env, const kn_provider_step *step, void *prepared, const kn_provider_place *at)
{
    void **address = malloc(((size_t)step->n + 1) * sizeof *address);
    (void)env;
    if (!address || prepared != step)
        abort();
    for (int i = 0; i < step->n; i++)
        address[i] =
            at[i].memory ? (void *)(((piece *)at[i].memory)->at + at[i].offset) : (void *)(uintptr_t)at[i].bits;
    turn_all(step, at);
    int status = kn_provider_run_here(step, address);
    turn_all(step, at);
    free(address);
    counts.launches++;
    return status;
}

const knd_device *mine_device(void)
{
    const knd_device *d = knd_find("mine:0");
    if (d)
        return d;
    const kn_provider p = {.size_ = sizeof p,
                           .name = "mine:0",
                           .no_dtypes = 1U << 12 | 1U << 14,
                           .alignment = 128,
                           .alloc = alloc,
                           .free = release,
                           .copy_in = copy_in,
                           .copy_out = copy_out,
                           .copy = copy,
                           .refuses = refuses,
                           .prepare = prepare,
                           .discard = discard,
                           .launch = launch};
    if (kn_register_device(&p))
        abort();
    return knd_find("mine:0");
}
