// SPDX-License-Identifier: Apache-2.0
// share.mjs -- a program in the fragment of an address, compressed: nothing of it is sent to a server.

const through = async (bytes, stream) =>
    new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** "#code=..." of a text. */
export async function encode(text) {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
    let binary = '';
    for (const b of bytes)
        binary += String.fromCharCode(b);
    return '#code=' + btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** The text of such a fragment; null: it has none, or it is damaged. */
export async function decode(fragment) {
    const found = /(?:^#|&)code=([\w-]+)/.exec(fragment);
    if (!found)
        return null;
    try {
        const binary = atob(found[1].replace(/-/g, '+').replace(/_/g, '/'));
        const bytes = Uint8Array.from(binary, c => c.charCodeAt(0));
        return new TextDecoder('utf-8', {fatal: true}).decode(
            await through(bytes, new DecompressionStream('deflate-raw')));
    } catch {
        return null;
    }
}
