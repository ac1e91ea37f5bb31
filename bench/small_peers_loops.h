/* SPDX-License-Identifier: Apache-2.0
 * small_peers_loops.h -- one size of matrices (N) of one type (T); included by small_peers.c again and again. */

static void F(matmul)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y += N * N)
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++) {
                T sum = 0;
                for (int k = 0; k < N; k++)
                    sum += a[r * N + k] * a[k * N + c];
                y[r * N + c] = sum;
            }
}

static void F(matvec)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y += N)
        for (int r = 0; r < N; r++) {
            T sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[r * N + k] * a[k];
            y[r] = sum;
        }
}

static int F(factorize)(T *x, int *order) /* the parity */
{
    int parity = 1;
    for (int k = 0; k < N; k++)
        order[k] = k;
    for (int k = 0; k < N; k++) {
        int at = k;
        for (int i = k + 1; i < N; i++)
            if (fabs((double)x[i * N + k]) > fabs((double)x[at * N + k]))
                at = i;
        if (at != k) {
            int t = order[k];
            order[k] = order[at];
            order[at] = t;
            parity = -parity;
            for (int c = 0; c < N; c++) {
                T v = x[k * N + c];
                x[k * N + c] = x[at * N + c];
                x[at * N + c] = v;
            }
        }
        for (int i = k + 1; i < N; i++) {
            T f = x[i * N + k] /= x[k * N + k];
            for (int c = k + 1; c < N; c++)
                x[i * N + c] -= f * x[k * N + c];
        }
    }
    return parity;
}

static void F(substitute)(const T *lu, T *x, int columns)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            for (int c = 0; c < columns; c++)
                x[i * columns + c] -= lu[i * N + k] * x[k * columns + c];
    for (int i = N - 1; i >= 0; i--) {
        for (int k = i + 1; k < N; k++)
            for (int c = 0; c < columns; c++)
                x[i * columns + c] -= lu[i * N + k] * x[k * columns + c];
        for (int c = 0; c < columns; c++)
            x[i * columns + c] /= lu[i * N + i];
    }
}

static void F(inv)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y += N * N) {
        T x[N * N], z[N * N];
        int order[N];
        memcpy(x, a, sizeof x);
        F(factorize)(x, order);
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++)
                z[r * N + c] = order[r] == c;
        F(substitute)(x, z, N);
        memcpy(y, z, sizeof z);
    }
}

static void F(det)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y++) {
        T x[N * N];
        int order[N];
        memcpy(x, a, sizeof x);
        T product = (T)F(factorize)(x, order);
        for (int r = 0; r < N; r++)
            product *= x[r * N + r];
        *y = product;
    }
}

static void F(solve)(int64_t count, const void *from, void *to)
{
    enum { COLUMNS = N < 8 ? 1 : 8 };
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y += N * COLUMNS) {
        T x[N * N], z[N * COLUMNS];
        int order[N];
        memcpy(x, a, sizeof x);
        F(factorize)(x, order);
        for (int r = 0; r < N; r++)
            for (int c = 0; c < COLUMNS; c++)
                z[r * COLUMNS + c] = a[c * N + order[r]];
        F(substitute)(x, z, COLUMNS);
        memcpy(y, z, sizeof z);
    }
}

static void F(cholesky)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y += N * N) {
        T l[N * N] = {0};
        for (int j = 0; j < N; j++)
            for (int r = j; r < N; r++) {
                T v = a[r * N + j];
                for (int k = 0; k < j; k++)
                    v -= l[r * N + k] * l[j * N + k];
                l[r * N + j] = r == j ? (T)sqrt(v) : v / l[j * N + j];
            }
        memcpy(y, l, sizeof l);
    }
}

static void F(lu)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict y = to;
    for (int64_t i = 0; i < count; i++, a += N * N, y += N * N) {
        T x[N * N];
        int order[N];
        memcpy(x, a, sizeof x);
        F(factorize)(x, order);
        memcpy(y, x, sizeof x);
    }
}

static void F(qr)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict q_to = to, *restrict r_to = q_to + count * N * N;
    for (int64_t i = 0; i < count; i++, a += N * N, q_to += N * N, r_to += N * N) {
        T x[N * N], q[N * N], tau[N];
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++) {
                x[c * N + r] = a[r * N + c];
                q[c * N + r] = r == c;
            }
        for (int j = 0; j < N; j++) { /* columns are rows here */
            T sum = 0, *v = x + j * N;
            for (int r = j + 1; r < N; r++)
                sum += v[r] * v[r];
            T first = v[j], beta = (T)(first < 0 ? 1 : -1) * (T)sqrt(first * first + sum);
            tau[j] = sum == 0 ? 0 : (beta - first) / beta;
            for (int r = j + 1; r < N && sum != 0; r++)
                v[r] /= first - beta;
            v[j] = sum == 0 ? first : beta;
            for (int c = j + 1; c < N; c++) {
                T w = x[c * N + j];
                for (int r = j + 1; r < N; r++)
                    w += v[r] * x[c * N + r];
                w *= tau[j];
                x[c * N + j] -= w;
                for (int r = j + 1; r < N; r++)
                    x[c * N + r] -= w * v[r];
            }
        }
        for (int j = N - 1; j >= 0; j--)
            for (int c = j; c < N; c++) {
                T w = q[c * N + j];
                for (int r = j + 1; r < N; r++)
                    w += x[j * N + r] * q[c * N + r];
                w *= tau[j];
                q[c * N + j] -= w;
                for (int r = j + 1; r < N; r++)
                    q[c * N + r] -= w * x[j * N + r];
            }
        for (int r = 0; r < N; r++)
            for (int c = 0; c < N; c++) {
                q_to[r * N + c] = q[c * N + r];
                r_to[r * N + c] = r > c ? 0 : x[c * N + r];
            }
    }
}

/* c, s that make [a g; g b] diagonal */
static T F(angle)(T a, T b, T g, T *c, T *s)
{
    T x = b - a, y = 2 * g, t = y / (x + (T)copysign(sqrt(x * x + y * y), x));
    *c = 1 / (T)sqrt(1 + t * t);
    *s = t * *c;
    return t;
}
static void F(rotate)(T *x, T *y, int step, T c, T s)
{
    for (int r = 0; r < N; r++) {
        T a = x[r * step], b = y[r * step];
        x[r * step] = c * a - s * b;
        y[r * step] = s * a + c * b;
    }
}

static void F(eigh)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict values = to, *restrict vectors = values + count * N;
    for (int64_t i = 0; i < count; i++, a += N * N, values += N, vectors += N * N) {
        T x[N * N], v[N * N] = {0};
        int order[N];
        for (int r = 0; r < N; r++) {
            v[r * N + r] = 1;
            order[r] = r;
            for (int c = 0; c <= r; c++)
                x[r * N + c] = x[c * N + r] = a[r * N + c];
        }
        for (int sweep = 0, moved = 1; moved && sweep < 30; sweep++) {
            moved = 0;
            for (int p = 0; p < N; p++)
                for (int q = p + 1; q < N; q++) {
                    T g = x[p * N + q], c, s;
                    if (g * g <= EPS * EPS * (T)fabs((double)(x[p * N + p] * x[q * N + q])))
                        continue;
                    moved = 1;
                    F(angle)(x[p * N + p], x[q * N + q], g, &c, &s);
                    F(rotate)(x + p * N, x + q * N, 1, c, s);
                    F(rotate)(x + p, x + q, N, c, s);
                    F(rotate)(v + p * N, v + q * N, 1, c, s);
                    x[p * N + q] = x[q * N + p] = 0;
                }
        }
        for (int r = 1; r < N; r++)
            for (int k = r; k && x[order[k] * (N + 1)] < x[order[k - 1] * (N + 1)]; k--) {
                int t = order[k];
                order[k] = order[k - 1];
                order[k - 1] = t;
            }
        for (int c = 0; c < N; c++) {
            values[c] = x[order[c] * (N + 1)];
            for (int r = 0; r < N; r++)
                vectors[r * N + c] = v[order[c] * N + r];
        }
    }
}

static void F(svd)(int64_t count, const void *from, void *to)
{
    const T *restrict a = from;
    T *restrict values = to, *restrict left = values + count * N, *restrict right = left + count * N * N;
    for (int64_t i = 0; i < count; i++, a += N * N, values += N, left += N * N, right += N * N) {
        T x[N * N], v[N * N] = {0}, size[N];
        int order[N];
        for (int r = 0; r < N; r++) {
            v[r * N + r] = 1;
            order[r] = r;
            for (int c = 0; c < N; c++)
                x[c * N + r] = a[r * N + c];
        }
        for (int sweep = 0, moved = 1; moved && sweep < 30; sweep++) {
            moved = 0;
            for (int p = 0; p < N; p++)
                for (int q = p + 1; q < N; q++) {
                    T f = 0, g = 0, h = 0, c, s;
                    for (int r = 0; r < N; r++) {
                        f += x[p * N + r] * x[p * N + r];
                        g += x[p * N + r] * x[q * N + r];
                        h += x[q * N + r] * x[q * N + r];
                    }
                    if (g * g <= (N + 2) * (N + 2) * EPS * EPS * f * h)
                        continue;
                    moved = 1;
                    F(angle)(f, h, g, &c, &s);
                    F(rotate)(x + p * N, x + q * N, 1, c, s);
                    F(rotate)(v + p * N, v + q * N, 1, c, s);
                }
        }
        for (int r = 0; r < N; r++) {
            T sum = 0;
            for (int c = 0; c < N; c++)
                sum += x[r * N + c] * x[r * N + c];
            size[r] = (T)sqrt(sum);
        }
        for (int r = 1; r < N; r++)
            for (int k = r; k && size[order[k]] > size[order[k - 1]]; k--) {
                int t = order[k];
                order[k] = order[k - 1];
                order[k - 1] = t;
            }
        for (int c = 0; c < N; c++) {
            values[c] = size[order[c]];
            for (int r = 0; r < N; r++) {
                left[r * N + c] = x[order[c] * N + r] / size[order[c]];
                right[c * N + r] = v[order[c] * N + r];
            }
        }
    }
}
