// SPDX-License-Identifier: Apache-2.0
// kernels.mjs -- compiles the modules that Kiln makes at run time (src/host/wasm/generator.c): the imports of module "kiln".

const GROWTH = 64; // of the table, at a time

const leb = n => n < 128 ? [n] : [n % 128 | 128, n >> 7];

// A module with one function, which stores a * b + c and c - a * b of what lies at its argument: float32 at 0, float64
// at 64; the four results of 16 bytes from 128 on.
function probe() {
    const step = (op, from, to) => [32, 0, ...[0, 16, 32].flatMap(at => [32, 0, 253, 0, 0, ...leb(from + at)]),
        253, op, 2, 253, 11, 0, ...leb(to)];
    const code = [0, ...step(133, 0, 128), ...step(135, 64, 144), ...step(134, 0, 160), ...step(136, 64, 176), 11];
    return module(code);
}
function module(code) {
    const section = (id, ...bytes) => [id, ...leb(bytes.length), ...bytes];
    return Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, ...section(1, 1, 96, 1, 127, 0),
        ...section(2, 1, 1, 107, 1, 109, 2, 0, 1), ...section(3, 1, 0), ...section(7, 1, 1, 102, 0, 0),
        ...section(10, 1, ...leb(code.length), ...code));
}

/** Can this engine compile modules with relaxed SIMD? */
export const hasRelaxed = () => WebAssembly.validate(probe());

/** Does it, and do its multiply-adds of float32 and float64 round once? (All tiers of an engine do alike.) */
export function fuses() {
    try {
        const memory = new WebAssembly.Memory({initial: 1});
        const {f} = new WebAssembly.Instance(new WebAssembly.Module(probe()), {k: {m: memory}}).exports;
        const x = new Float32Array(memory.buffer), y = new Float64Array(memory.buffer);
        // (1 + e)^2 - 1 = 2 e + e^2: e^2 is lost where the product is rounded
        const one = sign => {
            x.fill(1 + 2 ** -12, 0, 8), x.fill(sign, 8, 12);
            y.fill(1 + 2 ** -30, 8, 12), y.fill(sign, 12, 14);
            f(0);
            return sign < 0 ? [x[32], y[18]] : [-x[40], -y[22]];
        };
        return [...one(-1), ...one(1)].every((v, i) => v === (i % 2 ? 2 ** -29 + 2 ** -60 : 2 ** -11 + 2 ** -24));
    } catch {
        return false;
    }
}

// A function that stores x truncated to 32-bit integers: of float32 at 0, of float64 at 16; results from 32 and 48 on.
const truncates = () => module([0, ...[[129, 0, 32], [131, 16, 48]].flatMap(([op, from, to]) =>
    [32, 0, 32, 0, 253, 0, 0, from, 253, op, 2, 253, 11, 0, to]), 11]);

/** Does relaxed truncation give the least integer for all that does not fit, as Kiln does? (That of x86 does.) */
export function cuts() {
    try {
        const memory = new WebAssembly.Memory({initial: 1}), x = new Float32Array(memory.buffer), y = new Float64Array(memory.buffer);
        const {f} = new WebAssembly.Instance(new WebAssembly.Module(truncates()), {k: {m: memory}}).exports, n = new Int32Array(memory.buffer);
        return [[2 ** 31, NaN], [Infinity, -(2 ** 32)], [-Infinity, 3e38]].every(pair => {
            x.set([...pair, -1.75, 2 ** 30]), y.set(pair, 2);
            f(0);
            return [8, 9, 12, 13].every(i => n[i] === -(2 ** 31)) && n[10] === -1 && n[11] === 2 ** 30;
        });
    } catch {
        return false;
    }
}

/**
 * Which build of Kiln is to be loaded: the one whose loops in C use relaxed SIMD (preset wasm-relaxed), or the one that runs
 * everywhere. Both give the same bits.
 * @param {'auto'|'exact'|'relaxed'} fma as kernels() takes it
 */
export const wantsRelaxed = (fma = 'auto') => fma === 'relaxed' || (fma === 'auto' && fuses());

/**
 * The imports of module "kiln".
 * @param {object} options
 * @param {() => object} options.exports of Kiln's own module
 * @param {'auto'|'exact'|'relaxed'} [options.fma] exact: kernels never use relaxed_madd; relaxed: always; auto: fuses() says
 * @param {object} [options.webgpu] what openWebGPU() of webgpu.mjs gave, if there is to be such a device
 * @param {object} [options.webgl] what openWebGL() of webgl.mjs gave, likewise
 * @param {boolean} [options.makes] false: no modules can be made here, and kernels are interpreted
 */
export function kernels({exports, fma = 'auto', webgpu = null, webgl = null, makes = true}) {
    const count = {modules: 0, functions: 0, bytes: 0, refused: 0};
    const free = []; // places in the table
    const features = (wantsRelaxed(fma) ? 1 : 0) | (makes ? 2 : 0) | (fma !== 'exact' && cuts() ? 4 : 0);
    const known = {
        count,
        ...webgpu?.imports(exports),
        ...webgl?.imports(exports),
        // A place for a function; 0: there is no memory for it.
        reserve() {
            if (free.length === 0) {
                const table = exports().__indirect_function_table;
                try {
                    const first = table.grow(GROWTH);
                    for (let i = GROWTH; i--;) free.push(first + i);
                } catch {
                    return 0;
                }
            }
            return free.pop();
        },
        // Puts functions into their places. 1; 0: there is no memory for it now, or none in the engine; -1: it refuses the
        // module, and always will.
        publish(at, size, places, n) {
            at >>>= 0, places >>>= 0; // numbers of WebAssembly come with a sign
            const {memory, __indirect_function_table: table, __stack_pointer: stack} = exports();
            try {
                const module = new WebAssembly.Module(new Uint8Array(memory.buffer).slice(at, at + size));
                const made = new WebAssembly.Instance(module, {kiln: {memory, table, stack}}).exports;
                const place = new Int32Array(memory.buffer, places, n);
                for (let i = 0; i < n; i++) table.set(place[i], made[i]);
                count.modules++, count.functions += n, count.bytes += size;
                return 1;
            } catch (e) {
                count.refused++, count.why = e;
                return e instanceof WebAssembly.CompileError || e instanceof WebAssembly.LinkError ? -1 : 0;
            }
        },
        retract(place) {
            exports().__indirect_function_table.set(place, null);
            free.push(place);
        },
        features: () => features,
    };
    return new Proxy(known, {get: (o, name) => o[name] ?? (/^web(gpu|gl)_/.test(String(name)) ? () => 0 : undefined)});
}
