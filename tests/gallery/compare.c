/* SPDX-License-Identifier: Apache-2.0
 * compare.c -- are two pictures alike? They have the same shape, their elements differ by 2 of 255 in the mean, and few of
 * them by much: another C library's last digits move a line by part of a pixel.
 * usage: compare STORED MADE */
#include <kiln/kiln.h>
#include <kiln/media.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    KN_SCOPE;
    if (argc != 3)
        return 2;
    kn_array stored = kn_astype(kn_image_load(argv[1]), KN_F32), made = kn_astype(kn_image_load(argv[2]), KN_F32);
    bool same = kn_ndim(stored) == kn_ndim(made);
    for (int axis = 0; same && axis < kn_ndim(stored); axis++)
        same = kn_dim(stored, axis) == kn_dim(made, axis);
    if (kn_ok(stored) && kn_ok(made) && !same) {
        printf("%s has another size\n", argv[2]);
        return 1;
    }
    kn_array difference = kn_abs(kn_sub(stored, made));
    double mean = kn_item(kn_mean(difference)), many = kn_item(kn_mean(kn_greater(difference, 48)));
    if (kn_finish() != 0)
        return 1;
    if (mean <= 2 && many <= 0.01)
        return 0;
    printf("%s: %.3g of 255 in the mean, %.2g %% by more than 48\n", argv[2], mean, 100 * many);
    return 1;
}
