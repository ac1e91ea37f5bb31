/* SPDX-License-Identifier: Apache-2.0
 * reinforcement.c -- a network learns to balance a pole on a cart from its own falls: policy gradient, 64 games at a
 * time, each a scan. */
#include <kiln/kiln.h>
#include <kiln/media.h>

enum { GAMES = 64, STEPS = 200, ROUNDS = 40, HIDDEN = 32, TESTS = 1000 };

typedef struct {
    kn_array w1, b1, w2, b2;
} Policy;
static kn_array log_chances(const Policy *p, kn_array s) /* of a push to the left, and to the right */
{
    kn_array hidden = kn_tanh(kn_add(kn_matmul(s, p->w1), p->b1));
    return kn_nn_log_softmax(kn_add(kn_matmul(hidden, p->w2), p->b2));
}

/* The cart and pole of Barto, Sutton and Anderson (1983), as in Gym's CartPole-v1: place, speed, angle, its speed. */
static kn_array world(kn_array s, kn_array push)
{
    kn_array angle = kn_at(s, "2"), turn = kn_at(s, "3"), cosine = kn_cos(angle), sine = kn_sin(angle);
    kn_array t = kn_div(kn_add(push, kn_mul(0.05, kn_square(turn), sine)), 1.1);
    kn_array a = kn_div(kn_sub(kn_mul(9.8, sine), kn_mul(cosine, t)),
                        kn_mul(0.5, kn_sub(4.0 / 3, kn_mul(0.1 / 1.1, kn_square(cosine)))));
    kn_array speeds = kn_stack(KN_LIST(kn_at(s, "1"), kn_sub(t, kn_mul(0.05 / 1.1, a, cosine)), turn, a));
    return kn_add(s, kn_mul(0.02, speeds));
}
static kn_array stands(kn_array s)
{
    return kn_logical_and(kn_less(kn_abs(kn_at(s, "0")), 2.4), kn_less(kn_abs(kn_at(s, "2")), 0.2095));
}

typedef struct {
    kn_array state, alive;
} Game;
typedef struct {
    Game game;
    kn_array log_chance, reward; /* of what was done; 1 while the pole stands */
} Step;
static Step play(const Policy *p, const Game *g, const kn_array *key)
{
    kn_array both = log_chances(p, g->state), action = kn_random_categorical(*key, kn_stop_gradient(both));
    kn_array next = world(g->state, kn_sub(kn_mul(20.0, action), 10)), reward = kn_astype(g->alive, KN_F64);
    Game after = {next, kn_logical_and(g->alive, stands(next))};
    return (Step){after, kn_mul(reward, kn_take(both, action)), reward};
}
KN_CLOSURE(play, Step, Policy, Game, kn_array)

static Game start(kn_array key)
{
    return (Game){kn_random_uniform(key, KN_SHAPE(4), .minval = kn_num(-0.05), .maxval = kn_num(0.05)), KN_TRUE};
}
typedef struct {
    kn_array log_chances, rewards;
} Record;
static Record game(const Policy *p, const kn_array *key)
{
    kn_array keys = kn_random_split(*key, .num = STEPS);
    Game first = start(*key);
    Step out;
    kn_scan(KN_CLOSE(play, p), &out, &first, &keys);
    return (Record){out.log_chance, out.reward};
}
KN_FUNCTION(game, Record, Policy, kn_array)

/* Actions after which more came than usual at that time are to become likelier. The second result is for reading. */
typedef struct {
    kn_array surrogate, length;
} Learned;
static Learned learn(const Policy *p, const kn_array *keys)
{
    Record r;
    kn_call(kn_vmap(KN_FN(game), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &r, p, keys);
    kn_array to_come = kn_flip(kn_cumsum(kn_flip(r.rewards, KN_AXIS(1)), KN_AXIS(1)), KN_AXIS(1));
    kn_array more = kn_sub(to_come, kn_mean(to_come, KN_AXIS(0)));
    more = kn_div(more, kn_add(kn_std(more), 1e-6));
    kn_array gain = kn_sum(kn_mul(r.log_chances, kn_stop_gradient(more)), KN_AXIS(1));
    return (Learned){kn_neg(kn_mean(gain)), kn_mean(kn_sum(r.rewards, KN_AXIS(1)))};
}
KN_FUNCTION(learn, Learned, Policy, kn_array)

/* A test without chance: the likelier action always. How long the pole stands, and its angle on the way. */
typedef struct {
    Game game;
    kn_array stood, angle;
} Shown;
static Shown best(const Policy *p, const Game *g)
{
    kn_array next = world(g->state, kn_sub(kn_mul(20.0, kn_argmax(log_chances(p, g->state))), 10));
    return (Shown){{next, kn_logical_and(g->alive, stands(next))}, g->alive, kn_at(g->state, "2")};
}
KN_CLOSURE(best, Shown, Policy, Game)
static Record test(const Policy *p, const kn_array *key)
{
    Game first = start(*key);
    Shown out;
    kn_scan(KN_CLOSE(best, p), &out, &first, KN_NOTHING, .length = 500);
    return (Record){out.angle, kn_sum(out.stood)};
}
KN_FUNCTION(test, Record, Policy, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(0), lengths = kn_zeros(KN_SHAPE(ROUNDS));
    Policy p = {kn_mul(0.5, kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(4, HIDDEN))),
                kn_zeros(KN_SHAPE(HIDDEN)),
                kn_mul(0.1, kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(HIDDEN, 2))), kn_zeros(KN_SHAPE(2))};
    kn_fn step = kn_jit(kn_grad(KN_FN(learn), .has_aux = true));
    kn_fn tests = kn_jit(kn_vmap(KN_FN(test), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}));
    kn_optimizer adam = kn_optim_adam(.learning_rate = 0.02);
    kn_tree state = kn_optim_init(adam, KN_TREE(&p));
    kn_array fresh = kn_random_split(kn_random_key(99), .num = TESTS);
    Record before, after;
    kn_call(tests, &before, &p, &fresh);
    for (int i = 0; i < ROUNDS && !kn_error_pending(); i++) {
        KN_SCOPE;
        kn_array keys = kn_random_split(kn_random_fold_in(key, 100 + i), .num = GAMES), length;
        Policy slope;
        kn_call(step, KN_OUT(&slope, &length), &p, &keys);
        kn_optim_apply(adam, &state, KN_TREE(&p), KN_TREE(&slope));
        kn_set_at(lengths, length, "%", i);
    }
    kn_call(tests, &after, &p, &fresh);
    kn_printf("%d games of at most %d steps were played\n", ROUNDS * GAMES, STEPS);
    kn_printf("the pole stands for %.1f of 500 steps before, %.1f after, on average over %d new starts\n",
              kn_mean(before.rewards), kn_mean(after.rewards), TESTS);
    kn_printf("it stands to the end in %.1f %% of them\n", kn_mul(100, kn_mean(kn_equal(after.rewards, 500))));

    kn_plot plot = kn_plot_grid(1, 2, .width = 800, .height = 320);
    kn_plot a =
        kn_plot_panel(plot, 0, 0, .title = "Learning", .xlabel = "round of 64 games", .ylabel = "steps until it falls");
    kn_plot_line(a, KN_NONE, lengths);
    kn_plot_hline(a, STEPS);
    kn_plot b = kn_plot_panel(plot, 0, 1, .title = "Angle of the pole in four tests", .xlabel = "step",
                              .ylabel = "radians", .ylim = {-0.25, 0.25});
    for (int i = 0; i < 4; i++)
        kn_plot_line(b, KN_NONE, kn_at(after.log_chances, "%", i), .width = 1);
    kn_plot_hline(b, 0.2095, .label = "fallen");
    kn_plot_hline(b, -0.2095);
    kn_plot_save(plot, "reinforcement.png", .scale = 1);
    return kn_finish();
}
