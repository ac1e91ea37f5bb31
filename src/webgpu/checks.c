/* SPDX-License-Identifier: Apache-2.0
 * checks.c -- checks that fail on the device. A run of a program that has some is given a number and a record of eight
 * words, in which its first check that fails writes what it found (routine/check.c). Nobody waits for a record: those
 * of which nothing is known yet come down with whatever is looked at next. What failed is kept by number, since values
 * that come from it may be looked at much later. */
#include "webgpu/gpu.h"
#include <string.h>

/* The words of a record; routine/check.c has them in its text. */
enum { LINE, PLACE, LOW, HIGH, AXIS, SIZE, WRAPS, RECORD_BYTES = 4 * KNG_RECORD_WORDS };

static uint64_t slot_of(uint64_t number) { return number % KNG_RECORDS; }

/* ---- Runs. */

static knx_error *make_records(kng_gpu *g)
{
    static const uint32_t zero[KNG_RECORDS * KNG_RECORD_WORDS];
    if (g->checks.records)
        return NULL;
    KN_TRY(kng_ready(g));
    KN_TRY(kng_memory_new(g, sizeof zero, &g->checks.records));
    g->api->QueueWriteBuffer(g->commands, g->checks.records->buffer, 0, zero, sizeof zero);
    return kng_check(g, "making memory for checks");
}

knx_error *kng_checks_begin(kng_gpu *g, uint64_t *number, uint64_t *outer)
{
    kng_checks *c = &g->checks;
    KN_TRY(make_records(g));
    if (c->last - c->known >= KNG_RECORDS)
        KN_TRY(kng_finish(g));
    if (c->last - c->known >= KNG_RECORDS)
        return knx_error_new(
            KN_ERROR_RUNTIME,
            "device '%s': more than %d runs with indices that are checked, inside of one that has some", g->name,
            KNG_RECORDS - 1);
    *outer = c->current;
    *number = c->current = ++c->last;
    if (!*outer)
        c->outermost = *number;
    return NULL;
}

void kng_checks_end(kng_gpu *g, uint64_t outer)
{
    g->checks.current = outer;
    if (!outer)
        g->checks.outermost = 0;
}

static knx_error *add_line(kng_checks *c, const kn_place *place, const char *operation)
{
    if (c->n_line == c->room) {
        uint32_t room = c->room ? 2 * c->room : 64;
        kng_check_line *more = kng_keep(room * sizeof *more);
        if (!more)
            return knx_error_nomem();
        if (c->n_line)
            memcpy(more, c->line, c->n_line * sizeof *more);
        kng_drop(c->line);
        c->line = more;
        c->room = room;
    }
    c->line[c->n_line++] = (kng_check_line){place, operation};
    return NULL;
}

knx_error *kng_checks_name(kng_gpu *g, const kn_place *place, const char *operation)
{
    kng_checks *c = &g->checks;
    uint32_t i = 0;
    while (i < c->n_line && !(c->line[i].place == place && c->line[i].operation == operation))
        i++;
    if (i == c->n_line)
        KN_TRY(add_line(c, place, operation));
    c->at_line = i + 1;
    return NULL;
}

knx_error *kng_checks_record(kng_gpu *g, knd_memory **out, uint32_t *word)
{
    uint64_t number = g->checks.current, outer;
    if (!number) { /* a step that somebody launches alone */
        KN_TRY(kng_checks_begin(g, &number, &outer));
        kng_checks_end(g, outer);
    }
    if (!g->checks.at_line)
        KN_TRY(kng_checks_name(g, NULL, ""));
    *out = g->checks.records;
    *word = (uint32_t)slot_of(number) * KNG_RECORD_WORDS;
    return NULL;
}

/* ---- Records come down. */

kng_checks_part kng_checks_unknown(const kng_gpu *g)
{
    const kng_checks *c = &g->checks;
    return (kng_checks_part){c->known + 1, c->last - c->known, c->outermost ? c->outermost - 1 : c->last};
}

/* Of a ring: those up to its end, then those from its beginning on. */
void kng_checks_copy(kng_gpu *g, const kng_checks_part *p, WGPUCommandEncoder encoder, WGPUBuffer to, uint64_t at)
{
    uint64_t first = slot_of(p->first), part = p->n < KNG_RECORDS - first ? p->n : KNG_RECORDS - first;
    if (!p->n)
        return;
    g->api->CommandEncoderCopyBufferToBuffer(encoder, g->checks.records->buffer, first * RECORD_BYTES, to, at,
                                             part * RECORD_BYTES);
    if (p->n > part)
        g->api->CommandEncoderCopyBufferToBuffer(encoder, g->checks.records->buffer, 0, to, at + part * RECORD_BYTES,
                                                 (p->n - part) * RECORD_BYTES);
    g->checks.records->used = g->queue.number;
}

/* A number as the user gave it: a negative one may have had the extent added already. */
static int64_t as_given(const uint32_t *r)
{
    int64_t v = (int64_t)((uint64_t)r[HIGH] << 32 | r[LOW]);
    return !r[WRAPS] && v < 0 && v >= INT64_MIN + r[SIZE] ? v - r[SIZE] : v;
}

/* Room for one more; false: the two oldest have to become one, and a run between them counts as failed, too. */
static bool has_room(kng_checks *c)
{
    if (c->n_failure < c->failure_room)
        return true;
    uint32_t room = c->failure_room ? 2 * c->failure_room : 16;
    kng_failure *more = room <= KNG_FAILURES ? kng_keep(room * sizeof *more) : NULL;
    if (!more)
        return false;
    if (c->n_failure)
        memcpy(more, c->failure, c->n_failure * sizeof *more);
    kng_drop(c->failure);
    c->failure = more;
    c->failure_room = room;
    return true;
}

/* The first failure whose runs end with this one or later; n_failure: there is none. */
static uint32_t find_failure(const kng_checks *c, uint64_t number)
{
    uint32_t low = 0, high = c->n_failure;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->failure[middle].last < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static knx_error *add_failure(kng_checks *c, uint64_t number, const uint32_t *r)
{
    const kng_check_line *line = r[LINE] <= c->n_line ? &c->line[r[LINE] - 1] : &(kng_check_line){NULL, ""};
    if (!has_room(c)) {
        if (c->n_failure < 2)
            return knx_error_nomem();
        c->failure[1].first = c->failure[0].first;
        memmove(&c->failure[0], &c->failure[1], --c->n_failure * sizeof c->failure[0]);
    }
    uint32_t at = find_failure(c, number);
    if (at < c->n_failure && c->failure[at].first <= number) /* another check of the run was first */
        return NULL;
    memmove(&c->failure[at + 1], &c->failure[at], (c->n_failure++ - at) * sizeof c->failure[0]);
    c->failure[at] = (kng_failure){number, number, as_given(r), r[AXIS], r[SIZE], line->place, line->operation};
    return NULL;
}

/* A run that is known by now may have left its record to a later one. */
knx_error *kng_checks_take(kng_gpu *g, const kng_checks_part *p, const uint32_t *records)
{
    static const uint32_t zero[KNG_RECORD_WORDS];
    kng_checks *c = &g->checks;
    knx_error *error = NULL;
    for (uint64_t i = 0; i < p->n; i++) {
        const uint32_t *r = &records[i * KNG_RECORD_WORDS];
        if (!r[LINE] || p->first + i <= c->known)
            continue;
        knx_error *e = add_failure(c, p->first + i, r);
        if (error)
            knx_error_release(e);
        error = error ? error : e;
        g->api->QueueWriteBuffer(g->commands, c->records->buffer, slot_of(p->first + i) * RECORD_BYTES, zero,
                                 sizeof zero);
        error = error ? error : kng_check(g, "copying to it");
    }
    c->known = c->known < p->known ? p->known : c->known;
    return error;
}

/* ---- What failed. */

knx_error *kng_checks_failed(const kng_gpu *g, uint64_t number)
{
    const kng_checks *c = &g->checks;
    uint32_t at = find_failure(c, number);
    const kng_failure *f = &c->failure[at];
    if (at == c->n_failure || number < f->first)
        return NULL;
    knx_error *e = knx_error_new(KN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                                 (long long)f->index, (long long)f->axis, (long long)f->size);
    e = knx_error_placed(e, f->place);
    if (!knx_error_passes(e)) {
        e->operation = f->operation;
        e->late = true;
    }
    return e;
}
