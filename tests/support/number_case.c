/* SPDX-License-Identifier: Apache-2.0
 * number_case.c -- cases of number_case.h: which there are, their shaders, operands and results. */
#include "support/number_case.h"
#include "kernel/internal.h"
#include "support/elements.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which cases there are. */
typedef struct list {
    number_case *to;
    int n, most;
} list;

static const char *short_name(int dtype) { return knx_dtype_table[dtype].short_name; }

static bool legal(const number_case *c)
{
    knk_inst node[4] = {{.dtype = c->operand_dtype[0]}, {.dtype = c->operand_dtype[1]}, {.dtype = c->operand_dtype[2]}};
    const number_step *s = &c->step[0];
    node[3] = (knk_inst){.op = s->op,
                         .dtype = s->dtype,
                         .sub = s->sub,
                         .buffer = KNK_NONE,
                         .map = KNK_NONE,
                         .a = s->operand[0],
                         .b = s->operand[1],
                         .c = s->operand[2]};
    return !knk_form_error(&node[3], node);
}

static void add_single(list *l, knk_op op, int sub, int from, int to)
{
    int n = op == KNK_REDUCE ? 2 : knk_op_table[op].n_operands;
    number_case c = {.n_step = 1, .operand_dtype = {(uint8_t)from, (uint8_t)from, (uint8_t)from}};
    if (op == KNK_SELECT)
        c.operand_dtype[0] = KN_ID_BOOL;
    c.step[0] = (number_step){.op = (uint8_t)op, .dtype = (uint8_t)to, .sub = (uint8_t)sub, .operand = {-1, -1, -1}};
    for (int i = 0; i < (op == KNK_REDUCE ? 1 : n); i++)
        c.step[0].operand[i] = (int8_t)i;
    if (!knw_type(from) || !knw_type(to) || !legal(&c))
        return;
    if (op == KNK_REDUCE)
        c.step[0].operand[1] = 1;
    if (op == KNK_CAST || op == KNK_BITCAST)
        snprintf(c.name, sizeof c.name, "%s %s %s", knk_op_table[op].name, short_name(from), short_name(to));
    else
        snprintf(c.name, sizeof c.name, "%s%s %s", op == KNK_REDUCE ? "join " : "",
                 op == KNK_REDUCE ? knk_reduction_name[sub] : knk_op_table[op].name, short_name(from));
    if (l->n < l->most)
        l->to[l->n] = c;
    l->n++;
}

static void add_singles(list *l)
{
    for (int op = KNK_ADD; op <= KNK_BITCAST; op++)
        for (int from = 0; from < KN_ID_COUNT; from++)
            for (int to = 0; to < KN_ID_COUNT; to++) {
                bool given = op == KNK_CAST || op == KNK_BITCAST;
                if (given || (knk_op_table[op].result == 'B' ? to == KN_ID_BOOL : to == from))
                    add_single(l, (knk_op)op, 0, from, to);
            }
    for (int how = KNK_RED_ADD; how <= KNK_RED_XOR; how++)
        for (int d = 0; d < KN_ID_COUNT; d++)
            add_single(l, KNK_REDUCE, how, d, d);
}

/* A chain as text: "+01 -30" is (a + b) - a. Letters are operations, digits values, =1.5 a constant. */
static const struct {
    char letter;
    uint8_t op;
} letters[] = {{'+', KNK_ADD}, {'-', KNK_SUB},  {'*', KNK_MUL}, {'/', KNK_DIV},    {'n', KNK_NEG},
               {'a', KNK_ABS}, {'q', KNK_SQRT}, {'m', KNK_MIN}, {'M', KNK_MAX},    {'f', KNK_FMA},
               {'<', KNK_LT},  {'e', KNK_EQ},   {'L', KNK_LE},  {'?', KNK_SELECT}, {'r', KNK_RINT}};

static void read_step(number_step *s, const char **at)
{
    *s = (number_step){.dtype = KN_ID_F32, .operand = {-1, -1, -1}};
    if (**at == '=') {
        char *end;
        float v = strtof(*at + 1, &end);
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        s->op = KNK_CONST;
        s->imm = bits;
        *at = end;
        return;
    }
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == **at)
            s->op = letters[i].op;
    if (knk_op_table[s->op].result == 'B')
        s->dtype = KN_ID_BOOL;
    ++*at;
    for (int i = 0; **at >= '0' && **at <= '9'; i++)
        s->operand[i] = (int8_t)(*(*at)++ - '0');
}

static void add_chain(list *l, const char *text)
{
    number_case c = {.operand_dtype = {KN_ID_F32, KN_ID_F32, KN_ID_F32}};
    snprintf(c.name, sizeof c.name, "%s", text);
    while (*text) {
        read_step(&c.step[c.n_step++], &text);
        text += *text == ' ';
    }
    if (l->n < l->most)
        l->to[l->n] = c;
    l->n++;
}

int number_cases(number_case *to, int most)
{
    static const char *const chains[] = {
        "-00",               /* a - a: NaN of infinities */
        "+01 -30",           /* (a + b) - a */
        "+01 -31",           /* (a + b) - b */
        "-01 +31",           /* (a - b) + b */
        "-01 -03 -43",       /* a - (a - b) - (a - b) */
        "*01 +32",           /* a * b + c is rounded twice */
        "*01 -23",           /* c - a * b */
        "*01 *01 -34",       /* a * b - a * b */
        "n1 *03 +42",        /* a * -b + c */
        "/00",               /* a / a */
        "*01 /31",           /* (a * b) / b */
        "/01 *31",           /* (a / b) * b */
        "=0 *03",            /* a * 0 */
        "=0 +03",            /* a + 0: -0 */
        "=-0 +03",           /* a + -0 */
        "=0 -03",            /* a - 0 */
        "=0 -30",            /* 0 - a: not -a of 0 */
        "=1 *03",            /* a * 1 */
        "=1 /30",            /* 1 / a */
        "=1 /30 /34",        /* 1 / (1 / a) */
        "=-1 *03",           /* a * -1 */
        "=2 *03 -40",        /* 2a - a */
        "=3 /03",            /* a / 3 is no product */
        "=0.1 *03 /43",      /* a * 0.1 / 0.1 */
        "=1 +03 -43",        /* (a + 1) - 1 */
        "=1 =3 +03 +54",     /* (a + 1) + 3 */
        "=3 =0.1 *03 *54",   /* a * 3 * 0.1 */
        "=12582912 +03 -43", /* rounds to whole numbers */
        "*00 q3",            /* sqrt(a * a) */
        "q0 *33",            /* sqrt(a)^2 */
        "q0 =1 /43",         /* 1 / sqrt(a) */
        "n0 n3",             /* - -a */
        "n0 +03",            /* a + -a */
        "n0 a3",             /* |-a| */
        "e00",               /* a == a */
        "L00",               /* a <= a */
        "<00",               /* a < a */
        "-01 =0 <34",        /* a - b < 0 is not a < b where it underflows or is NaN */
        "+01 =1 <34",        /* a + b < 1 */
        "*00 =0 <34",        /* a * a < 0 */
        "=0 *03 =0 e45",     /* a * 0 == 0 */
        "m00",               /* min(a, a) */
        "m01 M31",           /* max(min(a, b), b) */
        "<01 ?301",          /* a < b ? a : b */
        "<01 ?310",          /* a < b ? b : a */
        "=0 M03",            /* max(a, 0): relu */
        "=0 <30 =0 ?405",    /* 0 < a ? a : 0 */
        "=0 f032",           /* fma(a, 0, c) */
        "=1 f032",           /* fma(a, 1, c) */
        "=0 f013",           /* fma(a, b, 0) */
        "*01 n3 f014",       /* the error of a product */
        "f010 -30",          /* fma(a, b, a) - a */
        "r0 -03",            /* the fraction */
        "*00 *30 *30",       /* a^4 */
        "+00 +30",           /* 3a */
        "*01 *02 +34",       /* a b + a c */
        "+01 +32",           /* (a + b) + c */
        "+12 +03",           /* a + (b + c) */
    };
    list l = {.to = to, .most = most};
    add_singles(&l);
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        add_chain(&l, chains[i]);
    return l.n;
}

bool number_case_floats(const number_case *c)
{
    for (int i = 0; i < c->n_step; i++) {
        const number_step *s = &c->step[i];
        int operand = s->operand[0] >= 0 && s->operand[0] < 3 ? c->operand_dtype[s->operand[0]] : KN_ID_F32;
        if (s->dtype == KN_ID_F32 || operand == KN_ID_F32)
            return true;
    }
    return false;
}

/* Shaders. */
static int dtype_of(const number_case *c, int value)
{
    return value < NUMBER_OPERANDS ? c->operand_dtype[value] : c->step[value - NUMBER_OPERANDS].dtype;
}

static bool uses(const number_case *c, int value)
{
    for (int i = 0; i < c->n_step; i++)
        for (int j = 0; j < 3; j++)
            if (c->step[i].operand[j] == value)
                return true;
    return false;
}

static void put_load(knw_unit *u, knx_str *t, int dtype, int value)
{
    char word[40];
    snprintf(word, sizeof word, "kn_in[6u * i + %du]", 2 * value);
    knx_str_printf(t, "    let v%d = ", value);
    switch (dtype) {
    case KN_ID_BOOL: knx_str_printf(t, "%s != 0u", word); break;
    case KN_ID_I64:
    case KN_ID_U64: knx_str_printf(t, "vec2<u32>(%s, kn_in[6u * i + %du])", word, 2 * value + 1); break;
    case KN_ID_F32: knx_str_printf(t, "bitcast<f32>(%s)", word); break;
    default: knx_str_printf(t, knk_is_signed_id(dtype) ? "i32(%s)" : "%s", word);
    }
    knx_str_puts(t, ";\n");
    (void)u;
}

static void put_step(knw_unit *u, knx_str *t, const number_case *c, int i)
{
    const number_step *s = &c->step[i];
    char name[3][8] = {"", "", ""};
    const char *operand[3] = {NULL, NULL, NULL};
    uint8_t dtype[3] = {0};
    for (int j = 0; j < 3 && s->operand[j] >= 0; j++) {
        snprintf(name[j], sizeof name[j], "v%d", s->operand[j]);
        operand[j] = name[j];
        dtype[j] = (uint8_t)dtype_of(c, s->operand[j]);
    }
    knx_str_printf(t, "    let v%d = ", NUMBER_OPERANDS + i);
    if (s->op == KNK_REDUCE)
        knw_join(u, t, (knk_reduction)s->sub, s->dtype, operand[0], operand[1]);
    else
        knw_expr(u, t, &(knk_inst){.op = s->op, .dtype = s->dtype, .imm = s->imm}, dtype, operand);
    knx_str_puts(t, ";\n");
}

static void put_result(knx_str *t, int dtype, int value)
{
    bool wide = dtype == KN_ID_I64 || dtype == KN_ID_U64;
    const char *convert = dtype == KN_ID_F32 ? "bitcast<u32>" : wide ? "" : "u32";
    knx_str_printf(t, "    kn_out[2u * i] = %s(v%d)%s;\n", convert, value, wide ? ".x" : "");
    if (wide)
        knx_str_printf(t, "    kn_out[2u * i + 1u] = v%d.y;\n", value);
}

bool number_case_text(const number_case *c, const knw_facts *facts, bool exact, char **out)
{
    knw_unit u = {.facts = facts, .exact = exact, .hidden = "kn_w[0].z"};
    knx_str body = {0}, t = {0};
    for (int i = 0; i < NUMBER_OPERANDS; i++)
        if (uses(c, i))
            put_load(&u, &body, c->operand_dtype[i], i);
    for (int i = 0; i < c->n_step; i++)
        put_step(&u, &body, c, i);
    put_result(&body, c->step[c->n_step - 1].dtype, NUMBER_OPERANDS + c->n_step - 1);
    knx_str_puts(&t, "@group(0) @binding(0) var<uniform> kn_w: array<vec4<u32>, 1>;\n"
                     "@group(0) @binding(1) var<storage, read> kn_in: array<u32>;\n"
                     "@group(0) @binding(2) var<storage, read_write> kn_out: array<u32>;\n");
    knw_helpers(&u, &t);
    knx_str_puts(&t, "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>,\n"
                     "                                     @builtin(num_workgroups) groups: vec3<u32>) {\n"
                     "    let i = id.x + id.y * groups.x * 64u;\n"
                     "    if (i >= kn_w[0].y) {\n        return;\n    }\n");
    knx_str_puts(&t, body.failed ? "" : body.s);
    knx_str_puts(&t, "}\n");
    bool fine = !body.failed && !t.failed;
    knx_str_free(&body);
    *out = fine ? knx_str_take(&t) : NULL;
    knx_str_free(&t);
    return fine && *out;
}

/* Operands. */
static uint64_t mask_of(int dtype)
{
    int bits = 8 * knk_size(dtype);
    return dtype == KN_ID_BOOL ? 1 : bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

/* Special bit patterns of a float with so many bits of fraction: around zero, 1, the ends of the subnormal and of the
 * normal numbers, of integer ranges. */
static int special_floats(uint64_t *to, int bits, int fraction)
{
    uint64_t one = (((uint64_t)1 << (bits - fraction - 2)) - 1) << fraction, step = (uint64_t)1 << fraction;
    uint64_t infinity = (((uint64_t)1 << (bits - fraction - 1)) - 1) << fraction;
    uint64_t at[] = {0,
                     1,
                     2,
                     3,
                     step / 2,
                     step - 1,
                     step,
                     step + 1,
                     2 * step,
                     2 * step + 1,
                     one - 1,
                     one,
                     one + 1,
                     one - step,
                     one - step + 1,
                     one + step / 2,
                     one + step,
                     one + step + step / 4,
                     one + 2 * step,
                     one + (uint64_t)fraction * step - 1,
                     one + (uint64_t)fraction * step + 1,
                     one + ((uint64_t)fraction + 1) * step + 1,
                     one + 31 * step - 1,
                     one + 31 * step,
                     one + 63 * step - 1,
                     one + 63 * step,
                     one + 64 * step - 1,
                     one + 64 * step,
                     infinity - 1,
                     infinity - step / 2,
                     infinity,
                     infinity + step / 2,
                     infinity + 1};
    int n = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (at[i] < step + infinity) {
            to[n++] = at[i];
            to[n++] = at[i] | (uint64_t)1 << (bits - 1);
        }
    return n;
}

static int special_integers(uint64_t *to, int bits)
{
    int n = 0;
    for (int i = 0; i <= bits; i += i < 8 || i >= bits - 2 || (i >= 30 && i < 34) ? 1 : 4)
        for (int k = -1; k <= 1; k++)
            to[n++] = (i == 64 ? 0 : (uint64_t)1 << i) + (uint64_t)(int64_t)k;
    for (int i = 0; i < 4; i++)
        to[n++] = (uint64_t)0 - (2u + 5u * (unsigned)i);
    to[n++] = 0x5555555555555555;
    to[n++] = 0xcccccccc33333333;
    return n;
}

enum { SPECIALS = 140 };
static int specials(int dtype, uint64_t *to)
{
    if (dtype == KN_ID_BOOL) {
        to[0] = 0;
        to[1] = 1;
        return 2;
    }
    int n = dtype == KN_ID_F32    ? special_floats(to, 32, 23)
            : dtype == KN_ID_F16  ? special_floats(to, 16, 10)
            : dtype == KN_ID_BF16 ? special_floats(to, 16, 7)
                                  : special_integers(to, 8 * knk_size(dtype));
    for (int i = 0; i < n; i++)
        to[i] &= mask_of(dtype);
    return n;
}

int number_case_count(const number_case *c, int random)
{
    uint64_t to[SPECIALS];
    int64_t n = 1;
    for (int i = 0; i < NUMBER_OPERANDS; i++)
        n *= uses(c, i) ? specials(c->operand_dtype[i], to) : 1;
    return (int)(n < 300000 ? n : 300000) + random;
}

static bool is_shift(const number_case *c) { return c->step[0].op >= KNK_SHL && c->step[0].op <= KNK_SAR; }

/* A quarter of the random integers are small or have few bits; floats have exponents near each other as often. */
static uint64_t random_value(const number_case *c, int operand, uint64_t *seed, uint64_t common)
{
    int d = c->operand_dtype[operand];
    uint64_t v = element_random(seed), r = element_random(seed);
    if (is_shift(c) && operand == 1 && r % 8)
        return v % (8 * (uint64_t)knk_size(d) + 2);
    if (d == KN_ID_F32 && r % 2) {
        uint64_t e = common % 250 + r / 2 % 31;
        e = e < 15 ? 0 : e - 15 > 254 ? 254 : e - 15;
        v = (v & 0x807fffff) | e << 23;
        return r % 16 < 8 ? v : v & ~(uint64_t)0xfff; /* few bits: exact sums, ties */
    }
    if (knk_is_int_id(d) && r % 4 == 0)
        v >>= r / 4 % 64;
    if (knk_is_int_id(d) && r % 4 == 1)
        v = (uint64_t)((int64_t)v >> r / 4 % 64);
    return v & mask_of(d);
}

/* p in [0.5, 2] or 0, n a whole number in [-2200, 2200]. */
static void restrict_scalb(uint64_t *v, uint64_t *seed)
{
    float n = (float)((int)(element_random(seed) % 401) - 200);
    if (element_random(seed) % 4 == 0)
        n = (float)((int)(element_random(seed) % 4401) - 2200);
    uint32_t bits;
    memcpy(&bits, &n, sizeof bits);
    v[1] = bits;
    v[0] = v[0] % 16 == 0 ? v[0] & 0x80000000 : (v[0] & 0x807fffff) | (v[0] >> 8 & 1 ? 0x3f000000 : 0x3f800000);
}

static void element(const number_case *c, int i, uint64_t *seed, uint64_t v[3])
{
    uint64_t at[SPECIALS], common = element_random(seed);
    int64_t left = i, tuples = number_case_count(c, 0);
    for (int j = 0; j < NUMBER_OPERANDS; j++) {
        v[j] = 0;
        if (!uses(c, j))
            continue;
        int n = specials(c->operand_dtype[j], at);
        v[j] = i < tuples ? at[left % n] : random_value(c, j, seed, common);
        left /= n;
    }
    if (c->step[0].op == KNK_SCALB)
        restrict_scalb(v, seed);
}

/* The host's results, as the interpreter's loops give them. */
static uint64_t step_value(const number_case *c, const number_step *s, const uint64_t *value)
{
    uint64_t d = 0;
    const uint64_t *a = s->operand[0] >= 0 ? &value[s->operand[0]] : NULL,
                   *b = s->operand[1] >= 0 ? &value[s->operand[1]] : NULL,
                   *e = s->operand[2] >= 0 ? &value[s->operand[2]] : NULL;
    int from = a ? dtype_of(c, s->operand[s->op == KNK_SELECT]) : s->dtype;
    switch (s->op) {
    case KNK_CONST: return s->imm;
    case KNK_BITCAST: return *a;
    case KNK_CAST: knx_convert(&knx_dtype_table[from], a, &knx_dtype_table[s->dtype], &d); return d;
    case KNK_REDUCE: knk_join(s->sub, s->dtype)(&d, a, b, NULL, 1); return d;
    default: knk_lane_loop(s->op, from, 0)(&d, a, b, e, 1); return d;
    }
}

static void put_words(uint32_t *to, int dtype, uint64_t v)
{
    int size = knk_size(dtype);
    if (size < 4 && knk_is_signed_id(dtype))
        v = (uint64_t)(int64_t)(size == 1 ? (int8_t)v : (int16_t)v);
    to[0] = (uint32_t)v;
    to[1] = size == 8 ? (uint32_t)(v >> 32) : 0;
}

void number_case_fill(const number_case *c, int n, uint64_t seed, uint32_t *operands, uint32_t *results)
{
    for (int i = 0; i < n; i++) {
        uint64_t v[NUMBER_OPERANDS + NUMBER_STEPS];
        element(c, i, &seed, v);
        for (int j = 0; j < NUMBER_OPERANDS; j++)
            put_words(&operands[6 * i + 2 * j], c->operand_dtype[j], v[j]);
        for (int j = 0; j < c->n_step; j++)
            v[NUMBER_OPERANDS + j] = step_value(c, &c->step[j], v);
        put_words(&results[2 * i], c->step[c->n_step - 1].dtype, v[NUMBER_OPERANDS + c->n_step - 1]);
    }
}

static bool is_nan(int dtype, uint32_t v)
{
    return (dtype == KN_ID_F32 && (v & 0x7fffffff) > 0x7f800000) || (dtype == KN_ID_F16 && (v & 0x7fff) > 0x7c00) ||
           (dtype == KN_ID_BF16 && (v & 0x7fff) > 0x7f80);
}

int number_case_differs(const number_case *c, int n, const uint32_t *got, const uint32_t *want)
{
    int d = c->step[c->n_step - 1].dtype;
    for (int i = 0; i < n; i++) {
        const uint32_t *g = &got[2 * i], *w = &want[2 * i];
        if ((g[0] != w[0] || g[1] != w[1]) && !(is_nan(d, g[0]) && is_nan(d, w[0])))
            return i;
    }
    return -1;
}
