/* SPDX-License-Identifier: Apache-2.0
 * process.c -- what comes after the tokens of one text or two: truncation, special tokens, padding. What was cut off
 * is kept beside. */
#include "models/tokenizer/tokenizer.h"
#include <stdlib.h>
#include <string.h>

/* ---- Encodings. */

static bool append(kntok_encoding *to, const kntok_token *at, size_t n)
{
    if (!n)
        return true;
    if (!kntok_grow(&to->at, &to->room, to->n + n, sizeof *to->at))
        return false;
    memcpy(to->at + to->n, at, n * sizeof *at);
    to->n += n;
    return true;
}

static kntok_encoding *new_overflow(kntok_encoding *e)
{
    kntok_encoding *more = realloc(e->overflow, (e->n_overflow + 1) * sizeof *more);
    if (!more)
        return NULL;
    e->overflow = more;
    e->overflow[e->n_overflow] = (kntok_encoding){0};
    return &e->overflow[e->n_overflow++];
}

static bool joined(kntok_encoding *of, const kntok_encoding *a, const kntok_encoding *b)
{
    kntok_encoding *o = new_overflow(of);
    return o && append(o, a->at, a->n) && append(o, b->at, b->n);
}

/* b behind a, and each part that was cut off of one with the other. */
static bool merge(kntok_encoding *a, const kntok_encoding *b)
{
    kntok_encoding all = {0};
    bool good = true;
    for (size_t i = 0; i < a->n_overflow && good; i++) {
        good = joined(&all, &a->overflow[i], b);
        for (size_t k = 0; k < b->n_overflow && good; k++)
            good = joined(&all, &a->overflow[i], &b->overflow[k]);
    }
    for (size_t k = 0; k < b->n_overflow && good; k++)
        good = joined(&all, a, &b->overflow[k]);
    good = good && append(a, b->at, b->n);
    for (size_t i = 0; i < a->n_overflow; i++)
        kntok_encoding_free(&a->overflow[i]);
    free(a->overflow);
    a->overflow = all.overflow;
    a->n_overflow = all.n_overflow;
    return good;
}

/* ---- Truncation. */

static bool cut(kntok_encoding *e, size_t most, const kntok_limits *l)
{
    kntok_encoding all = *e, kept = {0};
    bool first = true, good = true;
    if (most >= e->n)
        return true;
    if (most == 0) {
        kntok_encoding *o = new_overflow(&kept);
        *e = kept;
        if (!o)
            return *e = all, false;
        *o = all;
        return true;
    }
    size_t step = most - (size_t)l->stride;
    for (size_t k = 0; k < all.n && good; k += step) {
        size_t from = l->left ? (all.n - k > most ? all.n - k - most : 0) : k;
        size_t to = l->left ? all.n - k : (k + most < all.n ? k + most : all.n);
        kntok_encoding *o = first ? &kept : new_overflow(&kept);
        good = o && append(o, all.at + from, to - from);
        first = false;
        if (l->left ? from == 0 : to == all.n)
            break;
    }
    *e = kept;
    kntok_encoding_free(&all);
    return good;
}

static bool too_wide(kntok_message *m, int64_t stride, size_t left)
{
    return kntok_say(m, "a stride of %lld, but only %zu tokens are left for the text", (long long)stride, left);
}

/* Cuts where the stride is below what is left. */
static bool cut_if(kntok_encoding *e, size_t most, const kntok_limits *l, kntok_message *m)
{
    return most > 0 && most < e->n && (size_t)l->stride >= most ? too_wide(m, l->stride, most) : cut(e, most, l);
}

static bool cut_both(kntok_encoding *one, kntok_encoding *two, size_t most, const kntok_limits *l, kntok_message *m)
{
    size_t a = one->n < two->n ? one->n : two->n, b = a;
    if (a <= most)
        b = most - a > a ? most - a : a;
    if (a + b > most) {
        a = most / 2;
        b = a + most % 2;
    }
    bool swapped = one->n > two->n;
    return cut_if(one, swapped ? b : a, l, m) && cut_if(two, swapped ? a : b, l, m);
}

static bool cut_target(kntok_encoding *target, size_t more, const kntok_limits *l, kntok_message *m)
{
    if (!target)
        return kntok_say(m, "truncation of the second text, but there is one only");
    if (target->n <= more)
        return kntok_say(m, "the text to truncate is too short for the length that is left");
    return cut_if(target, target->n - more, l, m);
}

static bool truncate_to(size_t most, const kntok_limits *l, kntok_encoding *one, kntok_encoding *two, kntok_message *m)
{
    size_t all = one->n + (two ? two->n : 0);
    if (most == 0)
        return cut(one, 0, l) && (!two || cut(two, 0, l));
    if (all <= most)
        return true;
    if (l->strategy)
        return cut_target(l->strategy == 1 ? one : two, all - most, l, m);
    return two ? cut_both(one, two, most, l, m) : cut_if(one, most, l, m);
}

/* ---- Special tokens. */

static void trim(kntok_encoding *e, bool prefix_space)
{
    for (size_t i = 0; i < e->n; i++) {
        kntok_token *t = &e->at[i];
        uint32_t lead = t->lead, trail = t->trail;
        if (lead == 1 && prefix_space && (i == 0 || t->from == 0))
            lead = 0;
        if (lead)
            t->from = t->from + lead < t->to ? t->from + lead : t->to;
        if (trail && t->to >= trail)
            t->to = t->to - trail > t->from ? t->to - trail : t->from;
    }
    for (size_t i = 0; i < e->n_overflow; i++)
        trim(&e->overflow[i], prefix_space);
}

static void set_type(kntok_encoding *e, int32_t type, bool all)
{
    for (size_t i = 0; i < e->n; i++)
        e->at[i].type = type;
    for (size_t i = 0; i < e->n_overflow && all; i++)
        set_type(&e->overflow[i], type, true);
}

static kntok_token special_token(int32_t id, int32_t type)
{
    return (kntok_token){.id = id, .type = type, .word = -1, .special = 1, .mask = 1, .sequence = -1};
}

/* Tokens around an encoding and all that was cut off of it; -1: none. */
static bool wrap(kntok_encoding *e, int32_t front, int32_t back, int32_t type)
{
    kntok_token first = special_token(front, type), last = special_token(back, type);
    bool good = front < 0 || kntok_encoding_put(e, &first);
    if (good && front >= 0) {
        memmove(e->at + 1, e->at, (e->n - 1) * sizeof *e->at);
        e->at[0] = first;
    }
    good = good && kntok_encoding_put(e, &last);
    for (size_t i = 0; i < e->n_overflow && good; i++)
        good = wrap(&e->overflow[i], front, back, type);
    return good;
}

static bool apply_template(const kntok_step *s, bool special, kntok_encoding *e, size_t n, kntok_encoding *out)
{
    const kntok_part *part = s->part[n - 1];
    bool good = true;
    for (size_t i = 0; i < s->n_part[n - 1] && good; i++) {
        kntok_encoding tokens = {0};
        if (!part[i].is_text) {
            for (size_t k = 0; k < part[i].n && special && good; k++) {
                kntok_token t = special_token(part[i].ids[k], part[i].type);
                good = kntok_encoding_put(&tokens, &t);
            }
            good = good && merge(out, &tokens);
            kntok_encoding_free(&tokens);
        } else if ((size_t)part[i].sequence < n) {
            set_type(&e[part[i].sequence], part[i].type, false);
            good = merge(out, &e[part[i].sequence]);
        }
    }
    return good;
}

/* How many special tokens the processors add. */
static size_t added_tokens(const kntok_tokenizer *t, bool pair)
{
    size_t n = 0;
    for (size_t i = 0; i < t->processors.n; i++) {
        const kntok_step *s = &t->processors.at[i];
        for (size_t k = 0; s->kind == KNTOK_TEMPLATE && k < s->n_part[pair]; k++)
            n += s->part[pair][k].is_text ? 0 : s->part[pair][k].n;
        if (s->kind == KNTOK_BERT_PROCESSING)
            n += pair ? 3 : 2;
        if (s->kind == KNTOK_ROBERTA)
            n += pair ? 4 : 2;
    }
    return n;
}

/* One processor; a template fills `out` and is the last one. */
static bool process_one(const kntok_step *s, bool special, kntok_encoding *e, size_t n, kntok_encoding *out)
{
    bool good = true;
    switch (s->kind) {
    case KNTOK_BYTE_LEVEL:
    case KNTOK_ROBERTA:
        for (size_t i = 0; i < n && s->b; i++)
            trim(&e[i], s->a);
        for (size_t i = 0; i < n && s->kind == KNTOK_ROBERTA && good; i++) {
            set_type(&e[i], 0, special);
            good = !special || wrap(&e[i], i ? s->sep : s->cls, s->sep, 0);
        }
        return good;
    case KNTOK_BERT_PROCESSING:
        for (size_t i = 0; i < n && special && good; i++)
            good = wrap(&e[i], i ? -1 : s->cls, s->sep, (int32_t)i);
        return good;
    default: return apply_template(s, special, e, n, out);
    }
}

static bool process_all(const kntok_tokenizer *t, bool special, kntok_encoding *e, size_t n, kntok_encoding *out)
{
    for (size_t i = 0; i < n && t->processors.n; i++)
        set_type(&e[i], (int32_t)i, false);
    for (size_t i = 0; i < t->processors.n; i++)
        if (!process_one(&t->processors.at[i], special, e, n, out))
            return false;
    bool templated = t->processors.n && t->processors.at[t->processors.n - 1].kind == KNTOK_TEMPLATE;
    for (size_t i = 0; i < n && !templated; i++)
        if (!merge(out, &e[i]))
            return false;
    return true;
}

bool kntok_process(const kntok_tokenizer *t, const kntok_limits *limits, bool special, kntok_encoding *one,
                   kntok_encoding *two, kntok_encoding *out, kntok_message *message)
{
    kntok_encoding e[2] = {*one, two ? *two : (kntok_encoding){0}};
    bool good = true;
    if (limits->truncate) {
        size_t more = special ? added_tokens(t, two != NULL) : 0, most = (size_t)limits->max_length;
        if (more > most)
            good = kntok_say(message, "a length of %zu, but there are %zu special tokens", most, more);
        else
            good = truncate_to(most - more, limits, &e[0], two ? &e[1] : NULL, message);
    }
    good = good && process_all(t, special, e, two ? 2 : 1, out);
    kntok_encoding_free(&e[0]);
    kntok_encoding_free(&e[1]);
    if (!good)
        kntok_encoding_free(out);
    return good;
}

/* ---- Padding. */

void kntok_pad(kntok_encoding *e, size_t n, const kntok_limits *l)
{
    const kntok_token pad = {.id = l->pad_id, .type = l->pad_type, .word = -1, .special = 1, .sequence = -1};
    for (size_t i = 0; i < e->n_overflow; i++)
        kntok_pad(&e->overflow[i], n, l);
    if (e->n >= n || !kntok_grow(&e->at, &e->room, n, sizeof *e->at))
        return;
    size_t more = n - e->n, from = l->pad_left ? 0 : e->n;
    if (l->pad_left)
        memmove(e->at + more, e->at, e->n * sizeof *e->at);
    for (size_t i = 0; i < more; i++)
        e->at[from + i] = pad;
    e->n = n;
}
