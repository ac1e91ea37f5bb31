/* SPDX-License-Identifier: Apache-2.0
 * tokenizer.c -- the public functions: reading, from text to numbers and back, streams. */
#include "models/tokenizer/tokenizer.h"
#include "kiln/extend.h"
#include <stdlib.h>
#include <string.h>

static const char type_name[] = "tokenizer", stream_name[] = "token stream";

static void drop(void *t) { kntok_free(t); }

static kntok_tokenizer *get(const char *op, kn_tokenizer t) { return kn_object_get(op, type_name, t); }

/* ---- Reading. */

static kntok_tokenizer *new_tokenizer(const char *op)
{
    kntok_tokenizer *t = calloc(1, sizeof *t);
    if (!t || !kntok_unicode_ready()) {
        free(t);
        knbeside_no_memory(op);
        return NULL;
    }
    t->unk_id = -1;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

static kntok_added added_of(const kn_added_token *a)
{
    return (kntok_added){.text = (char *)(uintptr_t)a->text,
                         .n = strlen(a->text),
                         .id = a->id,
                         .single_word = a->single_word,
                         .lstrip = a->lstrip,
                         .rstrip = a->rstrip,
                         .normalized = a->normalized,
                         .special = a->special};
}

static int add_all(const char *op, kntok_tokenizer *t, const kn_added_token *added, int64_t n)
{
    if (n < 0 || (n > 0 && !added))
        return knbeside_fail(op, n < 0 ? KN_ERROR_VALUE : KN_ERROR_TYPE,
                             n < 0 ? "%lld added tokens" : "null added tokens", (long long)n);
    kntok_added *all = knbeside_alloc((uint64_t)n, sizeof *all);
    int status = all ? 0 : knbeside_no_memory(op);
    for (int64_t i = 0; i < n && !status; i++) {
        if (!added[i].text || !added[i].text[0] || added[i].id < -1 || added[i].id == INT32_MAX)
            status = knbeside_fail(op, KN_ERROR_VALUE,
                                   "added token %lld has no text, or no number that a token can have", (long long)i);
        else
            all[i] = added_of(&added[i]);
    }
    if (!status && n)
        status = kntok_add(op, t, all, (size_t)n);
    free(all);
    return status;
}

static int read_any(const char *op, kntok_tokenizer *t, const char *s, size_t n, const kn_tokenizer_load_opts *o)
{
    size_t i = 0;
    while (i < n && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n'))
        i++;
    if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
        i = 3;
    if (i < n && s[i] == '{')
        return kntok_read_json(op, t, s + i, n - i, o);
    if (n && s[0] == '\n') /* the first field of a message */
        return kntok_read_sentencepiece(op, t, (const uint8_t *)s, n);
    return n ? kntok_read_ranks(op, t, s, n, o->pattern) : knbeside_fail(op, KN_ERROR_VALUE, "the tokenizer is empty");
}

static kn_tokenizer read_bytes(const char *op, const char *s, size_t n, const kn_tokenizer_load_opts *o)
{
    kntok_tokenizer *t = new_tokenizer(op);
    if (!t)
        return NULL;
    if (read_any(op, t, s, n, o) || add_all(op, t, o->added, o->added_count)) {
        kntok_free(t);
        return NULL;
    }
    return kn_object_new(type_name, t, drop);
}

kn_tokenizer kn_tokenizer_load(const char *path, const kn_tokenizer_load_opts *opts)
{
    static const char *const op = "tokenizer_load";
    KNX_OPTS(kn_tokenizer_load_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    knbeside_bytes b = {0};
    kn_tokenizer t = knbeside_read(op, path, NULL, &b) ? NULL : read_bytes(op, (const char *)b.at, b.n, &o);
    knbeside_bytes_free(&b);
    if (t)
        kn_keep_handle(t);
    kn_scope_end(&scope);
    return t;
}

kn_tokenizer kn_tokenizer_parse(const void *bytes, size_t n, const kn_tokenizer_load_opts *opts)
{
    static const char *const op = "tokenizer_parse";
    KNX_OPTS(kn_tokenizer_load_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    kn_tokenizer t = NULL;
    if (!bytes)
        knbeside_null(op, "bytes");
    else
        t = read_bytes(op, bytes, n, &o);
    if (t)
        kn_keep_handle(t);
    kn_scope_end(&scope);
    return t;
}

int kn_tokenizer_add(kn_tokenizer tokenizer, const kn_added_token *added, int64_t n)
{
    static const char *const op = "tokenizer_add";
    kn_scope scope = kn_scope_begin();
    kntok_tokenizer *t = get(op, tokenizer);
    int status = t ? add_all(op, t, added, n) : -1;
    kn_scope_end(&scope);
    return status;
}

/* ---- From text to numbers. */

static int64_t length_of(const char *text, int64_t bytes) { return bytes == -1 ? (int64_t)strlen(text) : bytes; }

static bool one_text(const char *op, kntok_tokenizer *t, const kntok_job *job, kntok_encoding *out)
{
    kntok_message message = {{0}};
    bool good = kntok_encode_job(t, job, out, &message), said = message.text[0];
    if (!good)
        knbeside_fail(op, said ? KN_ERROR_VALUE : KN_ERROR_MEMORY, "%s", said ? message.text : "no memory");
    return good;
}

static int check_job(const char *op, kntok_job *job, int64_t bytes, int64_t pair_bytes)
{
    if (!job->text)
        return knbeside_null(op, "text");
    if (bytes < -1 || pair_bytes < -1)
        return knbeside_fail(op, KN_ERROR_VALUE, "a text of %lld bytes", (long long)(bytes < -1 ? bytes : pair_bytes));
    if (job->limits.max_length < 0 || job->limits.stride < 0)
        return knbeside_fail(op, KN_ERROR_VALUE, "a negative length or stride");
    job->n = (size_t)length_of(job->text, bytes);
    job->pair_n = job->pair ? (size_t)length_of(job->pair, pair_bytes) : 0;
    return 0;
}

/* What the file says, and what the options do. */
static kntok_limits limits_of(const kntok_tokenizer *t, int64_t max_length, int64_t stride, bool left)
{
    kntok_limits l = t->limits;
    if (max_length) {
        l.truncate = max_length != -1;
        l.max_length = max_length == -1 ? 0 : max_length;
        l.stride = 0;
    }
    if (stride)
        l.stride = stride;
    if (left)
        l.left = l.pad_left = true;
    return l;
}

kn_array kn_tokenizer_encode(kn_tokenizer tokenizer, const char *text, const kn_tokenizer_encode_opts *opts)
{
    static const char *const op = "tokenizer_encode";
    KNX_OPTS(kn_tokenizer_encode_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    kntok_tokenizer *t = get(op, tokenizer);
    kn_array ids = NULL;
    kntok_encoding out = {0};
    kntok_job job = {.text = text, .pair = o.pair, .plain = o.plain};
    if (t)
        job.limits = limits_of(t, o.max_length, o.stride, o.left);
    if (t && !check_job(op, &job, o.bytes, o.pair_bytes) && one_text(op, t, &job, &out)) {
        int32_t *flat = knbeside_alloc(out.n, sizeof *flat);
        for (size_t i = 0; i < out.n && flat; i++)
            flat[i] = out.at[i].id;
        ids = flat ? kn_from_memory(flat, &(kn_shape){1, {(int64_t)out.n}}, KN_I32)
                   : kn_fail(KN_ERROR_MEMORY, op, "no memory");
        free(flat);
    }
    kntok_encoding_free(&out);
    if (!ids)
        ids = t ? knbeside_failed() : kn_fail(KN_ERROR_VALUE, op, "no tokenizer");
    ids = kn_keep(ids);
    kn_scope_end(&scope);
    return ids;
}

static void clear_tokens(kn_tokens *t)
{
    for (int64_t i = 0; i < t->overflow_count; i++)
        free((void *)(uintptr_t)t->overflow[i].from);
    free((void *)(uintptr_t)t->overflow);
    free((void *)(uintptr_t)t->from);
}

static void free_tokens(void *p)
{
    clear_tokens(p);
    free(p);
}

static bool fill_tokens(kn_tokens *to, const kntok_encoding *e)
{
    size_t n = e->n;
    int64_t *from = knbeside_alloc(n + 1, 2 * sizeof(int64_t) + 6 * sizeof(int32_t));
    if (!from)
        return false;
    int64_t *end = from + n;
    int32_t *ids = (int32_t *)(end + n), *types = ids + n, *words = types + n, *sequence = words + n,
            *special = sequence + n;
    int32_t *mask = special + n;
    for (size_t i = 0; i < n; i++) {
        const kntok_token *t = &e->at[i];
        from[i] = t->from;
        end[i] = t->to;
        ids[i] = t->id;
        types[i] = t->type;
        words[i] = t->word;
        sequence[i] = t->sequence;
        special[i] = t->special;
        mask[i] = t->mask;
    }
    *to = (kn_tokens){(int64_t)n, ids, types, words, sequence, from, end, special, mask, 0, NULL};
    return true;
}

static bool tokens_of(kn_tokens *t, const kntok_encoding *e)
{
    kn_tokens *more = e->n_overflow ? knbeside_alloc(e->n_overflow, sizeof *more) : NULL;
    if ((e->n_overflow && !more) || !fill_tokens(t, e)) {
        free(more);
        return false;
    }
    t->overflow = more;
    for (size_t i = 0; i < e->n_overflow; i++) {
        if (!fill_tokens(&more[i], &e->overflow[i])) {
            clear_tokens(t);
            return false;
        }
        t->overflow_count++;
    }
    return true;
}

const kn_tokens *kn_tokenizer_tokens(kn_tokenizer tokenizer, const char *text, const kn_tokenizer_tokens_opts *opts)
{
    static const char *const op = "tokenizer_tokens";
    KNX_OPTS(kn_tokenizer_tokens_opts, o, opts);
    kntok_tokenizer *t = get(op, tokenizer);
    kntok_encoding out = {0};
    kntok_job job = {.text = text, .pair = o.pair, .plain = o.plain, .bytes = o.byte_offsets};
    if (!t)
        return NULL;
    job.limits = limits_of(t, o.max_length, o.stride, o.left);
    if (check_job(op, &job, o.bytes, o.pair_bytes) || !one_text(op, t, &job, &out))
        return NULL;
    kn_tokens *made = calloc(1, sizeof *made);
    bool good = made && tokens_of(made, &out);
    kntok_encoding_free(&out);
    if (!good) {
        free(made);
        knbeside_no_memory(op);
        return NULL;
    }
    return kn_object_new("tokens", made, free_tokens) ? made : NULL;
}

/* The jobs of a batch; NULL with an error. */
static kntok_job *jobs_of(const char *op, const kntok_tokenizer *t, const char *const *texts, int64_t n,
                          const kn_tokenizer_batch_opts *o)
{
    int status = 0;
    if (n < 0 || n > INT32_MAX || !texts)
        status = texts ? knbeside_fail(op, KN_ERROR_VALUE, "%lld texts", (long long)n) : knbeside_null(op, "texts");
    else if (o->pad_to < 0 || o->pad_to > 1 << 30 || o->multiple < 0 || o->multiple > 1 << 20 || o->threads < 0 ||
             o->pad_id < 0)
        status = knbeside_fail(op, KN_ERROR_VALUE, "a length, multiple, number of threads or pad_id out of range");
    kntok_job *job = status ? NULL : knbeside_alloc((uint64_t)n, sizeof *job);
    if (!status && !job)
        status = knbeside_no_memory(op);
    for (int64_t i = 0; i < n && !status; i++) {
        job[i] = (kntok_job){.text = texts[i],
                             .pair = o->pairs ? o->pairs[i] : NULL,
                             .plain = o->plain,
                             .bytes = o->byte_offsets,
                             .limits = limits_of(t, o->max_length, o->stride, o->left)};
        if (o->pairs && !o->pairs[i])
            status = knbeside_null(op, "pair");
        else
            status = check_job(op, &job[i], o->bytes ? o->bytes[i] : -1, o->pair_bytes ? o->pair_bytes[i] : -1);
    }
    if (status)
        free(job);
    return status ? NULL : job;
}

kn_tree kn_tokenizer_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n,
                           const kn_tokenizer_batch_opts *opts)
{
    static const char *const op = "tokenizer_batch";
    KNX_OPTS(kn_tokenizer_batch_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    kntok_tokenizer *t = get(op, tokenizer);
    kntok_job *job = t ? jobs_of(op, t, texts, n, &o) : NULL;
    kn_tree made = job ? kntok_batch(op, t, job, (size_t)n, &o) : NULL;
    free(job);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}

/* Many of them; how many there are stands in front. */
typedef struct many {
    int64_t n;
    kn_tokens of[];
} many;

static void free_many(void *p)
{
    many *m = p;
    for (int64_t i = 0; i < m->n; i++)
        clear_tokens(&m->of[i]);
    free(m);
}

static many *many_of(const kntok_encoding *e, int64_t n)
{
    many *m = calloc(1, sizeof *m + (size_t)n * sizeof *m->of);
    for (int64_t i = 0; m && i < n; i++) {
        if (!tokens_of(&m->of[i], &e[i])) {
            free_many(m);
            return NULL;
        }
        m->n++;
    }
    return m;
}

const kn_tokens *kn_tokenizer_tokens_batch(kn_tokenizer tokenizer, const char *const *texts, int64_t n,
                                           const kn_tokenizer_batch_opts *opts)
{
    static const char *const op = "tokenizer_tokens_batch";
    KNX_OPTS(kn_tokenizer_batch_opts, o, opts);
    kntok_tokenizer *t = get(op, tokenizer);
    kntok_job *job = t ? jobs_of(op, t, texts, n, &o) : NULL;
    kntok_encoding *out = job ? knbeside_alloc((uint64_t)n, sizeof *out) : NULL;
    many *m = NULL;
    if (job && !out)
        knbeside_no_memory(op);
    if (out && kntok_encode_all(op, t, job, (size_t)n, o.threads, out)) {
        m = many_of(out, n);
        if (!m)
            knbeside_no_memory(op);
    }
    for (int64_t i = 0; out && i < n; i++)
        kntok_encoding_free(&out[i]);
    free(out);
    free(job);
    return m && kn_object_new("tokens", m, free_many) ? m->of : NULL;
}

/* ---- The vocabulary. */

int64_t kn_tokenizer_size(kn_tokenizer tokenizer)
{
    const kntok_tokenizer *t = get("tokenizer_size", tokenizer);
    if (!t)
        return -1;
    int64_t n = t->vocab.count;
    for (size_t i = 0; i < t->n_added; i++)
        n += kntok_map_get(&t->vocab.map, t->added[i].text, t->added[i].n) < 0;
    return n;
}

int32_t kn_tokenizer_id(kn_tokenizer tokenizer, const char *token)
{
    static const char *const op = "tokenizer_id";
    const kntok_tokenizer *t = get(op, tokenizer);
    if (!t)
        return -1;
    return token ? kntok_id_of(t, token, strlen(token)) : knbeside_null(op, "token");
}

const char *kn_tokenizer_token(kn_tokenizer tokenizer, int32_t id)
{
    const kntok_tokenizer *t = get("tokenizer_token", tokenizer);
    size_t n;
    bool special;
    return t ? kntok_text_of(t, id, &n, &special) : NULL;
}

/* ---- From numbers to text. */

static int32_t *numbers_of(const char *op, kn_array ids, int64_t *n)
{
    kn_dtype d = ids ? kn_dtype_of(ids) : NULL;
    if (!ids) {
        knbeside_null(op, "ids");
        return NULL;
    }
    if (d && !strchr("iu", kn_dtype_kind(d))) {
        knbeside_fail(op, KN_ERROR_TYPE, "ids: integers are wanted, not %s", kn_dtype_name(d));
        return NULL;
    }
    kn_array wide = d ? kn_astype(ids, KN_I64, NULL) : NULL;
    *n = wide ? kn_size(wide) : -1;
    const int64_t *v = *n < 0 ? NULL : kn_data_bytes(wide, KN_I64);
    int32_t *to = v ? knbeside_alloc((uint64_t)*n, sizeof *to) : NULL;
    if (v && !to)
        knbeside_no_memory(op);
    for (int64_t i = 0; to && i < *n; i++)
        to[i] = v[i] < 0 || v[i] > INT32_MAX ? -1 : (int32_t)v[i];
    return to;
}

const char *kn_tokenizer_decode(kn_tokenizer tokenizer, kn_array ids, const kn_tokenizer_decode_opts *opts)
{
    static const char *const op = "tokenizer_decode";
    KNX_OPTS(kn_tokenizer_decode_opts, o, opts);
    kn_scope scope = kn_scope_begin();
    kntok_tokenizer *t = get(op, tokenizer);
    int64_t n = 0;
    knbeside_bytes text = {0};
    int32_t *v = t ? numbers_of(op, ids, &n) : NULL;
    int status = v ? kntok_decode(op, t, v, (size_t)n, o.skip_special, &text) : -1;
    size_t length = text.n;
    if (!status) {
        knbeside_put(&text, "", 1);
        status = text.failed ? knbeside_no_memory(op) : 0;
    }
    free(v);
    kn_scope_end(&scope);
    if (status || !kn_object_new("text", text.at, free)) {
        if (status)
            knbeside_bytes_free(&text);
        return NULL;
    }
    if (o.bytes)
        *o.bytes = (int64_t)length;
    return (const char *)text.at;
}

/* ---- Streams: the text of the last tokens is kept, so that a decoder sees what stands in front. */

typedef struct stream {
    kn_tokenizer of;
    bool skip_special;
    int32_t *id;
    size_t n, room, first; /* first: so many of them make `before` */
    knbeside_bytes before, out;
} stream;

static void free_stream(void *p)
{
    stream *s = p;
    free(s->id);
    knbeside_bytes_free(&s->before);
    knbeside_bytes_free(&s->out);
    free(s);
}

kn_token_stream kn_tokenizer_stream(kn_tokenizer tokenizer, const kn_tokenizer_stream_opts *opts)
{
    static const char *const op = "tokenizer_stream";
    KNX_OPTS(kn_tokenizer_stream_opts, o, opts);
    if (!get(op, tokenizer))
        return NULL;
    stream *s = calloc(1, sizeof *s);
    if (!s) {
        knbeside_no_memory(op);
        return NULL;
    }
    s->of = tokenizer;
    s->skip_special = o.skip_special;
    return kn_object_new(stream_name, s, free_stream);
}

static bool ends_broken(const knbeside_bytes *b) { return b->n >= 3 && !memcmp(b->at + b->n - 3, "\xef\xbf\xbd", 3); }

/* How many bytes of the text were told before; where a decoder changed its mind on them, those that are the same. */
static size_t told(const stream *s, const knbeside_bytes *all)
{
    size_t n = 0;
    while (n < s->before.n && n < all->n && s->before.at[n] == all->at[n])
        n++;
    while (n > 0 && n < all->n && (all->at[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* What is new since `before`, in s->out; the tokens before the last step's are dropped. */
static int advance(const char *op, stream *s, const kntok_tokenizer *t, knbeside_bytes *all)
{
    size_t from = told(s, all);
    s->out.n = 0;
    knbeside_put(&s->out, all->at + from, all->n - from);
    size_t kept = s->n - s->first;
    memmove(s->id, s->id + s->first, kept * sizeof *s->id);
    s->n = s->first = kept;
    s->before.n = 0;
    if (kntok_decode(op, t, s->id, s->n, s->skip_special, &s->before))
        return -1;
    return s->out.failed ? knbeside_no_memory(op) : 0;
}

const char *kn_token_stream_next(kn_token_stream handle, int32_t id)
{
    static const char *const op = "token_stream_next";
    stream *s = kn_object_get(op, stream_name, handle);
    kntok_tokenizer *t = s ? get(op, s->of) : NULL;
    knbeside_bytes all = {0};
    if (!t)
        return NULL;
    int status = kntok_grow(&s->id, &s->room, s->n + 1, sizeof *s->id) ? 0 : knbeside_no_memory(op);
    if (!status) {
        s->id[s->n++] = id;
        status = kntok_decode(op, t, s->id, s->n, s->skip_special, &all);
    }
    s->out.n = 0;
    if (!status && all.n > s->before.n && !ends_broken(&all))
        status = advance(op, s, t, &all);
    knbeside_bytes_free(&all);
    knbeside_put(&s->out, "", 1);
    if (!status && s->out.failed)
        status = knbeside_no_memory(op);
    return status ? NULL : (const char *)s->out.at;
}

const char *kn_token_stream_end(kn_token_stream handle)
{
    static const char *const op = "token_stream_end";
    stream *s = kn_object_get(op, stream_name, handle);
    kntok_tokenizer *t = s ? get(op, s->of) : NULL;
    knbeside_bytes all = {0};
    if (!t)
        return NULL;
    int status = kntok_decode(op, t, s->id, s->n, s->skip_special, &all);
    size_t from = status ? 0 : told(s, &all);
    s->out.n = 0;
    if (!status && all.n > from)
        knbeside_put(&s->out, all.at + from, all.n - from);
    knbeside_put(&s->out, "", 1);
    s->n = s->first = s->before.n = 0;
    knbeside_bytes_free(&all);
    if (!status && s->out.failed)
        status = knbeside_no_memory(op);
    return status ? NULL : (const char *)s->out.at;
}
