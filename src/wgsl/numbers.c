/* SPDX-License-Identifier: Apache-2.0
 * numbers.c -- the operations of the kernel IR as expressions of WGSL: a pattern for each operation and class of
 * dtypes, and constants. What patterns are made of is in numbers_internal.h. */
#include "base/half.h"
#include "kernel/internal.h"
#include "wgsl/numbers_internal.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *knw_type(int d)
{
    switch (d) {
    case KN_ID_BOOL: return "bool";
    case KN_ID_I8:
    case KN_ID_I16:
    case KN_ID_I32: return "i32";
    case KN_ID_U8:
    case KN_ID_U16:
    case KN_ID_U32:
    case KN_ID_F16:
    case KN_ID_BF16: return "u32";
    case KN_ID_I64:
    case KN_ID_U64: return "vec2<u32>";
    case KN_ID_F32: return "f32";
    default: return NULL;
    }
}

/* The patterns. */
typedef const char *const pattern_row[KNK_OP_COUNT];
#define SELECT_PATTERN [KNK_SELECT] = "select($c, $b, $a)"

static pattern_row bool_patterns = {
    [KNK_ADD] = "($a | $b)", [KNK_MUL] = "($a & $b)", [KNK_MIN] = "($a & $b)",  [KNK_MAX] = "($a | $b)",
    [KNK_AND] = "($a & $b)", [KNK_OR] = "($a | $b)",  [KNK_XOR] = "($a != $b)", [KNK_NOT] = "(!$a)",
    [KNK_EQ] = "($a == $b)", [KNK_NE] = "($a != $b)", [KNK_LT] = "(!$a & $b)",  [KNK_LE] = "(!$a | $b)",
    SELECT_PATTERN};

#define INTEGER_PATTERNS                                                                                     \
    [KNK_ADD] = "~($a + $b)", [KNK_SUB] = "~($a - $b)", [KNK_MUL] = "~($a * $b)", [KNK_MIN] = "min($a, $b)", \
    [KNK_MAX] = "max($a, $b)", [KNK_AND] = "($a & $b)", [KNK_OR] = "($a | $b)", [KNK_XOR] = "($a ^ $b)",     \
    [KNK_NOT] = "~(~$a)", [KNK_EQ] = "($a == $b)", [KNK_NE] = "($a != $b)", [KNK_LT] = "($a < $b)",          \
    [KNK_LE] = "($a <= $b)", SELECT_PATTERN

static pattern_row signed_patterns = {INTEGER_PATTERNS,
                                      [KNK_DIV] = "~kn_div_i32($a, $b)",
                                      [KNK_REM] = "kn_rem_i32($a, $b)",
                                      [KNK_NEG] = "~(-$a)",
                                      [KNK_ABS] = "~kn_abs_i32($a)",
                                      [KNK_SHL] = "~i32(kn_shl_u32(u32($a), u32($b), $w))",
                                      [KNK_SHR] = "~i32(kn_shr_u32(u32($a) & $m, u32($b), $w))",
                                      [KNK_SAR] = "($a >> min(u32($b), $v))"};

static pattern_row unsigned_patterns = {INTEGER_PATTERNS,
                                        [KNK_DIV] = "~kn_div_u32($a, $b)",
                                        [KNK_REM] = "kn_rem_u32($a, $b)",
                                        [KNK_NEG] = "~(0u - $a)",
                                        [KNK_ABS] = "$a",
                                        [KNK_SHL] = "~kn_shl_u32($a, $b, $w)",
                                        [KNK_SHR] = "kn_shr_u32($a, $b, $w)",
                                        [KNK_SAR] = "~u32($S(i32($a)) >> min($b, $v))"};

#define WIDE_PATTERNS                                                                                       \
    [KNK_ADD] = "kn_add_u64($a, $b)", [KNK_SUB] = "kn_sub_u64($a, $b)", [KNK_MUL] = "kn_mul_u64($a, $b)",   \
    [KNK_NEG] = "kn_neg_u64($a)", [KNK_AND] = "($a & $b)", [KNK_OR] = "($a | $b)", [KNK_XOR] = "($a ^ $b)", \
    [KNK_NOT] = "(~$a)", [KNK_SHL] = "kn_shl_u64($a, $b)", [KNK_SHR] = "kn_shr_u64($a, $b)",                \
    [KNK_SAR] = "kn_sar_i64($a, $b)", [KNK_EQ] = "all($a == $b)", [KNK_NE] = "any($a != $b)",               \
    [KNK_MIN] = "select($b, $a, $<)", SELECT_PATTERN

static pattern_row wide_signed_patterns = {WIDE_PATTERNS,
                                           [KNK_DIV] = "kn_div_i64($a, $b)",
                                           [KNK_REM] = "kn_rem_i64($a, $b)",
                                           [KNK_ABS] = "kn_abs_i64($a)",
                                           [KNK_MAX] = "select($a, $b, $<)",
                                           [KNK_LT] = "kn_lt_i64($a, $b)",
                                           [KNK_LE] = "(!kn_lt_i64($b, $a))"};
static pattern_row wide_unsigned_patterns = {WIDE_PATTERNS,
                                             [KNK_DIV] = "kn_div_u64($a, $b)",
                                             [KNK_REM] = "kn_rem_u64($a, $b)",
                                             [KNK_ABS] = "$a",
                                             [KNK_MAX] = "select($a, $b, $<)",
                                             [KNK_LT] = "kn_lt_u64($a, $b)",
                                             [KNK_LE] = "(!kn_lt_u64($b, $a))"};

/* The device's own operations. The rest of a division and scaling are no operations of devices (WGSL's a % b is
 * a - b * trunc(a / b), rounded twice). NE is the contrary of EQ: WGSL's a != b may be false where one is NaN. */
static pattern_row fast_patterns = {[KNK_ADD] = "($a + $b)",
                                    [KNK_SUB] = "($a - $b)",
                                    [KNK_MUL] = "($a * $b)",
                                    [KNK_DIV] = "($a / $b)",
                                    [KNK_REM] = "kn_rem_f32($a, $b)",
                                    [KNK_FMA] = "fma($a, $b, $c)",
                                    [KNK_NEG] = "(-$a)",
                                    [KNK_ABS] = "abs($a)",
                                    [KNK_MIN] = "select($b, $a, $<)",
                                    [KNK_MAX] = "select($b, $a, $>)",
                                    [KNK_SQRT] = "sqrt($a)",
                                    [KNK_RINT] = "round($a)",
                                    [KNK_FLOOR] = "floor($a)",
                                    [KNK_TRUNC] = "trunc($a)",
                                    [KNK_SCALB] = "kn_scalb_f32($a, $b)",
                                    [KNK_EQ] = "($a == $b)",
                                    [KNK_NE] = "(!($a == $b))",
                                    [KNK_LT] = "($a < $b)",
                                    [KNK_LE] = "($a <= $b)",
                                    SELECT_PATTERN};

/* The host's bits by integers, whatever the device does. */
static pattern_row soft_patterns = {[KNK_ADD] = "kn_soft_add($a, $b)",
                                    [KNK_SUB] = "kn_soft_add($a, bitcast<f32>(bitcast<u32>($b) ^ 0x80000000u))",
                                    [KNK_MUL] = "kn_soft_mul($a, $b)",
                                    [KNK_DIV] = "kn_soft_div($a, $b)",
                                    [KNK_REM] = "kn_rem_f32($a, $b)",
                                    [KNK_FMA] = "kn_soft_fma($a, $b, $c)",
                                    [KNK_NEG] = "bitcast<f32>(bitcast<u32>($a) ^ 0x80000000u)",
                                    [KNK_ABS] = "bitcast<f32>(bitcast<u32>($a) & 0x7fffffffu)",
                                    [KNK_MIN] = "select($b, $a, $<)",
                                    [KNK_MAX] = "select($b, $a, $>)",
                                    [KNK_SQRT] = "kn_soft_sqrt($a)",
                                    [KNK_RINT] = "kn_rint_f32($a)",
                                    [KNK_FLOOR] = "kn_floor_f32($a)",
                                    [KNK_TRUNC] = "kn_trunc_f32($a)",
                                    [KNK_SCALB] = "kn_scalb_f32($a, $b)",
                                    [KNK_EQ] = "kn_eq_f32($a, $b)",
                                    [KNK_NE] = "(!kn_eq_f32($a, $b))",
                                    [KNK_LT] = "kn_lt_f32($a, $b)",
                                    [KNK_LE] = "kn_le_f32($a, $b)",
                                    SELECT_PATTERN};

/* The same where the device has the operation: as in fast_patterns, hidden from its compiler if that changes chains.
 * One operand is set apart, too, since both may be the same value. */
static pattern_row hidden_patterns = {[KNK_ADD] = "kn_hide(kn_apart($a) + $b)",
                                      [KNK_SUB] = "kn_hide(kn_apart($a) - $b)",
                                      [KNK_MUL] = "kn_hide(kn_apart($a) * $b)",
                                      [KNK_DIV] = "kn_hide(kn_apart($a) / $b)",
                                      [KNK_FMA] = "kn_hide(fma(kn_apart($a), $b, $c))",
                                      [KNK_SQRT] = "kn_hide(sqrt($a))",
                                      [KNK_ABS] = "bitcast<f32>(bitcast<u32>($a) & 0x7fffffffu)",
                                      [KNK_EQ] = "(kn_apart($a) == $b)",
                                      [KNK_NE] = "(!(kn_apart($a) == $b))",
                                      [KNK_LT] = "(kn_apart($a) < $b)",
                                      [KNK_LE] = "(kn_apart($a) <= $b)"};

/* Which of a device's operations an operation of the IR is, + 1; 0: none. */
static const uint8_t needs[KNK_OP_COUNT] = {
    [KNK_ADD] = KNW_ADD + 1,    [KNK_SUB] = KNW_ADD + 1,    [KNK_MUL] = KNW_MUL + 1,    [KNK_DIV] = KNW_DIV + 1,
    [KNK_FMA] = KNW_FMA + 1,    [KNK_SQRT] = KNW_SQRT + 1,  [KNK_EQ] = KNW_COMPARE + 1, [KNK_NE] = KNW_COMPARE + 1,
    [KNK_LT] = KNW_COMPARE + 1, [KNK_LE] = KNW_COMPARE + 1,
};

/* In fast mode sums are hidden, too: the IR's functions count on (a + b) - a, which leaves what a sum rounded away, and
 * on a + large - large, which rounds to whole numbers. A sine would be nonsense without them, not a little wrong. So is
 * abs: Mesa's compiler takes another number's sign beside its bits, as copysign has it, for a choice by the wrong mask.
 * Quotients and roots cost more than hiding does; sqrt(a) * sqrt(a) of a negative number would be one. */
static bool hides_fast(knk_op op)
{
    return op == KNK_ADD || op == KNK_SUB || op == KNK_DIV || op == KNK_SQRT || op == KNK_ABS;
}

static const char *float_pattern(const knw_unit *u, knk_op op)
{
    bool hides = u->facts->joins && hidden_patterns[op];
    if (!u->exact)
        return hides && hides_fast(op) ? hidden_patterns[op] : fast_patterns[op];
    if (!needs[op] || !knw_has(u, (knw_operation)(needs[op] - 1)))
        return soft_patterns[op];
    return hides ? hidden_patterns[op] : fast_patterns[op];
}

static const char *pattern_of(const knw_unit *u, knk_op op, int d)
{
    switch (d) {
    case KN_ID_BOOL: return bool_patterns[op];
    case KN_ID_I64: return wide_signed_patterns[op];
    case KN_ID_U64: return wide_unsigned_patterns[op];
    case KN_ID_F32: return float_pattern(u, op);
    case KN_ID_F16:
    case KN_ID_BF16: return op == KNK_SELECT ? "select($c, $b, $a)" : NULL;
    default: return knw_is_signed(d) ? signed_patterns[op] : unsigned_patterns[op];
    }
}

/* Filling in. */

/* What brings a 32-bit result back into the range of a smaller dtype, before and behind it. */
static const char *wrap(int d, bool behind)
{
    switch (d) {
    case KN_ID_I8: return behind ? ")" : "kn_i8(";
    case KN_ID_I16: return behind ? ")" : "kn_i16(";
    case KN_ID_U8: return behind ? " & 0xffu)" : "(";
    case KN_ID_U16:
    case KN_ID_F16:
    case KN_ID_BF16: return behind ? " & 0xffffu)" : "(";
    default: return "";
    }
}

static void fill_special(knw_unit *u, knx_str *t, char what, const knw_operands *o)
{
    unsigned bits = 8u * knx_dtype_table[o->dtype].size;
    switch (what) {
    case 'a': knx_str_puts(t, o->a); break;
    case 'b': knx_str_puts(t, o->b); break;
    case 'c': knx_str_puts(t, o->c); break;
    case 'w': knx_str_printf(t, "%uu", bits); break;
    case 'v': knx_str_printf(t, "%uu", bits - 1); break;
    case 'm': knx_str_printf(t, "0x%xu", 0xffffffffu >> (32 - bits)); break;
    case 'S': knx_str_puts(t, bits == 8 ? "kn_i8" : bits == 16 ? "kn_i16" : "i32"); break;
    case '<': knw_apply(u, t, KNK_LT, o->dtype, o->a, o->b, NULL); break;
    case '>': knw_apply(u, t, KNK_LT, o->dtype, o->b, o->a, NULL); break;
    }
}

void knw_fill(knw_unit *u, knx_str *t, const char *pattern, const knw_operands *o)
{
    size_t from = t->n;
    bool wraps = *pattern == '~';
    pattern += wraps;
    knx_str_puts(t, wraps ? wrap(o->dtype, false) : "");
    for (const char *next; *pattern; pattern = next) {
        if (*pattern == '$') {
            fill_special(u, t, pattern[1], o);
            next = pattern + 2;
        } else {
            next = strchr(pattern, '$');
            next = next ? next : pattern + strlen(pattern);
            knx_str_add(t, pattern, (size_t)(next - pattern));
        }
    }
    knx_str_puts(t, wraps ? wrap(o->dtype, true) : "");
    if (!t->failed && t->s)
        knw_want_calls(u, t->s + from);
}

/* The number that a literal of an integer is, if it is one and below `limit`; else -1. */
static int literal_below(const char *s, unsigned limit)
{
    char *end;
    if (*s < '0' || *s > '9')
        return -1;
    unsigned long v = strtoul(s, &end, 0);
    return end != s && (*end == 'u' || *end == 'i') && !end[1] && v < limit ? (int)v : -1;
}

/* A shift by a constant below the width needs no care. */
static const char *shift_pattern(knk_op op, int d, const char *count)
{
    if ((op != KNK_SHL && op != KNK_SHR) || (d != KN_ID_I32 && d != KN_ID_U32) || literal_below(count, 32) < 0)
        return NULL;
    if (op == KNK_SHL)
        return "($a << u32($b))";
    return d == KN_ID_I32 ? "i32(u32($a) >> u32($b))" : "($a >> $b)";
}

void knw_apply(knw_unit *u, knx_str *t, knk_op op, int d, const char *a, const char *b, const char *c)
{
    const char *pattern = shift_pattern(op, d, b ? b : "");
    pattern = pattern ? pattern : pattern_of(u, op, d);
    bool tests = op == KNK_EQ || op == KNK_NE; /* x != x, in whatever way the device compares */
    if (d == KN_ID_F32 && tests && strcmp(a, b) == 0)
        pattern = op == KNK_NE ? "kn_is_nan($a)" : "(!kn_is_nan($a))";
    if (pattern)
        knw_fill(u, t, pattern, &(knw_operands){.dtype = d, .a = a, .b = b, .c = c});
}

void knw_expr(knw_unit *u, knx_str *t, const knk_inst *n, const uint8_t operand_dtype[3], const char *const operand[3])
{
    const knw_operands o = {.dtype = n->dtype, .a = operand[0]};
    switch (n->op) {
    case KNK_CONST: knw_const(u, t, n->dtype, n->imm); break;
    case KNK_CAST: knw_cast(u, t, operand_dtype[0], n->dtype, operand[0]); break;
    case KNK_BITCAST: knw_fill(u, t, knw_bitcast_pattern(operand_dtype[0], n->dtype), &o); break;
    case KNK_FMA:
        if (n->sub == KNW_RESIDUE && u->facts->splits_fma && !u->exact) {
            knw_fill(u, t, "kn_fma($a, $b, $c)",
                     &(knw_operands){.dtype = n->dtype, .a = operand[0], .b = operand[1], .c = operand[2]});
            break;
        } /* fall through */
    default: knw_apply(u, t, (knk_op)n->op, operand_dtype[n->op == KNK_SELECT], operand[0], operand[1], operand[2]);
    }
}

/* Constants. What compilers do with chains they do with a zero as well: a * 0 is 0 for them, of infinite a, too. */
static void put_float(knw_unit *u, knx_str *t, uint32_t bits)
{
    float v = knx_f32_from_bits(bits);
    bool plain = isnormal(v) || bits == 0;
    if (plain && !(u->facts->joins && (u->exact || bits == 0))) {
        knx_str_printf(t, v < 0 ? "(%.9gf)" : "%.9gf", (double)v);
        return;
    }
    knx_str_printf(t, "kn_f32(0x%08" PRIx32 "u)", bits);
    knw_want(u, "kn_f32");
}

static void put_signed(knx_str *t, int32_t v)
{
    if (v == INT32_MIN)
        knx_str_puts(t, "i32(-2147483648)");
    else
        knx_str_printf(t, v < 0 ? "(%" PRId32 "i)" : "%" PRId32 "i", v);
}

void knw_const(knw_unit *u, knx_str *t, int d, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    switch (d) {
    case KN_ID_BOOL: knx_str_puts(t, bits ? "true" : "false"); break;
    case KN_ID_I8: put_signed(t, (int8_t)bits); break;
    case KN_ID_I16: put_signed(t, (int16_t)bits); break;
    case KN_ID_I32: put_signed(t, (int32_t)low); break;
    case KN_ID_I64:
    case KN_ID_U64: knx_str_printf(t, "vec2<u32>(%" PRIu32 "u, %" PRIu32 "u)", low, (uint32_t)(bits >> 32)); break;
    case KN_ID_F16:
    case KN_ID_BF16: knx_str_printf(t, "0x%04" PRIx32 "u", low); break;
    case KN_ID_F32: put_float(u, t, low); break;
    default: knx_str_printf(t, low < 65536 ? "%" PRIu32 "u" : "0x%" PRIx32 "u", low); break;
    }
}

/* Reductions. */
void knw_join(knw_unit *u, knx_str *t, knk_reduction how, int d, const char *left, const char *right)
{
    static const uint8_t op[] = {
        [KNK_RED_ADD] = KNK_ADD, [KNK_RED_MUL] = KNK_MUL, [KNK_RED_MIN] = KNK_MIN, [KNK_RED_MAX] = KNK_MAX,
        [KNK_RED_AND] = KNK_AND, [KNK_RED_OR] = KNK_OR,   [KNK_RED_XOR] = KNK_XOR};
    /* A NaN on the left stays, too. "||" is a branch: of a tree of those SwiftShader makes gigabytes of code. */
    bool nan = d == KN_ID_F32 && (how == KNK_RED_MIN || how == KNK_RED_MAX);
    if (nan)
        knw_fill(u, t, how == KNK_RED_MIN ? "select($b, $a, $< | kn_is_nan($a))" : "select($b, $a, $> | kn_is_nan($a))",
                 &(knw_operands){.dtype = d, .a = left, .b = right});
    else
        knw_apply(u, t, (knk_op)op[how], d, left, right, NULL);
}

void knw_identity(knw_unit *u, knx_str *t, knk_reduction how, int d)
{
    knw_const(u, t, d, knk_reduction_identity((int)how, d));
}
