/* SPDX-License-Identifier: Apache-2.0
 * numbers_helpers.c -- which helper functions a text needs: a number for each, and a bit for each that is wanted. */
#include "wgsl/numbers_internal.h"
#include <string.h>

/* These depend on the unit. Compilers of drivers change chains of operations: they take x - x for 0 and (a + b) - a
 * for b, or join a product and a sum. Of a result that was xored with a word of which they know nothing they know
 * nothing (a constant, too; and WGSL has no constant for a NaN). An operand is set apart in another way: two xors
 * would cancel. */
static const knw_helper made[] = {
    {"kn_f32", "fn kn_f32(bits: u32) -> f32 {\n    return bitcast<f32>(bits$);\n}\n"},
    {"kn_hide", "fn kn_hide(x: f32) -> f32 {\n    return bitcast<f32>(bitcast<u32>(x)$);\n}\n"},
    {"kn_apart", "fn kn_apart(x: f32) -> f32 {\n    return bitcast<f32>(bitcast<u32>(x)$);\n}\n"}};
static const knw_helper_list made_helpers = {made, 3};

static const knw_helper_list *const lists[] = {&made_helpers, &knw_integer_helpers, &knw_wide_helpers,
                                               &knw_float_helpers, &knw_convert_helpers};
enum { LISTS = sizeof lists / sizeof *lists };

static const knw_helper *helper(int number)
{
    for (int i = 0; i < LISTS; number -= lists[i++]->n)
        if (number < lists[i]->n)
            return &lists[i]->row[number];
    return NULL;
}

static int number_of(const char *name, size_t n)
{
    const knw_helper *h;
    for (int i = 0; (h = helper(i)); i++)
        if (strlen(h->name) == n && memcmp(h->name, name, n) == 0)
            return i;
    return -1;
}

static size_t name_length(const char *s)
{
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

void knw_want_calls(knw_unit *u, const char *text)
{
    while ((text = strstr(text, "kn_"))) {
        size_t n = name_length(text);
        int number = text[n] == '(' ? number_of(text, n) : -1;
        if (number >= 0)
            u->want[number / 64] |= (uint64_t)1 << number % 64;
        text += n;
    }
}

void knw_want(knw_unit *u, const char *name)
{
    int number = number_of(name, strlen(name));
    if (number >= 0)
        u->want[number / 64] |= (uint64_t)1 << number % 64;
}

static void put(const knw_unit *u, knx_str *t, const knw_helper *h)
{
    const char *hidden = u->facts->joins ? u->hidden : NULL;
    if (h < made || h >= made + 3) {
        knx_str_puts(t, h->text);
        return;
    }
    const char *at = strchr(h->text, '$');
    knx_str_add(t, h->text, (size_t)(at - h->text));
    if (hidden)
        knx_str_printf(t, " %c %s", strcmp(h->name, "kn_apart") == 0 ? '+' : '^', hidden);
    knx_str_puts(t, at + 1);
}

void knw_helpers(const knw_unit *u, knx_str *t)
{
    knw_unit all = *u;
    uint64_t before[4];
    do { /* what they call, and what that calls */
        memcpy(before, all.want, sizeof before);
        const knw_helper *h;
        for (int i = 0; (h = helper(i)); i++)
            if ((before[i / 64] >> i % 64 & 1))
                knw_want_calls(&all, h->text);
    } while (memcmp(before, all.want, sizeof before) != 0);
    const knw_helper *h;
    for (int i = 0; (h = helper(i)); i++)
        if (all.want[i / 64] >> i % 64 & 1)
            put(u, t, h);
}
