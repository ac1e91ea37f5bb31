// SPDX-License-Identifier: Apache-2.0
// kernels.mjs -- compiles the modules that Kiln makes at run time (src/host/wasm/generator.c): the imports of module "kiln".

// A module with one function: relaxed_madd(f32x4 x 3), and of f64x2, stored to the memory that it is given.
const probe = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 1, 127, 0, 2, 8, 1, 1, 107, 1, 109, 2, 0, 1, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0,
  10, 47, 1, 45, 0,
  32, 0, 32, 0, 253, 0, 0, 0, 32, 0, 253, 0, 0, 16, 32, 0, 253, 0, 0, 32, 253, 133, 2, 253, 11, 0, 48,
  32, 0, 32, 0, 253, 0, 0, 64, 32, 0, 253, 0, 0, 80, 32, 0, 253, 0, 0, 96);

function probe_bytes() {
  const bytes = [...probe, 253, 135, 2, 253, 11, 0, 112, 11], size = bytes.length - 40;
  bytes[37] = size + 2, bytes[39] = size; // of the section, of the function
  return Uint8Array.from(bytes);
}

export const hasRelaxed = () => WebAssembly.validate(probe_bytes());

// Does the engine have relaxed_madd, and does it round once? In float32 and in float64, both tiers of an engine alike.
export function fuses() {
  try {
    const memory = new WebAssembly.Memory({initial: 1});
    const {f} = new WebAssembly.Instance(new WebAssembly.Module(probe_bytes()), {k: {m: memory}}).exports;
    const x = new Float32Array(memory.buffer), y = new Float64Array(memory.buffer);
    x.fill(1 + 2 ** -12, 0, 8), x.fill(-1, 8, 12); // (1 + e)^2 - 1 = 2 e + e^2: e^2 is lost where the product is rounded
    y.fill(1 + 2 ** -30, 8, 12), y.fill(-1, 12, 14);
    f(0);
    return x[12] === 2 ** -11 + 2 ** -24 && y[14] === 2 ** -29 + 2 ** -60;
  } catch {
    return false;
  }
}

// options: exports() of Kiln's own module, fma: "exact" never uses relaxed_madd, "relaxed" always, "auto" asks fuses();
// webgpu: what openWebGPU() of webgpu.mjs gave, if there is to be such a device
export function kernels({exports, fma = 'auto', webgpu = null, makes = true, count = {modules: 0, bytes: 0, refused: 0}}) {
  const free = new Map(); // number of functions -> places
  const features = (fma === 'exact' ? 0 : fma === 'relaxed' || fuses() ? 1 : 0) | (makes ? 2 : 0);
  const known = {
    count,
    ...webgpu?.imports(exports),
    // The place of the functions; 0: there is no memory for it, or none in the engine; -1: it refuses the module, and always will.
    publish(at, size, n) {
      at >>>= 0; // numbers of WebAssembly come with a sign
      const {memory, __indirect_function_table: table, __stack_pointer: stack} = exports();
      try {
        const module = new WebAssembly.Module(new Uint8Array(memory.buffer).slice(at, at + size));
        const made = new WebAssembly.Instance(module, {kiln: {memory, table, stack}}).exports;
        const place = free.get(n)?.pop() ?? table.grow(n);
        for (let i = 0; i < n; i++) table.set(place + i, made[i]);
        count.modules++, count.bytes += size;
        return place;
      } catch (e) {
        count.refused++, count.why = e;
        return e instanceof WebAssembly.CompileError || e instanceof WebAssembly.LinkError ? -1 : 0;
      }
    },
    retract(place, n) {
      const table = exports().__indirect_function_table;
      for (let i = 0; i < n; i++) table.set(place + i, null);
      if (!free.has(n)) free.set(n, []);
      free.get(n).push(place);
    },
    features: () => features,
  };
  return new Proxy(known, {get: (o, name) => o[name] ?? (String(name).startsWith('webgpu_') ? () => 0 : undefined)});
}
