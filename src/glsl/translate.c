/* SPDX-License-Identifier: Apache-2.0
 * translate.c -- functions and statements of WGSL as those of GLSL ES: a `let` gets the type of its value, a pointer is an
 * inout parameter. */
#include "glsl/translate.h"
#include "base/memory.h"
#include <ctype.h>
#include <string.h>

/* ---- words ---- */

void knl_fail(knl_translation *t, const char *what)
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

/* Signs of two and three characters. A ">>" in a type does not occur: vec2<u32> stands in no other one but with a space. */
static size_t sign_length(const char *s)
{
    static const char *const sign[] = {"<<=", ">>=", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>",
                                       "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (!strncmp(s, sign[i], strlen(sign[i])))
            return strlen(sign[i]);
    return 1;
}

void knl_next(knl_translation *t)
{
    const char *s = skip(t->at);
    knl_token *w = &t->token;
    w->s = s;
    w->kind = !*s                                       ? KNL_END
              : isdigit((unsigned char)*s)              ? KNL_NUMBER
              : isalpha((unsigned char)*s) || *s == '_' ? KNL_NAME_TOKEN
                                                        : KNL_SIGN;
    w->n = w->kind == KNL_END          ? 0
           : w->kind == KNL_NUMBER     ? number_length(s)
           : w->kind == KNL_NAME_TOKEN ? name_length(s)
                                       : sign_length(s);
    t->at = s + w->n;
}

bool knl_is(const knl_translation *t, const char *word)
{
    return t->token.n == strlen(word) && !memcmp(t->token.s, word, t->token.n);
}

bool knl_take(knl_translation *t, const char *word)
{
    if (t->wrong || !knl_is(t, word))
        return false;
    knl_next(t);
    return true;
}

void knl_expect(knl_translation *t, const char *word)
{
    if (!knl_take(t, word))
        knl_fail(t, word);
}

/* Words that mean something in GLSL ES, or are kept for it. */
void knl_put_name(knx_str *to, const knl_token *name)
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

const char *knl_type_name(knl_type type)
{
    static const char *const name[][5] = {[KNL_VOID] = {"void", "void"},
                                          [KNL_BOOL] = {"bool", "bool", "bvec2", "bvec3", "bvec4"},
                                          [KNL_I32] = {"int", "int", "ivec2", "ivec3", "ivec4"},
                                          [KNL_U32] = {"uint", "uint", "uvec2", "uvec3", "uvec4"},
                                          [KNL_F32] = {"float", "float", "vec2", "vec3", "vec4"}};
    return name[type.scalar][type.n];
}

static knl_type scalar(knl_translation *t)
{
    static const char *const name[] = {[KNL_VOID] = "-", "bool", "i32", "u32", "f32"};
    for (uint8_t i = KNL_BOOL; i <= KNL_F32; i++)
        if (knl_take(t, name[i]))
            return (knl_type){.scalar = i, .n = 1};
    knl_fail(t, "an unknown type");
    return (knl_type){.n = 1};
}

knl_type knl_parse_type(knl_translation *t)
{
    knl_type type;
    if (knl_take(t, "ptr")) {
        knl_expect(t, "<");
        knl_expect(t, "function");
        knl_expect(t, ",");
        type = knl_parse_type(t);
        type.pointer = true;
    } else if (knl_take(t, "array")) {
        knl_expect(t, "<");
        type = knl_parse_type(t);
        knl_expect(t, ",");
        for (size_t i = 0; i < t->token.n && isdigit((unsigned char)t->token.s[i]); i++)
            type.length = (uint8_t)(10 * type.length + (t->token.s[i] - '0'));
        knl_next(t);
    } else if (t->token.n == 4 && !memcmp(t->token.s, "vec", 3)) {
        uint8_t n = (uint8_t)(t->token.s[3] - '0');
        knl_next(t);
        knl_expect(t, "<");
        type = scalar(t);
        type.n = n >= 2 && n <= 4 ? n : 1;
    } else {
        return scalar(t);
    }
    if (t->token.n == 2 && !memcmp(t->token.s, ">>", 2)) /* the first half of it */
        t->token.s++, t->token.n = 1;
    else
        knl_expect(t, ">");
    return type;
}

/* "float s[6]" */
static void put_declared(knx_str *to, knl_type type, const knl_token *name)
{
    knx_str_printf(to, "%s ", knl_type_name(type));
    knl_put_name(to, name);
    if (type.length)
        knx_str_printf(to, "[%d]", type.length);
}

/* ---- names ---- */

const knl_variable *knl_find_variable(const knl_translation *t, const knl_token *name)
{
    for (int i = t->n_variable - 1; i >= 0; i--)
        if (t->variable[i].n == name->n && !memcmp(t->variable[i].name, name->s, name->n))
            return &t->variable[i];
    return NULL;
}

const knl_function *knl_find_function(const knl_translation *t, const knl_token *name)
{
    for (int i = 0; i < t->n_function; i++)
        if (t->function[i].n == name->n && !memcmp(t->function[i].name, name->s, name->n))
            return &t->function[i];
    return NULL;
}

static void add_variable(knl_translation *t, const knl_token *name, knl_type type)
{
    type.loose = false;
    if (t->n_variable == KNL_MOST_VARIABLES)
        knl_fail(t, "more names than there is room for");
    else
        t->variable[t->n_variable++] = (knl_variable){name->s, name->n, type, t->depth};
}

static void leave(knl_translation *t)
{
    while (t->n_variable && t->variable[t->n_variable - 1].depth > t->depth)
        t->n_variable--;
}

/* ---- statements ---- */

static void indent(knl_translation *t) { knx_str_pad(t->out, ' ', 4 * t->depth); }
static void statement(knl_translation *t);

/* Up to the "}". */
static void block(knl_translation *t)
{
    knl_expect(t, "{");
    knx_str_puts(t->out, "{\n");
    t->depth++;
    while (!t->wrong && !knl_is(t, "}"))
        statement(t);
    t->depth--;
    leave(t);
    knl_expect(t, "}");
    indent(t);
    knx_str_puts(t->out, "}");
}

/* let x = ..., var x: T = ..., var x: T; without what ends it */
static void declaration(knl_translation *t)
{
    knx_str value = {0};
    knl_type type = {0};
    knl_next(t);
    const knl_token name = t->token;
    knl_next(t);
    bool typed = knl_take(t, ":"), valued;
    if (typed)
        type = knl_parse_type(t);
    valued = knl_take(t, "=");
    if (valued) {
        knl_type own = knl_expression(t, &value);
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
static void simple(knl_translation *t)
{
    static const char *const sign[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    knl_place(t, t->out);
    if (knl_take(t, "++")) {
        knx_str_puts(t->out, "++");
        return;
    }
    if (knl_take(t, "--")) {
        knx_str_puts(t->out, "--");
        return;
    }
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
        if (knl_take(t, sign[i])) {
            knx_str_printf(t->out, " %s ", sign[i]);
            knl_expression(t, t->out);
            return;
        }
}

static void condition(knl_translation *t, const char *word)
{
    knx_str_printf(t->out, "%s (", word);
    bool closed = knl_take(t, "("); /* WGSL wants none around it, Kiln writes them */
    if (!closed)
        knl_fail(t, "(");
    knl_expression(t, t->out);
    knl_expect(t, ")");
    knx_str_puts(t->out, ") ");
    block(t);
}

static void if_statement(knl_translation *t)
{
    condition(t, "if");
    while (knl_take(t, "else")) {
        knx_str_puts(t->out, " else ");
        if (knl_take(t, "if")) {
            condition(t, "if");
            continue;
        }
        block(t);
        break;
    }
    knx_str_puts(t->out, "\n");
}

static void for_statement(knl_translation *t)
{
    knl_expect(t, "(");
    knx_str_puts(t->out, "for (");
    t->depth++;
    if (knl_is(t, "var"))
        declaration(t);
    else if (!knl_is(t, ";"))
        simple(t);
    knl_expect(t, ";");
    knx_str_puts(t->out, "; ");
    if (!knl_is(t, ";"))
        knl_expression(t, t->out);
    knl_expect(t, ";");
    knx_str_puts(t->out, "; ");
    if (!knl_is(t, ")"))
        simple(t);
    knl_expect(t, ")");
    knx_str_puts(t->out, ") ");
    t->depth--;
    block(t);
    leave(t);
    knx_str_puts(t->out, "\n");
}

static void statement(knl_translation *t)
{
    indent(t);
    if (knl_take(t, "if")) {
        if_statement(t);
        return;
    }
    if (knl_take(t, "for")) {
        for_statement(t);
        return;
    }
    if (knl_take(t, "while")) {
        condition(t, "while");
        knx_str_puts(t->out, "\n");
        return;
    }
    if (knl_is(t, "let") || knl_is(t, "var")) {
        declaration(t);
    } else if (knl_take(t, "return")) {
        knx_str_puts(t->out, knl_is(t, ";") ? "return" : "return ");
        if (!knl_is(t, ";"))
            knl_expression(t, t->out);
    } else if (knl_is(t, "break") || knl_is(t, "continue")) {
        knx_str_add(t->out, t->token.s, t->token.n);
        knl_next(t);
    } else {
        simple(t);
    }
    knl_expect(t, ";");
    knx_str_puts(t->out, ";\n");
}

/* ---- functions ---- */

/* "float f(inout float s[6], uint q)", behind the "fn". */
static knl_type signature(knl_translation *t, knx_str *to, knl_token *name)
{
    knx_str parameters = {0};
    knl_type result = {.scalar = KNL_VOID, .n = 1};
    *name = t->token;
    knl_next(t);
    knl_expect(t, "(");
    t->depth++;
    for (int i = 0; !t->wrong && !knl_is(t, ")"); i++) {
        const knl_token parameter = t->token;
        knl_next(t);
        knl_expect(t, ":");
        knl_type type = knl_parse_type(t);
        knx_str_puts(&parameters, i ? ", " : "");
        knx_str_puts(&parameters, type.pointer ? "inout " : "");
        put_declared(&parameters, type, &parameter);
        add_variable(t, &parameter, type);
        if (!knl_is(t, ")"))
            knl_expect(t, ",");
    }
    t->depth--;
    knl_expect(t, ")");
    if (knl_take(t, "->"))
        result = knl_parse_type(t);
    knx_str_printf(to, "%s %.*s(%s)", knl_type_name(result), (int)name->n, name->s, parameters.s ? parameters.s : "");
    to->failed |= parameters.failed;
    knx_str_free(&parameters);
    return result;
}

static void skip_body(knl_translation *t)
{
    int depth = 0;
    do {
        depth += knl_is(t, "{") - knl_is(t, "}");
        knl_next(t);
    } while (depth > 0 && t->token.kind != KNL_END);
}

static bool is_store(const knl_token *name)
{
    return name->n > 5 && !memcmp(name->s, "store", 5) && isdigit((unsigned char)name->s[5]);
}

static void begin(knl_translation *t, const char *wgsl)
{
    t->at = wgsl;
    t->n_variable = 0;
    knl_next(t);
}

/* What functions there are; in front of all lines that call them. */
static void declare_all(knl_translation *t, const char *wgsl)
{
    begin(t, wgsl);
    while (!t->wrong && t->token.kind != KNL_END) {
        knl_token name;
        knl_expect(t, "fn");
        knl_type result = signature(t, t->out, &name);
        knx_str_puts(t->out, ";\n");
        leave(t);
        if (t->n_function == KNL_MOST_FUNCTIONS)
            knl_fail(t, "more functions than there is room for");
        else
            t->function[t->n_function++] = (knl_function){name.s, name.n, result};
        skip_body(t);
    }
}

static void define_all(knl_translation *t, const char *wgsl)
{
    begin(t, wgsl);
    while (!t->wrong && t->token.kind != KNL_END) {
        knl_token name;
        knx_str head = {0};
        knl_expect(t, "fn");
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

knx_error *knl_translate(const char *wgsl, knx_str *out)
{
    knx_str text = {0};
    knl_translation *t = knx_alloc_zero(sizeof *t);
    knl_variable *variable = knx_alloc(KNL_MOST_VARIABLES * sizeof *variable);
    knx_error *e = NULL;
    if (t && variable) {
        t->variable = variable;
        t->out = &text;
        declare_all(t, wgsl);
        if (!t->wrong)
            define_all(t, wgsl);
        knl_put_helpers(t, out);
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
