/* SPDX-License-Identifier: Apache-2.0
 * layout.h -- a document of texts, possible line breaks, groups and indents (Wadler and Lindig), written as a stream
 * of tokens. A group is laid out flat if its own text fits into the rest of the line; what follows it does not count.
 * */
#ifndef KN_IR_LAYOUT_H
#define KN_IR_LAYOUT_H
#include "base/memory.h"
#include "base/str.h"

typedef struct kni_token {
    uint32_t kind : 3;
    int32_t n : 29;
} kni_token; /* n: length of a text, or indent */
typedef struct kni_layout {
    knx_str text; /* the texts of all tokens, one after the other */
    KN_VEC(kni_token) token;
    bool merge;  /* the last token is a text that may grow */
    bool failed; /* no memory: everything does nothing */
} kni_layout;

void kni_layout_add(kni_layout *l, const char *s, size_t n);
void kni_layout_puts(kni_layout *l, const char *s);
void kni_layout_break(kni_layout *l, const char *flat); /* `flat`, or a new line in a broken group */
void kni_layout_open(kni_layout *l, int indent);       /* a group, indented by `indent` more */
void kni_layout_close(kni_layout *l);
void kni_layout_nest(kni_layout *l, int indent);           /* within a group: more indent, or less */
bool kni_layout_run(kni_layout *l, int width, knx_str *out); /* false without memory */
void kni_layout_free(kni_layout *l);
#endif
