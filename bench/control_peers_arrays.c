/* SPDX-License-Identifier: Apache-2.0
 * control_peers_arrays.c -- loops over arrays as one writes them in C, without Kiln. */
#include "control_peers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- an LSTM: weights of inputs and of states, biases; the gates i, f, g, o one after the other */
enum { H = CONTROL_LSTM, G = 4 * H };
typedef struct {
    float gate[G], cell[H], hidden[H];
} moment;

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }
static void lstm_step(const float *wx, const float *wh, const float *b, const float *x, const moment *last, moment *m)
{
    float gate[G];
    memcpy(gate, b, sizeof gate);
    for (int k = 0; k < H; k++)
        for (int j = 0; j < G; j++)
            gate[j] += x[k] * wx[k * G + j] + last->hidden[k] * wh[k * G + j];
    for (int j = 0; j < G; j++)
        m->gate[j] = j / H == 2 ? tanhf(gate[j]) : sigmoid(gate[j]);
    for (int j = 0; j < H; j++) {
        m->cell[j] = m->gate[H + j] * last->cell[j] + m->gate[j] * m->gate[2 * H + j];
        m->hidden[j] = m->gate[3 * H + j] * tanhf(m->cell[j]);
    }
}

/* m: one more than steps */
static float lstm(int64_t steps, const void *const *in, moment *m)
{
    const float *x = in[3];
    float total = 0;
    memset(m, 0, sizeof *m);
    for (int64_t t = 0; t < steps; t++) {
        lstm_step(in[0], in[1], in[2], x + t * H, &m[t], &m[t + 1]);
        for (int j = 0; j < H; j++)
            total += m[t + 1].hidden[j] * m[t + 1].hidden[j];
    }
    return total / (float)(steps * H);
}

void control_c_lstm(int64_t steps, const void *const *in, void *const *out)
{
    moment *m = malloc(sizeof *m * (size_t)(steps + 1));
    if (m)
        *(float *)out[0] = lstm(steps, in, m);
    free(m);
}

/* dh, dc: of the state after this step on entry, of the one before it on return; d: of the gates before their
 * functions */
static void cell_back(const moment *last, const moment *m, const float *dh, float *dc, float *d)
{
    for (int j = 0; j < H; j++) {
        float i = m->gate[j], f = m->gate[H + j], g = m->gate[2 * H + j], o = m->gate[3 * H + j], t = tanhf(m->cell[j]);
        dc[j] += dh[j] * o * (1 - t * t);
        d[j] = dc[j] * g * i * (1 - i);
        d[H + j] = dc[j] * last->cell[j] * f * (1 - f);
        d[2 * H + j] = dc[j] * i * (1 - g * g);
        d[3 * H + j] = dh[j] * t * o * (1 - o);
        dc[j] *= f;
    }
}

void control_c_lstm_grad(int64_t steps, const void *const *in, void *const *out)
{
    moment *m = malloc(sizeof *m * (size_t)(steps + 1));
    const float *wh = in[1], *x = in[3];
    float *dwx = out[0], *dwh = out[1], *db = out[2], dh[H] = {0}, dc[H] = {0}, d[G];
    if (!m)
        return;
    lstm(steps, in, m);
    memset(dwx, 0, sizeof(float) * H * G);
    memset(dwh, 0, sizeof(float) * H * G);
    memset(db, 0, sizeof(float) * G);
    for (int64_t t = steps - 1; t >= 0; t--) {
        for (int j = 0; j < H; j++)
            dh[j] += 2 * m[t + 1].hidden[j] / (float)(steps * H);
        cell_back(&m[t], &m[t + 1], dh, dc, d);
        for (int j = 0; j < G; j++)
            db[j] += d[j];
        for (int k = 0; k < H; k++) {
            float sum = 0;
            for (int j = 0; j < G; j++) {
                dwx[k * G + j] += x[t * H + k] * d[j];
                dwh[k * G + j] += m[t].hidden[k] * d[j];
                sum += wh[k * G + j] * d[j];
            }
            dh[k] = sum;
        }
    }
    free(m);
}

/* ---- neurons that leak, fire, and get events */
void control_c_neurons(int64_t steps, const void *const *in, void *const *out)
{
    const int32_t *target = in[0];
    const float *weight = in[1];
    float *v = out[0], *current = out[1], *fired = out[2];
    for (int i = 0; i < CONTROL_NEURONS; i++)
        v[i] = current[i] = fired[i] = 0;
    for (int64_t t = 0; t < steps; t++) {
        for (int i = 0; i < CONTROL_NEURONS; i++)
            current[i] *= 0.9f;
        for (int k = 0; k < CONTROL_EVENTS; k++)
            current[target[t * CONTROL_EVENTS + k]] += weight[t * CONTROL_EVENTS + k];
        for (int i = 0; i < CONTROL_NEURONS; i++) {
            float u = v[i] + 0.1f * (current[i] - v[i]);
            float fires = u > 1 ? 1.0f : 0.0f;
            v[i] = u * (1 - fires);
            fired[i] += fires;
        }
    }
}

/* ---- paths of a geometric Brownian motion; numbers from Threefry-2x32, as jax.random makes them */
static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }
static void threefry(const uint32_t key[2], uint32_t *a, uint32_t *b)
{
    static const int rotation[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t k[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
    uint32_t x = *a + k[0], y = *b + k[1];
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 4; j++) {
            x += y;
            y = rotate(y, rotation[i % 2][j]) ^ x;
        }
        x += k[(i + 1) % 3];
        y += k[(i + 2) % 3] + (uint32_t)i + 1;
    }
    *a = x;
    *b = y;
}

static float erf_inv(float x) /* Giles 2012 */
{
    static const float near[] = {2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                                 -0.00125372503f, -0.00417768164f, 0.246640727f,    1.50140941f};
    static const float far[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                                -0.0076224613f,   0.00943887047f,  1.00167406f,    2.83297682f};
    float w = -log1pf(-x * x), p;
    const float *c = w < 5 ? near : far;
    w = w < 5 ? w - 2.5f : sqrtf(w) - 3;
    p = c[0];
    for (int i = 1; i < 9; i++)
        p = c[i] + p * w;
    return p * x;
}

static float normal(const uint32_t key[2], uint32_t i)
{
    uint32_t a = 0, b = i;
    threefry(key, &a, &b);
    union {
        uint32_t bits;
        float f;
    } one = {(a ^ b) >> 9 | 0x3f800000};
    const float low = -0.99999994f; /* the float after -1 */
    float u = (one.f - 1) * (1 - low) + low;
    return 1.41421356f * erf_inv(u > low ? u : low);
}

void control_c_paths(int64_t steps, const void *const *in, void *const *out)
{
    float *s = out[0];
    (void)in;
    for (int i = 0; i < CONTROL_PATHS; i++)
        s[i] = 100;
    for (int64_t t = 0; t < steps; t++) {
        uint32_t key[2] = {0, (uint32_t)t};
        threefry((const uint32_t[2]){0, 42}, &key[0], &key[1]);
        for (int i = 0; i < CONTROL_PATHS; i++)
            s[i] += s[i] * (0.0002f + 0.0125f * normal(key, (uint32_t)i));
    }
}
