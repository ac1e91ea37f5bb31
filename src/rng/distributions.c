/* SPDX-License-Identifier: Apache-2.0
 * distributions.c -- the methods of generators, and of RandomState, that are a distribution of up to three
 * parameters: a row says which, with NumPy's names and constraints. */
#include "rng/continuous.h"
#include "rng/draw.h"
#include <math.h>

static const knrng_distribution standard_cauchy_row = {
    .name = "standard_cauchy",
    .real = knrng_standard_cauchy_real,
    .legacy_real = knrng_legacy_standard_cauchy_real,
};

kn_array kn_rng_standard_cauchy(kn_rng rng, const kn_shape *size)
{
    return knrng_draw(&standard_cauchy_row, rng, false, size, NULL, NULL, NULL);
}

kn_array kn_random_state_standard_cauchy(kn_random_state state, const kn_shape *size)
{
    return knrng_draw(&standard_cauchy_row, state, true, size, NULL, NULL, NULL);
}

static const knrng_distribution standard_t_row = {
    .name = "standard_t",
    .n = 1,
    .rule = {{"df", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_standard_t_real,
    .legacy_real = knrng_legacy_standard_t_real,
};

kn_array kn_rng_standard_t(kn_rng rng, kn_array df, const kn_shape *size)
{
    return knrng_draw(&standard_t_row, rng, false, size, df, NULL, NULL);
}

kn_array kn_random_state_standard_t(kn_random_state state, kn_array df, const kn_shape *size)
{
    return knrng_draw(&standard_t_row, state, true, size, df, NULL, NULL);
}

static const knrng_distribution normal_row = {
    .name = "normal",
    .n = 2,
    .rule = {{"loc", KNRNG_ANY, false, 0}, {"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_normal_real,
    .legacy_real = knrng_legacy_normal_real,
    .standard = knrng_fill_normals,
};

kn_array kn_rng_normal(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&normal_row, rng, false, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

kn_array kn_random_state_normal(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&normal_row, state, true, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

static const knrng_distribution lognormal_row = {
    .name = "lognormal",
    .n = 2,
    .rule = {{"mean", KNRNG_ANY, false, 0}, {"sigma", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_lognormal_real,
    .legacy_real = knrng_legacy_lognormal_real,
};

kn_array kn_rng_lognormal(kn_rng rng, const kn_shape *size, const kn_rng_lognormal_opts *opts)
{
    return knrng_draw(&lognormal_row, rng, false, size, opts ? opts->mean : NULL, opts ? opts->sigma : NULL, NULL);
}

kn_array kn_random_state_lognormal(kn_random_state state, const kn_shape *size, const kn_rng_lognormal_opts *opts)
{
    return knrng_draw(&lognormal_row, state, true, size, opts ? opts->mean : NULL, opts ? opts->sigma : NULL, NULL);
}

static const knrng_distribution exponential_row = {
    .name = "exponential",
    .n = 1,
    .rule = {{"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_exponential_real,
    .legacy_real = knrng_legacy_exponential_real,
    .standard = knrng_fill_exponentials,
};

kn_array kn_rng_exponential(kn_rng rng, const kn_shape *size, const kn_rng_scale_opts *opts)
{
    return knrng_draw(&exponential_row, rng, false, size, opts ? opts->scale : NULL, NULL, NULL);
}

kn_array kn_random_state_exponential(kn_random_state state, const kn_shape *size, const kn_rng_scale_opts *opts)
{
    return knrng_draw(&exponential_row, state, true, size, opts ? opts->scale : NULL, NULL, NULL);
}

static const knrng_distribution gamma_row = {
    .name = "gamma",
    .n = 2,
    .rule = {{"shape", KNRNG_NOT_NEGATIVE, false, NAN}, {"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_gamma_real,
    .legacy_real = knrng_legacy_gamma_real,
};

kn_array kn_rng_gamma(kn_rng rng, kn_array shape, const kn_shape *size, const kn_rng_scale_opts *opts)
{
    return knrng_draw(&gamma_row, rng, false, size, shape, opts ? opts->scale : NULL, NULL);
}

kn_array kn_random_state_gamma(kn_random_state state, kn_array shape, const kn_shape *size,
                               const kn_rng_scale_opts *opts)
{
    return knrng_draw(&gamma_row, state, true, size, shape, opts ? opts->scale : NULL, NULL);
}

static const knrng_distribution beta_row = {
    .name = "beta",
    .n = 2,
    .rule = {{"a", KNRNG_POSITIVE, false, NAN}, {"b", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_beta_real,
    .legacy_real = knrng_legacy_beta_real,
};

kn_array kn_rng_beta(kn_rng rng, kn_array a, kn_array b, const kn_shape *size)
{
    return knrng_draw(&beta_row, rng, false, size, a, b, NULL);
}

kn_array kn_random_state_beta(kn_random_state state, kn_array a, kn_array b, const kn_shape *size)
{
    return knrng_draw(&beta_row, state, true, size, a, b, NULL);
}

static const knrng_distribution chisquare_row = {
    .name = "chisquare",
    .n = 1,
    .rule = {{"df", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_chisquare_real,
    .legacy_real = knrng_legacy_chisquare_real,
};

kn_array kn_rng_chisquare(kn_rng rng, kn_array df, const kn_shape *size)
{
    return knrng_draw(&chisquare_row, rng, false, size, df, NULL, NULL);
}

kn_array kn_random_state_chisquare(kn_random_state state, kn_array df, const kn_shape *size)
{
    return knrng_draw(&chisquare_row, state, true, size, df, NULL, NULL);
}

static const knrng_distribution noncentral_chisquare_row = {
    .name = "noncentral_chisquare",
    .n = 2,
    .rule = {{"df", KNRNG_POSITIVE, false, NAN}, {"nonc", KNRNG_NOT_NEGATIVE, false, NAN}},
    .real = knrng_noncentral_chisquare_real,
    .legacy_real = knrng_legacy_noncentral_chisquare_real,
};

kn_array kn_rng_noncentral_chisquare(kn_rng rng, kn_array df, kn_array nonc, const kn_shape *size)
{
    return knrng_draw(&noncentral_chisquare_row, rng, false, size, df, nonc, NULL);
}

kn_array kn_random_state_noncentral_chisquare(kn_random_state state, kn_array df, kn_array nonc, const kn_shape *size)
{
    return knrng_draw(&noncentral_chisquare_row, state, true, size, df, nonc, NULL);
}

static const knrng_distribution f_row = {
    .name = "f",
    .n = 2,
    .rule = {{"dfnum", KNRNG_POSITIVE, false, NAN}, {"dfden", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_f_real,
    .legacy_real = knrng_legacy_f_real,
};

kn_array kn_rng_f(kn_rng rng, kn_array dfnum, kn_array dfden, const kn_shape *size)
{
    return knrng_draw(&f_row, rng, false, size, dfnum, dfden, NULL);
}

kn_array kn_random_state_f(kn_random_state state, kn_array dfnum, kn_array dfden, const kn_shape *size)
{
    return knrng_draw(&f_row, state, true, size, dfnum, dfden, NULL);
}

static const knrng_distribution noncentral_f_row = {
    .name = "noncentral_f",
    .n = 3,
    .rule = {{"dfnum", KNRNG_POSITIVE, false, NAN},
             {"dfden", KNRNG_POSITIVE, false, NAN},
             {"nonc", KNRNG_NOT_NEGATIVE, false, NAN}},
    .real = knrng_noncentral_f_real,
    .legacy_real = knrng_legacy_noncentral_f_real,
};

kn_array kn_rng_noncentral_f(kn_rng rng, kn_array dfnum, kn_array dfden, kn_array nonc, const kn_shape *size)
{
    return knrng_draw(&noncentral_f_row, rng, false, size, dfnum, dfden, nonc);
}

kn_array kn_random_state_noncentral_f(kn_random_state state, kn_array dfnum, kn_array dfden, kn_array nonc,
                                      const kn_shape *size)
{
    return knrng_draw(&noncentral_f_row, state, true, size, dfnum, dfden, nonc);
}

static const knrng_distribution gumbel_row = {
    .name = "gumbel",
    .n = 2,
    .rule = {{"loc", KNRNG_ANY, false, 0}, {"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_gumbel_real,
};

kn_array kn_rng_gumbel(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&gumbel_row, rng, false, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

kn_array kn_random_state_gumbel(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&gumbel_row, state, true, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

static const knrng_distribution laplace_row = {
    .name = "laplace",
    .n = 2,
    .rule = {{"loc", KNRNG_ANY, false, 0}, {"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_laplace_real,
};

kn_array kn_rng_laplace(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&laplace_row, rng, false, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

kn_array kn_random_state_laplace(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&laplace_row, state, true, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

static const knrng_distribution logistic_row = {
    .name = "logistic",
    .n = 2,
    .rule = {{"loc", KNRNG_ANY, false, 0}, {"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_logistic_real,
};

kn_array kn_rng_logistic(kn_rng rng, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&logistic_row, rng, false, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

kn_array kn_random_state_logistic(kn_random_state state, const kn_shape *size, const kn_rng_loc_scale_opts *opts)
{
    return knrng_draw(&logistic_row, state, true, size, opts ? opts->loc : NULL, opts ? opts->scale : NULL, NULL);
}

static const knrng_distribution pareto_row = {
    .name = "pareto",
    .n = 1,
    .rule = {{"a", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_pareto_real,
    .legacy_real = knrng_legacy_pareto_real,
};

kn_array kn_rng_pareto(kn_rng rng, kn_array a, const kn_shape *size)
{
    return knrng_draw(&pareto_row, rng, false, size, a, NULL, NULL);
}

kn_array kn_random_state_pareto(kn_random_state state, kn_array a, const kn_shape *size)
{
    return knrng_draw(&pareto_row, state, true, size, a, NULL, NULL);
}

static const knrng_distribution power_row = {
    .name = "power",
    .n = 1,
    .rule = {{"a", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_power_real,
    .legacy_real = knrng_legacy_power_real,
};

kn_array kn_rng_power(kn_rng rng, kn_array a, const kn_shape *size)
{
    return knrng_draw(&power_row, rng, false, size, a, NULL, NULL);
}

kn_array kn_random_state_power(kn_random_state state, kn_array a, const kn_shape *size)
{
    return knrng_draw(&power_row, state, true, size, a, NULL, NULL);
}

static const knrng_distribution rayleigh_row = {
    .name = "rayleigh",
    .n = 1,
    .rule = {{"scale", KNRNG_NOT_NEGATIVE, false, 1}},
    .real = knrng_rayleigh_real,
    .legacy_real = knrng_legacy_rayleigh_real,
};

kn_array kn_rng_rayleigh(kn_rng rng, const kn_shape *size, const kn_rng_scale_opts *opts)
{
    return knrng_draw(&rayleigh_row, rng, false, size, opts ? opts->scale : NULL, NULL, NULL);
}

kn_array kn_random_state_rayleigh(kn_random_state state, const kn_shape *size, const kn_rng_scale_opts *opts)
{
    return knrng_draw(&rayleigh_row, state, true, size, opts ? opts->scale : NULL, NULL, NULL);
}

static const knrng_distribution vonmises_row = {
    .name = "vonmises",
    .n = 2,
    .rule = {{"mu", KNRNG_ANY, false, NAN}, {"kappa", KNRNG_NOT_NEGATIVE, false, NAN}},
    .real = knrng_vonmises_real,
    .legacy_real = knrng_legacy_vonmises_real,
};

kn_array kn_rng_vonmises(kn_rng rng, kn_array mu, kn_array kappa, const kn_shape *size)
{
    return knrng_draw(&vonmises_row, rng, false, size, mu, kappa, NULL);
}

kn_array kn_random_state_vonmises(kn_random_state state, kn_array mu, kn_array kappa, const kn_shape *size)
{
    return knrng_draw(&vonmises_row, state, true, size, mu, kappa, NULL);
}

static const knrng_distribution wald_row = {
    .name = "wald",
    .n = 2,
    .rule = {{"mean", KNRNG_POSITIVE, false, NAN}, {"scale", KNRNG_POSITIVE, false, NAN}},
    .real = knrng_wald_real,
    .legacy_real = knrng_legacy_wald_real,
};

kn_array kn_rng_wald(kn_rng rng, kn_array mean, kn_array scale, const kn_shape *size)
{
    return knrng_draw(&wald_row, rng, false, size, mean, scale, NULL);
}

kn_array kn_random_state_wald(kn_random_state state, kn_array mean, kn_array scale, const kn_shape *size)
{
    return knrng_draw(&wald_row, state, true, size, mean, scale, NULL);
}

static const knrng_distribution weibull_row = {
    .name = "weibull",
    .n = 1,
    .rule = {{"a", KNRNG_NOT_NEGATIVE, false, NAN}},
    .real = knrng_weibull_real,
    .legacy_real = knrng_legacy_weibull_real,
};

kn_array kn_rng_weibull(kn_rng rng, kn_array a, const kn_shape *size)
{
    return knrng_draw(&weibull_row, rng, false, size, a, NULL, NULL);
}

kn_array kn_random_state_weibull(kn_random_state state, kn_array a, const kn_shape *size)
{
    return knrng_draw(&weibull_row, state, true, size, a, NULL, NULL);
}

static const knrng_distribution poisson_row = {
    .name = "poisson",
    .n = 1,
    .rule = {{"lam", KNRNG_RATE, false, 1}},
    .count = knrng_poisson_count,
};

kn_array kn_rng_poisson(kn_rng rng, const kn_shape *size, const kn_rng_poisson_opts *opts)
{
    return knrng_draw(&poisson_row, rng, false, size, opts ? opts->lam : NULL, NULL, NULL);
}

kn_array kn_random_state_poisson(kn_random_state state, const kn_shape *size, const kn_rng_poisson_opts *opts)
{
    return knrng_draw(&poisson_row, state, true, size, opts ? opts->lam : NULL, NULL, NULL);
}

static const knrng_distribution zipf_row = {
    .name = "zipf",
    .n = 1,
    .rule = {{"a", KNRNG_ABOVE_1, false, NAN}},
    .count = knrng_zipf_count,
    .legacy_count = knrng_legacy_zipf_count,
};

kn_array kn_rng_zipf(kn_rng rng, kn_array a, const kn_shape *size)
{
    return knrng_draw(&zipf_row, rng, false, size, a, NULL, NULL);
}

kn_array kn_random_state_zipf(kn_random_state state, kn_array a, const kn_shape *size)
{
    return knrng_draw(&zipf_row, state, true, size, a, NULL, NULL);
}

static const knrng_distribution geometric_row = {
    .name = "geometric",
    .n = 1,
    .rule = {{"p", KNRNG_ABOVE_0_TO_1, false, NAN}},
    .count = knrng_geometric_count,
    .legacy_count = knrng_legacy_geometric_count,
};

kn_array kn_rng_geometric(kn_rng rng, kn_array p, const kn_shape *size)
{
    return knrng_draw(&geometric_row, rng, false, size, p, NULL, NULL);
}

kn_array kn_random_state_geometric(kn_random_state state, kn_array p, const kn_shape *size)
{
    return knrng_draw(&geometric_row, state, true, size, p, NULL, NULL);
}

static const knrng_distribution logseries_row = {
    .name = "logseries",
    .n = 1,
    .rule = {{"p", KNRNG_0_TO_BELOW_1, false, NAN}},
    .count = knrng_logseries_count,
    .legacy_count = knrng_legacy_logseries_count,
};

kn_array kn_rng_logseries(kn_rng rng, kn_array p, const kn_shape *size)
{
    return knrng_draw(&logseries_row, rng, false, size, p, NULL, NULL);
}

kn_array kn_random_state_logseries(kn_random_state state, kn_array p, const kn_shape *size)
{
    return knrng_draw(&logseries_row, state, true, size, p, NULL, NULL);
}
