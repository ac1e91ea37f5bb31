/* SPDX-License-Identifier: Apache-2.0
 * added.c -- tokens that were added to a model: they are found in the text before anything else, the leftmost and
 * longest of them. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

/* ---- A trie of texts. */

static uint32_t child(const kntok_trie *t, uint32_t node, uint8_t byte)
{
    uint32_t k = t->node[node].first;
    while (k && t->node[k].byte != byte)
        k = t->node[k].next;
    return k;
}

static uint32_t new_node(kntok_trie *t, uint8_t byte, uint32_t next)
{
    if (!t->n)
        t->n = 1; /* 0 is none */
    if (t->n >= UINT32_MAX / 2 || !kntok_grow(&t->node, &t->room, t->n + 1, sizeof *t->node))
        return 0;
    t->node[t->n] = (struct kntok_trie_node){0, next, byte, -1};
    return (uint32_t)t->n++;
}

bool kntok_trie_put(kntok_trie *t, const char *text, size_t n, int32_t value)
{
    const uint8_t *s = (const uint8_t *)text;
    if (!n)
        return true;
    if (!t->root[s[0]] && !(t->root[s[0]] = new_node(t, s[0], 0)))
        return false;
    uint32_t node = t->root[s[0]];
    for (size_t i = 1; i < n; i++) {
        uint32_t next = child(t, node, s[i]);
        if (!next) {
            next = new_node(t, s[i], t->node[node].first);
            if (!next)
                return false;
            t->node[node].first = next;
        }
        node = next;
    }
    if (t->node[node].value < 0)
        t->node[node].value = value;
    return true;
}

void kntok_trie_free(kntok_trie *t)
{
    free(t->node);
    *t = (kntok_trie){0};
}

/* The longest text of the trie that begins at s: its value, and its bytes; -1: none. */
static int32_t longest(const kntok_trie *t, const uint8_t *s, size_t n, size_t *length)
{
    int32_t value = -1;
    uint32_t node = t->root[s[0]];
    for (size_t i = 0; node; node = child(t, node, s[i])) {
        i++;
        if (t->node[node].value >= 0) {
            value = t->node[node].value;
            *length = i;
        }
        if (i == n)
            break;
    }
    return value;
}

/* ---- Finding them. */

static uint32_t before(const uint8_t *s, uint32_t at)
{
    do
        at--;
    while (at > 0 && (s[at] & 0xc0) == 0x80);
    return at;
}

static bool word_at(const uint8_t *s, uint32_t at)
{
    uint32_t c;
    kntok_read(s + at, &c);
    return kntok_class(c) & KNTOK_W;
}

static bool space_at(const uint8_t *s, uint32_t at)
{
    uint32_t c;
    kntok_read(s + at, &c);
    return kntok_is_space(c);
}

/* Whether a token at from..to counts, and where it begins and ends with the blanks that it takes. */
static bool takes(const kntok_work *w, const kntok_added *a, const uint8_t *s, uint32_t n, uint32_t last,
                  uint32_t *from, uint32_t *to)
{
    if (w->of->encode_special && a->special)
        return false;
    if (a->single_word && ((*from > 0 && word_at(s, before(s, *from))) || (*to < n && word_at(s, *to))))
        return false;
    if (a->lstrip) {
        uint32_t at = *from;
        while (at > 0 && space_at(s, before(s, at)))
            at = before(s, at);
        *from = at > last ? at : last;
    }
    while (a->rstrip && *to < n && space_at(s, *to))
        *to += (uint32_t)kntok_width(s[*to]);
    return true;
}

void kntok_cut_added(kntok_work *w, const kntok_trie *trie, const kntok_piece *p)
{
    const uint8_t *s = kntok_bytes(w, p);
    uint32_t last = 0;
    for (uint32_t i = 0; trie->n && i < p->n;) {
        size_t length = 0;
        int32_t which = trie->root[s[i]] ? longest(trie, s + i, p->n - i, &length) : -1;
        if (which < 0) {
            i++;
            continue;
        }
        uint32_t from = i, to = i + (uint32_t)length;
        i = to;
        if (!takes(w, &w->of->added[which], s, p->n, last, &from, &to))
            continue;
        if (last < from)
            kntok_piece_put(&w->others, kntok_slice(w, p, last, from));
        kntok_piece part = kntok_slice(w, p, from, to);
        part.id = w->of->added[which].id;
        if (part.n)
            kntok_piece_put(&w->others, part);
        last = to;
    }
    if (last < p->n)
        kntok_piece_put(&w->others, kntok_slice(w, p, last, p->n));
}

/* ---- Adding. */

const kntok_added *kntok_added_of(const kntok_tokenizer *t, int32_t id)
{
    size_t low = 0, high = t->n_added;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const kntok_added *a = &t->added[t->added_by_id[middle]];
        if (a->id == id)
            return a;
        if (a->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int32_t kntok_id_of(const kntok_tokenizer *t, const char *text, size_t n)
{
    int32_t place = kntok_map_get(&t->added_map, text, n);
    return place >= 0 ? t->added[place].id : kntok_map_get(&t->vocab.map, text, n);
}

const char *kntok_text_of(const kntok_tokenizer *t, int32_t id, size_t *n, bool *special)
{
    const kntok_added *a = kntok_added_of(t, id);
    *special = a && a->special;
    if (!a)
        return kntok_vocab_text(&t->vocab, id, n);
    *n = a->normal ? a->n_normal : a->n;
    return a->normal ? a->normal : a->text;
}

static int normal_of(const char *op, kntok_tokenizer *t, kntok_added *a)
{
    if (!a->normalized || a->as_is || !t->normalizers.n)
        return 0;
    kntok_work *w = kntok_work_take(t);
    if (!w)
        return knbeside_no_memory(op);
    kntok_piece p = {.n = (uint32_t)a->n, .to = (uint32_t)a->n, .id = -1};
    w->text = (const uint8_t *)a->text;
    w->n = a->n;
    kntok_normalize(w, &t->normalizers, &p);
    bool bad = w->failed, same = p.n == a->n && !memcmp(kntok_bytes(w, &p), a->text, a->n);
    if (!bad && !same) {
        a->normal = malloc((size_t)p.n + 1);
        bad = !a->normal;
    }
    if (!bad && !same) {
        memcpy(a->normal, kntok_bytes(w, &p), p.n);
        a->normal[p.n] = '\0';
        a->n_normal = p.n;
    }
    kntok_work_give(t, w);
    return bad ? knbeside_no_memory(op) : 0;
}

static int64_t next_id(const kntok_tokenizer *t)
{
    int64_t count = t->tiktoken ? t->vocab.top : (int64_t)t->vocab.count, top = -1;
    for (size_t i = 0; i < t->n_added; i++)
        if (t->added[i].id > top)
            top = t->added[i].id;
    return top >= count || (top >= 0 && count == 0) ? top + 1 : count;
}

static kntok_tokenizer *sorting; /* under the lock of `adding` */
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static int by_id(const void *a, const void *b)
{
    int32_t x = sorting->added[*(const int32_t *)a].id, y = sorting->added[*(const int32_t *)b].id;
    return x < y ? -1 : x > y;
}

/* The order by number and the tries, made anew; false: no memory, and tries that lack tokens. */
static bool index_added(kntok_tokenizer *t)
{
    bool good = true;
    kntok_trie_free(&t->added_trie[0]);
    kntok_trie_free(&t->added_trie[1]);
    for (size_t i = 0; i < t->n_added; i++) {
        const kntok_added *a = &t->added[i];
        bool normal = a->normalized && a->normal;
        t->added_by_id[i] = (int32_t)i;
        good = good && (a->hidden || kntok_trie_put(&t->added_trie[a->normalized], normal ? a->normal : a->text,
                                                    normal ? a->n_normal : a->n, (int32_t)i));
    }
    pthread_mutex_lock(&adding);
    sorting = t;
    qsort(t->added_by_id, t->n_added, sizeof *t->added_by_id, by_id);
    pthread_mutex_unlock(&adding);
    return good;
}

/* Room for n more of them, so that nothing but the texts and the map can lack memory later. */
static bool make_room(kntok_tokenizer *t, size_t n)
{
    if (n >= INT32_MAX - t->n_added)
        return false;
    kntok_added *more = realloc(t->added, (t->n_added + n + 1) * sizeof *more);
    if (more)
        t->added = more;
    int32_t *by = more ? realloc(t->added_by_id, (t->n_added + n + 1) * sizeof *by) : NULL;
    if (by)
        t->added_by_id = by;
    return by;
}

/* Puts one that is not there yet, or takes the place of one of that text: it or NULL without memory. */
static kntok_added *place_for(kntok_tokenizer *t, const kntok_added *from)
{
    int32_t place = kntok_map_get(&t->added_map, from->text, from->n);
    if (place >= 0)
        return &t->added[place];
    char *text = malloc(from->n + 1);
    if (!text || !kntok_map_set(&t->added_map, from->text, from->n, (int32_t)t->n_added)) {
        free(text);
        return NULL;
    }
    memcpy(text, from->text, from->n);
    text[from->n] = '\0';
    t->added[t->n_added] = (kntok_added){.text = text, .n = from->n, .id = -1};
    return &t->added[t->n_added++];
}

static int add_one(const char *op, kntok_tokenizer *t, const kntok_added *from, int64_t *next)
{
    int32_t id = from->id >= 0 ? from->id : kntok_id_of(t, from->text, from->n);
    if (id < 0 && *next >= INT32_MAX)
        return knbeside_fail(op, KN_ERROR_VALUE, "no number is left for the added token \"%.*s\"",
                             (int)(from->n < 60 ? from->n : 60), from->text);
    if (id < 0)
        id = (int32_t)(*next)++;
    kntok_added *a = place_for(t, from);
    if (!a)
        return knbeside_no_memory(op);
    a->id = id;
    a->single_word = from->single_word;
    a->lstrip = from->lstrip;
    a->rstrip = from->rstrip;
    a->normalized = from->normalized;
    a->special = from->special;
    a->hidden = from->hidden;
    a->as_is = from->as_is;
    free(a->normal);
    a->normal = NULL;
    return normal_of(op, t, a);
}

/* After an error the tokens before the wrong one are there. */
int kntok_add(const char *op, kntok_tokenizer *t, const kntok_added *added, size_t n)
{
    int64_t next = next_id(t);
    int status = 0;
    for (size_t i = 0; i < n; i++)
        if (added[i].n > UINT32_MAX / 4 || kntok_valid((const uint8_t *)added[i].text, added[i].n) != added[i].n)
            return knbeside_fail(op, KN_ERROR_VALUE, "an added token is not UTF-8");
    if (!make_room(t, n))
        return knbeside_no_memory(op);
    for (size_t i = 0; i < n && !status; i++)
        if (added[i].n)
            status = add_one(op, t, &added[i], &next);
    if (!index_added(t) && !status)
        status = knbeside_no_memory(op);
    return status;
}
