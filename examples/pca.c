/* SPDX-License-Identifier: Apache-2.0
 * pca.c -- principal components of handwritten digits: by the singular values of the images, and by the eigenvalues of
 * their covariances. */
#include <kiln/kiln.h>

enum { KEPT = 10 };

int main(void)
{
    KN_SCOPE;
    kn_array images = kn_archive_get(kn_load_npz("data/digits.npz"), "images");
    kn_array x = kn_astype(kn_reshape(images, KN_SHAPE(-1, 64)), KN_F64);
    kn_array mean = kn_mean(x, KN_AXIS(0)), centred = kn_sub(x, mean);
    int64_t n = kn_dim(x, 0);

    kn_linalg_svd_result f = kn_linalg_svd(centred, .full_matrices = false);
    kn_array variances = kn_div(kn_square(f.s), n - 1), share = kn_div(variances, kn_sum(variances));
    kn_printf("%d components hold %.1f %% of the variance of %d images\n", KEPT,
              kn_mul(100, kn_sum(kn_at(share, ":%", KEPT))), n);
    kn_printf("the first three: %.4f %.4f %.4f\n", kn_at(share, "0"), kn_at(share, "1"), kn_at(share, "2"));

    kn_array eigenvalues = kn_linalg_eigvalsh(kn_cov(centred, .rowvar = false));
    kn_printf("the covariances say the same: %d\n", kn_allclose(kn_flip(eigenvalues), variances));

    kn_array directions = kn_at(f.vh, ":%", KEPT);
    kn_array again = kn_add(kn_matmul(kn_matmul(centred, kn_transpose(directions)), directions), mean);
    kn_printf("a pixel of 0 to 16 is off by %.3f\n", kn_sqrt(kn_mean(kn_square(kn_sub(again, x)))));
    return kn_finish();
}
