// SPDX-License-Identifier: Apache-2.0
// sha256.js -- SHA-256 of bytes that come one after the other, which crypto.subtle has not: it wants all at once.

// The first 32 bits of fractions of square roots (start) and cube roots (K) of primes.
const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every(p => n % p)) primes.push(n);
function root(n, k) { // floor(n^(1/k) * 2^32) mod 2^32
    const target = BigInt(n) << BigInt(32 * k);
    let low = 0n, high = 1n << 40n;
    while (high - low > 1n) {
        const mid = (low + high) >> 1n;
        if (mid ** BigInt(k) <= target) low = mid;
        else high = mid;
    }
    return Number(low & 0xffffffffn) | 0;
}
const K = Int32Array.from(primes, p => root(p, 3)), start = Int32Array.from(primes.slice(0, 8), p => root(p, 2));

export class Sha256 {
    #h = start.slice();
    #w = new Int32Array(64);
    #rest = new Uint8Array(64);
    #n = 0; // bytes of #rest
    #size = 0;

    /** Further bytes; returns itself. */
    update(b) {
        this.#size += b.length;
        let at = 0;
        if (this.#n) {
            at = Math.min(64 - this.#n, b.length);
            this.#rest.set(b.subarray(0, at), this.#n);
            this.#n += at;
            if (this.#n < 64) return this;
            this.#block(this.#rest, 0);
            this.#n = 0;
        }
        for (; at + 64 <= b.length; at += 64) this.#block(b, at);
        this.#rest.set(b.subarray(at));
        this.#n = b.length - at;
        return this;
    }
    #block(b, at) {
        const h = this.#h, w = this.#w;
        for (let i = 0; i < 16; i++, at += 4) w[i] = (b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3];
        for (let i = 16; i < 64; i++) {
            const x = w[i - 15], y = w[i - 2];
            const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
            const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
            w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
        }
        let a = h[0], b_ = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
        for (let i = 0; i < 64; i++) {
            const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
            const t1 = (k + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
            const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
            const t2 = (s0 + ((a & b_) ^ (a & c) ^ (b_ & c))) | 0;
            k = g, g = f, f = e, e = (d + t1) | 0, d = c, c = b_, b_ = a, a = (t1 + t2) | 0;
        }
        h[0] += a, h[1] += b_, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += k;
    }
    /** The sum as 64 hexadecimal digits. Nothing can be added after it. */
    hex() {
        const size = this.#size, n = this.#n, end = new Uint8Array(n < 56 ? 64 - n : 128 - n);
        end[0] = 0x80;
        const v = new DataView(end.buffer);
        v.setUint32(end.length - 8, Math.floor(size / 2 ** 29)), v.setUint32(end.length - 4, (size * 8) % 2 ** 32);
        this.update(end);
        return Array.from(this.#h, x => (x >>> 0).toString(16).padStart(8, '0')).join('');
    }
}
export const sha256 = b => new Sha256().update(b).hex();
