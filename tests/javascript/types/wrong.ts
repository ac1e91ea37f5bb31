// SPDX-License-Identifier: Apache-2.0
// wrong.ts -- each line that is marked has to be an error under tsc --strict, and no other.
import {Array, grad, jit, np, nn, tidy} from "kiln-arrays";

const x = np.array([1, 2, 3]);
np.sum(x, {axes: 0}); // wrong
np.sum(); // wrong
np.sum("text"); // wrong
np.sine(x); // wrong
np.linalg.inverse(x); // wrong
x.add("1"); // wrong
x.shape = [1]; // wrong
x.reshape("3"); // wrong
x.nothing(); // wrong
np.zeros({shape: [2]}); // wrong
np.pad(x, 1, {mode: "nothing"}); // wrong
np.histogram(x, {bin: 3}); // wrong
const n: number = np.sum(x); // wrong
const s: string = np.allclose(x, x); // wrong
nn.relu(); // wrong
jit(3); // wrong
grad((a: Array) => a.sum())({}, 3); // wrong
const g: number = grad((a: Array) => a.sum())(x); // wrong
const t: string = tidy(() => x); // wrong
x.at(0).put(1); // wrong
x.slice({}); // wrong
np.array([1], {dtyp: "int32"}); // wrong
new Array(3); // wrong
console.log(n, s, g, t);
import {Mesh, NamedSharding, P, shardMap} from "kiln-arrays";
new NamedSharding(3, P()); // wrong
new Mesh(['x'], [4]); // wrong
P(4); // wrong
shardMap((a: Array) => a, {inSpecs: P(), outSpecs: P()}); // wrong
