// SPDX-License-Identifier: Apache-2.0
// check-wgsl.mjs FOLDER... -- has Tint, the compiler of Dawn and Chromium, check every file *.wgsl of the folders: a second opinion
// beside naga, which sees each text when wgpu-native makes its pipeline. Needs npm's package `webgpu` where node finds it, no driver.
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {createRequire} from 'node:module';

const {create, globals} = createRequire(join(process.cwd(), 'x.js'))('webgpu');
Object.assign(globalThis, globals);
const files = process.argv.slice(2).flatMap(f => readdirSync(f).filter(n => n.endsWith('.wgsl')).sort().map(n => join(f, n)));
if (!files.length) {
  console.error('usage: check-wgsl.mjs FOLDER...   (there is no file *.wgsl)');
  process.exit(2);
}
const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice({requiredFeatures: ['shader-f16', 'subgroups'].filter(f => adapter.features.has(f)),
                                            requiredLimits: {maxStorageBuffersPerShaderStage: adapter.limits.maxStorageBuffersPerShaderStage}});
let bad = 0;
for (const file of files) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({code: readFileSync(file, 'utf8')});
  device.createComputePipeline({layout: 'auto', compute: {module, entryPoint: 'main'}});
  const said = (await module.getCompilationInfo()).messages.filter(m => m.type === 'error').map(m => `${m.lineNum}:${m.linePos} ${m.message}`);
  const error = await device.popErrorScope();
  if (!error && !said.length)
    continue;
  bad++;
  console.log(`${file}: ${said[0] ?? error.message.split('\n').slice(0, 4).join(' | ')}`);
}
console.log(`${files.length} texts, ${bad} refused by Tint`);
process.exit(bad ? 1 : 0);
