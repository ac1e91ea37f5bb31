// SPDX-License-Identifier: Apache-2.0
// serve.mjs -- a small server of static files on this machine, with the headers that make a page cross-origin isolated
// (SharedArrayBuffer, threads, a fine clock). Imported by the tests; by hand: node tests/web/serve.mjs [FOLDER [PORT]]
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const types = {
    '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css',
    '.json': 'application/json',
    '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.png': 'image/png',
    '.webmanifest': 'application/manifest+json',
    '.txt': 'text/plain; charset=utf-8', '.ts': 'text/plain; charset=utf-8', '.md': 'text/plain; charset=utf-8',
};
const isolation = {
    'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The file below one of the folders that an address means, or null; an address of a folder means its index.html. */
function find(mounts, name) {
    for (const [prefix, folder] of Object.entries(mounts)) {
        if (!name.startsWith(prefix))
            continue;
        let file = path.join(folder, path.normalize('/' + name.slice(prefix.length)));
        if (fs.statSync(file, {throwIfNoEntry: false})?.isDirectory())
            file = path.join(file, 'index.html');
        if (fs.statSync(file, {throwIfNoEntry: false})?.isFile())
            return file;
    }
    return null;
}

/**
 * Starts the server on 127.0.0.1.
 * @param {object} options mounts: {prefix of addresses: folder}; routes: Map of address -> Buffer; isolated: sends the
 * headers; port: 0: any
 * @returns {Promise<{url: string, port: number, routes: Map<string, Buffer>, close: () => Promise<void>, reopen: () =>
 * Promise<number>}>}
 */
export function serve({mounts, routes = new Map(), isolated = true, port = 0}) {
    const server = http.createServer((request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
        const stored = routes.get(name), file = stored ? null : find(mounts, name);
        if (!stored && !file) {
            response.writeHead(404, {'Content-Type': 'text/plain'});
            response.end('not found');
            return;
        }
        response.writeHead(200, {
            'Content-Type': types[path.extname(file ?? name)] ?? 'application/octet-stream',
            'Content-Length': stored ? stored.length : fs.statSync(file).size,
            'Cache-Control': 'no-store', ...(isolated ? isolation : {}),
        });
        if (stored)
            response.end(stored);
        else
            fs.createReadStream(file).pipe(response);
    });
    const listen = at => new Promise((done, failed) => {
        server.once('error', failed);
        server.listen(at, '127.0.0.1', () => done(server.address().port));
    });
    const close = () => new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
    });
    return listen(port).then(at => ({url: `http://127.0.0.1:${at}`, port: at, routes, close,
        reopen: () => listen(at)}));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [folder = '.', port = '8000'] = process.argv.slice(2);
    console.log((await serve({mounts: {'/': path.resolve(folder)}, port: Number(port)})).url);
}
