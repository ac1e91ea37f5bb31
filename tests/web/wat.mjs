// SPDX-License-Identifier: Apache-2.0
// wat.mjs -- the texts that the playground shows of kernels are WebAssembly: another assembler (wabt) reads them, and
// what it makes of them has the same text.
//     node tests/web/wat.mjs SITE      SITE: what scripts/make-site.sh made
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {main, root, Skipped} from './browser.mjs';

const around = `(module
(type (func (param i32))) (type (func (param i32 i32 i32 i32 i32))) (type (func (param i32) (result i64)))
(type (func (param v128 v128 v128) (result v128)))
(import "kiln" "memory" (memory 1)) (import "kiln" "table" (table 1 funcref))
(import "kiln" "stack" (global (mut i32)))\n`;

async function assembler() {
    const folder = process.env.KILN_NODE_MODULES ?? path.join(root, 'build/node/node_modules');
    try {
        return await createRequire(path.join(folder, 'none.js'))('wabt')();
    } catch (e) {
        throw e.code === 'MODULE_NOT_FOUND' ?
            new Skipped(`there is no wabt in ${folder} (scripts/setup-web.sh brings it)`) : e;
    }
}

/** Functions of many kinds of kernels: elementwise, cold parts, reductions, products, sorts, scans, all dtypes. */
async function modules(site) {
    const {init, np, watch} = await import(pathToFileURL(path.join(site, 'package/kiln/kiln.min.js')).href), made = [];
    await init({wasm: fs.readFileSync(path.join(site, 'package/kiln/kiln.wasm'))});
    watch({module: bytes => made.push(bytes)});
    const x = np.linspace(0, 1, 1000), i = np.arange(0, 1000, 1), y = np.ones([40, 40]);
    for (const result of [np.exp(x), np.sin(x), np.cumsum(x), np.matmul(y, y), np.sort(x), np.argmax(x),
        np.where(np.greater(x, 0.5), x, i),
        np.floorDivide(i, 7), np.remainder(x, 0.3), x.astype('int8'), np.logaddexp(x, 1), np.power(x, 2.5),
        np.bitwiseXor(i, 5), np.sqrt(x.astype('float64')),
        np.any(np.greater(y, 2), 1), np.prod(y, 0), np.arctan2(x, 2), np.expm1(x.astype('float16')), np.negative(x)])
        result.dataSync();
    return made;
}

await main(async () => {
    const site = path.resolve(process.argv[2]), wabt = await assembler(),
        {functions} = await import(pathToFileURL(path.join(site, 'lib/wat.mjs')).href);
    const names = JSON.parse(fs.readFileSync(path.join(site, 'lib/instructions.json')));
    let all = 0, bad = 0;
    for (const module of await modules(site))
        for (const {text} of functions(module, names)) {
            all++;
            try {
                const bytes = wabt.parseWat('kernel.wat', `${around}${text})`,
                    {simd: true, relaxed_simd: true}).toBinary({}).buffer;
                const [again] = functions(new Uint8Array(bytes), names), a = text.split('\n'),
                    b = again.text.split('\n'), at = a.findIndex((l, i) => l !== b[i]);
                if (text !== again.text)
                    throw new Error(`line ${at + 1}: ${a[at]} became ${b[at]}`);
            } catch (e) {
                bad++;
                console.log(String(e.message).slice(0, 500));
            }
        }
    console.log(`${all} functions, ${bad} whose text is wrong`);
    return bad || all < 10 ? 1 : 0;
});
