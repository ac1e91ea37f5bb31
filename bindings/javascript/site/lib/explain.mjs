// SPDX-License-Identifier: Apache-2.0
// explain.mjs -- what Kiln makes of a function: its jaxpr, the program of fused kernels, the text of each kernel,
// times. In the Worker: a Record hears Kiln's log and the modules that it makes; explained() looks into it.
import {functions} from './wat.mjs';

const MOST_TEXT = 40_000; // of one kernel: a page with more is slow
const cut = text => (text.length > MOST_TEXT ?
    `${text.slice(0, MOST_TEXT)}\n... ${text.length - MOST_TEXT} more characters` : text);

/** What Kiln said and made since the Worker began: kernels are compiled once, and may be asked for later. */
export class Record {
    #kernels = new Map(); // hash -> text of its intermediate form
    #functions = []; // {hash, stage, bytes}: what the log told
    #made = []; // {bytes, code, size, text}: functions of modules
    #shaders = []; // texts of WGSL
    #lines = null; // of the function that is being explained
    #steps = null;
    #kiln;
    #names;

    constructor(kiln, names) {
        this.#kiln = kiln;
        this.#names = names;
        this.#listen(2);
    }

    #listen(debug) {
        this.#kiln.watch?.({
            debug, log: (level, text) => this.#hear(level, text), step: this.#steps && (s => this.#steps.push(s)),
            module: bytes => this.#made.push(...functions(bytes, this.#names).map(f => ({...f, size: bytes.length}))),
        });
    }

    #hear(level, text) {
        const kernel = /^kernel ([0-9a-f]{16}):\n([\s\S]*)/.exec(text),
            made = /^function kiln_([0-9a-f]{16})_s(\d+)_m(\d+), (\d+) bytes/.exec(text);
        if (kernel)
            this.#kernels.set(kernel[1], kernel[2]);
        if (made)
            this.#functions.push({hash: made[1], stage: Number(made[2]), bytes: Number(made[4])});
        if (/bytes of WGSL/.test(text))
            this.#shaders.push(text);
        this.#lines?.push({level, text});
    }

    /** Functions of a kernel as WebAssembly: a function that the log told of is the module's of that size. */
    #text(hash) {
        const own = this.#functions.filter(f => f.hash === hash), taken = new Set(), parts = new Map();
        for (const {stage, bytes} of own) {
            const found = this.#made.find(
                m => !taken.has(m) && (m.code === bytes || m.size === bytes || m.code === bytes + 1));
            if (found)
                parts.set(`${stage}:${bytes}`, `;; stage ${stage}\n${found.text}`);
            taken.add(found);
        }
        return [...parts.values()].join('\n\n');
    }

    /** f() with all that Kiln says while it runs: {lines, steps, shaders, value}. */
    async during(f) {
        const shaders = this.#shaders.length;
        this.#lines = [];
        this.#steps = [];
        this.#listen(4);
        try {
            const value = await f();
            return {lines: this.#lines, steps: this.#steps, shaders: this.#shaders.slice(shaders), value};
        } finally {
            this.#lines = this.#steps = null;
            this.#listen(2);
        }
    }

    /**
     * The kernels that a program's text names, in its order: [{name, language, text}]; with the time of each, if the
     * steps that ran are the program's.
     */
    kernels(program, steps) {
        const part = program.split('\nsteps\n').slice(1).map(t => t.split('\nnot fused')[0]).join('\n'),
            times = new Map();
        const listed = [...part.matchAll(/^ {2}\d+: (?:kernel ([0-9a-f]{16})\b)?/gm)].map(m => m[1] ?? null);
        if (listed.length === steps.length)
            listed.forEach((hash, i) => times.set(hash, (times.get(hash) ?? 0) + 1000 * steps[i].seconds));
        const hashes = [...new Set([...program.matchAll(/\bkernel ([0-9a-f]{16})\b/g)].map(m => m[1]))];
        return hashes.flatMap((hash, i) => {
            const form = this.#kernels.get(hash), text = this.#text(hash), ms = times.get(hash),
                took = ms === undefined ? '' : `, ${ms.toFixed(3)} ms`;
            const name = `kernel ${i + 1} (${hash.slice(0, 8)})${took}`;
            return [...(text ? [{name, language: 'WebAssembly', text: cut(text)}] : []),
                ...(form ? [{name, language: "Kiln's own form", text: cut(form)}] : [])];
        });
    }
}

/** Waits until the arrays of a result are there. */
async function settled(kiln, result) {
    for (const x of kiln.tree.leaves?.(result) ?? [result])
        await x?.blockUntilReady?.();
    return result;
}

/**
 * {name, jaxpr, program, kernels: [{name, language, text}], steps, first, best}: texts, and milliseconds. `clean`: of a
 * text that is shown.
 */
export async function explained(kiln, record, f, args, clean = text => text) {
    const inner = f.wrapped ?? f, name = f.name || 'function';
    const compiled = kiln.jit({[name]: (...given) => inner(...given)}[name]); // a new function: it is compiled again
    await settled(kiln, args); // what they wait for is not the function's
    let first = performance.now();
    const {lines, shaders} = await record.during(() => settled(kiln, compiled(...args)));
    first = performance.now() - first;
    const of = pattern => lines.map(l => pattern.exec(l.text)?.[1]).filter(Boolean).map(clean);
    const jaxprs = of(/^after recording: ([\s\S]*)/), programs = of(/^(program [\s\S]*)/);
    let best = Infinity;
    for (let i = 0, end = performance.now() + 300; i < 30 && performance.now() < end; i++) {
        const begin = performance.now();
        await settled(kiln, compiled(...args));
        best = Math.min(best, performance.now() - begin);
    }
    const {steps} = await record.during(() => settled(kiln, compiled(...args)));
    const wgsl = shaders.map((text, i) =>
        ({name: `shader ${i + 1}`, language: 'WGSL', text: cut(text.slice(text.indexOf('\n') + 1))}));
    return {name, jaxpr: jaxprs.at(-1) ?? '', program: programs.join('\n'),
        kernels: [...record.kernels(programs.join('\n'), steps), ...wgsl], steps, first, best};
}
