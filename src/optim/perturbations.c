/* SPDX-License-Identifier: Apache-2.0
 * perturbations.c -- optax.perturbations: the mean of a function over random shifts of its argument. Its derivative is
 * that of the probability of the shifts, times values of the function: each value is multiplied by exp(l - l), where
 * one of the two logarithms is a constant of derivatives (the magic box of Foerster et al. 2018). */
#include "function/made.h"
#include "kiln/optim.h"
#include "kiln/random.h"
#include "optim/compose.h"
#include "optim/trees.h"
#include <string.h>

typedef struct settings {
    int64_t num_samples;
    int32_t normal, use_baseline; /* normal: not Gumbel's noise */
    int32_t typed, gap;           /* typed: sigma is the caller's array, else a number that takes each leaf's dtype */
} settings;

static kn_array sigma_for(const knf_made *m, kn_array leaf)
{
    const settings *o = m->options;
    return o->typed ? m->captured[0] : kn_astype(m->captured[0], kn_dtype_of(leaf), NULL);
}

static kn_array shifted_leaf(kn_array x, kn_array key, int i, const void *env)
{
    const knf_made *m = env;
    const settings *o = m->options;
    kn_shape shape = kn_shape_of(x);
    kn_array z;
    (void)i;
    if (o->normal)
        z = kn_random_normal(key, &shape, KNL_WITH(kn_random_normal_opts, .dtype = kn_dtype_of(x)));
    else
        z = kn_random_gumbel(key, &shape, KNL_WITH(kn_random_gumbel_opts, .dtype = kn_dtype_of(x)));
    return kn_stop_gradient(kn_add(x, kn_multiply(sigma_for(m, x), z)));
}

/* The logarithm of the probability of a shift of x, but for a constant. */
static kn_array log_leaf(kn_array x, kn_array shifted, int i, const void *env)
{
    const knf_made *m = env;
    const settings *o = m->options;
    kn_array z = kn_divide(kn_subtract(shifted, x), sigma_for(m, x)), back = kn_negative(z);
    (void)i;
    return o->normal ? kn_multiply(kno_num(-0.5), kn_square(z)) : kn_subtract(back, kn_exp(back));
}

static kn_tree call_fun(kn_fn fun, kn_tree x)
{
    kn_tree y = NULL;
    return kn_call(fun, &(const kn_outs){1, {{&y, 2}}}, &(const kn_args){1, {{x, 1}}}) ? NULL : y;
}

/* Of one sample: (key, x) or (key, x, the value at x). */
static void sample_call(const void *env, void *out, const void *const *in)
{
    const knf_made *m = env;
    const settings *o = m->options;
    kn_tree x = *(const kn_tree *)in[1];
    kn_tree keys = kn_optim_tree_split_key_like(*(const kn_array *)in[0], x);
    kn_tree shifted = keys ? kno_map_trees("optim_make_perturbed_fun", x, keys, shifted_leaf, m) : NULL;
    kn_tree logs = shifted ? kno_map_trees("optim_make_perturbed_fun", x, shifted, log_leaf, m) : NULL;
    kn_array log = logs ? kn_optim_tree_sum(logs) : NULL;
    kn_array box = log ? kn_exp(kn_subtract(log, kn_stop_gradient(log))) : NULL;
    kn_tree value = box ? call_fun(m->of, shifted) : NULL, y = value ? kn_optim_tree_scale(box, value) : NULL;
    if (y && o->use_baseline)
        y = kn_optim_tree_add_scale(y, kn_subtract(kno_num(1), box), *(const kn_tree *)in[2]);
    *(kn_tree *)out = y;
}

static kn_fn samples(const knf_made *m)
{
#define SAMPLE(n)                                                                                           \
    {                                                                                                       \
        .size_ = sizeof(kn_function), .name = "sample", .call = sample_call, .env_bytes = sizeof(settings), \
        .out_bytes = 2, .n_args = n, .arg_bytes = {                                                         \
            sizeof(kn_array),                                                                               \
            2,                                                                                              \
            2                                                                                               \
        }                                                                                                   \
    }
    static const kn_function alone = SAMPLE(2), with_baseline = SAMPLE(3);
    const settings *o = m->options;
    kna_op op;
    kna_begin(&op, "vmap");
    kn_fn f = knf_make_of(&op, o->use_baseline ? &with_baseline : &alone, o, NULL, m->of, 1, m->captured);
    const kn_vmap_opts each_key = {.size_ = sizeof each_key, .in_axes = {{2}, {1}, {1}}}; /* axis 0, none, none */
    const kn_vmap_opts each = {.size_ = sizeof each, .in_axes = {{2}, {1}}};
    return f ? kn_vmap(f, o->use_baseline ? &each_key : &each) : NULL;
}

static kn_array constant_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_stop_gradient(x);
}

static kn_array mean_leaf(kn_array x, kn_array y, int i, const void *env)
{
    (void)y, (void)i, (void)env;
    return kn_mean(x, KNL_WITH(kn_mean_opts, .axis = knl_one_axis(0)));
}

/* (key, x): the mean over samples. */
static void perturbed_call(const void *env, void *out, const void *const *in)
{
    const knf_made *m = env;
    const settings *o = m->options;
    kn_tree x = *(const kn_tree *)in[1], baseline = NULL, all = NULL;
    kn_tree here = o->use_baseline ? kno_map_trees("optim_make_perturbed_fun", x, NULL, constant_leaf, NULL) : x;
    if (o->use_baseline && here)
        baseline = call_fun(m->of, here);
    kn_fn f = here && (baseline || !o->use_baseline) ? samples(m) : NULL;
    kn_random_split_opts many = kn_random_split_opts_default();
    many.num = o->num_samples;
    kn_array keys = kn_random_split(*(const kn_array *)in[0], &many);
    const kn_args at = {o->use_baseline ? 3 : 2, {{&keys, sizeof keys}, {x, 1}, {baseline, 1}}};
    bool well = f && !kn_call(f, &(const kn_outs){1, {{&all, 2}}}, &at);
    *(kn_tree *)out = well ? kno_map_trees("optim_make_perturbed_fun", all, NULL, mean_leaf, NULL) : NULL;
}

kn_fn kn_optim_make_perturbed_fun(kn_fn fun, const kn_optim_make_perturbed_fun_opts *opts)
{
    static const kn_function perturbed = {.size_ = sizeof(kn_function),
                                          .name = "perturbed",
                                          .call = perturbed_call,
                                          .env_bytes = sizeof(settings),
                                          .out_bytes = 2,
                                          .n_args = 2,
                                          .arg_bytes = {sizeof(kn_array), 2}};
    kna_op op;
    kna_begin(&op, "optim_make_perturbed_fun");
    KNX_OPTS(kn_optim_make_perturbed_fun_opts, o, opts);
    const knf_fn *f = knf_fn_get(&op, fun);
    const char *noise = o.noise ? o.noise : "";
    bool normal = strcmp(noise, "normal") == 0;
    if (f && f->core->n_args != 1)
        kna_fail(&op, KN_ERROR_TYPE, "fun is a function of one struct or tree, but %s has %d arguments", f->core->name,
                 f->core->n_args);
    else if (f && o.num_samples < 1)
        kna_fail(&op, KN_ERROR_VALUE, "num_samples must be at least 1, but is %lld", (long long)o.num_samples);
    else if (f && !normal && strcmp(noise, "gumbel") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "noise is \"gumbel\" or \"normal\", but is \"%s\"", noise);
    const settings s = {o.num_samples, normal, o.use_baseline, o.sigma_array != NULL, 0};
    kn_scope scope = kn_scope_begin();
    kn_array sigma = o.sigma_array ? o.sigma_array : kn_astype(kno_num(o.sigma), KN_DT(F64), NULL);
    kn_fn made = knf_make_of(&op, &perturbed, &s, NULL, fun, 1, &sigma);
    if (made)
        kn_keep_handle(made);
    kn_scope_end(&scope);
    return made;
}
