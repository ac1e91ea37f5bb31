/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- shapes, axes, and what else speaks of dimensions, sound and otherwise; see values.h. */
#include "tables.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static kn_shape many_ones(int ndim)
{
    kn_shape s = {.ndim = ndim};
    for (int i = 0; i < KN_MAX_NDIM; i++)
        s.dim[i] = 1;
    return s;
}

kn_shape shape_number(int i)
{
    const int64_t h = INT64_C(1) << 40, huge = INT64_C(1) << 62;
    const kn_shape table[] = {{2, {3, 3}},    {1, {3}},       {0, {0}},         {3, {2, 3, 4}},
                              {-1, {3}},      {INT_MIN, {1}}, {1, {-5}},        {2, {-1, -1}},
                              {2, {huge, 4}}, {2, {0, huge}}, {1, {INT64_MIN}}, {3, {huge, huge, 0}},
                              {1, {h}},       {2, {1, h}},    {1, {INT64_MAX}}, {2, {huge / 2 + 3, 2}}};
    return i < SIZE(table) ? table[i] : many_ones(i == SIZE(table) ? 70 : i == SIZE(table) + 1 ? INT_MAX : 64);
}
enum { SHAPES = 19, SHAPES_SOUND = 4, SHAPES_OF_NOTHING = 12 }; /* those before the last need no memory */

kn_shape take_kn_shape(const char *name) { return shape_number(pick(name, SHAPES_SOUND, SHAPES - SHAPES_SOUND)); }

static const kn_shape *kept_shape(int i, int sound)
{
    static kn_shape ring[ROUND * 4];
    static int next;
    kn_shape *s = &ring[next++ % SIZE(ring)];
    if (i == sound)
        return NULL;
    *s = shape_number(i < sound ? i : i - 1);
    return s;
}

p_kn_shape take_p_kn_shape(const char *name)
{
    return kept_shape(pick_null(name, SHAPES_SOUND, SHAPES - SHAPES_SOUND + 1), SHAPES_SOUND);
}

shape_of_memory take_shape_of_memory(const char *name)
{
    return kept_shape(pick_null(name, SHAPES_SOUND, SHAPES_OF_NOTHING - SHAPES_SOUND + 1), SHAPES_SOUND);
}

kn_axes take_kn_axes(const char *name)
{
    static const kn_axes table[] = {{{0}, {0}},         {{2}, {0}},     {{1}, {0}},     {{2}, {-1}},
                                    {{-1}, {0}},        {{5000}, {0}},  {{-5}, {0}},    {{INT_MIN}, {0}},
                                    {{INT_MAX}, {0}},   {{3}, {0, 0}},  {{2}, {99}},    {{2}, {INT32_MIN}},
                                    {{2}, {INT32_MAX}}, {{66}, {0, 1}}, {{65}, {0, 1}}, {{3}, {1, 0}}};
    return FROM(table, 4);
}

m_kn_shape take_m_kn_shape(const char *name)
{
    static kn_shape s;
    int i = pick_null(name, 2, 4);
    s = (kn_shape){.ndim = i < 1 ? -1 : i == 1 ? 2 : i == 3 ? INT32_MAX : i == 4 ? INT32_MIN : 3};
    for (int d = 0; d < KN_MAX_NDIM && i == 5; d++)
        s.dim[d] = INT64_MAX;
    for (int d = 0; d < KN_MAX_NDIM && i == 6; d++)
        s.dim[d] = INT64_MIN;
    return i == 2 ? NULL : &s;
}

p_kn_nested_axes take_p_kn_nested_axes(const char *name)
{
    static const kn_nested_axes table[] = {{2, {{{2}, {0}}, {{2}, {1}}}},
                                           {2, {{{2}, {0}}, {{1}, {0}}}},
                                           {0, {{{2}, {0}}}},
                                           {INT32_MAX, {{{2}, {0}}}},
                                           {INT32_MIN, {{{2}, {0}}}},
                                           {2, {{{2}, {0}}, {{2}, {0}}}},
                                           {2, {{{5000}, {0}}, {{2}, {-7}}}},
                                           {3, {{{2}, {INT32_MAX}}, {{-1}, {0}}}}};
    int i = pick_null(name, 2, (int)SIZE(table) - 2);
    return i == 2 ? NULL : &table[i > 2 ? i - 1 : i];
}

p_kn_axes take_p_kn_axes(const char *name)
{
    static kn_axes ring[ROUND * 4];
    static int next;
    static const kn_axes table[] = {
        {{2}, {0}},       {{1}, {0}},       {{3}, {1, 0}}, {{0}, {0}},  {{-1}, {0}},        {{5000}, {0}}, {{-5}, {0}},
        {{INT_MIN}, {0}}, {{INT_MAX}, {0}}, {{3}, {0, 0}}, {{2}, {99}}, {{2}, {INT32_MIN}}, {{66}, {0, 1}}};
    int i = pick_null(name, 3, SIZE(table) - 3 + 1);
    kn_axes *a = &ring[next++ % SIZE(ring)];
    if (i == 3)
        return NULL;
    *a = table[i < 3 ? i : i - 1];
    return a;
}

#define NUMBERS_OF_AXES(T)                                                                      \
    p_##T take_p_##T(const char *name)                                                          \
    {                                                                                           \
        static T ring[4];                                                                       \
        static int next;                                                                        \
        T *d = &ring[next++ % 4];                                                               \
        int i = pick_null(name, 1, 3);                                                          \
        memset(d, 0, sizeof *d);                                                                \
        for (size_t k = 0; i > 1 && k < sizeof *d / sizeof(kn_axes); k++)                       \
            ((kn_axes *)(void *)d)[k] = i == 2 ? (kn_axes){{5000}, {0}} : (kn_axes){{2}, {-7}}; \
        return i == 1 ? NULL : d;                                                               \
    }
NUMBERS_OF_AXES(kn_lax_scatter_dimension_numbers)
NUMBERS_OF_AXES(kn_lax_gather_dimension_numbers)
NUMBERS_OF_AXES(kn_lax_dot_dimension_numbers)

kn_lax_conv_numbers take_kn_lax_conv_numbers(const char *name)
{
    static const kn_lax_conv_numbers table[] = {{.lhs = NULL},
                                                {"NCW", "OIW", "NCW", {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
                                                {"", "", "", {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
                                                {"NNN", "OIW", NULL, {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
                                                {NULL, NULL, NULL, {{5000}, {0}}, {{-5}, {0}}, {{4}, {0, 0, 0}}},
                                                {.rhs_spec = {{4}, {9, -9, 1}}}};
    return FROM(table, 2);
}

p_kn_lax_conv_numbers take_p_kn_lax_conv_numbers(const char *name)
{
    static kn_lax_conv_numbers n;
    int i = pick_null(name, 1, 1);
    n = take_kn_lax_conv_numbers(name);
    return i ? NULL : &n;
}

static const kn_lax_pad_pair pairs[70] = {{0, 0}, {1, 1}};
static const kn_lax_pad_pair absurd[4] = {
    {INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}, {0, 0}};
kn_lax_pads take_kn_lax_pads(const char *name)
{
    static const kn_lax_pads table[] = {{"VALID", 0, NULL}, {"SAME", 0, NULL}, {NULL, 1, pairs},     {NULL, 0, NULL},
                                        {NULL, 2, NULL},    {"", 0, NULL},     {"garbage", 0, NULL}, {NULL, -1, pairs},
                                        {NULL, 66, pairs},  {NULL, 1, absurd}, {NULL, 2, absurd}};
    return FROM(table, 3);
}

kn_lax_padding_config take_kn_lax_padding_config(const char *name)
{
    static const kn_lax_padding some[70] = {{0, 0, 0}},
                                bad[3] = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, 0, INT64_MIN}, {0, 0, -1}};
    static const kn_lax_padding_config table[] = {{2, some},  {1, some}, {0, NULL},    {2, NULL},   {-1, some},
                                                  {66, some}, {2, bad},  {1, bad + 1}, {1, bad + 2}};
    return FROM(table, 2);
}

kn_axis_names take_kn_axis_names(const char *name)
{
    static const kn_axis_names table[] = {{1, {"i"}},  {2, {"i", "j"}}, {0, {NULL}}, {1, {NULL}},
                                          {-1, {"i"}}, {5000, {"i"}},   {1, {""}},   {INT_MIN, {"i"}}};
    return FROM(table, 2);
}

kn_mapping take_kn_mapping(const char *name)
{
    static const kn_mapping table[] = {{0}, {1}, {2}, {-1}, {5000}, {INT32_MAX}, {INT32_MIN}};
    return FROM(table, 3);
}

kn_leaf_axes take_kn_leaf_axes(const char *name)
{
    static const kn_mapping axes[] = {{0}, {1}, {5000}, {INT32_MIN}};
    static const kn_leaf_axes table[] = {{0, NULL},  {1, axes}, {1, axes + 1},  {4, axes},
                                         {-1, axes}, {1, NULL}, {INT_MAX, NULL}};
    return FROM(table, 3);
}

kn_argnums take_kn_argnums(const char *name)
{
    static const kn_argnums table[] = {{{0}, {0}},    {{1}, {0}},  {{1}, {7}},         {{-1}, {0}}, {{5000}, {0}},
                                       {{2}, {0, 0}}, {{1}, {-1}}, {{1}, {INT32_MIN}}, {{9}, {0}}};
    return FROM(table, 2);
}

kn_axis_groups take_kn_axis_groups(const char *name)
{
    static const int lanes[64];
    static const kn_axis_groups table[] = {{0, 0, NULL},    {1, 2, lanes},       {2, 2, NULL},
                                           {-1, -1, lanes}, {1, INT_MIN, lanes}, {INT_MIN, 1, lanes}};
    return FROM(table, 1);
}

kn_axis_size take_kn_axis_size(const char *name)
{
    static const kn_axis_size table[] = {{NULL, 0}, {"i", 4}, {"i", -1}, {"", INT64_MAX}, {"i", INT64_MIN}};
    return FROM(table, 2);
}

kn_lanes take_kn_lanes(const char *name)
{
    static const int64_t some[2] = {0, 1}, bad[2] = {INT64_MIN, INT64_MAX};
    static const kn_lanes table[] = {{2, some}, {0, NULL}, {2, NULL}, {-1, some}, {2, bad}};
    return FROM(table, 1);
}

kn_lane_pairs take_kn_lane_pairs(const char *name)
{
    static const kn_lane_pair some[2] = {{0, 1}, {1, 0}}, bad[2] = {{INT64_MIN, INT64_MAX}, {0, 0}};
    static const kn_lane_pairs table[] = {{2, some}, {0, NULL}, {2, NULL}, {-1, some}, {2, bad}};
    return FROM(table, 1);
}

kn_policy take_kn_policy(const char *name)
{
    static const kn_policy table[] = {{0, 0, {NULL}},
                                      {KN_POLICY_THESE_NAMES, 1, {"a"}},
                                      {-1, 0, {NULL}},
                                      {5000, 0, {NULL}},
                                      {KN_POLICY_THESE_NAMES, 5000, {"a"}},
                                      {KN_POLICY_OTHER_NAMES, -1, {"a"}},
                                      {KN_POLICY_THESE_NAMES, 2, {NULL, NULL}}};
    return FROM(table, 2);
}

kn_allocator take_kn_allocator(const char *name)
{
    static const kn_allocator table[] = {{NULL, NULL, NULL}};
    return FROM(table, 1);
}
