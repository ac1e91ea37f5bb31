/* SPDX-License-Identifier: Apache-2.0
 * control_peers.c -- loops over a few numbers as one writes them in C, without Kiln. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "control_peers.h"

/* ---- a Kalman filter: four numbers, two of them observed */
enum { N = 4, M = 2 };
static void product(int rows, int inner, int columns, const double *a, const double *b, double *c)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += a[i * inner + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
}
static void product_t(int rows, int inner, int columns, const double *a, const double *b, double *c) /* a b^T */
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += a[i * inner + k] * b[j * inner + k];
            c[i * columns + j] = sum;
        }
}

void control_c_kalman(int64_t steps, const void *const *in, void *const *out)
{
    const double *f = in[0], *h = in[1], *q = in[2], *r = in[3], *z = in[6];
    double *x = out[0], *p = out[1], *means = out[2], moved[N], fp[N * N], ph[N * M], s[M * M], inverse[M * M];
    double k[N * M], gap[M], seen[M];
    memcpy(x, in[4], sizeof(double) * N);
    memcpy(p, in[5], sizeof(double) * N * N);
    for (int64_t t = 0; t < steps; t++) {
        product(N, N, 1, f, x, moved);
        product(N, N, N, f, p, fp);
        product_t(N, N, N, fp, f, p);
        for (int i = 0; i < N * N; i++)
            p[i] += q[i];
        product_t(N, N, M, p, h, ph);
        product(M, N, M, h, ph, s);
        for (int i = 0; i < M * M; i++)
            s[i] += r[i];
        double det = s[0] * s[3] - s[1] * s[2];
        inverse[0] = s[3] / det, inverse[1] = -s[1] / det, inverse[2] = -s[2] / det, inverse[3] = s[0] / det;
        product(N, M, M, ph, inverse, k);
        product(M, N, 1, h, moved, seen);
        for (int i = 0; i < M; i++)
            gap[i] = z[t * M + i] - seen[i];
        for (int i = 0; i < N; i++) {
            x[i] = moved[i] + k[i * M] * gap[0] + k[i * M + 1] * gap[1];
            means[t * N + i] = x[i];
            for (int j = 0; j < N; j++)
                p[i * N + j] -= k[i * M] * ph[j * M] + k[i * M + 1] * ph[j * M + 1];
        }
    }
}

/* ---- Lorenz' equations, Runge and Kutta's method */
static const double step = CONTROL_DT;
static void flow(const double *p, const double *u, double *d)
{
    d[0] = p[0] * (u[1] - u[0]);
    d[1] = u[0] * (p[1] - u[2]) - u[1];
    d[2] = u[0] * u[1] - p[2] * u[2];
}
static void runge_kutta(const double *p, const double *u, double *next)
{
    double k1[3], k2[3], k3[3], k4[3], w[3];
    flow(p, u, k1);
    for (int i = 0; i < 3; i++)
        w[i] = u[i] + 0.5 * step * k1[i];
    flow(p, w, k2);
    for (int i = 0; i < 3; i++)
        w[i] = u[i] + 0.5 * step * k2[i];
    flow(p, w, k3);
    for (int i = 0; i < 3; i++)
        w[i] = u[i] + step * k3[i];
    flow(p, w, k4);
    for (int i = 0; i < 3; i++)
        next[i] = u[i] + step / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
}

void control_c_lorenz(int64_t steps, const void *const *in, void *const *out)
{
    const double p[3] = {*(const double *)in[0], *(const double *)in[1], *(const double *)in[2]};
    double u[3] = {1, 1, 1}, next[3];
    for (int64_t t = 0; t < steps; t++) {
        runge_kutta(p, u, next);
        memcpy(u, next, sizeof u);
    }
    *(double *)out[0] = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
}

/* Adds to du and dp what a cotangent c of flow(p, u) gives. */
static void flow_back(const double *p, const double *u, const double *c, double *du, double *dp)
{
    du[0] += -p[0] * c[0] + (p[1] - u[2]) * c[1] + u[1] * c[2];
    du[1] += p[0] * c[0] - c[1] + u[0] * c[2];
    du[2] += -u[0] * c[1] - p[2] * c[2];
    dp[0] += (u[1] - u[0]) * c[0];
    dp[1] += u[0] * c[1];
    dp[2] -= u[2] * c[2];
}
static void runge_kutta_back(const double *p, const double *u, double *c, double *dp)
{
    double k[3], w2[3], w3[3], w4[3], c1[3], c2[3], c3[3], c4[3], d[3], du[3];
    flow(p, u, k);
    for (int i = 0; i < 3; i++)
        w2[i] = u[i] + 0.5 * step * k[i];
    flow(p, w2, k);
    for (int i = 0; i < 3; i++)
        w3[i] = u[i] + 0.5 * step * k[i];
    flow(p, w3, k);
    for (int i = 0; i < 3; i++)
        w4[i] = u[i] + step * k[i];
    for (int i = 0; i < 3; i++) {
        du[i] = c[i];
        c1[i] = c4[i] = step / 6 * c[i];
        c2[i] = c3[i] = step / 3 * c[i];
        d[i] = 0;
    }
    flow_back(p, w4, c4, d, dp);
    for (int i = 0; i < 3; i++) {
        du[i] += d[i];
        c3[i] += step * d[i];
        d[i] = 0;
    }
    flow_back(p, w3, c3, d, dp);
    for (int i = 0; i < 3; i++) {
        du[i] += d[i];
        c2[i] += 0.5 * step * d[i];
        d[i] = 0;
    }
    flow_back(p, w2, c2, d, dp);
    for (int i = 0; i < 3; i++) {
        du[i] += d[i];
        c1[i] += 0.5 * step * d[i];
    }
    flow_back(p, u, c1, du, dp);
    memcpy(c, du, sizeof du);
}

void control_c_lorenz_grad(int64_t steps, const void *const *in, void *const *out)
{
    const double p[3] = {*(const double *)in[0], *(const double *)in[1], *(const double *)in[2]};
    double(*u)[3] = malloc(sizeof *u * (size_t)(steps + 1)), c[3], dp[3] = {0, 0, 0};
    if (!u)
        return;
    u[0][0] = u[0][1] = u[0][2] = 1;
    for (int64_t t = 0; t < steps; t++)
        runge_kutta(p, u[t], u[t + 1]);
    for (int i = 0; i < 3; i++)
        c[i] = 2 * u[steps][i];
    for (int64_t t = steps - 1; t >= 0; t--)
        runge_kutta_back(p, u[t], c, dp);
    for (int i = 0; i < 3; i++)
        *(double *)out[i] = dp[i];
    free(u);
}

/* ---- six masses on springs between two walls: twelve numbers */
void control_c_chain(int64_t steps, const void *const *in, void *const *out)
{
    double x[8] = {0}, v[6];
    for (int i = 0; i < 6; i++) {
        x[i + 1] = *(const double *)in[i];
        v[i] = *(const double *)in[6 + i];
    }
    for (int64_t t = 0; t < steps; t++) {
        for (int i = 0; i < 6; i++)
            v[i] += 0.01 * (x[i] - 2 * x[i + 1] + x[i + 2]);
        for (int i = 0; i < 6; i++)
            x[i + 1] += 0.01 * v[i];
    }
    for (int i = 0; i < 6; i++) {
        *(double *)out[i] = x[i + 1];
        *(double *)out[6 + i] = v[i];
    }
}

/* ---- square roots */
void control_c_newton(int64_t steps, const void *const *in, void *const *out)
{
    const double *a = in[0];
    double *root = out[0];
    for (int64_t i = 0; i < steps; i++) {
        double x = a[i], previous = 0;
        while (fabs(x - previous) > 1e-12 * x) {
            previous = x;
            x = 0.5 * (x + a[i] / x);
        }
        root[i] = x;
    }
}

/* ---- where the largest element is */
void control_c_argmax(int64_t steps, const void *const *in, void *const *out)
{
    const float *x = in[0];
    float best = -INFINITY;
    int64_t at = 0;
    for (int64_t i = 0; i < steps; i++)
        if (x[i] > best) {
            best = x[i];
            at = i;
        }
    *(int64_t *)out[0] = at;
    *(float *)out[1] = best;
}

/* ---- counting; the compiler is not to know the end */
void control_c_count(int64_t steps, const void *const *in, void *const *out)
{
    int64_t i = *(const int64_t *)in[0];
    while (i < steps) {
        i = i + 1;
        __asm__ volatile("" : "+r"(i));
    }
    *(int64_t *)out[0] = i;
}
