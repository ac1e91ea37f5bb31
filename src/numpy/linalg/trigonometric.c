/* SPDX-License-Identifier: Apache-2.0
 * trigonometric.c -- scipy.linalg: functions of square matrices that exponentials, logarithms and roots make. */
#include "kiln/linalg.h"
#include "lib/compose.h"

static kn_array exponential(kn_array a, double re, double im)
{
    return kn_linalg_expm(kn_multiply(a, im == 0 ? kn_like_double(re) : kn_like_complex(re, im)));
}
static bool is_real(knl_body *c, kn_array a) { return !knx_is_complex(kna_type(&c->op, a).dtype); }
static kn_array half(kn_array x) { return kn_multiply(x, kn_like_double(0.5)); }

/* cos a = (e^ia + e^-ia) / 2, of real matrices the real part of e^ia; sin a likewise */
static kn_array cosine(knl_body *c, kn_array a)
{
    kn_array forth = exponential(a, 0, 1);
    return is_real(c, a) ? kn_real(forth) : half(kn_add(forth, exponential(a, 0, -1)));
}
static kn_array sine(knl_body *c, kn_array a)
{
    kn_array forth = exponential(a, 0, 1);
    if (is_real(c, a))
        return kn_imag(forth);
    return kn_multiply(kn_subtract(forth, exponential(a, 0, -1)), kn_like_complex(0, -0.5));
}
static kn_array quotient(kn_array above, kn_array below)
{
    return kn_linalg_solve(below, above, KNL_WITH(kn_linalg_solve_opts, .lower = false));
}

kn_array kn_linalg_cosm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "cosm");
    return knl_end(&c, cosine(&c, a));
}

kn_array kn_linalg_sinm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "sinm");
    return knl_end(&c, sine(&c, a));
}

kn_array kn_linalg_tanm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "tanm");
    kn_array above = sine(&c, a), below = cosine(&c, a);
    return knl_end(&c, quotient(above, below));
}

kn_array kn_linalg_coshm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "coshm");
    return knl_end(&c, half(kn_add(exponential(a, 1, 0), exponential(a, -1, 0))));
}

kn_array kn_linalg_sinhm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "sinhm");
    return knl_end(&c, half(kn_subtract(exponential(a, 1, 0), exponential(a, -1, 0))));
}

kn_array kn_linalg_tanhm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "tanhm");
    kn_array forth = exponential(a, 1, 0), back = exponential(a, -1, 0);
    return knl_end(&c, quotient(kn_subtract(forth, back), kn_add(forth, back)));
}

/* a (a^2)^-1/2, and what Newton and Schulz make of it: s (3 - s^2) / 2 */
kn_array kn_linalg_signm(kn_array a)
{
    knl_body c;
    knl_begin(&c, "signm");
    kn_array s = kn_matmul(a, kn_linalg_inv(kn_linalg_sqrtm(kn_matmul(a, a))));
    if (is_real(&c, a))
        s = kn_real(s);
    for (int i = 0; i < 2; i++) {
        kn_array cube = kn_matmul(s, kn_matmul(s, s));
        s = half(kn_subtract(kn_multiply(s, kn_like_double(3)), cube));
    }
    return knl_end(&c, s);
}

/* By squaring for whole numbers; else the nearest of these times e^(rest log a). */
kn_array kn_linalg_fractional_matrix_power(kn_array a, double t)
{
    knl_body c;
    knl_begin(&c, "fractional_matrix_power");
    if (!(t > -0x1p62 && t < 0x1p62)) {
        kna_fail(&c.op, KN_ERROR_VALUE, "the power must be a finite number");
        return knl_end(&c, NULL);
    }
    int64_t whole = (int64_t)(t < 0 ? t - 0.5 : t + 0.5);
    double rest = t - (double)whole;
    kn_array y = whole || rest == 0 ? kn_linalg_matrix_power(a, whole) : NULL;
    if (rest != 0) {
        kn_array part = kn_linalg_expm(kn_multiply(kn_linalg_logm(a), kn_like_double(rest)));
        y = y ? kn_matmul(y, part) : part;
    }
    return knl_end(&c, y);
}
