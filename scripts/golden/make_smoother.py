#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the numbers of tests/unit/function/test_smoother.c: a Kalman filter and the smoother of Rauch, Tung and Striebel behind
it, step by step with NumPy."""
import numpy as np

F = np.array([[1, 0.5], [0, 1]])
H = np.array([[1.0, 0.0]])
Q = np.array([[0.02, 0.01], [0.01, 0.05]])
R = np.array([[0.3]])
Y = np.array([0.9, 1.7, 2.1, 3.3, 3.9, 4.4])
m, P = np.array([0.0, 1.0]), np.eye(2)

filtered = []
for y in Y:
    mp, Pp = F @ m, F @ P @ F.T + Q
    K = Pp @ H.T @ np.linalg.inv(H @ Pp @ H.T + R)
    m, P = mp + K @ (np.array([y]) - H @ mp), Pp - K @ H @ Pp
    filtered.append((m, P, mp, Pp))
smoothed = [filtered[-1][:2]]
for k in range(len(Y) - 2, -1, -1):
    m, P, _, _ = filtered[k]
    _, _, mp, Pp = filtered[k + 1]
    ms, Ps = smoothed[0]
    G = P @ F.T @ np.linalg.inv(Pp)
    smoothed.insert(0, (m + G @ (ms - mp), P + G @ (Ps - Pp) @ G.T))
for name, values in (("means", [m for m, _ in smoothed]), ("covariances", [P for _, P in smoothed]),
                     ("filtered", [f[0] for f in filtered])):
    print(name, ", ".join(repr(float(v)) for v in np.ravel(values)))
