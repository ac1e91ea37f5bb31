// SPDX-License-Identifier: Apache-2.0
// webgpu.mjs -- the device WebGPU over navigator.gpu: what src/webgpu/web.c imports. The adapter and its device are asked
// for before the module begins; recording and submitting never wait; what comes later (bytes, the end of work, errors) is
// an event that the module takes when it looks. A program that cannot go on without one is suspended (JSPI), where the
// engine has that and the call was a promising one; else it gets an error.

const MAPPED = 1, DONE = 2, LOST = 3, ERROR = 4; // kinds of events
const [SUCCESS, FAILED, DESTROYED, VALIDATION, MEMORY, INTERNAL] = [1, 3, 2, 2, 3, 4]; // numbers of webgpu.h
const UNIFORM = 2, READ_ONLY = 4; // of bindings
const COMPUTE = 4, READ = 1; // GPUShaderStage, GPUMapMode
const FEATURES = ['timestamp-query', 'shader-f16', 'subgroups'];
const SCOPES = [['internal', INTERNAL], ['out-of-memory', MEMORY], ['validation', VALIDATION]];

// A module with one function: what `wait` gives; 0 where the call cannot be suspended, since JavaScript is between it and
// its promising caller or it has none. Only an exception tells that, and C has none to catch.
const guard = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f,
    2, 10, 1, 1, 0x77, 4, 0x77, 0x61, 0x69, 0x74, 0, 0, // import "w" "wait"
    3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 1, // export "f"
    10, 18, 1, 16, 0, 0x02, 0x40, 0x1f, 0x7f, 1, 2, 0, 0x10, 0, 0x0b, 0x0f, 0x0b, 0x41, 0, 0x0b); // try_table catch_all

const looksSeldom = /Firefox\//.test(globalThis.navigator?.userAgent ?? '');
const unsigned = x => (x < 0 ? x + 0x100000000 : x); // sizes, which are doubles, are never below 0

/**
 * Can a program of this engine be suspended until a promise is kept?
 * @returns {boolean}
 */
export const canSuspend = () => typeof WebAssembly.Suspending === 'function' && WebAssembly.validate(guard);

const guarded = wait => {
    const imports = {w: {wait: new WebAssembly.Suspending(wait)}};
    return new WebAssembly.Instance(new WebAssembly.Module(guard), imports).exports.f;
};

/**
 * Asks for an adapter and its device, for `kernels({webgpu})`. There is always an answer: where there is no WebGPU,
 * `available` is false and `why` says it, and so does the error of the program that asks for the device.
 * @param {{gpu?: object, powerPreference?: string, forceFallbackAdapter?: boolean}} [options] gpu: navigator.gpu if not
 *     given; Node has one in the package `webgpu`
 * @returns {Promise<WebGPU>}
 */
export async function openWebGPU({gpu = globalThis.navigator?.gpu, ...request} = {}) {
    const none = why => new WebGPU(gpu, null, null, why);
    if (!gpu) return none('there is no navigator.gpu here');
    try {
        const adapter = await gpu.requestAdapter({powerPreference: 'high-performance', ...request}) ??
            await gpu.requestAdapter(request);
        if (!adapter) return none('the browser shows no adapter');
        const requiredFeatures = FEATURES.filter(f => adapter.features.has(f)), requiredLimits = {};
        for (const name in adapter.limits)
            if (typeof adapter.limits[name] === 'number') requiredLimits[name] = adapter.limits[name];
        return new WebGPU(gpu, adapter, await adapter.requestDevice({requiredFeatures, requiredLimits}), '');
    } catch (e) {
        return none(`it cannot be opened: ${e.message}`);
    }
}

/** An adapter with its device, for one instance of the module. */
export class WebGPU {
    /** Why there is none; '' if there is one. */
    why;
    #gpu; // that of Node's package must outlive all that it gave
    #adapter;
    #device;
    #objects = [null]; // by number
    #free = [];
    #ranges = new Map(); // of a mapped buffer: its bytes
    #events = [];
    #waiters = [];
    #outstanding = new Set(); // promises of what was asked for and has not come
    #encoders = 0; // that are not finished
    #shaders = []; // that were made since errors were asked for last
    #dying = []; // buffers that a command that is not submitted may have
    #told = null; // {lost, error}: functions of the module, and for whom
    #suspended = false;
    #hurries = false; // what comes later is being looked for
    #last = Promise.resolve(); // the promising call that was made last

    constructor(gpu, adapter, device, why) {
        this.#gpu = gpu;
        this.#adapter = adapter;
        this.#device = device;
        this.why = why;
        if (!device) return;
        for (const [scope] of SCOPES.toReversed()) device.pushErrorScope(scope);
        device.addEventListener?.('uncapturederror', e => this.#fail(e.error));
        device.lost.then(info => this.#lose(info));
    }

    /** Is there a device? */
    get available() {
        return this.#device !== null;
    }

    /** Is a program suspended? Then no other call may use the module's devices. */
    get busy() {
        return this.#suspended;
    }

    /** The GPUDevice, for those who draw what is on it. */
    get device() {
        return this.#device;
    }

    /** How many objects of the device the module has. */
    get objects() {
        return this.#objects.length - 1 - this.#free.length;
    }

    /** The object that the module knows by this number. */
    object(n) {
        return this.#objects[n];
    }

    /**
     * Makes the device known to the module, and finds out how it computes: to be awaited before the first call that
     * names it. Nothing is suspended.
     * @param {WebAssembly.Exports} exports of the module
     * @returns {Promise<number>} how many devices there are
     */
    async ready(exports) {
        const n = exports.kiln_webgpu_begin?.() ?? 0;
        await this.settled();
        return n;
    }

    /**
     * All that was asked for so far has come: the copies that kn_copy_to_host_async has begun, the end of what
     * kiln_webgpu_flush has submitted.
     * @returns {Promise<void>}
     */
    async settled() {
        await Promise.all(this.#outstanding);
    }

    /** The device ends: what only it has is gone. */
    close() {
        this.#device?.destroy();
    }

    /**
     * The function as one that gives a promise and may wait in its midst, one call after the other. Where the engine
     * cannot suspend programs, one that would have to wait gets Kiln's error.
     * @param {Function} f an export of the module
     * @returns {Function}
     */
    promising(f) {
        const run = canSuspend() ? WebAssembly.promising(f) : f;
        return (...args) => {
            const result = this.#last.then(() => run(...args));
            this.#last = result.catch(() => {});
            return result;
        };
    }

    // ---- Events.

    #push(event) {
        this.#events.push(event);
        for (const wake of this.#waiters.splice(0)) wake();
    }

    #next() {
        return new Promise(wake => this.#waiters.push(wake));
    }

    #fail(error, type = INTERNAL, more = '') {
        const name = error.constructor?.name;
        const kind = name === 'GPUOutOfMemoryError' ? MEMORY : name === 'GPUValidationError' ? VALIDATION : type;
        if (this.#told) this.#push([ERROR, ...this.#told.error, kind, more ? `${error.message}: ${more}` : error.message]);
    }

    #lose({reason, message}) {
        if (this.#told) this.#push([LOST, ...this.#told.lost, reason === 'destroyed' ? DESTROYED : 1, message]);
    }

    // Errors of all that was done so far come before what follows, those of shaders with what the compiler says.
    async #scopes() {
        const shaders = this.#shaders.splice(0);
        const tell = async (error, type) => {
            const infos = await Promise.allSettled(shaders.map(s => s.getCompilationInfo()));
            const lines = infos.flatMap(i => i.value?.messages ?? []).filter(m => m.type === 'error')
                .map(m => `${m.lineNum}:${m.linePos}: ${m.message}`).filter(line => !error.message.includes(line));
            this.#fail(error, type, lines.join('; '));
        };
        const popped = SCOPES.map(([, type]) =>
            this.#device.popErrorScope().then(e => e && tell(e, type), () => {}));
        for (const [scope] of SCOPES.toReversed()) this.#device.pushErrorScope(scope);
        await Promise.all(popped);
    }

    #later(kind, promise, call, a, b) {
        const scopes = this.#scopes();
        const come = promise.then(() => [SUCCESS, ''], e => [FAILED, e.message]).then(async ([status, text]) => {
            await scopes;
            this.#outstanding.delete(come);
            this.#push([kind, call, a, b, status, text]);
        });
        this.#outstanding.add(come);
        this.#hurry();
    }

    // Firefox looks only each 100 ms whether something has come, and at each submission.
    #hurry(moment = 1) {
        if (!looksSeldom || (moment === 1 && this.#hurries)) return;
        this.#hurries = this.#outstanding.size > 0;
        if (!this.#hurries) return;
        this.#device.queue.submit([]);
        setTimeout(() => this.#hurry(Math.min(1.5 * moment, 50)), moment);
    }

    #wait() {
        const wait = async () => {
            if (this.#events.length) return 1;
            if (!this.#outstanding.size) return 0;
            this.#suspended = true;
            await this.#next();
            this.#suspended = false;
            return 1;
        };
        return canSuspend() ? guarded(wait) : () => 0;
    }

    // ---- Objects.

    #put(object) {
        const n = this.#free.pop() ?? this.#objects.length;
        this.#objects[n] = object;
        return n;
    }

    #release(n) {
        const object = this.#objects[n];
        if (!n || !object) return;
        this.#objects[n] = null;
        this.#free.push(n);
        this.#ranges.delete(n);
        if (!object.mapAsync && !object.destroy) return;
        if (this.#encoders) this.#dying.push(object);
        else object.destroy();
    }

    /**
     * What the module imports, by name.
     * @param {() => WebAssembly.Exports} exports of the module
     * @returns {object}
     */
    imports(exports) {
        const all = {...this.#questions(exports), ...this.#makers(exports), ...this.#commands(exports),
            ...this.#answers(exports)};
        const safe = {wait: this.#wait()};
        for (const [name, f] of Object.entries(all))
            safe[name] = (a, b, c, d, e, g) => { // no exception goes through C; its numbers of 32 bits come with a sign
                try {
                    return f(unsigned(a), unsigned(b), unsigned(c), unsigned(d), unsigned(e), unsigned(g)) ?? 0;
                } catch (e) {
                    this.#fail(e);
                    return 0;
                }
            };
        return Object.fromEntries(Object.entries(safe).map(([name, f]) => [`webgpu_${name}`, f]));
    }

    #questions(exports) {
        const text = (p, n) => new TextDecoder().decode(new Uint8Array(exports().memory.buffer).slice(p, p + n));
        const write = (string, to, room) => {
            const bytes = new TextEncoder().encode(string ?? '').subarray(0, room - 1);
            const into = new Uint8Array(exports().memory.buffer, to, bytes.length + 1);
            into.set(bytes);
            into[bytes.length] = 0;
            return bytes.length;
        };
        const info = this.#adapter?.info ?? {};
        const names = [info.vendor, info.architecture].filter(Boolean).join(' ');
        const description = info.description || names || 'a GPU';
        const texts = {vendor: info.vendor, device: info.device, description};
        const numbers = {subgroupMinSize: info.subgroupMinSize, subgroupMaxSize: info.subgroupMaxSize,
            isFallbackAdapter: info.isFallbackAdapter ?? this.#adapter?.isFallbackAdapter};
        return {
            why: (to, room) => write(this.why, to, room),
            adapters: () => (this.available ? 1 : 0),
            text: (adapter, name, n, to, room) => write(texts[text(name, n)], to, room),
            number: (adapter, name, n) => Number(this.#device.limits[text(name, n)] ?? numbers[text(name, n)] ?? 0),
            feature: (adapter, name, n) => Number(this.#device.features.has(text(name, n))),
            device: (adapter, lost, lostFor, error, errorFor) => {
                if (this.#told) return 0;
                this.#told = {lost: [lost, lostFor, 0], error: [error, errorFor, 0]};
                return this.#put(this.#device);
            },
            destroy_device: () => this.#device.destroy(),
            event: (out, to, room) => {
                const e = this.#events.shift();
                if (!e) return 0;
                new Uint32Array(exports().memory.buffer, out, 4).set(e.slice(1, 5));
                write(e[5], to, room);
                return e[0];
            },
        };
    }

    #makers(exports) {
        const device = this.#device, objects = this.#objects, memory = () => exports().memory.buffer;
        const text = (p, n) => new TextDecoder().decode(new Uint8Array(memory()).slice(p, p + n));
        const types = {[UNIFORM]: 'uniform', [READ_ONLY]: 'read-only-storage'};
        return {
            shader: (d, p, n) => {
                const shader = device.createShaderModule({code: text(p, n)});
                this.#shaders.push(shader);
                return this.#put(shader);
            },
            layout: (d, p, n) => {
                const b = new Uint32Array(memory(), p, 3 * n);
                const entries = Array.from({length: n}, (_, i) => ({
                    binding: b[3 * i], visibility: COMPUTE,
                    buffer: {type: types[b[3 * i + 1]] ?? 'storage', hasDynamicOffset: b[3 * i + 2] !== 0},
                }));
                return this.#put(device.createBindGroupLayout({entries}));
            },
            pipeline_layout: (d, groups) =>
                this.#put(device.createPipelineLayout({bindGroupLayouts: [objects[groups]]})),
            pipeline: (d, layout, shader, p, n) => this.#put(device.createComputePipeline({
                layout: objects[layout], compute: {module: objects[shader], entryPoint: text(p, n)}})),
            group: (d, layout, p, n) => {
                const b = new Float64Array(memory(), p, 4 * n);
                const entries = Array.from({length: n}, (_, i) => {
                    const [binding, buffer, offset, size] = b.subarray(4 * i, 4 * i + 4);
                    const resource = {buffer: objects[buffer], offset, ...(size >= 0 && {size})};
                    return {binding, resource};
                });
                return this.#put(device.createBindGroup({layout: objects[layout], entries}));
            },
            buffer: (d, size, usage) => this.#put(device.createBuffer({size, usage})),
            destroy_buffer: b => objects[b].destroy(),
            queries: (d, count) => this.#put(device.createQuerySet({type: 'timestamp', count})),
            release: n => this.#release(n),
        };
    }

    #commands(exports) {
        const device = this.#device, objects = this.#objects, memory = () => exports().memory.buffer;
        return {
            encoder: () => {
                this.#encoders++;
                return this.#put(device.createCommandEncoder());
            },
            pass: (e, queries, beginningOfPassWriteIndex, endOfPassWriteIndex) => {
                const timestampWrites = {querySet: objects[queries], beginningOfPassWriteIndex, endOfPassWriteIndex};
                return this.#put(objects[e].beginComputePass(queries ? {timestampWrites} : undefined));
            },
            copy: (e, from, at, to, toAt, n) => objects[e].copyBufferToBuffer(objects[from], at, objects[to], toAt, n),
            resolve: (e, queries, first, n, to, at) =>
                objects[e].resolveQuerySet(objects[queries], first, n, objects[to], at),
            finish: e => {
                this.#encoders--;
                return this.#put(objects[e].finish());
            },
            set_pipeline: (pass, p) => objects[pass].setPipeline(objects[p]),
            set_group: (pass, i, group, n, p) =>
                objects[pass].setBindGroup(i, objects[group], n ? [...new Uint32Array(memory(), p, n)] : []),
            dispatch: (pass, x, y, z) => objects[pass].dispatchWorkgroups(x, y, z),
            dispatch_indirect: (pass, buffer, at) => objects[pass].dispatchWorkgroupsIndirect(objects[buffer], at),
            end: pass => objects[pass].end(),
            submit: (d, commands) => {
                if (commands) device.queue.submit([objects[commands]]);
                if (!this.#encoders) for (const b of this.#dying.splice(0)) b.destroy();
            },
            write: (d, buffer, at, p, n) => { // of memory that is shared not every engine takes a part
                const bytes = new Uint8Array(memory(), p, n);
                const own = memory() instanceof ArrayBuffer;
                device.queue.writeBuffer(objects[buffer], at, own ? bytes : bytes.slice());
            },
        };
    }

    #answers(exports) {
        const objects = this.#objects;
        return {
            done: (d, call, a, b) => this.#later(DONE, this.#device.queue.onSubmittedWorkDone(), call, a, b),
            map: (n, at, size, call, a, b) => {
                const buffer = objects[n];
                const mapped = buffer.mapAsync(READ, at, size);
                this.#later(MAPPED, mapped.then(() => {
                    if (objects[n] === buffer) this.#ranges.set(n, new Uint8Array(buffer.getMappedRange(at, size)));
                }), call, a, b);
            },
            read: (n, at, to, size) => {
                const range = this.#ranges.get(n);
                if (!range) return 0;
                new Uint8Array(exports().memory.buffer, to, size).set(range.subarray(at, at + size));
                return 1;
            },
            unmap: n => {
                this.#ranges.delete(n);
                objects[n].unmap();
            },
        };
    }
}
