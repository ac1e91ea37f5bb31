// SPDX-License-Identifier: Apache-2.0
// place.js -- the line of the program that calls: Kiln notes it with each operation, for errors that are found later
// and for its jaxprs. Lines inside of this package are not the user's: the first one outside counts.
import {engine, lastingText, put} from './engine.js';
import {shortName} from './errors.js';

const own = new URL('.', import.meta.url).href;
const ownPath = own.startsWith('file:') ? decodeURI(own.slice('file://'.length)) : own; // Bun has paths
const isOwn = file => file.startsWith(own) || file.startsWith(ownPath) || file.startsWith('wasm');
const places = new Map(); // "file:line" -> address of a kn_place, for good

function placeOf(file, line, name) {
    const key = `${file}:${line}:${name}`;
    let at = places.get(key);
    if (at === undefined) {
        at = engine.exports.calloc(engine.L.kn_place, 1) >>> 0;
        if (!at) return 0;
        const text = lastingText(file), fn = lastingText(name);
        put(at, text), put(at + engine.L['kn_place.line'], line), put(at + engine.L['kn_place.function'], fn);
        places.set(key, at);
    }
    return at;
}

// A line of a stack as text: "at f (file:1:2)" of V8, "f@file:1:2" of the others.
const shape = /(?:at (?:async )?(?:(.*?) \()?|^(.*?)@)(.+?):(\d+):\d+\)?$/;
/** {file, line, name} of the first frame of a stack's text that is not of the package; null if there is none. */
export function frameOf(stack, inside = null) {
    for (const line of stack.split('\n')) {
        const m = shape.exec(line.trim());
        if (!m || (inside ? m[3].startsWith(inside) : isOwn(m[3])) || m[3].startsWith('wasm') ||
            m[3].includes('wasm-function')) continue;
        return {file: shortName(m[3]), line: +m[4], name: m[1] || m[2] || ''};
    }
    return null;
}
function byText(stack) {
    const at = frameOf(stack);
    return at ? placeOf(at.file, at.line, at.name) : 0;
}

const sites = (_, frames) => frames;
// V8: script -> position -> place; null for scripts of the package. The one that was looked up last is likely the next.
const scripts = new Map();
let lastScript = null, lastPositions = null;
function positionsOf(script) {
    if (script === lastScript) return lastPositions;
    let positions = scripts.get(script);
    if (positions === undefined) scripts.set(script, (positions = isOwn(script) ? null : new Map()));
    lastScript = script, lastPositions = positions;
    return positions;
}
// Others have captureStackTrace, too, but make texts of it, or count frames otherwise.
const hasFrames = (() => {
    if (!Error.captureStackTrace) return false;
    const {prepareStackTrace, stackTraceLimit} = Error, o = {};
    try {
        Error.prepareStackTrace = sites;
        Error.stackTraceLimit = 1;
        const inner = () => Error.captureStackTrace(o, inner);
        inner();
        return Array.isArray(o.stack) && o.stack.length === 1 && typeof o.stack[0].getLineNumber === 'function';
    } finally {
        Error.prepareStackTrace = prepareStackTrace;
        Error.stackTraceLimit = stackTraceLimit;
    }
})();

// V8 gives positions without making texts of them; of one frame, since the function that the user calls is left out.
function byFrame(entry) {
    const {prepareStackTrace, stackTraceLimit} = Error, o = {};
    Error.prepareStackTrace = sites;
    let frame = null, deep = null;
    try {
        if (entry) {
            Error.stackTraceLimit = 1;
            Error.captureStackTrace(o, entry);
            frame = o.stack?.[0];
        }
        if (frame) {
            const script = frame.getScriptNameOrSourceURL?.() ?? frame.getFileName() ?? '',
                positions = positionsOf(script);
            if (positions) {
                const position = frame.getPosition?.() ?? `${frame.getLineNumber()}:${frame.getColumnNumber()}`;
                let at = positions.get(position);
                if (at === undefined) {
                    at = placeOf(shortName(script), frame.getLineNumber() ?? 0, frame.getFunctionName() ?? '');
                    if (positions.size > 65536) positions.clear();
                    positions.set(position, at);
                }
                return at;
            }
        }
        Error.stackTraceLimit = 64; // called by the package itself: further out
        const all = {};
        Error.captureStackTrace(all, byFrame);
        deep = all.stack?.find(f => {
            const file = f.getScriptNameOrSourceURL?.() ?? f.getFileName() ?? '';
            return file && !isOwn(file) && !file.startsWith('node:');
        });
    } finally {
        Error.prepareStackTrace = prepareStackTrace;
        Error.stackTraceLimit = stackTraceLimit;
    }
    return deep ? placeOf(shortName(deep.getScriptNameOrSourceURL?.() ?? deep.getFileName()), deep.getLineNumber() ?? 0,
                          deep.getFunctionName() ?? '') : 0;
}

/** lines: whether operations note the line that calls them. It costs about a microsecond each. */
export const settings = {lines: true};

let last = 0;
/** The address of the place that was noted last; 0: none. */
export const lastPlace = () => last;
/** Notes the line that called `entry`, a function of the package (null: whatever is not of the package), for the next
 * call of Kiln. */
export function here(entry) {
    if (!settings.lines) return;
    const at = hasFrames ? byFrame(entry) : byText(new Error().stack ?? '');
    last = at;
    if (at) engine.exports.kn_here(at);
}
