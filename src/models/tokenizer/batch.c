/* SPDX-License-Identifier: Apache-2.0
 * batch.c -- one text or pair from beginning to end, and many of them in several threads, as arrays. */
#include "models/tokenizer/tokenizer.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of a text's tokens in characters, in place, and back to bytes where those are wanted. */
static void to_bytes(const kntok_work *const w[2], kntok_encoding *e)
{
    for (size_t i = 0; i < e->n; i++) {
        kntok_token *t = &e->at[i];
        const kntok_work *of = t->sequence >= 0 ? w[t->sequence] : NULL;
        if (of && !of->plain_offsets) {
            t->from = of->byte_at[t->from < of->characters ? t->from : of->characters];
            t->to = of->byte_at[t->to < of->characters ? t->to : of->characters];
        }
    }
    for (size_t i = 0; i < e->n_overflow; i++)
        to_bytes(w, &e->overflow[i]);
}

/* The tokens of a work as an encoding with memory of its own size. */
static bool take_out(kntok_work *w, kntok_encoding *to)
{
    *to = (kntok_encoding){.at = knbeside_alloc(w->out.n, sizeof *to->at), .n = w->out.n, .room = w->out.n};
    if (!to->at)
        return false;
    if (to->n)
        memcpy(to->at, w->out.at, to->n * sizeof *to->at);
    return true;
}

static bool encode_one(kntok_work *w, const kntok_job *job, const char *text, size_t n, int type, kntok_encoding *to,
                       kntok_message *message)
{
    if (!kntok_encode_text(w, text, n, type, message))
        return false;
    kntok_to_characters(w, text, n, job->bytes);
    return !w->failed && take_out(w, to);
}

bool kntok_encode_work(kntok_tokenizer *t, kntok_work *const w[2], const kntok_job *job, kntok_encoding *out,
                       kntok_message *message)
{
    kntok_encoding one = {0}, two = {0};
    bool good = encode_one(w[0], job, job->text, job->n, 0, &one, message) &&
                (!job->pair || encode_one(w[1], job, job->pair, job->pair_n, 1, &two, message));
    *out = (kntok_encoding){0};
    if (good && !job->pair && !t->processors.n && !job->limits.truncate) /* nothing is done to it */
        *out = one;
    else if (good)
        good = kntok_process(t, &job->limits, !job->plain, &one, job->pair ? &two : NULL, out, message);
    else {
        kntok_encoding_free(&one);
        kntok_encoding_free(&two);
    }
    if (good && job->bytes)
        to_bytes((const kntok_work *const[2]){w[0], w[1]}, out);
    if (good && job->limits.pad && !job->in_batch) {
        size_t n = job->limits.fixed >= 0 ? (size_t)job->limits.fixed : out->n;
        n = kntok_round(n, job->limits.multiple);
        kntok_pad(out, n, &job->limits);
        good = out->n >= n;
        for (size_t i = 0; i < out->n_overflow; i++)
            good = good && out->overflow[i].n >= n;
    }
    return good;
}

bool kntok_encode_job(kntok_tokenizer *t, const kntok_job *job, kntok_encoding *out, kntok_message *message)
{
    kntok_work *w[2] = {kntok_work_take(t), job->pair ? kntok_work_take(t) : NULL};
    bool good = w[0] && (w[1] || !job->pair) && kntok_encode_work(t, w, job, out, message);
    for (int i = 0; i < 2; i++)
        if (w[i])
            kntok_work_give(t, w[i]);
    return good;
}

size_t kntok_round(size_t n, int64_t multiple)
{
    size_t k = (size_t)multiple;
    return k > 1 && n % k ? n + k - n % k : n;
}

/* ---- Threads. */

typedef struct crew {
    kntok_tokenizer *t;
    const kntok_job *job;
    kntok_encoding *out;
    size_t n;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock;
    kntok_message message;
} crew;

enum { SHARE = 64 }; /* texts that a thread takes at once */

static void *work_on(void *env)
{
    crew *c = env;
    kntok_work *w[2] = {kntok_work_take(c->t), kntok_work_take(c->t)};
    bool good = w[0] && w[1];
    kntok_message message = {{0}};
    while (good && !atomic_load(&c->failed)) {
        size_t from = atomic_fetch_add(&c->next, SHARE), to = from + SHARE < c->n ? from + SHARE : c->n;
        if (from >= c->n)
            break;
        for (size_t i = from; i < to && good; i++)
            good = kntok_encode_work(c->t, w, &c->job[i], &c->out[i], &message);
    }
    if (!good) {
        pthread_mutex_lock(&c->lock);
        if (!atomic_exchange(&c->failed, true))
            c->message = message;
        pthread_mutex_unlock(&c->lock);
    }
    for (int i = 0; i < 2; i++)
        if (w[i])
            kntok_work_give(c->t, w[i]);
    return NULL;
}

static void run_crew(crew *c, int threads)
{
    pthread_t other[64];
    int started = 0;
    size_t most = (c->n + SHARE - 1) / SHARE;
    if (threads > 65)
        threads = 65;
    while (started + 1 < threads && (size_t)started + 1 < most && !pthread_create(&other[started], NULL, work_on, c))
        started++;
    work_on(c);
    for (int i = 0; i < started; i++)
        pthread_join(other[i], NULL);
}

/* ---- Arrays. */

/* Where the tokens of a row begin in an array, and what fills the rest. */
typedef struct frame {
    size_t n, width;
    bool left;
    int32_t pad_id, pad_type;
} frame;

static size_t first_of(const frame *f, const kntok_encoding *e) { return f->left ? f->width - e->n : 0; }

static kn_array rows(const char *op, const kntok_encoding *e, const frame *f, size_t member)
{
    const int32_t fill[] = {f->pad_id, f->pad_type, 0, 1, -1};
    int32_t *flat = knbeside_alloc((uint64_t)f->n * f->width, sizeof *flat);
    if (!flat)
        return kn_fail(KN_ERROR_MEMORY, op, "no memory");
    for (size_t i = 0; i < f->n; i++) {
        int32_t *row = flat + i * f->width, *at = row + first_of(f, &e[i]);
        for (size_t k = 0; k < f->width && fill[member]; k++)
            row[k] = fill[member];
        for (size_t k = 0; k < e[i].n; k++) {
            const kntok_token *t = &e[i].at[k];
            const int32_t v[] = {t->id, t->type, t->mask, t->special, t->word};
            at[k] = v[member];
        }
    }
    kn_array a = kn_from_memory(flat, &(kn_shape){2, {(int64_t)f->n, (int64_t)f->width}}, KN_I32);
    free(flat);
    return a;
}

static kn_array offsets(const char *op, const kntok_encoding *e, const frame *f)
{
    int64_t *flat = knbeside_alloc((uint64_t)f->n * f->width, 2 * sizeof *flat);
    if (!flat)
        return kn_fail(KN_ERROR_MEMORY, op, "no memory");
    for (size_t i = 0; i < f->n; i++) {
        int64_t *at = flat + 2 * (i * f->width + first_of(f, &e[i]));
        for (size_t k = 0; k < e[i].n; k++) {
            at[2 * k] = e[i].at[k].from;
            at[2 * k + 1] = e[i].at[k].to;
        }
    }
    kn_array a = kn_from_memory(flat, &(kn_shape){3, {(int64_t)f->n, (int64_t)f->width, 2}}, KN_I64);
    free(flat);
    return a;
}

static kn_tree tree_of(const char *op, const kntok_encoding *e, const frame *f)
{
    static const char *const names[] = {"input_ids",           "token_type_ids", "attention_mask",
                                        "special_tokens_mask", "word_ids",       "offsets"};
    kn_tree_item items[6];
    for (size_t i = 0; i < 6; i++) {
        kn_array a = i < 5 ? rows(op, e, f, i) : offsets(op, e, f);
        items[i] = (kn_tree_item){names[i], kn_tree_leaf(a)};
    }
    return kn_tree_dict(6, items);
}

bool kntok_encode_all(const char *op, kntok_tokenizer *t, kntok_job *job, size_t n, int threads, kntok_encoding *out)
{
    crew c = {.t = t, .job = job, .n = n, .out = out};
    pthread_mutex_init(&c.lock, NULL);
    run_crew(&c, threads ? threads : kn_threads_available());
    pthread_mutex_destroy(&c.lock);
    if (!atomic_load(&c.failed))
        return true;
    if (c.message.text[0])
        knbeside_fail(op, KN_ERROR_VALUE, "%s", c.message.text);
    else
        knbeside_no_memory(op);
    return false;
}

kn_tree kntok_batch(const char *op, kntok_tokenizer *t, kntok_job *job, size_t n, const kn_tokenizer_batch_opts *o)
{
    const kntok_limits *l = &t->limits;
    frame f = {n,
               o->pad_to                ? (size_t)o->pad_to
               : l->pad && l->fixed > 0 ? (size_t)l->fixed
                                        : 0,
               l->pad_left || o->left, o->pad_id ? o->pad_id : l->pad_id, l->pad_type};
    kntok_encoding *out = knbeside_alloc(n, sizeof *out);
    kn_tree made = NULL;
    if (!out) {
        knbeside_no_memory(op);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        job[i].in_batch = true;
    if (kntok_encode_all(op, t, job, n, o->threads, out)) {
        for (size_t i = 0; i < n; i++)
            f.width = out[i].n > f.width ? out[i].n : f.width;
        f.width = kntok_round(f.width, o->multiple ? o->multiple : l->pad ? l->multiple : 0);
        made = tree_of(op, out, &f);
    }
    for (size_t i = 0; i < n; i++)
        kntok_encoding_free(&out[i]);
    free(out);
    return made;
}
