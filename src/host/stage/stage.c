/* SPDX-License-Identifier: Apache-2.0
 * stage.c -- the streams of a stage, and how many functions were made of stages. */
#include "host/stage/stage.h"
#include "kernel/internal.h"
#include <stdatomic.h>
#include <string.h>

static atomic_uint_fast64_t n_functions, n_nanoseconds;
static atomic_size_t n_bytes;

void knh_note_made(uint64_t functions, int64_t bytes, uint64_t nanoseconds)
{
    n_functions += functions;
    n_bytes += (size_t)bytes;
    n_nanoseconds += nanoseconds;
}

knh_made_count knh_all_made(void)
{
    return (knh_made_count){.functions = n_functions, .nanoseconds = n_nanoseconds, .bytes = n_bytes};
}

int knh_stream_of(const knh_stream *s, int n, knh_stream_kind kind, int buffer, int map, knk_node node)
{
    for (int i = 0; i < n; i++)
        if (s[i].kind == kind && s[i].buffer == buffer && s[i].map == map && s[i].node == node)
            return i;
    return -1;
}

bool knh_is_read_later(const knk_kernel *k, knk_node x)
{
    int stage = k->node[x].stage;
    for (int i = k->stage[stage].end; i < k->n_node; i++)
        for (int j = 0; j < 3; j++)
            if (knk_operand(&k->node[i], j) == x)
                return true;
    return false;
}

typedef struct list {
    knh_stream *at;
    int n;
} list;

static knh_stream *find_or_add(list *l, knh_stream_kind kind, int dtype, int buffer, int map, knk_node node)
{
    int i = knh_stream_of(l->at, l->n, kind, buffer, map, node);
    if (i >= 0)
        return &l->at[i];
    if (l->n == KNH_MAX_STREAMS)
        return NULL;
    l->at[l->n] = (knh_stream){
        .kind = (uint8_t)kind, .dtype = (uint8_t)dtype, .buffer = (int16_t)buffer, .map = (int16_t)map, .node = node};
    return &l->at[l->n++];
}

static bool add_memory(list *l, const knk_kernel *k, int stage)
{
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op != KNK_LOAD && n->op != KNK_STORE)
            continue;
        knh_stream *s = find_or_add(l, KNH_MEMORY, knk_memory_dtype((knx_dtype_id)k->buffer[n->buffer].dtype),
                                    n->buffer, n->map, KNK_NONE);
        if (!s)
            return false;
        s->read |= n->op == KNK_LOAD;
        s->written |= n->op == KNK_STORE;
        s->indexed |= n->op == KNK_LOAD && n->a >= 0;
    }
    return true;
}

static bool add_numbers(list *l, const knk_kernel *k, int stage)
{
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++) {
        const knk_inst *n = &k->node[i];
        knh_stream *s;
        if (n->op != KNK_INDEX)
            continue;
        if (!(s = find_or_add(l, KNH_NUMBER, KN_ID_I64, -1, n->map, KNK_NONE)))
            return false;
        s->read = true;
    }
    return true;
}

static bool add_imports(list *l, const knk_kernel *k, int stage)
{
    for (int i = k->stage[stage].first; i < k->stage[stage].end; i++)
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(&k->node[i], j);
            knh_stream *s;
            if (x < 0 || k->node[x].stage == stage || k->node[x].op == KNK_CONST)
                continue;
            if (!(s = find_or_add(l, KNH_IMPORT, k->node[x].dtype, -1, -1, x)))
                return false;
            s->read = true;
        }
    return true;
}

enum { WINDOW = 4096 };
/* Which of the nodes from .. from + WINDOW - 1 of a stage are operands in later ones. */
static void find_read_later(const knk_kernel *k, int stage, int from, uint64_t read[WINDOW / 64])
{
    memset(read, 0, WINDOW / 8);
    for (int i = k->stage[stage].end; i < k->n_node; i++)
        for (int j = 0; j < 3; j++) {
            int x = knk_operand(&k->node[i], j) - from;
            if (x >= 0 && x < WINDOW)
                read[x / 64] |= (uint64_t)1 << x % 64;
        }
}

static bool add_results(list *l, const knk_kernel *k, int stage, knh_mode mode, knh_stream_kind kind)
{
    uint64_t read[WINDOW / 64];
    int first = k->stage[stage].first;
    for (int i = first; i < k->stage[stage].end; i++) {
        const knk_inst *n = &k->node[i];
        bool reduction = n->op == KNK_REDUCE, partial = reduction && mode != KNH_ROWS;
        int at = (i - first) % WINDOW;
        if (!at && kind == KNH_EXPORT)
            find_read_later(k, stage, i, read);
        if (n->op == KNK_CONST || (kind == KNH_PARTIAL) != partial || (!reduction && !(read[at / 64] >> at % 64 & 1)))
            continue;
        knh_stream *s = find_or_add(l, kind, n->dtype, -1, -1, i);
        if (!s)
            return false;
        s->written = true;
        s->read = partial;
    }
    return true;
}

int knh_streams(const knk_kernel *k, int stage, knh_mode mode, knh_stream *out)
{
    list l = {out, 0};
    bool fine = add_memory(&l, k, stage) && add_numbers(&l, k, stage) && add_imports(&l, k, stage) &&
                add_results(&l, k, stage, mode, KNH_EXPORT) && add_results(&l, k, stage, mode, KNH_PARTIAL);
    return fine ? l.n : -1;
}
