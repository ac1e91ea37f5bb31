/* SPDX-License-Identifier: Apache-2.0
 * eager_sensitivity.c -- how hares and lynxes of a simulation depend on its four parameters. The loop is plain C and knows nothing of derivatives:
 * the parameters come with a tangent along each of four directions, and so does what is computed from them, all the way. kn_jacfwd of the same
 * function has the same bits. */
#include <kiln/kiln.h>
#include <stdio.h>

/* How a population changes: hares are born and eaten, lynxes eat and die. */
static kn_array change(kn_array animals, kn_array rates)
{
    kn_array hares = kn_at(animals, "0"), lynxes = kn_at(animals, "1"), meetings = kn_mul(hares, lynxes);
    kn_array born = kn_mul(kn_at(rates, "0"), hares), eaten = kn_mul(kn_at(rates, "1"), meetings);
    kn_array fed = kn_mul(kn_at(rates, "2"), meetings), died = kn_mul(kn_at(rates, "3"), lynxes);
    return kn_stack(KN_LIST(kn_sub(born, eaten), kn_sub(fed, died)));
}

/* One step of Runge and Kutta. */
static kn_array after(kn_array animals, kn_array rates, double h)
{
    kn_array a = change(animals, rates);
    kn_array b = change(kn_add(animals, kn_mul(h / 2, a)), rates);
    kn_array c = change(kn_add(animals, kn_mul(h / 2, b)), rates);
    kn_array d = change(kn_add(animals, kn_mul(h, c)), rates);
    return kn_add(animals, kn_mul(h / 6, kn_add(kn_add(a, d), kn_mul(2, kn_add(b, c)))));
}

static kn_array simulate(const kn_array *rates)
{
    kn_array animals = kn_of(double, 10, 5);
    for (int i = 0; i < 100; i++)
        animals = after(animals, *rates, 0.05);
    return animals;
}
KN_FUNCTION(simulate, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array rates = kn_of(double, 1.1, 0.4, 0.1, 0.4), jacobian;

    /* Along all four directions at once: the tangent has one axis more, in front. */
    kn_array dual = kn_with_tangent(rates, kn_eye(4)), animals = simulate(&dual);
    kn_array sensitivity = kn_tangent_of(animals);
    printf("hares and lynxes after 100 steps:\n");
    kn_print(animals);
    printf("if a rate grows, they change by, rate by rate:\n");
    kn_print(sensitivity);

    kn_call(kn_jacfwd(KN_FN(simulate)), &jacobian, &rates);
    printf("kn_jacfwd has the same bits: %s\n", kn_array_equal(kn_transpose(jacobian), sensitivity) ? "yes" : "no");

    /* One direction, within a level of its own: all rates grow by 1 % of what they are. */
    KN_TANGENTS;
    kn_array some = kn_with_tangent(rates, kn_mul(0.01, rates));
    kn_print(kn_tangent_of(simulate(&some)));

    /* The simulation looks at its values in between, and branches on them. */
    kn_array now = kn_of(double, 10, 5);
    int steps = 0;
    while (kn_item(kn_at(now, "0")) > 1) {
        now = after(now, some, 0.05);
        steps++;
    }
    printf("after %d steps less than one hare is left, and that changes by\n", steps);
    kn_print(kn_at(kn_tangent_of(now), "0"));
    return kn_error_pending() ? 1 : kn_finish();
}
