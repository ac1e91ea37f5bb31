// SPDX-License-Identifier: Apache-2.0
// namespaces.js -- objects of the functions of the table: np.dynamicSlice and np.dynamic_slice are one function, made
// when somebody asks for it.
import {ensure, engine, whenLoaded} from './engine.js';
import {camel, invoke, rowOf, rowsOf} from './call.js';

/** The functions of the modules of the table, with those of `own` before them. */
export function namespace(modules, own = {}) {
    const target = Object.create(null);
    let names = null; // of JavaScript -> [module, name of the row]
    const known = () => {
        if (names) return names;
        ensure();
        names = new Map();
        for (const module of modules)
            for (const name of rowsOf(module))
                if (!name.startsWith('_'))
                    for (const n of [name, camel(name)]) if (!names.has(n)) names.set(n, [module, name]);
        return names;
    };
    whenLoaded(() => { names = null; });
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(own)))
        Object.defineProperty(target, name, descriptor);
    const find = name => {
        if (name in target || typeof name !== 'string') return target[name];
        const row = known().get(name);
        if (!row) return undefined;
        let r = null;
        const f = {[name](...args) {
            r ??= rowOf(...row);
            return invoke(r, args, f);
        }}[name];
        target[name] = f;
        return f;
    };
    return new Proxy(target, {
        get: (_, name) => find(name),
        has: (_, name) => name in target || (typeof name === 'string' && engine.exports !== null && known().has(name)),
        ownKeys: () => [...new Set([...Reflect.ownKeys(target), ...(engine.exports ? known().keys() : [])])],
        getOwnPropertyDescriptor: (_, name) => {
            const value = find(name);
            return value === undefined ? undefined : {value, enumerable: true, configurable: true, writable: true};
        },
    });
}
