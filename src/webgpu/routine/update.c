/* SPDX-License-Identifier: Apache-2.0
 * update.c -- dynamic_update_slice, strided_update: a window written into an array at a start that is data. */
#include "webgpu/routine/kinds.h"
#include <string.h>

enum { MOST_DIMS = 6 }; /* each start may lie in a memory of its own */

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    (void)f, (void)p;
    return s->u.r.xt[0].ndim > MOST_DIMS ? "more than 6 dimensions" : kng_unfit(s);
}

static knx_error *plan(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    kng_code c;
    kni_type x = s->u.r.xt[0], u = s->u.r.xt[1];
    const kni_p_strided_update *q = kng_params(p, s);
    int64_t by[MOST_DIMS], stride[MOST_DIMS], all = 1;
    uint64_t n = (uint64_t)kni_type_count(u);
    kng_make(&m, f, exact, p, s, at, arena, out);
    if (!n)
        return NULL;
    kng_begin(&c, &m, 64);
    kng_ref(&c, "u", u.dtype, 1, KNG_BITS);
    kng_ref(&c, "y", x.dtype, s->u.r.n_in, KNG_PUT);
    for (int d = x.ndim - 1; d >= 0; all *= x.dim[d--]) {
        int64_t apart = q ? q->strides.v[d] : 1, most = x.dim[d] - ((u.dim[d] - 1) * apart + 1);
        char name[16], from[16];
        stride[d] = all, by[d] = all * apart;
        snprintf(name, sizeof name, "index%d", d);
        snprintf(from, sizeof from, "start%d", d);
        kng_ref(&c, from, s->u.r.xt[2 + d].dtype, (uint32_t)(2 + d), KNG_BITS);
        kng_fn_index(&c, name, from, s->u.r.xt[2 + d].dtype);
        kng_words(&c, "most", d, (uint64_t)most);
        kng_words(&c, "stride", d, (uint64_t)stride[d]);
    }
    kng_fn_places(&c, "place", u.ndim, u.dim, 1, (const int64_t *const[]){by});
    kng_each(&c, n);
    KNG_BODY(&c, "    var to = place(i);\n");
    for (int d = 0; d < x.ndim; d++)
        KNG_BODY(&c, "    to += u32(clamp(index%d(0u), 0, i32(most%d()))) * stride%d();\n", d, d, d);
    KNG_BODY(&c, "    put_y(to, bits_u(i));\n");
    kng_end(&c, kng_groups(n, 64));
    return kng_made(&m);
}

const kng_kind kng_update = {.refuses = refuses, .plan = plan};
