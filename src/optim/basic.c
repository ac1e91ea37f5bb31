/* SPDX-License-Identifier: Apache-2.0
 * basic.c -- transformations that scale, clip, clean, add to or average updates, as in optax. */
#include "optim/optimizer.h"
#include "random/keys.h"

static void no_state(kno_layout *l, const kno_transform *t)
{
    (void)t;
    kno_lay_node(l, "EmptyState", 0, NULL);
}

static void counted(kno_layout *l, const kno_transform *t, const char *name)
{
    static const char *const field[] = {"count"};
    if (!t->schedule) {
        no_state(l, t);
        return;
    }
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_node(l, name, 1, field);
}

/* The count of a scheduled rule, which goes one up; KN_ATOM_NONE: it has none. */
static kni_atom count_of(kno_pass *s, const kno_transform *t)
{
    if (!t->schedule)
        return KN_ATOM_NONE;
    kni_atom count = kno_take(s);
    kno_put(s, kno_next_count(s->b, count));
    return count;
}

static void identity_update(kno_pass *s, const kno_transform *t)
{
    (void)s;
    (void)t;
}

const kno_rule kno_identity = {"identity", false, no_state, identity_update};

static void zero_update(kno_pass *s, const kno_transform *t)
{
    (void)t;
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_zeros(s->b, knb_type(s->b, s->u[i]));
}

const kno_rule kno_set_to_zero = {"set_to_zero", false, no_state, zero_update};

/* ---- scale: p[] is the factor; flag[0]: negated. */

static void scale_layout(kno_layout *l, const kno_transform *t) { counted(l, t, "ScaleByScheduleState"); }

static void scale_update(kno_pass *s, const kno_transform *t)
{
    kni_atom count = count_of(s, t), rate;
    if (t->schedule || t->number) {
        rate = kno_rate(s, t, count);
        rate = t->flag[0] ? knb_neg(s->b, rate) : rate;
    } else {
        rate = kno_operand(s, t->flag[0] ? -t->p[0] : t->p[0]);
    }
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_mul(s->b, kno_spread(s->b, rate, s->u[i]), s->u[i]);
}

const kno_rule kno_scale = {"scale", false, scale_layout, scale_update};

/* ---- decay: u + p[0] times the parameter. */

static void decay_layout(kno_layout *l, const kno_transform *t) { counted(l, t, "WeightDecaySchedule"); }

static void decay_update(kno_pass *s, const kno_transform *t)
{
    kni_atom count = count_of(s, t);
    if (t->p[0] == 0 && !t->schedule && !t->number)
        return;
    if (!s->param) {
        kna_fail(s->op, KN_ERROR_VALUE, "weight decay needs the parameters");
        return;
    }
    kni_atom rate = kno_rate(s, t, count);
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_add(s->b, s->u[i], knb_mul(s->b, kno_spread(s->b, rate, s->param[i]), s->param[i]));
}

const kno_rule kno_decay = {"add_decayed_weights", false, decay_layout, decay_update};

/* ---- trace: p[] is decay, flag[0]: nesterov; ema: p[] is decay, flag[0]: debias. */

static void trace_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"trace"};
    (void)t;
    kno_lay_like(l, 0);
    kno_lay_node(l, "TraceState", 1, field);
}

static void trace_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom trace = knb_add(b, s->u[i], kno_times(b, t->p[0], kno_take(s)));
        kno_put(s, trace);
        s->u[i] = t->flag[0] ? knb_add(b, s->u[i], kno_times(b, t->p[0], trace)) : trace;
    }
}

const kno_rule kno_trace = {"trace", false, trace_layout, trace_update};

static void ema_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "ema"};
    (void)t;
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_like(l, 0);
    kno_lay_node(l, "EmaState", 2, field);
}

static void ema_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom count = kno_next_count(b, kno_take(s));
    kno_put(s, count);
    kni_atom correction = t->flag[0] ? kno_correction(b, t->p[0], count) : KN_ATOM_NONE;
    for (int i = 0; i < s->n; i++) {
        kni_atom mean = kno_weighted(b, 1 - t->p[0], s->u[i], t->p[0], kno_take(s));
        kno_put(s, mean);
        s->u[i] = t->flag[0] ? kno_corrected(b, mean, correction) : mean;
    }
}

const kno_rule kno_ema = {"ema", false, ema_layout, ema_update};

/* ---- Clipping: p[] is the bound. */

static void clip_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom u = knb_max(b, s->u[i], knb_like(b, s->u[i], -t->p[0]));
        s->u[i] = knb_min(b, u, knb_like(b, u, t->p[0]));
    }
}

const kno_rule kno_clip = {"clip", false, no_state, clip_update};

static void clip_norm_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom norm = knb_sqrt(b, kno_norm_squared(s, s->u)), fits = knb_lt(b, norm, knb_like(b, norm, t->p[0]));
    for (int i = 0; i < s->n; i++) {
        kni_atom clipped = knb_div(b, s->u[i], kno_spread(b, norm, s->u[i]));
        s->u[i] = kno_where(b, fits, s->u[i], knb_mul(b, clipped, knb_like(b, clipped, t->p[0])));
    }
}

const kno_rule kno_clip_norm = {"clip_by_global_norm", false, no_state, clip_norm_update};

static void clip_rms_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom rms = knb_sqrt(b, kno_mean(b, kno_real_squared(b, s->u[i])));
        kni_atom by = knb_max(b, knb_like(b, rms, 1), knb_div(b, rms, knb_like(b, rms, t->p[0])));
        s->u[i] = knb_div(b, s->u[i], kno_spread(b, by, s->u[i]));
    }
}

const kno_rule kno_clip_rms = {"clip_by_block_rms", false, no_state, clip_rms_update};

/* The norms of x by unit, spread to x's shape: of vectors as a whole, of matrices and stacks of them along the first
 * axis, of kernels (4 and 5 axes) along all but the last or the last two. */
static kni_atom unit_norm(kno_pass *s, kni_atom x)
{
    kni_builder *b = s->b;
    kni_type t = knb_type(b, x);
    int64_t axes[KN_MAX_NDIM], kept[KN_MAX_NDIM];
    int wide = 0, n = 0, m = 0;
    for (int i = 0; i < t.ndim; i++)
        wide += !knx_is_symbolic(t.dim[i]) && t.dim[i] != 1;
    for (int i = 0; i < t.ndim && t.ndim > 1 && wide < 2; i++) /* of others it has to be known */
        wide += knx_is_symbolic(t.dim[i]) && knx_dim_le(2, t.dim[i]);
    if (wide > 1 && t.ndim > 5) {
        kna_fail(s->op, KN_ERROR_VALUE, "adaptive_grad_clip takes parameters of up to 5 dimensions, but one has %d",
                 t.ndim);
        return x;
    }
    int reduced = wide <= 1 ? t.ndim : t.ndim <= 3 ? 1 : 3;
    for (int i = 0; i < t.ndim; i++)
        if (i < reduced)
            axes[n++] = i;
        else
            kept[m++] = i;
    kni_atom square = kno_real_squared(b, x), norm = knb_sqrt(b, n ? knb_reduce_sum(b, square, n, axes) : square);
    return t.ndim ? knb_broadcast_in_dim(b, norm, t.ndim, t.dim, kept) : norm;
}

/* p[] is clipping, eps */
static void adaptive_clip_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    for (int i = 0; i < s->n; i++) {
        kni_atom g = unit_norm(s, s->u[i]), p = unit_norm(s, s->param[i]);
        kni_atom most = kno_times(b, t->p[0], knb_max(b, p, knb_like(b, p, t->p[1])));
        kni_atom factor = knb_div(b, most, knb_max(b, g, knb_like(b, g, 1e-6)));
        kni_atom clipped = knb_mul(b, s->u[i], knb_convert(b, factor, knb_type(b, s->u[i]).dtype));
        s->u[i] = knb_select(b, knb_lt(b, g, most), s->u[i], clipped);
    }
}

const kno_rule kno_adaptive_clip = {"adaptive_grad_clip", true, no_state, adaptive_clip_update};

/* ---- Cleaning. */

static void centralize_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    (void)t;
    for (int i = 0; i < s->n; i++) {
        kni_type g = knb_type(b, s->u[i]);
        int64_t axes[KN_MAX_NDIM], first = 0;
        for (int a = 1; a < g.ndim; a++)
            axes[a - 1] = a;
        if (g.ndim < 2)
            continue;
        kni_atom sum = knb_reduce_sum(b, s->u[i], g.ndim - 1, axes),
                 mean = knb_div(b, sum, kno_count_like(b, sum, g.ndim - 1, g.dim + 1));
        s->u[i] = knb_sub(b, s->u[i], knb_broadcast_in_dim(b, mean, g.ndim, g.dim, &first));
    }
}

const kno_rule kno_centralize = {"centralize", false, no_state, centralize_update};

static void zero_nans_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"found_nan"};
    (void)t;
    kno_lay_scalars(l, KN_DT(BOOL));
    kno_lay_node(l, "ZeroNansState", 1, field);
}

static void zero_nans_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    (void)t;
    for (int i = 0; i < s->n; i++) {
        int64_t axes[KN_MAX_NDIM];
        kni_atom nan = knb_ne(b, s->u[i], s->u[i]);
        int n = knb_type(b, nan).ndim;
        for (int a = 0; a < n; a++)
            axes[a] = a;
        kno_take(s);
        kno_put(s, n ? knb_reduce_or(b, nan, n, axes) : nan);
        s->u[i] = knb_select(b, nan, knb_like(b, s->u[i], 0), s->u[i]);
    }
}

const kno_rule kno_zero_nans = {"zero_nans", false, zero_nans_layout, zero_nans_update};

/* p[] is scale_factor, eps */
static void normalize_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom norm = kno_plus(b, knb_sqrt(b, kno_norm_squared(s, s->u)), t->p[1]);
    norm = knb_div(b, norm, knb_like(b, norm, t->p[0]));
    for (int i = 0; i < s->n; i++)
        s->u[i] = knb_div(b, s->u[i], kno_spread(b, norm, s->u[i]));
}

const kno_rule kno_normalize = {"normalize_by_update_norm", false, no_state, normalize_update};

static void nonnegative_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    (void)t;
    for (int i = 0; i < s->n; i++) {
        kni_atom sum = knb_add(b, s->param[i], s->u[i]);
        s->u[i] = knb_select(b, knb_lt(b, sum, knb_like(b, sum, 0)), knb_neg(b, s->param[i]), s->u[i]);
    }
}

const kno_rule kno_nonnegative = {"keep_params_nonnegative", true, no_state, nonnegative_update};

/* ---- noise: p[] is eta, gamma and the halves of the seed. */

static void noise_layout(kno_layout *l, const kno_transform *t)
{
    static const char *const field[] = {"count", "rng_key"};
    kno_lay_scalar(l, KN_DT(I32));
    kno_lay_key(l, (uint64_t)t->p[2] << 32 | (uint64_t)t->p[3], NULL);
    kno_lay_node(l, "AddNoiseState", 2, field);
}

static void noise_update(kno_pass *s, const kno_transform *t)
{
    kni_builder *b = s->b;
    kni_atom count = kno_next_count(b, kno_take(s)), pair[2];
    kno_put(s, count);
    knrandom_split2(b, kno_take(s), pair);
    kno_put_key(s, pair[0], &pair[1]);
    kni_atom at = knb_convert(b, count, KN_DT(F64));
    kni_atom power = knb_pow(b, at, knb_like(b, at, t->p[1])),
             deviation = knb_sqrt(b, knb_div(b, knb_like(b, power, t->p[0]), power));
    int64_t n = s->n;
    kni_atom keys = n ? knrandom_split(b, pair[1], 1, &n) : KN_ATOM_NONE;
    for (int64_t i = 0; i < n; i++) {
        kni_type g = knb_type(b, s->u[i]);
        kni_atom key = knb_squeeze(b, knb_slice(b, keys, &i, (int64_t[]){i + 1}, NULL), 1, (int64_t[]){0});
        kni_atom noise = knrandom_normal(b, key, g.dtype, g.ndim, g.dim);
        s->u[i] = knb_add(b, s->u[i], knb_mul(b, kno_spread(b, deviation, noise), noise));
    }
}

const kno_rule kno_noise = {"add_noise", false, noise_layout, noise_update};
