// SPDX-License-Identifier: Apache-2.0
// needs: scipy.js
    /** [frequencies, the power spectrum]. */
    welch(x: ArrayLike, fs?: number | WelchOptions, options?: WelchOptions): [Array, Array];
    /** [frequencies, the cross power spectrum]. */
    csd(x: ArrayLike, y: ArrayLike, fs?: number | WelchOptions, options?: WelchOptions): [Array, Array];
