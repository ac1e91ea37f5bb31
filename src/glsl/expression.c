/* SPDX-License-Identifier: Apache-2.0
 * expression.c -- expressions of WGSL as those of GLSL ES, with their types. Precedence is the same in both for all
 * that Kiln writes, since WGSL wants parentheses where C's rules surprise. */
#include "glsl/translate.h"
#include <stdlib.h>
#include <string.h>

static kngl_type of(kngl_scalar scalar, int n) { return (kngl_type){.scalar = (uint8_t)scalar, .n = (uint8_t)n}; }

/* ---- functions that stand for WGSL's own ---- */

enum { CLZ, CTZ, REVERSE, ODD_ROUND, SELECT, REM, HELPERS };
static const struct {
    const char *wgsl, *glsl, *text;
} helper[HELPERS] = {
    [CLZ] = {"countLeadingZeros", "kn_clz",
             "uint kn_clz(uint x) {\n"
             "    uint n = 32u;\n"
             "    uint k;\n"
             "    k = uint(x > 0xffffu) << 4u; n -= k; x >>= k;\n"
             "    k = uint(x > 0xffu) << 3u; n -= k; x >>= k;\n"
             "    k = uint(x > 0xfu) << 2u; n -= k; x >>= k;\n"
             "    k = uint(x > 0x3u) << 1u; n -= k; x >>= k;\n"
             "    k = uint(x > 0x1u); n -= k; x >>= k;\n"
             "    return n - x;\n"
             "}\n"},
    [CTZ] = {"countTrailingZeros", "kn_ctz",
             "uint kn_ctz(uint x) {\n"
             "    uint n = 0u;\n"
             "    for (; n < 32u && ((x >> n) & 1u) == 0u; n++) {\n"
             "    }\n"
             "    return n;\n"
             "}\n"},
    [REVERSE] = {"reverseBits", "kn_reverse",
                 "uint kn_reverse(uint x) {\n"
                 "    x = ((x >> 1u) & 0x55555555u) | ((x & 0x55555555u) << 1u);\n"
                 "    x = ((x >> 2u) & 0x33333333u) | ((x & 0x33333333u) << 2u);\n"
                 "    x = ((x >> 4u) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4u);\n"
                 "    x = ((x >> 8u) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8u);\n"
                 "    return (x >> 16u) | (x << 16u);\n"
                 "}\n"},
    [ODD_ROUND] = {"round", "roundEven", ""},
    [REM] = {"%", "kn_rem", /* of negative numbers GLSL leaves it open */
             "int kn_rem(int a, int b) {\n    return a - a / b * b;\n}\n"},
    /* c ? a : b is a branch for some compilers, and in trees of branches SwiftShader is lost */
    [SELECT] = {"select", "kn_select",
                "uint kn_select(uint a, uint b, bool c) {\n    return a ^ ((a ^ b) & (0u - uint(c)));\n}\n"
                "uvec2 kn_select(uvec2 a, uvec2 b, bool c) {\n    return a ^ ((a ^ b) & (0u - uint(c)));\n}\n"
                "int kn_select(int a, int b, bool c) {\n    return a ^ ((a ^ b) & -int(c));\n}\n"
                "bool kn_select(bool a, bool b, bool c) {\n    return kn_select(uint(a), uint(b), c) != 0u;\n}\n"
                "float kn_select(float a, float b, bool c) {\n    return mix(a, b, c);\n}\n"},
};

void kngl_put_helpers(const kngl_translation *t, knx_str *to)
{
    for (int i = 0; i < HELPERS; i++)
        if (t->helpers >> i & 1)
            knx_str_puts(to, helper[i].text);
}

/* ---- calls ---- */

enum { MOST_ARGUMENTS = 8 };
typedef struct arguments {
    knx_str s[MOST_ARGUMENTS];
    kngl_type type[MOST_ARGUMENTS];
    int n;
} arguments;

static const char *text(const knx_str *s) { return s->s ? s->s : ""; }

/* Behind the "(". */
static void parse_arguments(kngl_translation *t, arguments *a)
{
    *a = (arguments){0};
    while (!t->wrong && !kngl_is(t, ")")) {
        if (a->n == MOST_ARGUMENTS) {
            kngl_fail(t, "a call with too many arguments");
            return;
        }
        a->type[a->n] = kngl_expression(t, &a->s[a->n]);
        a->n++;
        if (!kngl_is(t, ")"))
            kngl_expect(t, ",");
    }
    kngl_expect(t, ")");
}

static void free_arguments(kngl_translation *t, knx_str *to, arguments *a)
{
    (void)t;
    for (int i = 0; i < MOST_ARGUMENTS; i++) {
        to->failed |= a->s[i].failed;
        knx_str_free(&a->s[i]);
    }
}

static void put_call(knx_str *to, const char *name, const arguments *a)
{
    knx_str_printf(to, "%s(", name);
    for (int i = 0; i < a->n; i++)
        knx_str_printf(to, i ? ", %s" : "%s", text(&a->s[i]));
    knx_str_puts(to, ")");
}

/* The type of two operands: a loose literal has the other's; a vector and a number make a vector. */
static kngl_type joined(kngl_type a, kngl_type b)
{
    kngl_type r = a.loose ? b : a;
    r.n = a.n > b.n ? a.n : b.n;
    r.loose = a.loose && b.loose;
    return r;
}

static kngl_type put_bitcast(knx_str *to, kngl_type as, const arguments *a)
{
    uint8_t from = a->type[0].scalar;
    const char *name = from == as.scalar       ? ""
                       : from == KNGL_F32      ? as.scalar == KNGL_I32 ? "floatBitsToInt" : "floatBitsToUint"
                       : as.scalar == KNGL_F32 ? from == KNGL_I32 ? "intBitsToFloat" : "uintBitsToFloat"
                                               : kngl_type_name(as);
    put_call(to, name, a);
    as.n = a->type[0].n;
    return as;
}

/* A function of WGSL's own. */
static bool put_builtin(kngl_translation *t, knx_str *to, const kngl_token *name, const arguments *a, kngl_type *type)
{
    static const char *const same[] = {"min", "max", "clamp", "abs", "floor", "trunc", "sqrt", "sign", "dot"};
#define IS(word) (name->n == sizeof word - 1 && !memcmp(name->s, word, name->n))
    *type = a->type[0];
    for (int i = 0; i < HELPERS; i++)
        if (strlen(helper[i].wgsl) == name->n && !memcmp(name->s, helper[i].wgsl, name->n)) {
            t->helpers |= 1u << i;
            put_call(to, helper[i].glsl, a);
            *type = i == SELECT ? joined(a->type[0], a->type[1]) : a->type[0];
            return true;
        }
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strlen(same[i]) == name->n && !memcmp(name->s, same[i], name->n)) {
            put_call(to, same[i], a);
            for (int j = 1; j < a->n; j++)
                *type = joined(*type, a->type[j]);
            return true;
        }
    if (IS("fma") && a->n == 3)
        knx_str_printf(to, "(%s * %s + %s)", text(&a->s[0]), text(&a->s[1]), text(&a->s[2]));
    else if ((IS("all") || IS("any")) && a->n == 1) /* of a == b, a != b of vectors, which are bools in GLSL */
        knx_str_printf(to, "(%s)", text(&a->s[0])), *type = of(KNGL_BOOL, 1);
    else if (IS("atomicLoad") && a->n == 1)
        knx_str_puts(to, text(&a->s[0]));
    else
        return false;
    return true;
#undef IS
}

static kngl_type call(kngl_translation *t, knx_str *to, const kngl_token *name)
{
    arguments a;
    kngl_type type = {0};
    const kngl_function *f = kngl_find_function(t, name);
    parse_arguments(t, &a);
    if (f) {
        knx_str_add(to, name->s, name->n);
        put_call(to, "", &a);
        type = f->result;
    } else if (!put_builtin(t, to, name, &a, &type)) {
        kngl_fail(t, "an unknown function");
    }
    free_arguments(t, to, &a);
    return type;
}

/* u32(x), vec2<u32>(a, b), bitcast<u32>(x) */
static bool is_type(const kngl_translation *t)
{
    static const char *const name[] = {"u32", "i32", "f32", "bool", "vec2", "vec3", "vec4"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (kngl_is(t, name[i]))
            return true;
    return false;
}

static kngl_type conversion(kngl_translation *t, knx_str *to)
{
    arguments a;
    bool bits = kngl_take(t, "bitcast");
    if (bits)
        kngl_expect(t, "<");
    kngl_type type = kngl_parse_type(t);
    if (bits)
        kngl_expect(t, ">");
    kngl_expect(t, "(");
    parse_arguments(t, &a);
    if (bits)
        type = put_bitcast(to, type, &a);
    else
        put_call(to, kngl_type_name(type), &a);
    free_arguments(t, to, &a);
    return type;
}

/* ---- operands ---- */

static kngl_type number(kngl_translation *t, knx_str *to)
{
    const char *s = t->token.s;
    size_t n = t->token.n;
    bool hex = n > 2 && (s[1] == 'x' || s[1] == 'X'), point = false;
    char last = s[n - 1];
    kngl_type type = of(KNGL_I32, 1);
    for (size_t i = 0; i < n && !hex; i++)
        point |= s[i] == '.' || s[i] == 'e';
    if (last == 'u') {
        type.scalar = KNGL_U32;
        knx_str_add(to, s, n);
    } else if (point || (last == 'f' && !hex)) {
        size_t digits = last == 'f' ? n - 1 : n;
        type.scalar = KNGL_F32;
        type.loose = last != 'f';
        knx_str_add(to, s, digits);
        knx_str_puts(to, point ? "" : ".0"); /* 1f is no number of GLSL ES */
    } else {
        type.loose = last != 'i';
        n -= last == 'i';
        if (n == 10 && !memcmp(s, "2147483648", n))
            knx_str_puts(to, "0x80000000"); /* its negative is itself */
        else
            knx_str_add(to, s, n);
    }
    kngl_next(t);
    return type;
}

/* What stands behind a value: [i], .x */
static kngl_type behind(kngl_translation *t, knx_str *to, kngl_type type)
{
    while (!t->wrong) {
        if (kngl_take(t, "[")) {
            knx_str_puts(to, "[");
            kngl_expression(t, to);
            kngl_expect(t, "]");
            knx_str_puts(to, "]");
            if (type.length)
                type.length = 0;
            else
                type.n = 1;
        } else if (kngl_take(t, ".")) {
            knx_str_puts(to, ".");
            knx_str_add(to, t->token.s, t->token.n);
            type.n = (uint8_t)t->token.n;
            kngl_next(t);
        } else {
            break;
        }
    }
    return type;
}

static bool is_memory(const kngl_token *name)
{
    return name->n > 6 && !memcmp(name->s, "memory", 6) && name->s[6] >= '0' && name->s[6] <= '9';
}

static kngl_type named(kngl_translation *t, knx_str *to)
{
    const kngl_token name = t->token;
    kngl_next(t);
    if (kngl_take(t, "("))
        return behind(t, to, call(t, to, &name));
    if (is_memory(&name) && kngl_take(t, "[")) {
        knx_str_printf(to, "kn_read(%.*s, ", (int)name.n, name.s);
        kngl_expression(t, to);
        kngl_expect(t, "]");
        knx_str_puts(to, ")");
        return of(KNGL_U32, 1);
    }
    if (name.n == 4 && (!memcmp(name.s, "true", 4) || !memcmp(name.s, "kn_w", 4))) {
        bool words = name.s[0] == 'k';
        knx_str_add(to, name.s, 4);
        return words ? behind(t, to, (kngl_type){.scalar = KNGL_U32, .n = 4, .length = 255}) : of(KNGL_BOOL, 1);
    }
    if (name.n == 5 && !memcmp(name.s, "false", 5)) {
        knx_str_puts(to, "false");
        return of(KNGL_BOOL, 1);
    }
    const kngl_variable *v = kngl_find_variable(t, &name);
    if (!v) {
        kngl_fail(t, "an unknown name");
        return of(KNGL_VOID, 1);
    }
    kngl_put_name(to, &name);
    return behind(t, to, v->type);
}

static kngl_type primary(kngl_translation *t, knx_str *to)
{
    if (t->token.kind == KNGL_NUMBER)
        return number(t, to);
    if (kngl_is(t, "bitcast") || is_type(t))
        return behind(t, to, conversion(t, to));
    if (t->token.kind == KNGL_NAME_TOKEN)
        return named(t, to);
    if (!kngl_take(t, "(")) {
        kngl_fail(t, "no operand");
        return of(KNGL_VOID, 1);
    }
    if (kngl_take(t, "*")) { /* (*s)[d]: an inout parameter of GLSL is its value */
        kngl_type type = named(t, to);
        kngl_expect(t, ")");
        type.pointer = false;
        return behind(t, to, type);
    }
    knx_str_puts(to, "(");
    kngl_type type = kngl_expression(t, to);
    kngl_expect(t, ")");
    knx_str_puts(to, ")");
    return behind(t, to, type);
}

static kngl_type unary(kngl_translation *t, knx_str *to)
{
    if (kngl_take(t, "&")) /* an argument that GLSL copies in and out */
        return primary(t, to);
    for (const char *c = "-!~"; *c; c++) {
        const char sign[] = {*c, 0};
        if (kngl_take(t, sign)) {
            knx_str_puts(to, sign);
            return unary(t, to);
        }
    }
    return primary(t, to);
}

/* ---- operators ---- */

static const char *const level_of[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
enum { LEVELS = sizeof level_of / sizeof *level_of, BIT_OR = 2, BIT_XOR, BIT_AND, EQUAL, ORDER, SHIFT };

static const char *operator_at(const kngl_translation *t, int level)
{
    for (int i = 0; i < 5 && level_of[level][i]; i++)
        if (kngl_is(t, level_of[level][i]))
            return level_of[level][i];
    return NULL;
}

/* What has other words in GLSL, of a left side that stands from `from` on: "a & b" of bools, which it has as "&&"
 * alone, a branch where it is more than names; the rest of a division. */
static void put_apart(knx_str *to, size_t from, const char *sign, const knx_str *right)
{
    knx_str left = {0};
    knx_str_puts(&left, to->s ? to->s + from : "");
    if (to->s)
        to->s[to->n = from] = 0;
    if (*sign == '%')
        knx_str_printf(to, "kn_rem(%s, %s)", text(&left), text(right));
    else
        knx_str_printf(to, "((uint(%s) %s uint(%s)) != 0u)", text(&left), sign, text(right));
    to->failed |= left.failed;
    knx_str_free(&left);
}

static kngl_type binary(kngl_translation *t, knx_str *to, int level)
{
    if (level == LEVELS)
        return unary(t, to);
    size_t from = to->n;
    kngl_type left = binary(t, to, level + 1);
    for (const char *sign; !t->wrong && (sign = operator_at(t, level));) {
        knx_str right = {0};
        kngl_next(t);
        kngl_type other = binary(t, &right, level + 1);
        bool rest = left.scalar == KNGL_I32 && *sign == '%';
        t->helpers |= rest ? 1u << REM : 0;
        if (rest || (left.scalar == KNGL_BOOL && level >= BIT_OR && level <= BIT_AND))
            put_apart(to, from, sign, &right);
        else
            knx_str_printf(to, " %s %s", sign, text(&right));
        if (level == EQUAL || level == ORDER)
            left = of(KNGL_BOOL, 1);
        else if (level != SHIFT)
            left = joined(left, other);
        to->failed |= right.failed;
        knx_str_free(&right);
    }
    return left;
}

kngl_type kngl_expression(kngl_translation *t, knx_str *to) { return binary(t, to, 0); }
kngl_type kngl_place(kngl_translation *t, knx_str *to) { return primary(t, to); }
