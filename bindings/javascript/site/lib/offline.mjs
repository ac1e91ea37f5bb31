// SPDX-License-Identifier: Apache-2.0
// offline.mjs -- asks the browser to keep the site's files (sw.js). For every page: import it.

if ('serviceWorker' in navigator && !document.documentElement.dataset.noOffline)
    // a private window, say: the site works without
    navigator.serviceWorker.register(new URL('../sw.js', import.meta.url)).catch(() => {});
