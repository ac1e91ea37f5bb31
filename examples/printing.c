/* SPDX-License-Identifier: Apache-2.0
 * printing.c -- arrays and numbers as text, with NumPy's options, and read again. */
#include <kiln/kiln.h>
#include <stdio.h>

static const char *percent(void *env, kn_array x)
{
    static char text[32];
    (void)env;
    snprintf(text, sizeof text, "%.0f%%", 100 * kn_item(x));
    return text;
}

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_div(kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), 7);
    puts(kn_repr(x, .precision = 3));
    puts(kn_array2string(x, .separator = ", ", .floatmode = "fixed", .precision = 2));
    puts(kn_array2string(x, .formatter = &(kn_formatter){.float_kind = percent}));
    {
        KN_PRINTOPTIONS(.precision = 2, .suppress = true); /* until the end of the block */
        kn_print(x);
    }
    puts(kn_format_float_positional(kn_scalar(0.1f), .unique = false, .precision = 20));
    puts(kn_format_float_scientific(6.02214076e23, .precision = 3));
    puts(kn_binary_repr(-3, .width = 8));
    puts(kn_base_repr(48879, .base = 16));
    kn_array again = kn_array_parse("array([[1. , 2.5],\n       [3. , 4. ]], dtype=float32)");
    kn_print(kn_add(again, kn_array_parse("[10 20]")));
    kn_print(kn_fromstring("1.5, 2, 3", ","));
    return kn_finish();
}
