/* SPDX-License-Identifier: Apache-2.0
 * cases_lanes.c -- samples of the collectives, and of the user's code in programs. Operands of the former have the lanes
 * along their first axis, which is called i. */
#include "base/out.h"
#include "cases.h"
#include "ir/host.h"

#include <string.h>

#define I                                \
    {                                    \
        1, (const char *const[]) { "i" } \
    }
#define REDUCED(row, name, list, from, reference, how, error) \
    {.prim = &knp_prim_##row,                                 \
     .label = name,                                           \
     .dtypes = list,                                          \
     .operands = from,                                        \
     .params = &(kni_p_all_reduce){I, NULL, false},           \
     .whole = reference,                                      \
     .flags = how,                                            \
     .ulp = error,                                            \
     .lanes = 1},
#define MOVED(row, name, list, from, reference, error, ...) \
    {.prim = &knp_prim_##row,                               \
     .label = name,                                         \
     .dtypes = list,                                        \
     .operands = from,                                      \
     .params = &(__VA_ARGS__),                              \
     .whole = reference,                                    \
     .ulp = error,                                          \
     .lanes = 1},
#define GATHERED(name, list, from, n, dimension, is_tiled) \
    MOVED(all_gather, name, list, from, ref_all_gather, 0, \
          (kni_p_all_gather){                              \
              .all_gather_dimension = dimension, .axis_name = I, .sizes = INTS(n), .axis_size = n, .tiled = is_tiled})
#define SCATTERED(name, list, from, n, dimension, is_tiled, error)     \
    MOVED(reduce_scatter, name, list, from, ref_reduce_scatter, error, \
          (kni_p_reduce_scatter){                                      \
              .axis_name = I, .sizes = INTS(n), .axis_size = n, .scatter_dimension = dimension, .tiled = is_tiled})
#define EXCHANGED(name, list, from, n, split, concat)      \
    MOVED(all_to_all, name, list, from, ref_all_to_all, 0, \
          (kni_p_all_to_all){.axis_name = I,               \
                             .sizes = INTS(n),             \
                             .axis_size = n,               \
                             .concat_axis = concat,        \
                             .split_axis = split,          \
                             .tiled = true})
#define ANY EVERYTHING " key<fry>"

/* ---- The user's code: a function that gives its operand back, and one that only looks. */

static knx_error *give_back(const kni_host *h, int n_in, const kni_type *xt, const void *const *x, int n_out,
                            const kni_type *yt, void *const *y)
{
    (void)h, (void)n_in, (void)yt;
    if (n_out && y[0] && kni_type_bytes(xt[0])) /* what is empty may have no address */
        memcpy(y[0], x[0], kni_type_bytes(xt[0]));
    return NULL;
}

static void hear_nothing(void *env, const char *text) { (void)env, (void)text; }

static const kni_host *host;
__attribute__((constructor)) static void begin(void)
{
    knx_context();
    host = kni_host_of(&(kni_host){.call = give_back});
    knx_out_callback(hear_nothing, NULL);
}

static int callback(kni_builder *b, const kni_atom *x, kni_atom *y, bool io, kni_vmap_method method)
{
    kni_type t = knb_type(b, x[0]);
    int64_t v[2 + MAX_RANK] = {t.dtype->id, t.ndim};
    for (int d = 0; d < t.ndim; d++)
        v[2 + d] = t.dim[d];
    kni_p_callback p = {.callback = host ? host->id : 0, .results = {2 + t.ndim, v}, .vmap_method = method};
    (io ? knb_io_callback : knb_pure_callback)(b, &p, 1, x, y, 1);
    return 1;
}

static int pure(kni_builder *b, const kni_atom *x, kni_atom *y) { return callback(b, x, y, false, KN_VMAP_SEQUENTIAL); }
static int pure_once(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return callback(b, x, y, false, KN_VMAP_EXPAND_DIMS);
}
static int pure_broadcast(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    return callback(b, x, y, false, KN_VMAP_BROADCAST_ALL);
}
static int io(kni_builder *b, const kni_atom *x, kni_atom *y) { return callback(b, x, y, true, KN_VMAP_SEQUENTIAL); }

static int look(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    knb_debug_callback(b, &(kni_p_callback){.callback = host ? host->id : 0}, 1, x);
    y[0] = x[0];
    return 1;
}

static int print(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    knb_debug_print(b, &(kni_p_callback){.fmt = "{}"}, 1, x);
    y[0] = x[0];
    return 1;
}

#define USER(row, name, how, make)          \
    {.prim = &knp_prim_##row,               \
     .label = name,                         \
     .dtypes = ANY,                         \
     .operands = "T[]; T[3]; T[2,3]; T[0]", \
     .each = ref_same,                      \
     .flags = how,                          \
     .build = make},

const sample samples_lanes[] = {
    REDUCED(psum, NULL, NUMBERS, "T[3,4]; T[1,2]; T[4]; T[2,0]", ref_psum, 0,
            3) REDUCED(pmax, NULL, ORDERED, "T[3,4]; T[1,2]; T[4]; T[2,0]", ref_pmax, SPECIAL | DISTINCT_SLOPE, 0)
        REDUCED(pmin, NULL, ORDERED, "T[3,4]; T[1,2]; T[4]; T[2,0]", ref_pmin, SPECIAL | DISTINCT_SLOPE, 0)
            GATHERED("first", ANY, "T[3,2,4]; T[3]; T[3,0]", 3, 0, false)
                GATHERED("second", "f64 i32", "T[3,2,4]; T[3,2]", 3, 1, false) GATHERED(
                    "tiled", "f64 c64", "T[3,2,4]; T[3,2,1]", 3, 1, true) GATHERED("alone", "f64", "T[1,2]", 1, 0, true)
                    SCATTERED("first", NUMBERS, "T[3,3,2]; T[3,3]", 3, 0, false, 3)
                        SCATTERED("second", "f64 i32", "T[3,2,3]", 3, 1, false, 3)
                            SCATTERED("tiled", "f64 c64", "T[3,2,6]; T[3,0,3]", 3, 1, true, 3)
                                EXCHANGED("same", ANY, "T[3,3,2]; T[3,6]", 3, 0, 0)
                                    EXCHANGED("forward", "f64 i32", "T[3,6,2]; T[3,3,0]", 3, 0, 1)
                                        EXCHANGED("backward", "f64 c64", "T[3,2,6]", 3, 1, 0)
                                            MOVED(ppermute, "all", EVERYTHING, "T[4,2]; T[4]", ref_ppermute, 0,
                                                  (kni_p_ppermute){I, INTS(0, 1, 1, 2, 2, 3, 3, 0), NULL, NONE})
                                                MOVED(ppermute, "some", "f64 i32 bool", "T[4,2]; T[4]", ref_ppermute, 0,
                                                      (kni_p_ppermute){I, INTS(0, 2, 3, 1), NULL, NONE})
                                                    MOVED(ppermute, "stay", "f64", "T[3,2]", ref_ppermute, 0,
                                                          (kni_p_ppermute){I, INTS(0, 0, 1, 1, 2, 2), NULL, NONE})
                                                        MOVED(ppermute, "none", "f64", "T[4,2]", ref_ppermute, 0,
                                                              (kni_p_ppermute){I, NONE, NULL, NONE})
                                                            MOVED(pbroadcast, "last", ANY, "T[3,4]; T[3]; T[3,0]",
                                                                  ref_pbroadcast, 0, (kni_p_pbroadcast){I, NULL, 2}){
                                                                .prim = &knp_prim_axis_index,
                                                                .operands = "",
                                                                .params = &(kni_p_axis_index){I, NULL},
                                                                .whole = ref_axis_index,
                                                                .lanes = 4},
    USER(pure_callback, "sequential", NO_RULE, pure) USER(pure_callback, "expand_dims", NO_RULE, pure_once)
        USER(pure_callback, "broadcast_all", NO_RULE, pure_broadcast) USER(io_callback, NULL, NO_RULE, io)
            USER(debug_callback, NULL, 0, look) USER(debug_print, NULL, 0, print){.prim = NULL},
};
