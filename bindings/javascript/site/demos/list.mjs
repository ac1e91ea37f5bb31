// SPDX-License-Identifier: Apache-2.0
// list.mjs -- the demos, in the order of the page; each is NAME.mjs beside this file.

export const demos = [
    {name: 'waves', title: 'Waves', summary: 'The wave equation on a grid; touch it to make drops.'},
];
