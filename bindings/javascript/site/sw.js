// SPDX-License-Identifier: Apache-2.0
// sw.js -- the service worker: keeps all files of the site, so that it works without a network, and adds the headers
// that make its pages cross-origin isolated (threads need that) where the server does not send them.
'use strict';
importScripts('files.js'); // self.kilnFiles = {version, files: [...]}, of scripts/make-site.sh
const {version, files} = self.kilnFiles, kept = `kiln-${version}`;

self.addEventListener('install', e => e.waitUntil((async () => {
    const cache = await caches.open(kept);
    await cache.addAll(files.map(f => new Request(f, {cache: 'reload'})));
    await self.skipWaiting();
})()));

self.addEventListener('activate', e => e.waitUntil((async () => {
    for (const name of await caches.keys())
        if (name.startsWith('kiln-') && name !== kept)
            await caches.delete(name);
    await self.clients.claim();
})()));

function isolated(response) {
    if (!response.ok || response.type === 'opaque')
        return response;
    const headers = new Headers(response.headers);
    headers.set('Cross-Origin-Opener-Policy', 'same-origin');
    headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
    headers.set('Cross-Origin-Resource-Policy', 'same-origin');
    return new Response(response.body, {status: response.status, statusText: response.statusText, headers});
}

async function answer(request) {
    const cache = await caches.open(kept), url = new URL(request.url);
    url.search = '';
    if (url.pathname.endsWith('/'))
        url.pathname += 'index.html';
    return isolated(await cache.match(url.href) ?? await fetch(request));
}

self.addEventListener('fetch', e => {
    const {request} = e;
    const own = new URL(request.url).origin === self.location.origin;
    if (request.method === 'GET' && own && (request.cache !== 'only-if-cached' || request.mode === 'same-origin'))
        e.respondWith(answer(request));
});
