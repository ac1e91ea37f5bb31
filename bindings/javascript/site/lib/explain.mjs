// SPDX-License-Identifier: Apache-2.0
// explain.mjs -- what Kiln makes of a function: its jaxpr, the fused program, the text of each kernel, times. In the Worker.

const attempt = f => {
    try {
        return f();
    } catch (e) {
        return `${e.name}: ${e.message}`;
    }
};

/** {name, jaxpr, program, kernels: [{name, language, text}], first, best}: texts and milliseconds. */
export async function explain(kiln, f, args) {
    const name = f.name || 'function', jaxpr = attempt(() => String(kiln.makeJaxpr(f)(...args)));
    const compiled = f.explain ? f : kiln.jit(f);
    const ready = async r => { for (const x of kiln.tree?.leaves?.(r) ?? [r]) await x?.blockUntilReady?.(); };
    let first = performance.now();
    await ready(compiled(...args));
    first = performance.now() - first;
    let best = Infinity;
    for (let i = 0, end = performance.now() + 200; i < 20 && performance.now() < end; i++) {
        const begin = performance.now();
        await ready(compiled(...args));
        best = Math.min(best, performance.now() - begin);
    }
    const program = attempt(() => String(compiled.explain?.() ?? ''));
    const kernels = attempt(() => compiled.kernels?.() ?? []);
    return {name, jaxpr, program, kernels: Array.isArray(kernels) ? kernels : [], first, best};
}
