/* SPDX-License-Identifier: Apache-2.0
 * test_dtype.c -- the dtype table, promotion, casting rules, conversions of single elements and of 16-bit floats. */
#include "base/dtype.h"
#include "base/half.h"
#include "kiln/core.h"
#include "kiln/numpy/dtypes.h"
#include "support/bits.h"
#include "support/group.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* NumPy's tables, as np.promote_types, np.result_type and np.can_cast print them; the first column stands for the
 * row's dtype. */
static const char promotion[] = "    b1  i1  u1  i2  u2  i4  u4  i8  u8  f2  f4  f8  c8  c16\n"
                                "b1  b1  i1  u1  i2  u2  i4  u4  i8  u8  f2  f4  f8  c8  c16\n"
                                "i1  i1  i1  i2  i2  i4  i4  i8  i8  f8  f2  f4  f8  c8  c16\n"
                                "u1  u1  i2  u1  i2  u2  i4  u4  i8  u8  f2  f4  f8  c8  c16\n"
                                "i2  i2  i2  i2  i2  i4  i4  i8  i8  f8  f4  f4  f8  c8  c16\n"
                                "u2  u2  i4  u2  i4  u2  i4  u4  i8  u8  f4  f4  f8  c8  c16\n"
                                "i4  i4  i4  i4  i4  i4  i4  i8  i8  f8  f8  f8  f8  c16 c16\n"
                                "u4  u4  i8  u4  i8  u4  i8  u4  i8  u8  f8  f8  f8  c16 c16\n"
                                "i8  i8  i8  i8  i8  i8  i8  i8  i8  f8  f8  f8  f8  c16 c16\n"
                                "u8  u8  f8  u8  f8  u8  f8  u8  f8  u8  f8  f8  f8  c16 c16\n"
                                "f2  f2  f2  f2  f4  f4  f8  f8  f8  f8  f2  f4  f8  c8  c16\n"
                                "f4  f4  f4  f4  f4  f4  f8  f8  f8  f8  f4  f4  f8  c8  c16\n"
                                "f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  c16 c16\n"
                                "c8  c8  c8  c8  c8  c8  c16 c16 c16 c16 c8  c8  c16 c8  c16\n"
                                "c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16\n";

/* Python's bool, int, float and complex beside an array. */
static const char weak[] = "    b   i   f   c\n"
                           "b1  b1  i8  f8  c16\n"
                           "i1  i1  i1  f8  c16\n"
                           "u1  u1  u1  f8  c16\n"
                           "i2  i2  i2  f8  c16\n"
                           "u2  u2  u2  f8  c16\n"
                           "i4  i4  i4  f8  c16\n"
                           "u4  u4  u4  f8  c16\n"
                           "i8  i8  i8  f8  c16\n"
                           "u8  u8  u8  f8  c16\n"
                           "f2  f2  f2  f2  c8\n"
                           "f4  f4  f4  f4  c8\n"
                           "f8  f8  f8  f8  c16\n"
                           "c8  c8  c8  c8  c8\n"
                           "c16 c16 c16 c16 c16\n";

/* from: safe to | same_kind to, besides */
static const char casting[] = "b1: b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 |\n"
                              "i1: i1 i2 i4 i8 f2 f4 f8 c8 c16 |\n"
                              "u1: u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 | i1\n"
                              "i2: i2 i4 i8 f4 f8 c8 c16 | i1 f2\n"
                              "u2: u2 i4 u4 i8 u8 f4 f8 c8 c16 | i1 u1 i2 f2\n"
                              "i4: i4 i8 f8 c16 | i1 i2 f2 f4 c8\n"
                              "u4: u4 i8 u8 f8 c16 | i1 u1 i2 u2 i4 f2 f4 c8\n"
                              "i8: i8 f8 c16 | i1 i2 i4 f2 f4 c8\n"
                              "u8: u8 f8 c16 | i1 u1 i2 u2 i4 u4 i8 f2 f4 c8\n"
                              "f2: f2 f4 f8 c8 c16 |\n"
                              "f4: f4 f8 c8 c16 | f2\n"
                              "f8: f8 c16 | f2 f4 c8\n"
                              "c8: c8 c16 |\n"
                              "c16: c16 | c8\n";

static kn_dtype by_code(const char *code)
{
    bool swapped;
    kn_dtype d = knx_dtype_numpy(code, strlen(code), &swapped);
    if (!d)
        fail_msg("no dtype has the code %s", code);
    return d;
}

/* Splits a copy of a table into rows and words; calls check(row's first word, heading of the column, word). */
static int each_cell(const char *table, void (*check)(const char *, const char *, const char *))
{
    char text[2048], *row_end, *word_end, *heading[16] = {0};
    int cells = 0;
    assert_true(strlen(table) < sizeof text);
    strcpy(text, table);
    char *row = strtok_r(text, "\n", &row_end);
    int columns = 0;
    for (char *w = strtok_r(row, " ", &word_end); w; w = strtok_r(NULL, " ", &word_end))
        heading[columns++] = w;
    while ((row = strtok_r(NULL, "\n", &row_end))) {
        char *name = strtok_r(row, " ", &word_end);
        for (int c = 0; c < columns; c++, cells++)
            check(name, heading[c], strtok_r(NULL, " ", &word_end));
    }
    return cells;
}

static void check_dtype(kn_dtype got, kn_dtype want, const char *a, const char *b)
{
    if (got != want)
        fail_msg("%s with %s: %s, not %s", a, b, got ? got->name : "NULL", want->name);
}

static void check_promotion(const char *a, const char *b, const char *want)
{
    check_dtype(knx_promote(by_code(a), by_code(b)), by_code(want), a, b);
}

static void check_weak(const char *a, const char *kind, const char *want)
{
    check_dtype(knx_promote_weak(by_code(a), *kind, KN_DT(F64)), by_code(want), a, kind);
}

static void every_dtype_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < KN_ID_COUNT; i++)
        assert_ptr_equal(knx_dtype_find(knx_dtype_table[i].name), &knx_dtype_table[i]);
}

static void every_dtype_is_found_by_its_short_name(void **state)
{
    (void)state;
    for (int i = 0; i < KN_ID_COUNT; i++)
        assert_ptr_equal(knx_dtype_find(knx_dtype_table[i].short_name), &knx_dtype_table[i]);
}

static void names_of_jaxprs_are_no_names_of_numpy(void **state)
{
    bool swapped;
    (void)state;
    assert_ptr_equal(knx_dtype_find("i8"), KN_DT(I8));
    assert_ptr_equal(knx_dtype_numpy("i8", 2, &swapped), KN_DT(I64));
    assert_null(knx_dtype_find("<i8"));
    assert_null(knx_dtype_find("half"));
}

/* Where long and pointers have 64 bits, as in the machine that wrote the names. */
static void numpys_names_mean_what_they_mean_to_numpy(void **state)
{
    (void)state;
    if (sizeof(long) < 8 || sizeof(void *) < 8)
        skip();
    char line[128];
    int n = 0;
    FILE *f = fopen(KN_TEST_DIR "/golden/dtype_names.txt", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *want = strchr(line, '\t');
        bool swapped;
        *want++ = 0;
        want[strcspn(want, "\n")] = 0;
        kn_dtype d = knx_dtype_numpy(line, strlen(line), &swapped);
        bool other = *want == '>', none = *want == '-' || *want == '!';
        want += other;
        if (line[0] == '<' || line[0] == '>') /* the other way round on a big-endian machine */
            other = other != (BITS_BIG_ENDIAN && d && d->size > 1);
        if (none ? d != NULL : !d || strcmp(d->name, want) != 0 || swapped != other)
            fail_msg("%s is %s%s, not %s", line, swapped ? ">" : "", d ? d->name : "unknown", want);
        n++;
    }
    fclose(f);
    assert_true(n > 300);
}

static void numpys_names_in_public(void **state)
{
    (void)state;
    assert_ptr_equal(kn_dtype_named("i8"), KN_DT(I64));
    assert_ptr_equal(kn_dtype_named("key<fry>"), KN_DT(KEY));
    assert_null(kn_dtype_named(BITS_BIG_ENDIAN ? "<f4" : ">f4"));
    assert_non_null(strstr(kn_error_message(), "f4' is float32 in the other byte order, which arrays never have here"));
    kn_error_clear();
    assert_null(kn_dtype_named("i16"));
    assert_string_equal(kn_error_message(), "dtype: data type 'i16' not understood; int16 is 'int16'");
    kn_error_clear();
    assert_null(kn_dtype_named("longdouble"));
    assert_non_null(strstr(kn_error_message(), "the bits of long double are others on every machine"));
    kn_error_clear();
    assert_null(kn_dtype_named(NULL));
    kn_error_clear();
}

static void an_unknown_dtype_is_null(void **state)
{
    (void)state;
    assert_null(knx_dtype_find("float31"));
    assert_null(knx_dtype_find(""));
    assert_null(knx_dtype_find(NULL));
}

static void the_table_knows_sizes_and_kinds(void **state)
{
    (void)state;
    assert_int_equal(KN_DT(C128)->size, 16);
    assert_int_equal(KN_DT(BF16)->size, 2);
    assert_int_equal(KN_DT(U16)->kind, 'u');
    assert_int_equal(KN_DT(KEY)->align, _Alignof(uint32_t));
    assert_null(KN_DT(F32)->unit);
}

static void components_and_complexes_belong_together(void **state)
{
    (void)state;
    assert_ptr_equal(knx_component(KN_DT(C64)), KN_DT(F32));
    assert_ptr_equal(knx_component(KN_DT(C128)), KN_DT(F64));
    assert_ptr_equal(knx_component(KN_DT(I16)), KN_DT(I16));
    assert_ptr_equal(knx_complex_of(KN_DT(F16)), KN_DT(C64));
    assert_ptr_equal(knx_complex_of(KN_DT(BF16)), KN_DT(C64));
    assert_ptr_equal(knx_complex_of(KN_DT(F32)), KN_DT(C64));
    assert_ptr_equal(knx_complex_of(KN_DT(F64)), KN_DT(C128));
    assert_ptr_equal(knx_complex_of(KN_DT(U8)), KN_DT(C128));
    assert_ptr_equal(knx_complex_of(KN_DT(C64)), KN_DT(C64));
    assert_null(knx_complex_of(KN_DT(KEY)));
}

static void promotion_is_numpys_table(void **state)
{
    (void)state;
    assert_int_equal(each_cell(promotion, check_promotion), 14 * 14);
}

static void bfloat16_promotes_like_a_16_bit_float(void **state)
{
    (void)state;
    const struct {
        kn_dtype other, want;
    } row[] = {
        {KN_DT(BOOL), KN_DT(BF16)}, {KN_DT(I8), KN_DT(BF16)},   {KN_DT(U8), KN_DT(BF16)}, {KN_DT(I16), KN_DT(F32)},
        {KN_DT(U16), KN_DT(F32)},   {KN_DT(I32), KN_DT(F64)},   {KN_DT(U32), KN_DT(F64)}, {KN_DT(I64), KN_DT(F64)},
        {KN_DT(U64), KN_DT(F64)},   {KN_DT(BF16), KN_DT(BF16)}, {KN_DT(F32), KN_DT(F32)}, {KN_DT(F64), KN_DT(F64)},
        {KN_DT(C64), KN_DT(C64)},   {KN_DT(C128), KN_DT(C128)},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        check_dtype(knx_promote(KN_DT(BF16), row[i].other), row[i].want, "bf16", row[i].other->name);
        check_dtype(knx_promote(row[i].other, KN_DT(BF16)), row[i].want, row[i].other->name, "bf16");
    }
}

static void bfloat16_with_float16_is_float32(void **state)
{
    (void)state;
    assert_ptr_equal(knx_promote(KN_DT(BF16), KN_DT(F16)), KN_DT(F32));
    assert_ptr_equal(knx_promote(KN_DT(F16), KN_DT(BF16)), KN_DT(F32));
}

static void a_key_promotes_only_with_a_key(void **state)
{
    (void)state;
    for (int i = 0; i < KN_ID_COUNT; i++) {
        kn_dtype want = i == KN_ID_KEY ? KN_DT(KEY) : NULL;
        assert_ptr_equal(knx_promote(KN_DT(KEY), &knx_dtype_table[i]), want);
        assert_ptr_equal(knx_promote(&knx_dtype_table[i], KN_DT(KEY)), want);
    }
}

static void weak_promotion_is_numpys_table(void **state)
{
    (void)state;
    assert_int_equal(each_cell(weak, check_weak), 14 * 4);
}

static void weak_floats_take_the_default_float(void **state)
{
    (void)state;
    assert_ptr_equal(knx_promote_weak(KN_DT(I32), 'f', KN_DT(F32)), KN_DT(F32));
    assert_ptr_equal(knx_promote_weak(KN_DT(BOOL), 'c', KN_DT(F32)), KN_DT(C64));
    assert_ptr_equal(knx_promote_weak(KN_DT(F64), 'f', KN_DT(F32)), KN_DT(F64));
    assert_ptr_equal(knx_promote_weak(KN_DT(I32), 'f', NULL), KN_DT(F64));
}

static void bfloat16_keeps_weak_scalars_weak(void **state)
{
    (void)state;
    assert_ptr_equal(knx_promote_weak(KN_DT(BF16), 'b', NULL), KN_DT(BF16));
    assert_ptr_equal(knx_promote_weak(KN_DT(BF16), 'i', NULL), KN_DT(BF16));
    assert_ptr_equal(knx_promote_weak(KN_DT(BF16), 'f', NULL), KN_DT(BF16));
    assert_ptr_equal(knx_promote_weak(KN_DT(BF16), 'c', NULL), KN_DT(C64));
}

static void a_key_takes_no_weak_scalar(void **state)
{
    (void)state;
    for (const char *kind = "bifc"; *kind; kind++)
        assert_null(knx_promote_weak(KN_DT(KEY), *kind, NULL));
}

/* Does the list of codes between begin and end hold the code? */
static bool lists(const char *begin, const char *end, const char *code)
{
    size_t n = strlen(code);
    for (const char *p = begin; p + n <= end; p++)
        if (p[-1] == ' ' && !strncmp(p, code, n) && (p + n == end || p[n] == ' '))
            return true;
    return false;
}

static void can_cast_is_numpys_table(void **state)
{
    (void)state;
    const char *codes[] = {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"};
    const char *row = casting;
    for (int i = 0; i < 14; i++, row = strchr(row, '\n') + 1) {
        const char *bar = strchr(row, '|'), *end = strchr(row, '\n');
        assert_int_equal(strncmp(row, codes[i], strlen(codes[i])), 0);
        for (int j = 0; j < 14; j++) {
            kn_dtype from = by_code(codes[i]), to = by_code(codes[j]);
            bool safe = lists(row + 1, bar, codes[j]), same_kind = safe || lists(bar + 1, end, codes[j]);
            if (knx_can_cast(from, to, KN_CAST_SAFE) != safe || knx_can_cast(from, to, KN_CAST_SAME_KIND) != same_kind)
                fail_msg("%s to %s: should be safe %d, same_kind %d", codes[i], codes[j], safe, same_kind);
            assert_true(knx_can_cast(from, to, KN_CAST_UNSAFE));
            assert_int_equal(knx_can_cast(from, to, KN_CAST_EQUIV), i == j);
            assert_int_equal(knx_can_cast(from, to, KN_CAST_NO), i == j);
        }
    }
}

static void bfloat16_and_float16_are_of_the_same_kind_but_not_safe(void **state)
{
    (void)state;
    assert_false(knx_can_cast(KN_DT(F16), KN_DT(BF16), KN_CAST_SAFE));
    assert_false(knx_can_cast(KN_DT(BF16), KN_DT(F16), KN_CAST_SAFE));
    assert_true(knx_can_cast(KN_DT(F16), KN_DT(BF16), KN_CAST_SAME_KIND));
    assert_true(knx_can_cast(KN_DT(BF16), KN_DT(F32), KN_CAST_SAFE));
}

static void a_key_casts_only_to_a_key(void **state)
{
    (void)state;
    assert_true(knx_can_cast(KN_DT(KEY), KN_DT(KEY), KN_CAST_NO));
    assert_false(knx_can_cast(KN_DT(KEY), KN_DT(U64), KN_CAST_UNSAFE));
    assert_false(knx_can_cast(KN_DT(BOOL), KN_DT(KEY), KN_CAST_UNSAFE));
}

/* Conversions. */

static knx_scalar_bits parse_bits(kn_dtype d, const char *hex)
{
    knx_scalar_bits s = {.u = {0, 0}};
    int parts = knx_is_complex(d) ? 2 : 1, size = d->size / parts;
    for (int i = 0; i < parts; i++) {
        char digits[17] = {0};
        memcpy(digits, hex + 2 * size * i, 2 * (size_t)size);
        uint64_t v = strtoull(digits, NULL, 16);
        bits_put(s.bytes + size * i, v, (size_t)size);
    }
    return s;
}

static bool is_nan_at(kn_dtype component, const uint8_t *p)
{
    knx_scalar_bits s = {.u = {0, 0}};
    memcpy(s.bytes, p, component->size);
    return knx_is_float(component) && isnan(knx_scalar_to_double(component, s));
}

/* Bit for bit, all NaNs being equal. */
static bool same_element(kn_dtype d, const knx_scalar_bits *a, const knx_scalar_bits *b)
{
    kn_dtype c = knx_component(d);
    for (int at = 0; at < d->size; at += c->size)
        if (memcmp(a->bytes + at, b->bytes + at, c->size) &&
            !(is_nan_at(c, a->bytes + at) && is_nan_at(c, b->bytes + at)))
            return false;
    return true;
}

static void casts_give_numpys_bits(void **state)
{
    (void)state;
    static char line[8192];
    int pairs = 0, wrong = 0;
    FILE *f = fopen(KN_TEST_DIR "/golden/casts.txt", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#')
            continue;
        char *end, *from_name = strtok_r(line, " \n", &end), *to_name = strtok_r(NULL, " \n", &end);
        kn_dtype from = knx_dtype_find(from_name), to = knx_dtype_find(to_name);
        assert_true(from && to);
        pairs++;
        for (char *w = strtok_r(NULL, " \n", &end); w; w = strtok_r(NULL, " \n", &end)) {
            knx_scalar_bits in = parse_bits(from, w), want = parse_bits(to, strchr(w, ':') + 1), got = {.u = {0, 0}};
            knx_convert(from, &in, to, &got);
            if (!same_element(to, &got, &want) && ++wrong < 20)
                print_error("%s to %s: %s gives %016llx %016llx\n", from->name, to->name, w,
                            (unsigned long long)got.u[0], (unsigned long long)got.u[1]);
        }
    }
    fclose(f);
    assert_int_equal(pairs, 14 * 13);
    assert_int_equal(wrong, 0);
}

static void conversion_works_in_place_and_unaligned(void **state)
{
    (void)state;
    char bytes[17] = {0};
    double d = -2.5;
    int32_t i;
    memcpy(bytes + 1, &d, sizeof d);
    knx_convert(KN_DT(F64), bytes + 1, KN_DT(I32), bytes + 1);
    memcpy(&i, bytes + 1, sizeof i);
    assert_int_equal(i, -2);
}

static void the_imaginary_part_makes_a_complex_true(void **state)
{
    (void)state;
    kn_c64 z = {0, 1};
    uint8_t b = 0;
    knx_convert(KN_DT(C64), &z, KN_DT(BOOL), &b);
    assert_int_equal(b, 1);
}

static void a_bool_of_any_bits_reads_as_one(void **state)
{
    (void)state;
    uint8_t b = 0x80;
    int64_t v = 0;
    knx_convert(KN_DT(BOOL), &b, KN_DT(I64), &v);
    assert_int_equal(v, 1);
    knx_convert(KN_DT(BOOL), &b, KN_DT(BOOL), &b);
    assert_int_equal(b, 1);
}

static void a_key_converts_to_a_key_and_to_nothing_else(void **state)
{
    (void)state;
    uint64_t key = 0x0123456789abcdef, out = 1;
    knx_convert(KN_DT(KEY), &key, KN_DT(KEY), &out);
    assert_true(out == key);
    knx_convert(KN_DT(KEY), &key, KN_DT(U64), &out);
    assert_true(out == 0);
}

static void integers_become_bfloat16_through_float32(void **state)
{
    (void)state;
    int64_t v =
        ((int64_t)1 << 40) + ((int64_t)1 << 32) + 1; /* just above a tie of bfloat16; float32 rounds it onto the tie */
    uint16_t h = 0;
    knx_convert(KN_DT(I64), &v, KN_DT(BF16), &h);
    assert_int_equal(h, knx_float_to_bf16(0x1p40f));
}

static void unused_bytes_of_a_scalar_are_zero(void **state)
{
    (void)state;
    knx_scalar_bits s = knx_scalar_from_int(KN_DT(I8), -1);
    assert_true(s.u8 == 0xff && s.u[1] == 0);
    s.u8 = 0;
    assert_true(s.u[0] == 0);
}

static void scalars_keep_their_value(void **state)
{
    (void)state;
    assert_true(knx_scalar_from_double(KN_DT(F16), 1.5).u16 == 0x3e00);
    assert_true(knx_scalar_from_double(KN_DT(C128), -2).c128.re == -2);
    assert_true(knx_scalar_from_int(KN_DT(U64), -1).u64 == UINT64_MAX);
    assert_true(knx_scalar_to_double(KN_DT(U64), knx_scalar_from_int(KN_DT(U64), INT64_MIN)) == 0x1p63);
    assert_true(knx_scalar_to_double(KN_DT(BF16), knx_scalar_from_double(KN_DT(BF16), 3)) == 3);
}

static void integers_fit_up_to_the_last_value_and_no_further(void **state)
{
    (void)state;
    const struct {
        kn_dtype d;
        int64_t min;
        uint64_t max;
    } row[] = {
        {KN_DT(BOOL), 0, 1},         {KN_DT(I8), INT8_MIN, INT8_MAX},
        {KN_DT(U8), 0, UINT8_MAX},   {KN_DT(I16), INT16_MIN, INT16_MAX},
        {KN_DT(U16), 0, UINT16_MAX}, {KN_DT(I32), INT32_MIN, INT32_MAX},
        {KN_DT(U32), 0, UINT32_MAX}, {KN_DT(I64), INT64_MIN, INT64_MAX},
        {KN_DT(U64), 0, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(knx_int_fits(row[i].d, true, row[i].max));
        assert_true(knx_int_fits(row[i].d, false, (uint64_t)row[i].min));
        if (row[i].max < UINT64_MAX)
            assert_false(knx_int_fits(row[i].d, true, row[i].max + 1));
        if (row[i].min > INT64_MIN)
            assert_false(knx_int_fits(row[i].d, false, (uint64_t)(row[i].min - 1)));
    }
    assert_false(knx_int_fits(KN_DT(F32), false, 0));
}

/* 16-bit floats: the value of a pattern is computed here from its fields with ldexp. */

typedef struct {
    int exponent_bits, fraction_bits;
} format;
static const format F16 = {5, 10}, BF16 = {8, 7};

static double value_of(format f, unsigned h) /* of a finite one, or infinity */
{
    int bias = (1 << (f.exponent_bits - 1)) - 1, e = (int)(h >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
    double fraction = h & ((1u << f.fraction_bits) - 1), one = 1u << f.fraction_bits;
    double v = e == (1 << f.exponent_bits) - 1
                   ? INFINITY
                   : ldexp(e ? one + fraction : fraction, (e ? e : 1) - bias - f.fraction_bits);
    return h & 0x8000 ? -v : v;
}

static bool is_nan_pattern(format f, unsigned h) { return (h & 0x7fff) > (0x7fffu & ~((1u << f.fraction_bits) - 1)); }

static void every_half_widens_to_its_value(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 65536; h++) {
        float f = knx_half_to_float((uint16_t)h);
        double v = value_of(F16, h);
        if (is_nan_pattern(F16, h) ? !isnan(f) : f != v || !signbit(f) != !signbit(v))
            fail_msg("half %04x became %a", h, f);
    }
}

static void every_bfloat16_widens_to_its_value(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 65536; h++) {
        float f = knx_bf16_to_float((uint16_t)h);
        double v = value_of(BF16, h);
        if (is_nan_pattern(BF16, h) ? !isnan(f) : f != v || !signbit(f) != !signbit(v))
            fail_msg("bfloat16 %04x became %a", h, f);
    }
}

static void every_half_survives_the_way_through_float_and_double(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 65536; h++) {
        uint16_t back = knx_float_to_half(knx_half_to_float((uint16_t)h)),
                 twice = knx_double_to_half(knx_half_to_float((uint16_t)h));
        unsigned want = is_nan_pattern(F16, h) ? h | 0x0200 : h; /* NaNs come out quiet, sign and payload kept */
        bool same =
            is_nan_pattern(F16, h) ? is_nan_pattern(F16, twice) : twice == want; /* RISC-V converts no payload */
        if (back != want || !same)
            fail_msg("half %04x came back as %04x and %04x", h, back, twice);
    }
}

static void every_bfloat16_survives_the_way_through_float_and_double(void **state)
{
    (void)state;
    for (unsigned h = 0; h < 65536; h++) {
        uint16_t back = knx_float_to_bf16(knx_bf16_to_float((uint16_t)h)),
                 twice = knx_double_to_bf16(knx_bf16_to_float((uint16_t)h));
        unsigned want = is_nan_pattern(BF16, h) ? h | 0x0040 : h;
        bool same = is_nan_pattern(BF16, h) ? is_nan_pattern(BF16, twice) : twice == want;
        if (back != want || !same)
            fail_msg("bfloat16 %04x came back as %04x and %04x", h, back, twice);
    }
}

static void check_rounding(const char *what, double v, unsigned got, unsigned want)
{
    if (got != want)
        fail_msg("%s: %a became %04x, not %04x", what, v, got, want);
}

/* Between each two neighbours: the tie goes to the even one, its neighbours in float and double to the nearer one.
 * The step past the largest finite number leads to infinity. */
static void ties_go_to_even(format f, uint16_t (*from_float)(float), uint16_t (*from_double)(double))
{
    unsigned infinity = 0x7fffu & ~((1u << f.fraction_bits) - 1);
    for (unsigned h = 0; h < infinity; h++) {
        double low = value_of(f, h), step = value_of(f, 1), high = value_of(f, h + 1);
        if (h >> f.fraction_bits)
            step = ldexp(step, (int)(h >> f.fraction_bits) - 1);
        double tie = low + step / 2;
        unsigned even = h & 1 ? h + 1 : h;
        assert_true(h + 1 == infinity || high == low + step);
        for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
            double s = sign ? -1 : 1;
            check_rounding("double tie", s * tie, from_double(s * tie), sign | even);
            check_rounding("above a tie", s * tie, from_double(s * nextafter(tie, INFINITY)), sign | (h + 1));
            check_rounding("below a tie", s * tie, from_double(s * nextafter(tie, 0)), sign | h);
            if ((double)(float)tie != tie) /* half of the smallest bfloat16 steps is still a float */
                fail_msg("the tie %a is no float", tie);
            float t = (float)(s * tie);
            check_rounding("float tie", t, from_float(t), sign | even);
            check_rounding("float above a tie", t, from_float(nextafterf(t, (float)s * INFINITY)), sign | (h + 1));
            check_rounding("float below a tie", t, from_float(nextafterf(t, 0)), sign | h);
        }
    }
}

static void half_ties_go_to_even(void **state)
{
    (void)state;
    ties_go_to_even(F16, knx_float_to_half, knx_double_to_half);
}

static void bfloat16_ties_go_to_even(void **state)
{
    (void)state;
    ties_go_to_even(BF16, knx_float_to_bf16, knx_double_to_bf16);
}

static void huge_and_tiny_doubles_become_infinity_and_zero(void **state)
{
    (void)state;
    assert_int_equal(knx_double_to_half(1e300), 0x7c00);
    assert_int_equal(knx_double_to_half(-1e300), 0xfc00);
    assert_int_equal(knx_double_to_bf16(-1e300), 0xff80);
    assert_int_equal(knx_double_to_bf16(INFINITY), 0x7f80);
    assert_int_equal(knx_double_to_half(-1e-300), 0x8000);
    assert_int_equal(knx_double_to_bf16(5e-324), 0);
}

static void the_inline_conversions_are_the_same(void **state)
{
    (void)state;
    assert_int_equal(knx_f32_to_f16(1.0f / 3), knx_float_to_half(1.0f / 3));
    assert_int_equal(knx_f64_to_bf16(1.0 / 3), knx_double_to_bf16(1.0 / 3));
}

#define T cmocka_unit_test
KN_TEST_GROUP(test_dtype)
{
    const struct CMUnitTest tests[] = {
        T(every_dtype_is_found_by_its_name),
        T(every_dtype_is_found_by_its_short_name),
        T(names_of_jaxprs_are_no_names_of_numpy),
        T(numpys_names_mean_what_they_mean_to_numpy),
        T(numpys_names_in_public),
        T(an_unknown_dtype_is_null),
        T(the_table_knows_sizes_and_kinds),
        T(components_and_complexes_belong_together),
        T(promotion_is_numpys_table),
        T(bfloat16_promotes_like_a_16_bit_float),
        T(bfloat16_with_float16_is_float32),
        T(a_key_promotes_only_with_a_key),
        T(weak_promotion_is_numpys_table),
        T(weak_floats_take_the_default_float),
        T(bfloat16_keeps_weak_scalars_weak),
        T(a_key_takes_no_weak_scalar),
        T(can_cast_is_numpys_table),
        T(bfloat16_and_float16_are_of_the_same_kind_but_not_safe),
        T(a_key_casts_only_to_a_key),
        T(casts_give_numpys_bits),
        T(conversion_works_in_place_and_unaligned),
        T(the_imaginary_part_makes_a_complex_true),
        T(a_bool_of_any_bits_reads_as_one),
        T(a_key_converts_to_a_key_and_to_nothing_else),
        T(integers_become_bfloat16_through_float32),
        T(unused_bytes_of_a_scalar_are_zero),
        T(scalars_keep_their_value),
        T(integers_fit_up_to_the_last_value_and_no_further),
        T(every_half_widens_to_its_value),
        T(every_bfloat16_widens_to_its_value),
        T(every_half_survives_the_way_through_float_and_double),
        T(every_bfloat16_survives_the_way_through_float_and_double),
        T(half_ties_go_to_even),
        T(bfloat16_ties_go_to_even),
        T(huge_and_tiny_doubles_become_infinity_and_zero),
        T(the_inline_conversions_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
