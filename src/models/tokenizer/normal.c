/* SPDX-License-Identifier: Apache-2.0
 * normal.c -- normal forms with the changes of each character, so that offsets stay known. Decompositions are
 * utf8proc's. */
#include "models/tokenizer/unicode.h"
#include <pthread.h>
#include <stdlib.h>
#include <utf8proc.h>

/* Pairs that compose, by hash: made once from what decomposes. */
enum { PAIRS = 4096 };
static struct {
    uint64_t pair;
    uint32_t to;
} pairs[PAIRS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t place(uint64_t pair) { return (uint32_t)(pair * 0x9e3779b97f4a7c15u >> 52); }

/* In Unicode 9.0. */
static bool known(uint32_t c) { return kntok_what_of(c) & 64; }

static bool hangul(uint32_t c) { return c >= 0xac00 && c < 0xac00 + 11172; }

static int decompose(uint32_t c, bool compatible, uint32_t to[32])
{
    if (c < 0x80 || !known(c)) {
        to[0] = c;
        return 1;
    }
    int class = 0;
    utf8proc_option_t how = UTF8PROC_DECOMPOSE;
    if (compatible)
        how |= UTF8PROC_COMPAT;
    utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, (utf8proc_int32_t *)to, 32, how, &class);
    if (n < 1 || n > 32) {
        to[0] = c;
        return 1;
    }
    return (int)n;
}

static uint8_t class_of(uint32_t c)
{
    return c < 0x300 || !known(c) ? 0 : (uint8_t)utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
}

static void add_pair(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t pair = (uint64_t)a << 32 | b;
    uint32_t i = place(pair);
    while (pairs[i].to)
        i = (i + 1) % PAIRS;
    pairs[i].pair = pair;
    pairs[i].to = c;
}

static void find_pairs(void)
{
    for (uint32_t c = 0xc0; c < 0x1d200; c++) {
        utf8proc_int32_t full[34];
        if (hangul(c) || !known(c))
            continue;
        int n = decompose(c, false, (uint32_t *)full);
        if (n < 2)
            continue;
        utf8proc_int32_t head[34], last = full[n - 1];
        for (int i = 0; i < n - 1; i++)
            head[i] = full[i];
        const utf8proc_option_t how = UTF8PROC_COMPOSE | UTF8PROC_STABLE;
        utf8proc_ssize_t all = utf8proc_normalize_utf32(full, n, how);
        utf8proc_ssize_t rest = utf8proc_normalize_utf32(head, n - 1, how);
        if (all == 1 && full[0] == (utf8proc_int32_t)c && rest == 1)
            add_pair((uint32_t)head[0], (uint32_t)last, c);
    }
}

bool kntok_compose_ready(void) { return pthread_once(&once, find_pairs) == 0; }

/* What a and b compose to; 0: they do not. */
static uint32_t compose(uint32_t a, uint32_t b)
{
    if (a >= 0x1100 && a < 0x1113 && b >= 0x1161 && b < 0x1176)
        return 0xac00 + ((a - 0x1100) * 21 + (b - 0x1161)) * 28;
    if (hangul(a) && (a - 0xac00) % 28 == 0 && b > 0x11a7 && b < 0x11a7 + 28)
        return a + (b - 0x11a7);
    uint64_t pair = (uint64_t)a << 32 | b;
    for (uint32_t i = place(pair); pairs[i].to; i = (i + 1) % PAIRS)
        if (pairs[i].pair == pair)
            return pairs[i].to;
    return 0;
}

/* Marks in the order of their classes, those of one class as they came. */
static void order(kntok_char *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        kntok_char c = at[i];
        uint8_t k = class_of(c.c);
        size_t j = i;
        for (; j > 0 && class_of(at[j - 1].c) > k; j--)
            at[j] = at[j - 1];
        at[j] = c;
    }
}

static void decompose_all(const uint8_t *s, size_t n, bool compatible, kntok_chars *to)
{
    size_t pending = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c, parts[32];
        i += (size_t)kntok_read(s + i, &c);
        int k = decompose(c, compatible, parts);
        for (int j = 0; j < k; j++) {
            if (class_of(parts[j]) == 0) {
                if (to->n > pending + 1)
                    order(to->at + pending, to->n - pending);
                kntok_put(to, parts[j], j > 0);
                pending = to->n;
            } else {
                kntok_put(to, parts[j], j > 0);
            }
            if (to->failed)
                return;
        }
    }
    if (to->n > pending + 1)
        order(to->at + pending, to->n - pending);
}

/* Composes what begins at `from` with what follows: up to the next character that starts anew, to `to`. */
static size_t compose_one(const kntok_chars *in, size_t from, kntok_chars *to)
{
    kntok_char head = in->at[from];
    int last = -1;
    size_t i = from + 1, kept = to->n;
    kntok_put(to, head.c, head.change);
    if (class_of(head.c) != 0 || to->failed)
        return i;
    for (; i < in->n; i++) {
        kntok_char next = in->at[i];
        int k = class_of(next.c);
        uint32_t made = last < k ? compose(head.c, next.c) : 0;
        if (made) {
            head.c = made;
            head.change += next.change - 1;
            to->at[kept] = head;
            continue;
        }
        if (k == 0)
            break;
        kntok_put(to, next.c, next.change);
        if (to->failed)
            break;
        last = k;
    }
    return i;
}

void kntok_normal_form(const uint8_t *s, size_t n, bool compatible, bool composed, kntok_chars *scratch,
                       kntok_chars *to)
{
    kntok_chars *first = composed ? scratch : to;
    first->n = to->n = 0;
    decompose_all(s, n, compatible, first);
    if (!composed)
        return;
    for (size_t i = 0; i < scratch->n && !to->failed;)
        i = compose_one(scratch, i, to);
    to->failed |= scratch->failed;
}
