// SPDX-License-Identifier: Apache-2.0
// list.mjs -- the demos, in the order of the page; each is NAME.mjs beside this file.

export const demos = [
    {name: 'waves', title: 'Waves', summary: 'The wave equation on a grid; touch it to make drops.'},
    {name: 'digits', title: 'Digits', summary: 'A network learns handwriting live; draw a digit for it.'},
    {name: 'fractals', title: 'Fractals', summary: 'The Mandelbrot set and Julia sets; press to go nearer.'},
    {name: 'nbody', title: 'N-body', summary: 'Hundreds of bodies that all pull each other.'},
    {name: 'descent', title: 'Ways down', summary: 'Gradient descent, momentum and Adam, drawn on the function.'},
    {name: 'kalman', title: 'Kalman filter', summary: 'Where is the pointer? A filter sees it through noise.'},
    {name: 'fluid', title: 'Fluid', summary: 'Smoke in a fluid that cannot be compressed; stir it.'},
    {name: 'filters', title: 'Picture filters', summary: 'Edges, blur and others, of a file or the camera.'},
    {name: 'audio', title: 'Sound', summary: 'Bells and strings as arrays, and their spectra.'},
    {name: 'language', title: 'A small language model', summary: 'It learns to write from one paragraph, while one looks on.'},
    {name: 'search', title: 'Search by meaning', summary: 'Descriptions of functions as vectors, and what is near a question.'},
];
