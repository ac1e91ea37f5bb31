// SPDX-License-Identifier: Apache-2.0
// webgl.mjs -- the device WebGL 2: what src/webgl.c imports. A memory is a texture of 32-bit words (R32UI), `width` to a row;
// a pass is one triangle over the rows that it writes. Nothing here waits but reads, which WebGL's are.

const MOST_WIDTH = 4096;
const KEPT = 256 << 20; // bytes of textures that wait to be used again
const UNUSED = 128; // programs that no kernel has, for those that come again
const CHECKED = 16 << 20; // bytes of a texture that is asked whether there is memory for it
const LOST = 'the WebGL context is lost';
const SIGN = 0x4b696c6e; // what a texture holds whose reading tells that there still is a context
const VERTEX = `#version 300 es
void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
`;

/**
 * Looks for WebGL 2, for `kernels({webgl})`. There is always an answer: where there is none, `available` is false and `why`
 * says why.
 * @param {object} options canvas: its context is used, and nothing is drawn that can be seen; one of its own if not given
 */
export function openWebGL({canvas = null} = {}) {
    const made = canvas ?? (typeof OffscreenCanvas === 'function' ? new OffscreenCanvas(1, 1) :
        globalThis.document?.createElement('canvas'));
    let gl = null, why = 'there is no canvas here, and so no WebGL';
    try {
        gl = made?.getContext('webgl2', {antialias: false, depth: false, stencil: false, alpha: false,
            preserveDrawingBuffer: false, powerPreference: 'high-performance'}) ?? null;
        if (made && !gl)
            why = typeof document === 'undefined' ? 'this browser has no WebGL 2 in a worker, or it is turned off' :
                'this browser has no WebGL 2, or it is turned off';
    } catch (e) {
        why = e.message;
    }
    return new WebGL(gl, made, gl ? '' : why);
}

class WebGL {
    #gl;
    #size; // width of a texture
    #most; // rows of one
    #objects = new Map();
    #next = 1;
    #programs = new Map(); // by text
    #free = new Map(); // textures by rows
    #kept = 0;
    #red = false;
    #vertex = null;
    #frame = null;
    #blank = null;

    constructor(gl, canvas, why) {
        this.why = why;
        this.#gl = gl;
        if (!gl) return;
        canvas.addEventListener?.('webglcontextlost', () => { this.why ||= LOST; });
        this.#most = gl.getParameter(gl.MAX_TEXTURE_SIZE);
        this.#size = Math.min(this.#most, MOST_WIDTH);
        this.#size = 1 << Math.floor(Math.log2(this.#size));
        gl.disable(gl.DITHER);
        gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
        gl.pixelStorei(gl.PACK_ALIGNMENT, 4);
        this.#frame = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
        this.#blank = this.#texture(1);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1, 1, gl.RED_INTEGER, gl.UNSIGNED_INT, Uint32Array.of(SIGN));
        this.#attach(this.#blank);
        if (gl.checkFramebufferStatus(gl.FRAMEBUFFER) !== gl.FRAMEBUFFER_COMPLETE)
            this.why = 'WebGL cannot write to textures of integers';
        this.#red = gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_FORMAT) === gl.RED_INTEGER &&
            gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_TYPE) === gl.UNSIGNED_INT;
        this.#vertex = gl.createShader(gl.VERTEX_SHADER);
        gl.shaderSource(this.#vertex, VERTEX);
        gl.compileShader(this.#vertex);
    }

    /** The WebGL2RenderingContext; null if there is none. */
    get context() { return this.#gl; }

    get available() { return Boolean(this.#gl) && !this.why; }

    /** How many objects there are, for tests: textures in use, and programs. */
    get count() { return {objects: this.#objects.size, programs: this.#programs.size, kept: this.#kept}; }

    /** Lets the device be known: 1, or 0 if it is not there. */
    begin(exports) { return this.available ? exports.kjs_webgl_begin?.() ?? 0 : 0; }

    #lost() {
        if (this.#gl.isContextLost()) this.why ||= LOST;
        return Boolean(this.why);
    }

    // A context that is lost while something is read leaves zeros, and says so later.
    #alive() {
        const four = new Uint32Array(4);
        this.#attach(this.#blank);
        this.#gl.readPixels(0, 0, 1, 1, this.#gl.RGBA_INTEGER, this.#gl.UNSIGNED_INT, four);
        if (four[0] !== SIGN) this.why ||= LOST;
        return !this.#lost();
    }

    #put(object) {
        this.#objects.set(this.#next, object);
        return this.#next++;
    }

    // ---- Textures.

    #texture(rows) {
        const gl = this.#gl, texture = gl.createTexture();
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R32UI, this.#size, rows);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        return texture;
    }

    #bytes(rows) { return 4 * this.#size * rows; }

    // Numbers of rows come in steps, four to each doubling.
    #rows(words) {
        const rows = Math.max(1, Math.ceil(words / this.#size));
        const step = Math.max(1, 2 ** (Math.floor(Math.log2(rows)) - 2));
        return Math.min(Math.ceil(rows / step) * step, Math.max(rows, this.#most));
    }

    #take(words) {
        if (this.#lost()) return {texture: null, rows: 0}; // who uses it is told
        const gl = this.#gl, rows = this.#rows(words), waiting = this.#free.get(rows);
        if (rows > this.#most) return null;
        if (waiting?.length) {
            this.#kept -= this.#bytes(rows);
            return {texture: waiting.pop(), rows};
        }
        const large = this.#bytes(rows) >= CHECKED;
        if (large) while (gl.getError());
        const texture = this.#texture(rows);
        if (large && gl.getError()) {
            gl.deleteTexture(texture);
            return null;
        }
        return {texture, rows};
    }

    #give({texture, rows}) {
        if (!texture || this.#lost()) return;
        if (this.#kept + this.#bytes(rows) > KEPT) {
            this.#gl.deleteTexture(texture);
            return;
        }
        if (!this.#free.has(rows)) this.#free.set(rows, []);
        this.#free.get(rows).push(texture);
        this.#kept += this.#bytes(rows);
    }

    #attach(texture) {
        const gl = this.#gl;
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    }

    // The rectangles that words from `at` on are: f(x, y, width, height, words before).
    #rectangles(at, n, f) {
        const w = this.#size;
        for (let done = 0; done < n;) {
            const x = (at + done) % w, y = Math.floor((at + done) / w), left = n - done;
            const rows = x === 0 && left >= w ? Math.floor(left / w) : 1, width = rows > 1 ? w : Math.min(w - x, left);
            f(x, y, width, rows, done);
            done += width * rows;
        }
    }

    #write(to, at, words) {
        const gl = this.#gl;
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, to.texture);
        this.#rectangles(at, words.length, (x, y, width, rows, done) => gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, width, rows,
            gl.RED_INTEGER, gl.UNSIGNED_INT, words.subarray(done, done + width * rows)));
    }

    #read(from, at, words) {
        const gl = this.#gl;
        this.#attach(from.texture);
        this.#rectangles(at, words.length, (x, y, width, rows, done) => {
            const part = words.subarray(done, done + width * rows);
            if (this.#red) {
                gl.readPixels(x, y, width, rows, gl.RED_INTEGER, gl.UNSIGNED_INT, part);
                return;
            }
            const four = new Uint32Array(4 * part.length);
            gl.readPixels(x, y, width, rows, gl.RGBA_INTEGER, gl.UNSIGNED_INT, four);
            for (let i = 0; i < part.length; i++) part[i] = four[4 * i];
        });
    }

    #copy(to, at, from, begin, n) {
        const gl = this.#gl, w = this.#size;
        this.#attach(from.texture);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, to.texture);
        if ((begin - at) % w === 0) {
            this.#rectangles(at, n, (x, y, width, rows) =>
                gl.copyTexSubImage2D(gl.TEXTURE_2D, 0, x, y, x, y + (begin - at) / w, width, rows));
            return;
        }
        for (let done = 0; done < n;) { // what is in one row on both sides
            const tx = (at + done) % w, fx = (begin + done) % w, width = Math.min(w - tx, w - fx, n - done);
            gl.copyTexSubImage2D(gl.TEXTURE_2D, 0, tx, Math.floor((at + done) / w), fx, Math.floor((begin + done) / w), width, 1);
            done += width;
        }
    }

    // ---- Programs.

    #link(text) {
        const gl = this.#gl, shader = gl.createShader(gl.FRAGMENT_SHADER), program = gl.createProgram();
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        gl.attachShader(program, this.#vertex);
        gl.attachShader(program, shader);
        gl.linkProgram(program);
        const fine = gl.getProgramParameter(program, gl.LINK_STATUS);
        if (!fine) this.refused = (gl.getShaderInfoLog(shader) || gl.getProgramInfoLog(program) || 'a shader is refused').trim();
        gl.deleteShader(shader);
        if (!fine) {
            gl.deleteProgram(program);
            return null;
        }
        gl.useProgram(program);
        let unit = 0, old = -1;
        const units = new Map();
        for (let i = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i--;) {
            const {name, type} = gl.getActiveUniform(program, i);
            if (type !== gl.UNSIGNED_INT_SAMPLER_2D) continue;
            gl.uniform1i(gl.getUniformLocation(program, name), unit);
            if (name === 'kn_old') old = unit++;
            else units.set(Number(name.slice('memory'.length)), unit++);
        }
        return {program, text, units, old, users: 0, words: gl.getUniformLocation(program, 'kn_w')};
    }

    #forget() {
        let unused = 0;
        for (const p of this.#programs.values()) unused += !p.users;
        for (const p of this.#programs.values()) {
            if (unused <= UNUSED) return;
            if (p.users) continue;
            this.#programs.delete(p.text);
            this.#gl.deleteProgram(p.program);
            unused--;
        }
    }

    #draw(p, target, first, end, words, memories, old) {
        const gl = this.#gl, w = this.#size, row = Math.floor(first / w), rows = Math.ceil(end / w) - row;
        gl.useProgram(p.program);
        const bind = (unit, texture) => {
            gl.activeTexture(gl.TEXTURE0 + unit);
            gl.bindTexture(gl.TEXTURE_2D, texture);
        };
        for (const [memory, unit] of p.units) bind(unit, memories.get(memory).texture);
        if (p.old >= 0) bind(p.old, old ? old.texture : this.#blank);
        if (p.words) gl.uniform4uiv(p.words, words);
        this.#attach(target.texture);
        const x = rows === 1 ? first % w : 0;
        gl.viewport(x, row, rows === 1 ? end - row * w - x : w, rows);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
    }

    // ---- What C calls.

    /** Adds functions for the imports of module "kiln". */
    imports(exports) {
        const memory = () => exports().memory.buffer, object = n => this.#objects.get(n);
        const view = (at, n) => new Uint32Array(memory(), at >>> 0, n);
        // of shared memory WebGL takes no views
        const copied = (at, n) => (memory() instanceof ArrayBuffer ? view(at, n) : view(at, n).slice());
        const gl = this.#gl;
        const fine = f => {
            if (this.#lost()) return 0;
            f();
            return 1;
        };
        const functions = {
            limits: at => {
                view(at, 4).set([this.#size, this.#most, gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS),
                    gl.getParameter(gl.MAX_FRAGMENT_UNIFORM_VECTORS)]);
                return 1;
            },
            why: (at, room) => {
                const text = new TextEncoder().encode(this.why || this.refused || '').subarray(0, room - 1);
                const to = new Uint8Array(memory(), at >>> 0, room);
                to.set(text);
                to[text.length] = 0;
                return text.length;
            },
            texture: words => {
                const taken = this.#take(words);
                return taken ? this.#put(taken) : 0;
            },
            free_texture: n => {
                this.#give(object(n));
                this.#objects.delete(n);
            },
            write: (n, at, from, words) => fine(() => this.#write(object(n), at, copied(from, words))),
            read: (n, at, to, words) => fine(() => {
                const plain = memory() instanceof ArrayBuffer, into = plain ? view(to, words) : new Uint32Array(words);
                this.#read(object(n), at, into);
                if (!plain) view(to, words).set(into);
            }) && Number(this.#alive()),
            copy: (to, at, from, begin, n) => fine(() => this.#copy(object(to), at, object(from), begin, n)),
            program: (at, n) => {
                if (this.#lost()) return 0;
                const text = new TextDecoder().decode(new Uint8Array(memory(), at >>> 0, n).slice());
                const p = this.#programs.get(text) ?? this.#link(text);
                if (!p) return 0;
                this.#programs.set(text, p);
                p.users++;
                return this.#put(p);
            },
            free_program: n => {
                const p = object(n);
                this.#objects.delete(n);
                p.users--;
                this.#programs.delete(p.text); // to the end: the last ones that were used stay
                this.#programs.set(p.text, p);
                this.#forget();
            },
            // memories: pairs of a number in the text and a texture
            draw: (p, target, first, end, words, vectors, pairs, n, old) => fine(() => {
                const memories = new Map();
                for (let i = 0, list = view(pairs, 2 * n); i < n; i++) memories.set(list[2 * i], object(list[2 * i + 1]));
                this.#draw(object(p), object(target), first, end, copied(words, 4 * vectors), memories, old ? object(old) : null);
            }),
            wait: () => fine(() => gl.finish()) && Number(this.#alive()),
        };
        const entries = Object.entries(functions).map(([name, f]) => [`webgl_${name}`, f]);
        return this.#gl ? Object.fromEntries(entries) : {};
    }
}
