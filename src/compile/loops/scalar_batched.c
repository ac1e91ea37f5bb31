/* SPDX-License-Identifier: Apache-2.0
 * scalar_batched.c -- loops that run until the last point is done: their condition is a reduce_or over all points. In a
 * kernel each point tests its own element of that alone (the mask), and stops. The results are the same if a point that
 * is done keeps its carries: then the further turns that other points make would have changed nothing of it. Whether
 * the carries are kept is found from the nodes. */
#include "compile/loops/scope.h"
#include <string.h>

static knk_inst look(const kni_lower *l, knk_node x)
{
    const knk_inst *n = knk_look(l->k, x);
    return n ? *n : (knk_inst){.op = KNK_CONST, .a = KNK_NONE, .b = KNK_NONE, .c = KNK_NONE};
}

/* Does x depend on one of the nodes that are marked in `of`, within one turn (values of carries are not followed)?
 * Operands have smaller numbers than the nodes that read them. */
static bool is_made_of(kni_lower *l, knk_node x, const bool *of)
{
    bool *seen = x < 0 ? NULL : knx_arena_zero(&l->arena, (size_t)x + 1);
    if (!seen) {
        l->failed = true;
        return true;
    }
    seen[x] = true;
    for (knk_node i = x; i >= 0; i--) {
        knk_inst n = look(l, i);
        if (!seen[i])
            continue;
        if (of[i])
            return true;
        const knk_node operand[] = {n.a, n.b, n.c};
        for (int k = 0; n.op != KNK_CARRY && n.op != KNK_CONST && k < 3; k++)
            if (operand[k] >= 0)
                seen[operand[k]] = true;
    }
    return false;
}

static bool *marks(kni_lower *l, knk_node most)
{
    bool *m = knx_arena_zero(&l->arena, (size_t)(most < 0 ? 0 : most) + 1);
    if (!m)
        l->failed = true;
    return m;
}

/* Is x the mask, or the AND of the mask and of values that do not depend on it, and so are the same for all points? */
static bool asks_mask_alone(kni_lower *l, knk_node x, knk_node mask)
{
    bool *of = marks(l, x > mask ? x : mask);
    if (!of)
        return false;
    of[mask] = true;
    while (x != mask) {
        knk_inst n = look(l, x);
        if (n.op != KNK_AND)
            return false;
        bool a = is_made_of(l, n.a, of), b = is_made_of(l, n.b, of);
        if (a == b)
            return false;
        x = a ? n.a : n.b;
    }
    return true;
}

knk_node knc_condition(kni_lower *l, const knc_scope *cond)
{
    struct knc_points *s = l->points;
    s->any = cond;
    knk_node go = knc_value_at(l, cond, cond->j->out[0], l->scalar).re;
    s->any = NULL;
    if (!l->failed && s->masks && (s->masks > 1 || !asks_mask_alone(l, go, s->mask)))
        knc_refuse(l, "the condition of a loop joins points");
    return go;
}

enum { DEEP = 64 }; /* nodes that a search visits, at most */

/* Is the mask true wherever p is? */
static bool within(const kni_lower *l, knk_node p, knk_node mask, int *left)
{
    if (p == mask)
        return true;
    if (--*left < 0)
        return false;
    knk_inst n = look(l, mask), q = look(l, p);
    if (n.op == KNK_OR && (within(l, p, n.a, left) || within(l, p, n.b, left)))
        return true;
    return q.op == KNK_AND && (within(l, q.a, mask, left) || within(l, q.b, mask, left));
}

static bool is_within(const kni_lower *l, knk_node p, knk_node mask)
{
    int left = DEEP;
    return within(l, p, mask, &left);
}

/* Does x equal the carry wherever the mask is false? */
static bool is_kept(const kni_lower *l, knk_node x, knk_node carry, knk_node mask)
{
    for (int i = 0; i < DEEP && x != carry; i++) {
        knk_inst n = look(l, x), a = look(l, n.a);
        /* rounded to 16 bits, as the carry is */
        if (n.op == KNK_CAST && a.op == KNK_CAST && look(l, a.a).dtype == n.dtype)
            x = a.a;
        else if (n.op == KNK_SELECT && is_within(l, n.a, mask))
            x = n.c;
        else if (n.op == KNK_SELECT && a.op == KNK_NOT && is_within(l, a.a, mask))
            x = n.b;
        else
            return n.op == KNK_AND && n.dtype == KN_ID_BOOL && is_within(l, carry, mask) && is_within(l, x, mask);
    }
    return x == carry;
}

void knc_check_kept(kni_lower *l, uint32_t n, const knc_elements *carry, const knc_elements *next, const bool *read)
{
    knk_node mask = l->points->mask, most = mask;
    for (uint32_t i = 0; i < n; i++)
        for (int64_t e = 0; e < carry[i].n; e++) {
            most = carry[i].v[e].re > most ? carry[i].v[e].re : most;
            most = carry[i].v[e].im > most ? carry[i].v[e].im : most;
        }
    bool *common = marks(l, most);
    for (uint32_t i = 0; common && i < n; i++)
        for (int64_t e = 0; e < carry[i].n && !l->failed; e++) {
            kni_pair old = carry[i].v[e], new = next[i].v[e];
            if (old.re < 0 || new.re < 0) { /* the builder has no memory */
                l->failed = true;
                return;
            }
            if (!carry[i].points) { /* a carry of all points together goes on as long as any point does */
                if (read[i])
                    knc_refuse(l, "a result counts turns until the last point is done");
                common[old.re] = true;
                if (old.im >= 0)
                    common[old.im] = true;
            } else if (!is_kept(l, new.re, old.re, mask) || (new.im >= 0 && !is_kept(l, new.im, old.im, mask))) {
                knc_refuse(l, "points that are done go on with the others");
            }
        }
    if (!l->failed && is_made_of(l, mask, common))
        knc_refuse(l, "which points are done depends on what all points share");
}
