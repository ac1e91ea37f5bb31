/* SPDX-License-Identifier: Apache-2.0
 * dtypes.c -- which dtypes numbers have, what becomes of several, and which numbers a dtype has. */
#include <kiln/kiln.h>

static const char *name(kn_dtype d) { return kn_dtype_name(d); }

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2);
    printf("%s %s %s\n", name(kn_result_type(x, 2.5)), name(kn_result_type(x, "f8", KN_I8)),
           name(kn_promote_types("u8", "i8")));
    printf("%d %d\n", kn_can_cast(x, "f8", "safe"), kn_can_cast(KN_F64, KN_I32, "same_kind"));
    printf("%s %s\n", name(kn_min_scalar_type(-300)), name(kn_min_scalar_type(1e10)));
    printf("%d %d\n", kn_isdtype(KN_F32, "integral, real floating"), kn_issubdtype(x, KN_INEXACT));
    kn_finfo_result f = kn_finfo(KN_F32);
    printf("%g %g %d\n", f.eps, f.max, f.nmant);
    kn_iinfo_result i = kn_iinfo("u1");
    printf("%d %d %s\n", (int)i.min, (int)i.max, i.key);
    printf("%s %c %d\n", kn_dtype_str(KN_I16), kn_dtype_char(KN_I16), kn_dtype_eq(KN_I16, "h"));
    kn_print(kn_astype(kn_of(double, 1, 200), KN_U8, .casting = "same_value"));
    return kn_finish();
}
