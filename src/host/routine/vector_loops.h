/* SPDX-License-Identifier: Apache-2.0
 * vector_loops.h -- numbers of one type in registers and back: V of T, named by F(name). Loops that are written for any
 * type include it with these defined. It has no include guard: that is the point. */

ALWAYS V F(load)(const T *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}
ALWAYS void F(store)(T *p, V v) { memcpy(p, &v, sizeof v); }
ALWAYS V F(fill)(T x) { return x - (V){0}; } /* adding +0 would lose the sign of -0 */
