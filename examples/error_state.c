/* SPDX-License-Identifier: Apache-2.0
 * error_state.c -- floating-point events: raised as errors, or heard by a function. */
#include <kiln/kiln.h>

static void hear(void *env, const char *kind, int flags)
{
    (void)env;
    printf("%s (%d)\n", kind, flags);
}

static kn_array entropy(const kn_array *p) { return kn_negative(kn_sum(kn_multiply(*p, kn_log(*p)))); }
KN_FUNCTION(entropy, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array p = kn_of(double, 0, 0.25, 0.75), y;
    kn_fn f = kn_jit(KN_FN(entropy));
    kn_call(f, &y, &p); /* nan, and nothing is said */
    {
        KN_ERRSTATE(.divide = "raise");
        kn_call(f, &y, &p);
        printf("%s: %s (line %d)\n", kn_error_kind_name(), kn_error_message(), kn_error_line());
        kn_error_clear();
    }
    kn_errcall to = {.call = hear};
    KN_ERRSTATE(.all = "call", .call = &to);
    kn_print(kn_divide(kn_of(double, -1, 0, 1), 0));
    return kn_finish();
}
