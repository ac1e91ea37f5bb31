// SPDX-License-Identifier: Apache-2.0
// wat.mjs -- a module that Kiln made as text: WebAssembly's own names of instructions (instructions.json, of the
// generator's table), a line for each statement, its operands in it.

const types = {0x7f: 'i32', 0x7e: 'i64', 0x7d: 'f32', 0x7c: 'f64', 0x7b: 'v128'};
const core = {0x00: 'unreachable', 0x1a: 'drop', 0x1b: 'select', 0x20: 'local.get', 0x21: 'local.set',
    0x22: 'local.tee', 0x41: 'i32.const', 0x42: 'i64.const',
    0x43: 'f32.const', 0x44: 'f64.const'};

class Reader {
    constructor(bytes, at = 0) {
        this.bytes = bytes;
        this.at = at;
    }
    byte() { return this.bytes[this.at++]; }
    unsigned() {
        let value = 0, factor = 1, b;
        do {
            b = this.byte();
            value += (b & 127) * factor;
            factor *= 128;
        } while (b & 128);
        return value;
    }
    signed() {
        let value = 0n, shift = 0n, b;
        do {
            b = this.byte();
            value |= BigInt(b & 127) << shift;
            shift += 7n;
        } while (b & 128);
        return b & 64 ? value - (1n << shift) : value;
    }
    text() {
        const n = this.unsigned(), part = this.bytes.subarray(this.at, this.at + n);
        this.at += n;
        return new TextDecoder().decode(part);
    }
}

/** A vector as lanes that read well: four small integers, four floats, or bytes. */
function vector(b) {
    const view = new DataView(b.buffer, b.byteOffset, 16), words = [0, 4, 8, 12].map(i => view.getInt32(i, true)),
        floats = [0, 4, 8, 12].map(i => view.getFloat32(i, true));
    if (words.every(w => Math.abs(w) < 1e6))
        return `i32x4 ${words.join(' ')}`;
    if (floats.every(f => Number.isFinite(f) && (f === 0 || Math.abs(f) > 1e-30 && Math.abs(f) < 1e30)))
        return `f32x4 ${floats.map(f => (Object.is(f, -0) ? '-0' : Number(f.toPrecision(9)))).join(' ')}`;
    return `i32x4 ${words.map(w => `0x${(w >>> 0).toString(16).padStart(8, '0')}`).join(' ')}`;
}

/** How many operands an instruction takes, and whether it leaves a result, by its name. */
function arity(name) {
    if (/^(local\.get|global\.get|.*\.const|block|loop|else|end|br|unreachable|return)$/.test(name))
        return [0, /get|const/.test(name)];
    if (/store(\d+_lane)?$|store\d*$/.test(name))
        return [2, false];
    if (/load\d+_lane$/.test(name))
        return [2, true];
    if (/replace_lane$/.test(name))
        return [2, true];
    if (/^(local\.set|global\.set|drop|br_if|if)$/.test(name))
        return [1, false];
    if (/bitselect|madd|nmadd|^select$|laneselect/.test(name))
        return [3, true];
    const one = ['load', 'splat', 'extract_lane', 'convert', 'promote', 'demote', 'extend', 'extadd', 'wrap',
        'trunc_sat',
        'tee', 'reinterpret'];
    const also = /\.(abs|neg|sqrt|ceil|floor|trunc|nearest|not|eqz|any_true|all_true|bitmask|popcnt|clz|ctz)$/;
    if (one.some(part => name.includes(part)) || also.test(name))
        return [1, true];
    return [2, true];
}

/** The instruction at the reader: {name, suffix}. */
function instruction(r, names) {
    let code = r.byte();
    if (code === 0xfd || code === 0xfc)
        code = code * 65536 + r.unsigned();
    const name = core[code] ?? names[code] ?? `0x${code.toString(16)}`;
    let suffix = '';
    if (code === 0x02 || code === 0x03 || code === 0x04) {
        const type = r.byte();
        suffix = type === 0x40 ? '' : ` (result ${types[type] ?? type})`;
    } else if (/^(br|br_if|local\..*|global\..*)$/.test(name))
        suffix = ` ${r.unsigned()}`;
    else if (name === 'call_indirect') {
        suffix = ` (type ${r.unsigned()})`;
        r.unsigned();
    } else if (/\.const$/.test(name)) {
        if (name === 'v128.const') {
            suffix = ` ${vector(r.bytes.slice(r.at, r.at + 16))}`;
            r.at += 16;
        } else
            suffix = ` ${r.signed()}`;
    } else if (name === 'i8x16.shuffle') {
        suffix = ` ${[...r.bytes.subarray(r.at, r.at + 16)].join(' ')}`;
        r.at += 16;
    } else if (/\.(load|store)/.test(name)) {
        r.unsigned(); // the alignment, about which nothing is known
        const offset = r.unsigned();
        suffix = (offset ? ` offset=${offset}` : '') + (/lane$/.test(name) ? ` ${r.byte()}` : '');
    } else if (/(extract|replace)_lane/.test(name))
        suffix = ` ${r.byte()}`;
    return {name, suffix};
}

/** The statements of a body, from its code's begin to its end. `signatures`: [operands, result] of calls by type. */
function statements(r, end, names, signatures) {
    const lines = [], stack = [], open = [];
    const put = (text, more = 0) => lines.push('  '.repeat(1 + open.length + more) + text);
    // what stays on the stack over a border of blocks
    const flush = () => stack.splice(0).forEach(text => put(`(${text})`));
    while (r.at < end) {
        const {name, suffix} = instruction(r, names);
        if (name === 'end' || name === 'else') {
            flush();
            const block = open.pop();
            if (block) // else it is the function's end
                put(name === 'else' ? ') (else' : block === 'block' || block === 'loop' ? ')' : '))');
            if (name === 'else')
                open.push('else');
            continue;
        }
        let [takes, leaves] = arity(name);
        if (name === 'call_indirect')
            [takes, leaves] = signatures[Number(/\d+/.exec(suffix)[0])] ?? [1, false];
        const operands = stack.splice(Math.max(0, stack.length - takes)), text = `${name}${suffix}`,
            inner = operands.map(o => ` (${o})`).join('');
        const below = operands.map(o => `\n${'  '.repeat(open.length + 3)}(${o})`).join('');
        const whole = text + (inner.length > 140 ? below : inner);
        if (leaves) {
            stack.push(whole);
            continue;
        }
        flush();
        if (name === 'block' || name === 'loop' || name === 'if') {
            put(`(${whole}${name === 'if' ? ' (then' : ''}`);
            open.push(name);
        } else
            put(`(${whole})`);
    }
    flush();
    return lines;
}

function section(r, wanted) {
    r.at = 8;
    while (r.at < r.bytes.length) {
        const id = r.byte(), size = r.unsigned();
        if (id === wanted)
            return true;
        r.at += size;
    }
    return false;
}

/** The functions of a module: [{name, bytes, code, text}]: bytes with their locals, code without them. */
export function functions(module, names) {
    const r = new Reader(module), signatures = [], exported = new Map();
    if (section(r, 1))
        for (let n = r.unsigned(); n > 0; n--) {
            r.byte();
            const takes = r.unsigned();
            r.at += takes;
            const gives = r.unsigned();
            r.at += gives;
            signatures.push([takes + 1, gives > 0]); // and the place in the table
        }
    if (section(r, 7))
        for (let n = r.unsigned(); n > 0; n--) {
            const name = r.text();
            r.byte();
            exported.set(r.unsigned(), name);
        }
    if (!section(r, 10))
        return [];
    return Array.from({length: r.unsigned()}, (_, i) => {
        const bytes = r.unsigned(), begin = r.at, locals = [];
        let number = 1;
        for (let n = r.unsigned(); n > 0; n--) {
            const count = r.unsigned(), type = types[r.byte()];
            if (count)
                locals.push(`  (local${` ${type}`.repeat(count)}) ;; ${number} to ${number + count - 1}`);
            number += count;
        }
        const code = begin + bytes - r.at, lines = statements(r, begin + bytes, names, signatures);
        r.at = begin + bytes;
        return {name: exported.get(i) ?? String(i), bytes, code,
            text: ['(func (param i32)', ...locals, ...lines].join('\n') + ')'};
    });
}
