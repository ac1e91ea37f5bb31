/* SPDX-License-Identifier: Apache-2.0
 * control_peers.h -- the C of the rows about loops. in, out: the elements of Kiln's arrays, in their order. */
#ifndef KN_BENCH_CONTROL_PEERS_H
#define KN_BENCH_CONTROL_PEERS_H
#include <stdint.h>

#define CONTROL_DT 1e-4 /* small enough that rounding stays small in 100,000 steps of a chaotic system */
enum { CONTROL_LSTM = 64, CONTROL_NEURONS = 1000, CONTROL_EVENTS = 50, CONTROL_PATHS = 250000 };

typedef void (*control_c)(int64_t steps, const void *const *in, void *const *out);
void control_c_kalman(int64_t steps, const void *const *in, void *const *out);
void control_c_lorenz(int64_t steps, const void *const *in, void *const *out);
void control_c_lorenz_grad(int64_t steps, const void *const *in, void *const *out);
void control_c_chain(int64_t steps, const void *const *in, void *const *out);
void control_c_newton(int64_t steps, const void *const *in, void *const *out);
void control_c_argmax(int64_t steps, const void *const *in, void *const *out);
void control_c_count(int64_t steps, const void *const *in, void *const *out);
void control_c_lstm(int64_t steps, const void *const *in, void *const *out);
void control_c_lstm_grad(int64_t steps, const void *const *in, void *const *out);
void control_c_neurons(int64_t steps, const void *const *in, void *const *out);
void control_c_paths(int64_t steps, const void *const *in, void *const *out);
#endif
