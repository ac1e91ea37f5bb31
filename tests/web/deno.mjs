// SPDX-License-Identifier: Apache-2.0
// deno.mjs -- one file of tests of the JavaScript package in Deno, whose own node:test waits seconds between two tests:
//     deno run -A --no-check --config tests/web/deno.json tests/web/deno.mjs FILE
import process from 'node:process';
import {pathToFileURL} from 'node:url';
import {run_all} from './node/test.mjs';

await import(pathToFileURL(process.argv[2]).href);
const results = await run_all(), bad = results.filter(r => r.error);
bad.forEach(r => console.log(`FAILED ${r.name}\n${r.error}`));
console.log(`${results.length - bad.length} of ${results.length}`);
process.exit(bad.length || !results.length ? 1 : 0);
