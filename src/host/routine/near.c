/* SPDX-License-Identifier: Apache-2.0
 * near.c -- parts with a thread of their own. Those of one thread are a list, which it goes through first; then it
 * helps the others. */
#include "host/routine/near.h"
#include "base/pool.h"
#include <stdatomic.h>
#include <stdbool.h>

enum { LISTS = 16 /* with more threads some share one */ };

typedef struct lists {
    void (*f)(void *arg, int64_t part, int worker);
    void *arg;
    int64_t first, end, urgent;
    int n;
    atomic_bool begun; /* the urgent one */
    struct {
        _Alignas(64) _Atomic(int64_t) taken;
    } list[LISTS];
} lists;

/* A worker's turn; which part of the pool's call it is does not matter. */
static void take_turn(void *arg, int64_t turn, int worker)
{
    lists *x = arg;
    (void)turn;
    if (x->urgent >= 0 && !atomic_exchange(&x->begun, true))
        x->f(x->arg, x->urgent, worker);
    for (int i = 0; i < x->n; i++) {
        int mine = (worker + i) % x->n;
        int64_t start = x->first + (mine - x->first % x->n + x->n) % x->n;
        for (;;) {
            int64_t part = start + atomic_fetch_add_explicit(&x->list[mine].taken, 1, memory_order_relaxed) * x->n;
            if (part >= x->end)
                break;
            x->f(x->arg, part, worker);
        }
    }
}

void knr_parallel_near(int threads, int64_t first, int64_t end, int64_t urgent,
                       void (*f)(void *arg, int64_t part, int worker), void *arg)
{
    int64_t all = end - first + (urgent >= 0);
    int most = threads > 1 ? threads : 1, n = most < all ? most : (int)all;
    if (n < 1)
        return;
    lists x = {.f = f, .arg = arg, .first = first, .end = end, .urgent = urgent, .n = most < LISTS ? most : LISTS};
    knx_parallel(n, n, take_turn, &x);
}
