/* SPDX-License-Identifier: Apache-2.0
 * layout.c -- laying out the token stream: one loop with a stack of open groups. */
#include "ir/layout.h"
#include <string.h>

enum { TEXT, BREAK, OPEN, CLOSE, NEST };
enum { LONGEST_TEXT = (1 << 28) - 1 };

static void push(kni_layout *l, int kind, int n)
{
    kni_token t = {.kind = (uint32_t)kind};
    t.n = n;
    l->merge = kind == TEXT;
    if (!l->failed && !KN_VEC_PUSH(&l->token, t))
        l->failed = true;
}

void kni_layout_add(kni_layout *l, const char *s, size_t n)
{
    if (l->failed || !n)
        return;
    knx_str_add(&l->text, s, n);
    l->failed |= l->text.failed || n > LONGEST_TEXT;
    if (!l->failed && l->merge && (size_t)l->token.at[l->token.n - 1].n + n <= LONGEST_TEXT)
        l->token.at[l->token.n - 1].n += (int)n;
    else
        push(l, TEXT, (int)n);
}

void kni_layout_puts(kni_layout *l, const char *s) { kni_layout_add(l, s, strlen(s)); }

void kni_layout_break(kni_layout *l, const char *flat)
{
    knx_str_puts(&l->text, flat);
    l->failed |= l->text.failed;
    push(l, BREAK, (int)strlen(flat));
}

void kni_layout_open(kni_layout *l, int indent) { push(l, OPEN, indent); }
void kni_layout_close(kni_layout *l) { push(l, CLOSE, 0); }
void kni_layout_nest(kni_layout *l, int indent) { push(l, NEST, indent); }

/* Does the group that begins behind token i fit into `room` columns? Looks no further than they reach. */
static bool fits(const kni_layout *l, size_t i, int64_t room)
{
    for (int depth = 1; room >= 0 && i < l->token.n; i++) {
        kni_token t = l->token.at[i];
        if (t.kind == TEXT || t.kind == BREAK)
            room -= t.n;
        else if (t.kind == OPEN)
            depth++;
        else if (t.kind == CLOSE && !--depth)
            break;
    }
    return room >= 0;
}

typedef struct level {
    int indent;
    bool flat;
} level;

bool kni_layout_run(kni_layout *l, int width, knx_str *out)
{
    KN_VEC(level) outer = {0};
    level now = {0, false};
    size_t at = 0, line = out->n;
    bool ok = !l->failed;
    for (size_t i = 0; ok && i < l->token.n; i++) {
        kni_token t = l->token.at[i];
        switch (t.kind) {
        case TEXT:
            knx_str_add(out, l->text.s + at, (size_t)t.n);
            at += (size_t)t.n;
            break;
        case BREAK:
            if (now.flat) {
                knx_str_add(out, l->text.s + at, (size_t)t.n);
            } else {
                knx_str_puts(out, "\n");
                line = out->n;
                knx_str_pad(out, ' ', now.indent);
            }
            at += (size_t)t.n;
            break;
        case OPEN:
            ok = KN_VEC_PUSH(&outer, now);
            now.flat = fits(l, i + 1, width - (int64_t)(out->n - line));
            now.indent += t.n;
            break;
        case CLOSE:
            KN_KNOWN(outer.at); /* there was an OPEN */
            now = outer.at[--outer.n];
            break;
        case NEST: now.indent += t.n; break;
        }
        ok = ok && !out->failed;
    }
    KN_VEC_FREE(&outer);
    return ok;
}

void kni_layout_free(kni_layout *l)
{
    knx_str_free(&l->text);
    KN_VEC_FREE(&l->token);
}
