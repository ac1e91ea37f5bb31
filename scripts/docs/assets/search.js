// SPDX-License-Identifier: Apache-2.0
// Search without a network: SEARCH (search-index.js) is a list of [title, address, summary, other names, kind].
"use strict";
(() => {
  const input = document.getElementById("search"), list = document.getElementById("found");
  let chosen = -1;
  const bare = (text) => text.toLowerCase().replace(/^(np|numpy|jnp|jax\.numpy|jax|scipy|optax)\./, "");
  const points = (entry, word) => {
    const title = entry[0].toLowerCase(), short = title.replace(/^kn_/, ""), plain = bare(word);
    if (title === word || short === plain) return 100;
    for (const name of entry[3].toLowerCase().split(" ")) {
      if (name === word) return 95;
      if (name && bare(name) === plain) return 90;
    }
    if (short.startsWith(plain)) return 70 - Math.min(short.length - plain.length, 20);
    if (title.includes(plain)) return 45;
    if (entry[3].toLowerCase().includes(plain)) return 35;
    return entry[2].toLowerCase().includes(plain) ? 15 : 0;
  };
  const find = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean), found = [];
    if (!words.length) return found;
    for (const entry of SEARCH) {
      let sum = 0;
      for (const word of words) {
        const p = points(entry, word);
        if (!p) { sum = 0; break; }
        sum += p;
      }
      if (sum) found.push([sum + (entry[4] === "page" ? 3 : 0), entry]);
    }
    return found.sort((a, b) => b[0] - a[0] || a[1][0].length - b[1][0].length).slice(0, 30).map((f) => f[1]);
  };
  const choose = (index) => {
    const links = list.querySelectorAll("a");
    if (!links.length) return;
    chosen = (index + links.length) % links.length;
    links.forEach((link, i) => link.setAttribute("aria-selected", String(i === chosen)));
    links[chosen].scrollIntoView({ block: "nearest" });
  };
  const show = () => {
    const found = find(input.value);
    list.replaceChildren();
    for (const [title, address, summary, names] of found) {
      const link = document.createElement("a"), small = document.createElement("small");
      link.href = ROOT + address;
      link.setAttribute("role", "option");
      link.append(title);
      small.append((names ? names.split(" ")[0] + ": " : "") + summary);
      link.append(small);
      list.append(link);
    }
    if (!found.length && input.value.trim()) {
      const text = document.createElement("p");
      text.append("Nothing is called so.");
      list.append(text);
    }
    list.hidden = !input.value.trim();
    choose(0);
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && list.querySelectorAll("a")[chosen]) location.href = list.querySelectorAll("a")[chosen].href;
    else if (event.key === "Escape") { input.value = ""; show(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input && !event.ctrlKey && !event.metaKey) { event.preventDefault(); input.focus(); }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest("form")) list.hidden = true; });
  const asked = new URLSearchParams(location.search).get("q"); // PAGE?q=WORDS shows what is found
  if (asked) { input.value = asked; show(); }
  if (!matchMedia("(min-width: 50rem)").matches) document.querySelector("nav.side .menu").open = false;
})();
