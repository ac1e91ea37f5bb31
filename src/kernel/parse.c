/* SPDX-License-Identifier: Apache-2.0
 * parse.c -- reads the text that knk_text writes. Nodes go through knk_append_raw, unfolded, so that the same kernel
 * comes back. */
#include "kernel/internal.h"
#include <string.h>

typedef struct parser {
    const char *p;
    int line;
    knk_builder *k;
    int n_par, n_inner, n_loop, node, buffers;
    knx_error *error;
} parser;

static bool fails(parser *s, const char *why)
{
    if (!s->error)
        s->error = knx_error_new(KN_ERROR_VALUE, "kernel text, line %d: %s", s->line, why);
    return false;
}

static void skip_spaces(parser *s)
{
    while (*s->p == ' ' || *s->p == '\t')
        s->p++;
}

static bool word(parser *s, const char *w)
{
    skip_spaces(s);
    size_t n = strlen(w);
    if (strncmp(s->p, w, n))
        return false;
    s->p += n;
    return true;
}

/* A word of letters, digits, '_', '<', '>', up to room - 1 bytes. */
static bool name(parser *s, char *to, size_t room)
{
    skip_spaces(s);
    size_t n = 0;
    for (; (*s->p >= 'a' && *s->p <= 'z') || (*s->p >= '0' && *s->p <= '9') || *s->p == '_' || *s->p == '<' ||
           *s->p == '>';
         s->p++)
        if (n + 1 < room)
            to[n++] = *s->p;
    to[n] = 0;
    return n > 0;
}

static bool number(parser *s, int *v)
{
    skip_spaces(s);
    if (*s->p < '0' || *s->p > '9')
        return fails(s, "a number is missing");
    int64_t n = 0;
    for (; *s->p >= '0' && *s->p <= '9'; s->p++)
        if ((n = n * 10 + (*s->p - '0')) > INT32_MAX)
            return fails(s, "a number is too large");
    *v = (int)n;
    return true;
}

static bool hex(parser *s, uint64_t *v)
{
    *v = 0;
    if (!word(s, "0x"))
        return fails(s, "the bits of a constant are missing");
    int digits = 0;
    for (;; s->p++, digits++) {
        int c = (unsigned char)*s->p, d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (d < 0)
            break;
        *v = *v << 4 | (unsigned)d;
    }
    return (digits > 0 && digits <= 16) || fails(s, "the bits of a constant are missing");
}

static bool dtype(parser *s, knx_dtype_id *d)
{
    char text[16];
    if (!name(s, text, sizeof text))
        return fails(s, "a dtype is missing");
    for (int i = 0; i < KN_ID_COUNT; i++)
        if (!strcmp(text, knx_dtype_table[i].short_name)) {
            *d = (knx_dtype_id)i;
            return true;
        }
    return fails(s, "there is no such dtype");
}

static bool node_number(parser *s, knk_node *x)
{
    if (!word(s, "%"))
        return fails(s, "an operand is missing");
    int n;
    if (!number(s, &n))
        return false;
    *x = n;
    return true;
}

static bool end_of_line(parser *s)
{
    skip_spaces(s);
    if (*s->p == '\r')
        s->p++;
    if (*s->p && *s->p != '\n')
        return fails(s, "more than expected");
    return true;
}

static bool buffer_line(parser *s)
{
    int n;
    knx_dtype_id d;
    if (!number(s, &n) || !dtype(s, &d))
        return false;
    if (n != s->buffers++)
        return fails(s, "buffers must be numbered in order");
    bool written = word(s, "write");
    if (!written && !word(s, "read"))
        return fails(s, "read or write is missing");
    knk_add_buffer(s->k, d, written);
    return true;
}

static bool map_line(parser *s, int *maps)
{
    uint8_t cls[KNK_MAX_LOOPS + 1];
    int n = 0, count = 0;
    if (!number(s, &n))
        return false;
    if (n != (*maps)++)
        return fails(s, "maps must be numbered in order");
    for (;; count++) {
        skip_spaces(s);
        const char *at = *s->p ? strchr("01*", *s->p) : NULL;
        if (!at || count >= KNK_MAX_LOOPS)
            break;
        cls[count] = (uint8_t)(at - "01*");
        s->p++;
    }
    if (count - s->n_par != s->n_inner + s->n_loop) /* either may be any number */
        return fails(s, "a map needs one class per loop");
    knk_append_map(s->k, cls, count);
    return true;
}

static bool place(parser *s, char letter, int16_t *to)
{
    char text[2] = {letter, 0};
    int n = 0;
    if (!word(s, text) || !number(s, &n) || n > INT16_MAX)
        return fails(s, "a buffer or a map is missing");
    *to = (int16_t)n;
    return true;
}

static bool sub_operation(parser *s, knk_inst *n)
{
    if (*s->p != '.')
        return (n->op != KNK_REDUCE && !knk_is_loop_op(n->op)) ||
               fails(s, n->op == KNK_REDUCE ? "which reduction?" : "which loop?");
    s->p++;
    if (knk_is_loop_op(n->op)) {
        int loop = 0;
        if (!number(s, &loop) || loop >= KNK_MAX_LOOPS)
            return fails(s, "there is no such loop");
        n->sub = (uint8_t)loop;
        return true;
    }
    char text[16] = "";
    name(s, text, sizeof text);
    if (n->op == KNK_SELECT && !strcmp(text, "cold")) {
        n->sub = 1;
        return true;
    }
    for (int i = 0; n->op == KNK_REDUCE && i < 7; i++)
        if (!strcmp(text, knk_reduction_name[i])) {
            n->sub = (uint8_t)i;
            return true;
        }
    return fails(s, "there is no such sub-operation");
}

static bool operands(parser *s, knk_inst *n)
{
    if (n->op == KNK_LOAD)
        return (!word(s, "index") || node_number(s, &n->a)) && (!word(s, "pred") || node_number(s, &n->b)) &&
               (!word(s, "other") || node_number(s, &n->c));
    knk_node *to[3] = {&n->a, &n->b, &n->c};
    for (int i = 0; i < 3 && i < knk_op_table[n->op].n_operands; i++)
        if (!node_number(s, to[i]))
            return false;
    return true;
}

/* The operation that is written here; `value`: one that has a value. */
static bool operation(parser *s, bool value, knk_inst *n)
{
    char text[16];
    int op = 0;
    if (!name(s, text, sizeof text))
        return fails(s, "not a line of a kernel");
    while (op < KNK_OP_COUNT && (strcmp(text, knk_op_table[op].name) || (knk_op_table[op].result != 'V') != value))
        op++;
    if (op == KNK_OP_COUNT)
        return fails(s, value ? "there is no such operation" : "not a line of a kernel");
    n->op = (uint8_t)op;
    return sub_operation(s, n);
}

static bool node_line(parser *s)
{
    knk_inst n = {.buffer = KNK_NONE, .map = KNK_NONE, .a = KNK_NONE, .b = KNK_NONE, .c = KNK_NONE};
    knx_dtype_id d = KN_ID_BOOL;
    int number_of = s->node;
    bool value = word(s, "%");
    if (value && (!number(s, &number_of) || !word(s, "=")))
        return fails(s, "not a line of a kernel");
    if (number_of != s->node)
        return fails(s, "nodes must be numbered in order");
    if (!operation(s, value, &n) || (value && !dtype(s, &d)))
        return false;
    n.dtype = (uint8_t)d;
    bool store = n.op == KNK_STORE;
    if (n.op == KNK_CONST && !hex(s, &n.imm))
        return false;
    if ((n.op == KNK_LOAD || store) && !place(s, 'b', &n.buffer))
        return false;
    if ((n.op == KNK_LOAD || store || n.op == KNK_INDEX) && !place(s, 'm', &n.map))
        return false;
    if (!operands(s, &n))
        return false;
    s->node++;
    knk_append_raw(s->k, n);
    return true;
}

/* Did the stage that ends here have the loops that it promised? */
static bool right_loops(parser *s)
{
    return knk_failed(s->k) || knk_stage_loops(s->k) == s->n_loop || fails(s, "the stage before has other loops");
}

static bool line(parser *s, int *maps)
{
    skip_spaces(s);
    if (*s->p == '\n' || *s->p == '\r' || !*s->p)
        return true;
    if (word(s, "buffer"))
        return buffer_line(s);
    if (word(s, "map"))
        return map_line(s, maps);
    if (word(s, "stage")) {
        int n;
        if (!right_loops(s))
            return false;
        if (!number(s, &n) || !word(s, "inner") || !number(s, &s->n_inner))
            return fails(s, "not a stage");
        s->n_loop = 0;
        if (word(s, "loops") && !number(s, &s->n_loop))
            return false;
        if (knk_begin_stage(s->k, s->n_inner) != n)
            return fails(s, "stages must be numbered in order");
        return true;
    }
    return node_line(s);
}

knx_error *knk_parse(const char *text, knk_kernel **out)
{
    parser s = {.p = text, .line = 1};
    int maps = 0;
    *out = NULL;
    if (!word(&s, "kernel") || !number(&s, &s.n_par) || !end_of_line(&s)) {
        if (!s.error)
            fails(&s, "kernel is missing");
        return s.error;
    }
    s.k = knk_new(s.n_par);
    if (!s.k)
        return knx_error_nomem();
    for (s.line = 2; *s.p; s.line++) {
        s.p++;
        if (!line(&s, &maps) || !end_of_line(&s)) {
            knk_delete(s.k);
            return s.error;
        }
    }
    if (!right_loops(&s)) {
        knk_delete(s.k);
        return s.error;
    }
    return knk_finish(s.k, out);
}
