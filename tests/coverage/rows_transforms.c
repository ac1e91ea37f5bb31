/* SPDX-License-Identifier: Apache-2.0
 * rows_transforms.c -- the calls of transforms.def. */
#include "coverage/coverage.h"

static kn_array wave(const kn_array *a) { return kn_sum(kn_mul(kn_sin(*a), *a)); }
KN_FUNCTION(wave, kn_array, kn_array)
static kn_array each(const kn_array *a) { return kn_mul(kn_sin(*a), *a); }
KN_FUNCTION(each, kn_array, kn_array)
static kn_array share(const kn_array *a) { return kn_div(*a, kn_lax_psum(*a, "i")); }
KN_FUNCTION(share, kn_array, kn_array)
static kn_array thrice(const kn_array *a) { return kn_mul(3.0, *a); }
KN_FUNCTION(thrice, kn_array, kn_array)
static kn_array times(const kn_array *captured, const kn_array *a) { return kn_mul(*captured, *a); }
KN_CLOSURE(times, kn_array, kn_array, kn_array)
static kn_array scaled(const double *factor, const kn_array *a) { return kn_mul(*factor, *a); }
KN_FUNCTION_ENV(scaled, kn_array, double, kn_array)
static kn_array named(const kn_array *a)
{
    kn_array c = kn_checkpoint_name(kn_sin(*a), "s");
    return kn_sum(kn_sin(kn_matmul(c, kn_transpose(c))));
}
KN_FUNCTION(named, kn_array, kn_array)
/* the gradient under a policy */
#define SAVED(policy_) AT(kn_grad(kn_checkpoint(KN_FN(named), .policy = policy_)), y)

/* derivatives that are ten times too large, so that it shows who made them */
static Pair each_rule(const kn_array *a, const kn_array *da)
{
    return (Pair){each(a), kn_mul(10, kn_mul(*da, kn_cos(*a)))};
}
KN_FUNCTION(each_rule, Pair, kn_array, kn_array)
static Pair each_forward(const kn_array *a) { return (Pair){each(a), kn_cos(*a)}; }
KN_FUNCTION(each_forward, Pair, kn_array)
static kn_array each_backward(const kn_array *kept, const kn_array *ct) { return kn_mul(10, kn_mul(*ct, *kept)); }
KN_FUNCTION(each_backward, kn_array, kn_array, kn_array)

/* ---- Arrays on a mesh. */
#define ROWS kn_named_sharding(kn_make_mesh(KN_SHAPE(1), "x"), "x")
static kn_array counted_part(void *env, const kn_shape *start, const kn_shape *shape)
{
    (void)env, (void)start;
    return kn_arange(0, (double)shape->dim[0], 1.0);
}

/* ---- What an effect leaves behind. */
static int triple(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    out[0] = kn_mul(3, in[0]);
    return 0;
}

static double noted[6];
static int note(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)n_in, (void)n_out, (void)out;
    memcpy(env, kn_data(in[0], double), sizeof noted);
    return 0;
}
#define NOTED(call) ((call) ? NULL : kn_from(noted, KN_SHAPE(6)))

static char said[256];
static void say(void *env, const char *text)
{
    (void)env;
    strncat(said, text, sizeof said - strlen(said) - 1);
}
#define PRINTED(call)             \
    __extension__({               \
        said[0] = 0;              \
        kn_set_print(say, NULL);  \
        call;                     \
        kn_set_print(NULL, NULL); \
        text_array(said);         \
    })

/* whether log(-1) is reported */
static bool finds_nan(bool (*check)(bool on))
{
    check(true);
    kn_block_until_ready(kn_log(kn_of(double, -1)));
    bool found = kn_error_pending() && strstr(kn_error_message(), "nan encountered");
    check(false);
    kn_error_clear();
    return found;
}

static int64_t more_live(int64_t (*live)(void))
{
    int64_t before = live();
    kn_array one = kn_ones(KN_SHAPE(2));
    int64_t after = live();
    (void)one;
    return after - before;
}

/* the number of the first literal */
static uint32_t literal_of(kn_jaxpr jaxpr)
{
    kn_equation e;
    kn_jaxpr_equation(jaxpr, 0, &e);
    for (int k = 0; k < e.n_in; k++)
        if (e.in[k] & KN_JAXPR_LITERAL)
            return e.in[k];
    return 0;
}

static kn_array plus_path(void *env, const char *path, int count, const kn_array *a)
{
    (void)env, (void)count;
    return kn_add(a[0], (int64_t)strlen(path));
}

typedef struct Line {
    kn_array w, b;
} Line;
KN_FIELDS(Line, w, b)
static kn_array names_of_fields(kn_tree tree)
{
    char text[64] = "";
    for (int k = 0; k < kn_tree_count(tree); k++) {
        strcat(text, kn_tree_keystr(tree, k));
        strcat(text, " ");
    }
    return text_array(text);
}
static kn_array wrong(const kn_array *a) { return kn_sum(each(a)); }
KN_FUNCTION(wrong, kn_array, kn_array)
static Pair wrong_rule(const kn_array *a, const kn_array *da) { return (Pair){wrong(a), kn_sum(*da)}; }
KN_FUNCTION(wrong_rule, Pair, kn_array, kn_array)

#define TABLE "coverage/transforms.def"
#define NAME  rows_transforms
#include "coverage/table.h"
