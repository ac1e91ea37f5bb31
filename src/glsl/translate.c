/* SPDX-License-Identifier: Apache-2.0
 * translate.c -- functions and statements of WGSL as those of GLSL ES: a `let` gets the type of its value, a pointer
 * is an inout parameter. */
#include "glsl/translate.h"
#include "base/memory.h"
#include <ctype.h>
#include <string.h>

/* ---- words ---- */

void kngl_fail(kngl_translation *t, const char *what)
{
    if (!t->wrong) {
        t->wrong = what;
        t->wrong_at = t->token.s;
    }
}

static const char *skip(const char *s)
{
    for (;;) {
        s += strspn(s, " \n");
        if (s[0] != '/' || s[1] != '/')
            return s;
        s += strcspn(s, "\n");
    }
}

static size_t number_length(const char *s)
{
    size_t n = 0;
    bool hex = s[0] == '0' && s[1] == 'x';
    while (isalnum((unsigned char)s[n]) || s[n] == '.' ||
           (!hex && n && s[n - 1] == 'e' && (s[n] == '-' || s[n] == '+')))
        n++;
    return n;
}

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

/* Signs of two and three characters. A ">>" in a type does not occur: vec2<u32> stands in no other one but with a
 * space. */
static size_t sign_length(const char *s)
{
    static const char *const sign[] = {"<<=", ">>=", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>",
                                       "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (!strncmp(s, sign[i], strlen(sign[i])))
            return strlen(sign[i]);
    return 1;
}

void kngl_next(kngl_translation *t)
{
    const char *s = skip(t->at);
    kngl_token *w = &t->token;
    w->s = s;
    w->kind = !*s                                       ? KNGL_END
              : isdigit((unsigned char)*s)              ? KNGL_NUMBER
              : isalpha((unsigned char)*s) || *s == '_' ? KNGL_NAME_TOKEN
                                                        : KNGL_SIGN;
    w->n = w->kind == KNGL_END          ? 0
           : w->kind == KNGL_NUMBER     ? number_length(s)
           : w->kind == KNGL_NAME_TOKEN ? name_length(s)
                                        : sign_length(s);
    t->at = s + w->n;
}

bool kngl_is(const kngl_translation *t, const char *word)
{
    return t->token.n == strlen(word) && !memcmp(t->token.s, word, t->token.n);
}

bool kngl_take(kngl_translation *t, const char *word)
{
    if (t->wrong || !kngl_is(t, word))
        return false;
    kngl_next(t);
    return true;
}

void kngl_expect(kngl_translation *t, const char *word)
{
    if (!kngl_take(t, word))
        kngl_fail(t, word);
}

/* Words that mean something in GLSL ES, or are kept for it. */
void kngl_put_name(knx_str *to, const kngl_token *name)
{
    static const char *const kept[] = {"half",  "input",  "output", "sample",    "filter", "common", "active",  "fixed",
                                       "flat",  "in",     "out",    "varying",   "buffer", "shared", "using",   "long",
                                       "short", "double", "this",   "partition", "sizeof", "smooth", "resource"};
    knx_str_add(to, name->s, name->n);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strlen(kept[i]) == name->n && !memcmp(kept[i], name->s, name->n))
            knx_str_puts(to, "_");
}

/* ---- types ---- */

const char *kngl_type_name(kngl_type type)
{
    static const char *const name[][5] = {[KNGL_VOID] = {"void", "void"},
                                          [KNGL_BOOL] = {"bool", "bool", "bvec2", "bvec3", "bvec4"},
                                          [KNGL_I32] = {"int", "int", "ivec2", "ivec3", "ivec4"},
                                          [KNGL_U32] = {"uint", "uint", "uvec2", "uvec3", "uvec4"},
                                          [KNGL_F32] = {"float", "float", "vec2", "vec3", "vec4"}};
    return name[type.scalar][type.n];
}

static kngl_type scalar(kngl_translation *t)
{
    static const char *const name[] = {[KNGL_VOID] = "-", "bool", "i32", "u32", "f32"};
    for (uint8_t i = KNGL_BOOL; i <= KNGL_F32; i++)
        if (kngl_take(t, name[i]))
            return (kngl_type){.scalar = i, .n = 1};
    kngl_fail(t, "an unknown type");
    return (kngl_type){.n = 1};
}

kngl_type kngl_parse_type(kngl_translation *t)
{
    kngl_type type;
    if (kngl_take(t, "ptr")) {
        kngl_expect(t, "<");
        kngl_expect(t, "function");
        kngl_expect(t, ",");
        type = kngl_parse_type(t);
        type.pointer = true;
    } else if (kngl_take(t, "array")) {
        kngl_expect(t, "<");
        type = kngl_parse_type(t);
        kngl_expect(t, ",");
        for (size_t i = 0; i < t->token.n && isdigit((unsigned char)t->token.s[i]); i++)
            type.length = (uint8_t)(10 * type.length + (t->token.s[i] - '0'));
        kngl_next(t);
    } else if (t->token.n == 4 && !memcmp(t->token.s, "vec", 3)) {
        uint8_t n = (uint8_t)(t->token.s[3] - '0');
        kngl_next(t);
        kngl_expect(t, "<");
        type = scalar(t);
        type.n = n >= 2 && n <= 4 ? n : 1;
    } else {
        return scalar(t);
    }
    if (t->token.n == 2 && !memcmp(t->token.s, ">>", 2)) /* the first half of it */
        t->token.s++, t->token.n = 1;
    else
        kngl_expect(t, ">");
    return type;
}

/* "float s[6]" */
static void put_declared(knx_str *to, kngl_type type, const kngl_token *name)
{
    knx_str_printf(to, "%s ", kngl_type_name(type));
    kngl_put_name(to, name);
    if (type.length)
        knx_str_printf(to, "[%d]", type.length);
}

/* ---- names ---- */

const kngl_variable *kngl_find_variable(const kngl_translation *t, const kngl_token *name)
{
    for (int i = t->n_variable - 1; i >= 0; i--)
        if (t->variable[i].n == name->n && !memcmp(t->variable[i].name, name->s, name->n))
            return &t->variable[i];
    return NULL;
}

const kngl_function *kngl_find_function(const kngl_translation *t, const kngl_token *name)
{
    for (int i = 0; i < t->n_function; i++)
        if (t->function[i].n == name->n && !memcmp(t->function[i].name, name->s, name->n))
            return &t->function[i];
    return NULL;
}

static void add_variable(kngl_translation *t, const kngl_token *name, kngl_type type)
{
    type.loose = false;
    if (t->n_variable == KNGL_MOST_VARIABLES)
        kngl_fail(t, "more names than there is room for");
    else
        t->variable[t->n_variable++] = (kngl_variable){name->s, name->n, type, t->depth};
}

static void leave(kngl_translation *t)
{
    while (t->n_variable && t->variable[t->n_variable - 1].depth > t->depth)
        t->n_variable--;
}

/* ---- statements ---- */

static void indent(kngl_translation *t) { knx_str_pad(t->out, ' ', 4 * t->depth); }
static void statement(kngl_translation *t);

/* Up to the "}". */
static void block(kngl_translation *t)
{
    kngl_expect(t, "{");
    knx_str_puts(t->out, "{\n");
    t->depth++;
    while (!t->wrong && !kngl_is(t, "}"))
        statement(t);
    t->depth--;
    leave(t);
    kngl_expect(t, "}");
    indent(t);
    knx_str_puts(t->out, "}");
}

/* let x = ..., var x: T = ..., var x: T; without what ends it */
static void declaration(kngl_translation *t)
{
    knx_str value = {0};
    kngl_type type = {0};
    kngl_next(t);
    const kngl_token name = t->token;
    kngl_next(t);
    bool typed = kngl_take(t, ":"), valued;
    if (typed)
        type = kngl_parse_type(t);
    valued = kngl_take(t, "=");
    if (valued) {
        kngl_type own = kngl_expression(t, &value);
        type = typed ? type : own;
    }
    put_declared(t->out, type, &name);
    if (valued)
        knx_str_printf(t->out, " = %s", value.s ? value.s : "");
    add_variable(t, &name, type);
    t->out->failed |= value.failed;
    knx_str_free(&value);
}

/* x = ..., x += ..., x++, f(x) without what ends it */
static void simple(kngl_translation *t)
{
    static const char *const sign[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    kngl_place(t, t->out);
    if (kngl_take(t, "++")) {
        knx_str_puts(t->out, "++");
        return;
    }
    if (kngl_take(t, "--")) {
        knx_str_puts(t->out, "--");
        return;
    }
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (kngl_take(t, sign[i])) {
            knx_str_printf(t->out, " %s ", sign[i]);
            kngl_expression(t, t->out);
            return;
        }
}

static void condition(kngl_translation *t, const char *word)
{
    knx_str_printf(t->out, "%s (", word);
    bool closed = kngl_take(t, "("); /* WGSL wants none around it, Kiln writes them */
    if (!closed)
        kngl_fail(t, "(");
    kngl_expression(t, t->out);
    kngl_expect(t, ")");
    knx_str_puts(t->out, ") ");
    block(t);
}

static void if_statement(kngl_translation *t)
{
    condition(t, "if");
    while (kngl_take(t, "else")) {
        knx_str_puts(t->out, " else ");
        if (kngl_take(t, "if")) {
            condition(t, "if");
            continue;
        }
        block(t);
        break;
    }
    knx_str_puts(t->out, "\n");
}

static void for_statement(kngl_translation *t)
{
    kngl_expect(t, "(");
    knx_str_puts(t->out, "for (");
    t->depth++;
    if (kngl_is(t, "var"))
        declaration(t);
    else if (!kngl_is(t, ";"))
        simple(t);
    kngl_expect(t, ";");
    knx_str_puts(t->out, "; ");
    if (!kngl_is(t, ";"))
        kngl_expression(t, t->out);
    kngl_expect(t, ";");
    knx_str_puts(t->out, "; ");
    if (!kngl_is(t, ")"))
        simple(t);
    kngl_expect(t, ")");
    knx_str_puts(t->out, ") ");
    t->depth--;
    block(t);
    leave(t);
    knx_str_puts(t->out, "\n");
}

static void statement(kngl_translation *t)
{
    indent(t);
    if (kngl_take(t, "if")) {
        if_statement(t);
        return;
    }
    if (kngl_take(t, "for")) {
        for_statement(t);
        return;
    }
    if (kngl_take(t, "while")) {
        condition(t, "while");
        knx_str_puts(t->out, "\n");
        return;
    }
    if (kngl_is(t, "let") || kngl_is(t, "var")) {
        declaration(t);
    } else if (kngl_take(t, "return")) {
        knx_str_puts(t->out, kngl_is(t, ";") ? "return" : "return ");
        if (!kngl_is(t, ";"))
            kngl_expression(t, t->out);
    } else if (kngl_is(t, "break") || kngl_is(t, "continue")) {
        knx_str_add(t->out, t->token.s, t->token.n);
        kngl_next(t);
    } else {
        simple(t);
    }
    kngl_expect(t, ";");
    knx_str_puts(t->out, ";\n");
}

/* ---- functions ---- */

/* "float f(inout float s[6], uint q)", behind the "fn". */
static kngl_type signature(kngl_translation *t, knx_str *to, kngl_token *name)
{
    knx_str parameters = {0};
    kngl_type result = {.scalar = KNGL_VOID, .n = 1};
    *name = t->token;
    kngl_next(t);
    kngl_expect(t, "(");
    t->depth++;
    for (int i = 0; !t->wrong && !kngl_is(t, ")"); i++) {
        const kngl_token parameter = t->token;
        kngl_next(t);
        kngl_expect(t, ":");
        kngl_type type = kngl_parse_type(t);
        knx_str_puts(&parameters, i ? ", " : "");
        knx_str_puts(&parameters, type.pointer ? "inout " : "");
        put_declared(&parameters, type, &parameter);
        add_variable(t, &parameter, type);
        if (!kngl_is(t, ")"))
            kngl_expect(t, ",");
    }
    t->depth--;
    kngl_expect(t, ")");
    if (kngl_take(t, "->"))
        result = kngl_parse_type(t);
    knx_str_printf(to, "%s %.*s(%s)", kngl_type_name(result), (int)name->n, name->s, parameters.s ? parameters.s : "");
    to->failed |= parameters.failed;
    knx_str_free(&parameters);
    return result;
}

static void skip_body(kngl_translation *t)
{
    int depth = 0;
    do {
        depth += kngl_is(t, "{") - kngl_is(t, "}");
        kngl_next(t);
    } while (depth > 0 && t->token.kind != KNGL_END);
}

static bool is_store(const kngl_token *name)
{
    return name->n > 5 && !memcmp(name->s, "store", 5) && isdigit((unsigned char)name->s[5]);
}

static void begin(kngl_translation *t, const char *wgsl)
{
    t->at = wgsl;
    t->n_variable = 0;
    kngl_next(t);
}

/* What functions there are; in front of all lines that call them. */
static void declare_all(kngl_translation *t, const char *wgsl)
{
    begin(t, wgsl);
    while (!t->wrong && t->token.kind != KNGL_END) {
        kngl_token name;
        kngl_expect(t, "fn");
        kngl_type result = signature(t, t->out, &name);
        knx_str_puts(t->out, ";\n");
        leave(t);
        if (t->n_function == KNGL_MOST_FUNCTIONS)
            kngl_fail(t, "more functions than there is room for");
        else
            t->function[t->n_function++] = (kngl_function){name.s, name.n, result};
        skip_body(t);
    }
}

static void define_all(kngl_translation *t, const char *wgsl)
{
    begin(t, wgsl);
    while (!t->wrong && t->token.kind != KNGL_END) {
        kngl_token name;
        knx_str head = {0};
        kngl_expect(t, "fn");
        signature(t, &head, &name);
        if (is_store(&name)) {
            skip_body(t);
        } else {
            knx_str_printf(t->out, "%s ", head.s ? head.s : "");
            block(t);
            knx_str_puts(t->out, "\n");
        }
        leave(t);
        t->out->failed |= head.failed;
        knx_str_free(&head);
    }
}

knx_error *kngl_translate(const char *wgsl, knx_str *out)
{
    knx_str text = {0};
    kngl_translation *t = knx_alloc_zero(sizeof *t);
    kngl_variable *variable = knx_alloc(KNGL_MOST_VARIABLES * sizeof *variable);
    knx_error *e = NULL;
    if (t && variable) {
        t->variable = variable;
        t->out = &text;
        declare_all(t, wgsl);
        if (!t->wrong)
            define_all(t, wgsl);
        kngl_put_helpers(t, out);
        knx_str_puts(out, text.s ? text.s : "");
        if (t->wrong)
            e = knx_error_new(KN_ERROR_RUNTIME, "GLSL: %s at \"%.60s\"", t->wrong, t->wrong_at);
    }
    if (!e && (!t || !variable || text.failed || out->failed))
        e = knx_error_nomem();
    knx_str_free(&text);
    knx_free(variable);
    knx_free(t);
    return e;
}
