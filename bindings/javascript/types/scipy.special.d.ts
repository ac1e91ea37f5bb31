// SPDX-License-Identifier: Apache-2.0
// needs: scipy.js
    logsumexp: Nn["logsumexp"];
