// SPDX-License-Identifier: Apache-2.0
// others.mjs -- what tests of the JavaScript package use of node:fs, node:path, node:url, node:v8, node:vm and
// node:timers/promises, for a Worker: files come from the server, at once.
function ask(address) {
    const request = new XMLHttpRequest();
    request.open('GET', address, false);
    request.responseType = 'arraybuffer';
    request.send();
    if (request.status !== 200)
        throw Object.assign(new Error(`ENOENT: ${address}`), {code: 'ENOENT'});
    return new Uint8Array(request.response);
}
const text = bytes => new TextDecoder().decode(bytes);

/** A list of bytes that is its text where one is wanted, as Node's Buffer. */
class Bytes extends Uint8Array {
    toString() { return text(this); }
}
export function readFileSync(address, encoding) {
    const bytes = ask(address);
    return encoding ? text(bytes) : new Bytes(bytes.buffer);
}
export const readdirSync = address => JSON.parse(text(ask(new URL('list.json', address))));
export const existsSync = () => false;
export const resolve = (...parts) => parts.join('/');
export const join = (...parts) => parts.join('/');
export const basename = path => path.split('/').at(-1);
export const pathToFileURL = path => new URL(path, location.origin);
export const fileURLToPath = address => new URL(address).pathname.slice(1); // as the package names files of a server
export const setFlagsFromString = () => {};
export const runInNewContext = () => globalThis.gc ?? (() => {});
export const setTimeout = (ms, value) => new Promise(done => globalThis.setTimeout(() => done(value), ms));
