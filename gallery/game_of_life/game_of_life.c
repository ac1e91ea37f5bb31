/* SPDX-License-Identifier: Apache-2.0
 * game_of_life.c -- Conway's game of life: five cells that keep a plane busy for 1103 generations. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { SIZE = 700, LONG = 1103, SHOWN = 200 };

/* A cell lives on with two or three neighbours, and is born with three. The plane is a ring in both directions. */
static kn_array generation(const kn_array *i, const kn_array *alive)
{
    (void)i;
    kn_array rows = kn_add(kn_roll(*alive, 1, KN_AXIS(0)), *alive, kn_roll(*alive, -1, KN_AXIS(0)));
    kn_array around = kn_add(kn_roll(rows, 1, KN_AXIS(1)), rows, kn_roll(rows, -1, KN_AXIS(1))); /* and itself */
    kn_array lives = kn_logical_or(kn_equal(around, 3), kn_logical_and(kn_equal(around, 4), kn_equal(*alive, 1)));
    return kn_astype(lives, KN_I8);
}
KN_FUNCTION(generation, kn_array, kn_array, kn_array)

static kn_array many(const kn_array *alive, const kn_array *generations)
{
    kn_array out;
    kn_fori_loop(0, *generations, KN_FN(generation), &out, alive);
    return out;
}
KN_FUNCTION(many, kn_array, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array start = kn_zeros(KN_SHAPE(SIZE, SIZE), .dtype = KN_I8), later, last, n = kn_scalar(SHOWN);
    kn_array pentomino = kn_reshape(kn_of(int8_t, 0, 1, 1, 1, 1, 0, 0, 1, 0), KN_SHAPE(3, 3));
    kn_set_at(start, pentomino, "%:%, %:%", SIZE / 2, SIZE / 2 + 3, SIZE / 2, SIZE / 2 + 3);

    kn_fn play = kn_jit(KN_FN(many));
    kn_call(play, &later, &start, &n);
    n = kn_scalar(LONG - SHOWN);
    kn_call(play, &last, &later, &n);
    kn_printf("alive at the start: %d, after %d generations: %d, after %d: %d (known: 116)\n", kn_sum(start), SHOWN,
              kn_sum(later), LONG, kn_sum(last));
    kn_array two = kn_scalar(2), after;
    kn_call(play, &after, &last, &two);
    kn_printf("nothing but blinkers and gliders moves from then on: %d alive two generations later\n", kn_sum(after));

    int from = SIZE / 2 - 45, to = SIZE / 2 + 45;
    kn_array cells = kn_at(last, "%:%, %:%", from, to, from, to);
    kn_array shade = kn_astype(kn_sub(255, kn_mul(kn_astype(cells, KN_I32), 215)), KN_U8);
    kn_image_save("game_of_life.png", kn_repeat(kn_repeat(shade, 5, KN_AXIS(0)), 5, KN_AXIS(1)));
    return kn_finish();
}
