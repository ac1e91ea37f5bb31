/* SPDX-License-Identifier: Apache-2.0
 * expression.c -- expressions of WGSL as those of GLSL ES, with their types. Precedence is the same in both for all that
 * Kiln writes, since WGSL wants parentheses where C's rules surprise. */
#include "glsl/translate.h"
#include <stdlib.h>
#include <string.h>

static knl_type of(knl_scalar scalar, int n) { return (knl_type){.scalar = (uint8_t)scalar, .n = (uint8_t)n}; }

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

void knl_put_helpers(const knl_translation *t, knx_str *to)
{
    for (int i = 0; i < HELPERS; i++)
        if (t->helpers >> i & 1)
            knx_str_puts(to, helper[i].text);
}

/* ---- calls ---- */

enum { MOST_ARGUMENTS = 8 };
typedef struct arguments {
    knx_str s[MOST_ARGUMENTS];
    knl_type type[MOST_ARGUMENTS];
    int n;
} arguments;

static const char *text(const knx_str *s) { return s->s ? s->s : ""; }

/* Behind the "(". */
static void parse_arguments(knl_translation *t, arguments *a)
{
    *a = (arguments){0};
    while (!t->wrong && !knl_is(t, ")")) {
        if (a->n == MOST_ARGUMENTS) {
            knl_fail(t, "a call with too many arguments");
            return;
        }
        a->type[a->n] = knl_expression(t, &a->s[a->n]);
        a->n++;
        if (!knl_is(t, ")"))
            knl_expect(t, ",");
    }
    knl_expect(t, ")");
}

static void free_arguments(knl_translation *t, knx_str *to, arguments *a)
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
static knl_type joined(knl_type a, knl_type b)
{
    knl_type r = a.loose ? b : a;
    r.n = a.n > b.n ? a.n : b.n;
    r.loose = a.loose && b.loose;
    return r;
}

static knl_type put_bitcast(knx_str *to, knl_type as, const arguments *a)
{
    uint8_t from = a->type[0].scalar;
    const char *name = from == as.scalar      ? ""
                       : from == KNL_F32      ? as.scalar == KNL_I32 ? "floatBitsToInt" : "floatBitsToUint"
                       : as.scalar == KNL_F32 ? from == KNL_I32 ? "intBitsToFloat" : "uintBitsToFloat"
                                              : knl_type_name(as);
    put_call(to, name, a);
    as.n = a->type[0].n;
    return as;
}

/* A function of WGSL's own. */
static bool put_builtin(knl_translation *t, knx_str *to, const knl_token *name, const arguments *a, knl_type *type)
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
        knx_str_printf(to, "(%s)", text(&a->s[0])), *type = of(KNL_BOOL, 1);
    else if (IS("atomicLoad") && a->n == 1)
        knx_str_puts(to, text(&a->s[0]));
    else
        return false;
    return true;
#undef IS
}

static knl_type call(knl_translation *t, knx_str *to, const knl_token *name)
{
    arguments a;
    knl_type type = {0};
    const knl_function *f = knl_find_function(t, name);
    parse_arguments(t, &a);
    if (f) {
        knx_str_add(to, name->s, name->n);
        put_call(to, "", &a);
        type = f->result;
    } else if (!put_builtin(t, to, name, &a, &type)) {
        knl_fail(t, "an unknown function");
    }
    free_arguments(t, to, &a);
    return type;
}

/* u32(x), vec2<u32>(a, b), bitcast<u32>(x) */
static bool is_type(const knl_translation *t)
{
    static const char *const name[] = {"u32", "i32", "f32", "bool", "vec2", "vec3", "vec4"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (knl_is(t, name[i]))
            return true;
    return false;
}

static knl_type conversion(knl_translation *t, knx_str *to)
{
    arguments a;
    bool bits = knl_take(t, "bitcast");
    if (bits)
        knl_expect(t, "<");
    knl_type type = knl_parse_type(t);
    if (bits)
        knl_expect(t, ">");
    knl_expect(t, "(");
    parse_arguments(t, &a);
    if (bits)
        type = put_bitcast(to, type, &a);
    else
        put_call(to, knl_type_name(type), &a);
    free_arguments(t, to, &a);
    return type;
}

/* ---- operands ---- */

static knl_type number(knl_translation *t, knx_str *to)
{
    const char *s = t->token.s;
    size_t n = t->token.n;
    bool hex = n > 2 && (s[1] == 'x' || s[1] == 'X'), point = false;
    char last = s[n - 1];
    knl_type type = of(KNL_I32, 1);
    for (size_t i = 0; i < n && !hex; i++)
        point |= s[i] == '.' || s[i] == 'e';
    if (last == 'u') {
        type.scalar = KNL_U32;
        knx_str_add(to, s, n);
    } else if (point || (last == 'f' && !hex)) {
        size_t digits = last == 'f' ? n - 1 : n;
        type.scalar = KNL_F32;
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
    knl_next(t);
    return type;
}

/* What stands behind a value: [i], .x */
static knl_type behind(knl_translation *t, knx_str *to, knl_type type)
{
    while (!t->wrong) {
        if (knl_take(t, "[")) {
            knx_str_puts(to, "[");
            knl_expression(t, to);
            knl_expect(t, "]");
            knx_str_puts(to, "]");
            if (type.length)
                type.length = 0;
            else
                type.n = 1;
        } else if (knl_take(t, ".")) {
            knx_str_puts(to, ".");
            knx_str_add(to, t->token.s, t->token.n);
            type.n = (uint8_t)t->token.n;
            knl_next(t);
        } else {
            break;
        }
    }
    return type;
}

static bool is_memory(const knl_token *name)
{
    return name->n > 6 && !memcmp(name->s, "memory", 6) && name->s[6] >= '0' && name->s[6] <= '9';
}

static knl_type named(knl_translation *t, knx_str *to)
{
    const knl_token name = t->token;
    knl_next(t);
    if (knl_take(t, "("))
        return behind(t, to, call(t, to, &name));
    if (is_memory(&name) && knl_take(t, "[")) {
        knx_str_printf(to, "kn_read(%.*s, ", (int)name.n, name.s);
        knl_expression(t, to);
        knl_expect(t, "]");
        knx_str_puts(to, ")");
        return of(KNL_U32, 1);
    }
    if (name.n == 4 && (!memcmp(name.s, "true", 4) || !memcmp(name.s, "kn_w", 4))) {
        bool words = name.s[0] == 'k';
        knx_str_add(to, name.s, 4);
        return words ? behind(t, to, (knl_type){.scalar = KNL_U32, .n = 4, .length = 255}) : of(KNL_BOOL, 1);
    }
    if (name.n == 5 && !memcmp(name.s, "false", 5)) {
        knx_str_puts(to, "false");
        return of(KNL_BOOL, 1);
    }
    const knl_variable *v = knl_find_variable(t, &name);
    if (!v) {
        knl_fail(t, "an unknown name");
        return of(KNL_VOID, 1);
    }
    knl_put_name(to, &name);
    return behind(t, to, v->type);
}

static knl_type primary(knl_translation *t, knx_str *to)
{
    if (t->token.kind == KNL_NUMBER)
        return number(t, to);
    if (knl_is(t, "bitcast") || is_type(t))
        return behind(t, to, conversion(t, to));
    if (t->token.kind == KNL_NAME_TOKEN)
        return named(t, to);
    if (!knl_take(t, "(")) {
        knl_fail(t, "no operand");
        return of(KNL_VOID, 1);
    }
    if (knl_take(t, "*")) { /* (*s)[d]: an inout parameter of GLSL is its value */
        knl_type type = named(t, to);
        knl_expect(t, ")");
        type.pointer = false;
        return behind(t, to, type);
    }
    knx_str_puts(to, "(");
    knl_type type = knl_expression(t, to);
    knl_expect(t, ")");
    knx_str_puts(to, ")");
    return behind(t, to, type);
}

static knl_type unary(knl_translation *t, knx_str *to)
{
    if (knl_take(t, "&")) /* an argument that GLSL copies in and out */
        return primary(t, to);
    for (const char *c = "-!~"; *c; c++) {
        const char sign[] = {*c, 0};
        if (knl_take(t, sign)) {
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

static const char *operator_at(const knl_translation *t, int level)
{
    for (int i = 0; i < 5 && level_of[level][i]; i++)
        if (knl_is(t, level_of[level][i]))
            return level_of[level][i];
    return NULL;
}

/* What has other words in GLSL, of a left side that stands from `from` on: "a & b" of bools, which it has as "&&" alone, a
 * branch where it is more than names; the rest of a division. */
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

static knl_type binary(knl_translation *t, knx_str *to, int level)
{
    if (level == LEVELS)
        return unary(t, to);
    size_t from = to->n;
    knl_type left = binary(t, to, level + 1);
    for (const char *sign; !t->wrong && (sign = operator_at(t, level));) {
        knx_str right = {0};
        knl_next(t);
        knl_type other = binary(t, &right, level + 1);
        bool rest = left.scalar == KNL_I32 && *sign == '%';
        t->helpers |= rest ? 1u << REM : 0;
        if (rest || (left.scalar == KNL_BOOL && level >= BIT_OR && level <= BIT_AND))
            put_apart(to, from, sign, &right);
        else
            knx_str_printf(to, " %s %s", sign, text(&right));
        if (level == EQUAL || level == ORDER)
            left = of(KNL_BOOL, 1);
        else if (level != SHIFT)
            left = joined(left, other);
        to->failed |= right.failed;
        knx_str_free(&right);
    }
    return left;
}

knl_type knl_expression(knl_translation *t, knx_str *to) { return binary(t, to, 0); }
knl_type knl_place(knl_translation *t, knx_str *to) { return primary(t, to); }
