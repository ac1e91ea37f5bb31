// SPDX-License-Identifier: Apache-2.0
// places.mjs -- where the libraries are for a program of Node: the package in a build folder, the others in
// build/peers-web.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const kilnPackage = process.env.KILN_PACKAGE ?? path.join(root, 'build/wasm/package');
export const peers = path.join(root, 'build/peers-web/node_modules');
const url = (...parts) => {
    const at = path.join(...parts);
    return fs.existsSync(at) ? pathToFileURL(at).href : null;
};

/** TensorFlow.js as a program of Node has it: its module of WebAssembly is read from the folder of the package. */
function tensorflow() {
    if (!fs.existsSync(path.join(peers, '@tensorflow/tfjs-backend-wasm'))) return null;
    const require = createRequire(path.join(peers, 'x.js')), {warn} = console;
    console.warn = () => {}; // it asks for a package that is native
    const tf = require('@tensorflow/tfjs');
    console.warn = warn;
    const wasm = require('@tensorflow/tfjs-backend-wasm');
    wasm.setWasmPaths(path.join(peers, '@tensorflow/tfjs-backend-wasm/dist/'));
    return tf;
}
export async function places() {
    let tf = null;
    try {
        tf = tensorflow();
    } catch (e) {
        console.error(`TensorFlow.js: ${e.message}`);
    }
    const threads = url(`${kilnPackage}-threads`, 'kiln/kiln-threads.wasm') && url(`${kilnPackage}-threads`, 'kiln/kiln.min.js');
    return {kiln: url(kilnPackage, 'kiln/kiln.min.js'), kilnThreads: threads, jaxjs: url(peers, '@jax-js/jax/dist/index.js'),
            numpyts: url(peers, 'numpy-ts/dist/esm/index.js'), tf};
}
