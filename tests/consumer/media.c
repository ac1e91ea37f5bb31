/* SPDX-License-Identifier: Apache-2.0
 * media.c -- the program of a user of kiln_media. */
#include <kiln/media.h>

int main(void)
{
    KN_SCOPE;
    kn_plot p = kn_plot_new(.width = 100, .height = 100);
    kn_plot_line(p, KN_NONE, kn_ones(KN_SHAPE(3)));
    kn_print(kn_max(kn_plot_pixels(p, .scale = 1)));
    return kn_finish();
}
