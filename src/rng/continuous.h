/* SPDX-License-Identifier: Apache-2.0
 * continuous.h -- distributions of real numbers; each takes its parameters in NumPy's order. */
#ifndef KN_RNG_CONTINUOUS_H
#define KN_RNG_CONTINUOUS_H
#include "rng/reader.h"

knrng_real knrng_beta_real, knrng_exponential_real, knrng_standard_exponential_real, knrng_uniform_real,
    knrng_standard_normal_real, knrng_normal_real, knrng_standard_gamma_real, knrng_gamma_real, knrng_f_real,
    knrng_noncentral_f_real, knrng_chisquare_real, knrng_noncentral_chisquare_real, knrng_standard_cauchy_real,
    knrng_standard_t_real, knrng_vonmises_real, knrng_pareto_real, knrng_weibull_real, knrng_power_real,
    knrng_laplace_real, knrng_gumbel_real, knrng_logistic_real, knrng_lognormal_real, knrng_rayleigh_real,
    knrng_wald_real, knrng_triangular_real;

/* legacy.c: as RandomState has them; the others are the same. */
knrng_real knrng_legacy_beta_real, knrng_legacy_exponential_real, knrng_legacy_standard_exponential_real,
    knrng_legacy_standard_normal_real, knrng_legacy_normal_real, knrng_legacy_standard_gamma_real,
    knrng_legacy_gamma_real, knrng_legacy_f_real, knrng_legacy_noncentral_f_real, knrng_legacy_chisquare_real,
    knrng_legacy_noncentral_chisquare_real, knrng_legacy_standard_cauchy_real, knrng_legacy_standard_t_real,
    knrng_legacy_vonmises_real, knrng_legacy_pareto_real, knrng_legacy_weibull_real, knrng_legacy_power_real,
    knrng_legacy_lognormal_real, knrng_legacy_rayleigh_real, knrng_legacy_wald_real;

/* Distributions of integers. */
knrng_count knrng_binomial_count, knrng_negative_binomial_count, knrng_poisson_count, knrng_zipf_count,
    knrng_geometric_count, knrng_hypergeometric_count, knrng_logseries_count;
knrng_count knrng_legacy_binomial_count, knrng_legacy_negative_binomial_count, knrng_legacy_zipf_count,
    knrng_legacy_geometric_count, knrng_legacy_hypergeometric_count, knrng_legacy_logseries_count;

/* Of both kinds: the angle that a sample of the von Mises distribution becomes around mu, and its proposals. */
double knrng_vonmises_angle(knrng_reader *r, double mu, double kappa, double s);
double knrng_vonmises_spread(double kappa);
#endif
