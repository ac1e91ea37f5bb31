# SPDX-License-Identifier: Apache-2.0
"""Functions of tables (work.h) by name, with SciPy, JAX and PyTorch: convolutions, and what stands around them in networks."""
import numpy as np

F = np.float32


def convolutions(conv):
    """Those of a library, whose conv makes one of channels first or last, a stride and groups."""
    return {
        "conv_nchw": conv(),
        "conv_nhwc": conv(last=True),
        "conv_first_nchw": conv(stride=2),
        "conv_first_nhwc": conv(last=True, stride=2),
        "conv_depthwise_nchw": conv(groups=64),
        "conv_depthwise_nhwc": conv(last=True, groups=64),
        "conv_grouped_nchw": conv(groups=4),
        "conv_grouped_nhwc": conv(last=True, groups=4),
    }


def numpy_functions():
    made = {"convolve": lambda x, k: np.convolve(x, k, mode="same")}
    try:
        import scipy.signal
    except ImportError:
        return made
    return {**made, "convolve_2d": lambda x, k: scipy.signal.convolve2d(x, k, mode="same")}


def jax_functions():
    import jax
    import jax.numpy as jnp
    import jax.scipy.signal

    def conv(last=False, stride=1, groups=1):
        numbers = ("NHWC", "HWIO", "NHWC") if last else ("NCHW", "OIHW", "NCHW")
        return lambda x, w: jax.lax.conv_general_dilated(x, w, (stride, stride), "VALID", dimension_numbers=numbers,
                                                         feature_group_count=groups)

    def by(which, f):
        return jax.grad(lambda x, w, c: (f(x, w) * c).sum(), argnums=which)

    def batch_norm(x):
        d = x - x.mean(axis=(0, 2, 3), keepdims=True)
        return d * jax.lax.rsqrt((d * d).mean(axis=(0, 2, 3), keepdims=True) + F(1e-5))

    def max_pool(x):
        return jax.lax.reduce_window(x, F(-np.inf), jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    return {
        **convolutions(conv),
        "conv_nchw_image": by(0, conv()),
        "conv_nchw_weights": by(1, conv()),
        "conv_nhwc_weights": by(1, conv(last=True)),
        "conv_first_weights": by(1, conv(stride=2)),
        "conv_depthwise_weights": by(1, conv(groups=64)),
        "batch_norm_nchw": batch_norm,
        "max_pool_nchw": max_pool,
        "convolve": lambda x, k: jnp.convolve(x, k, mode="same"),
        "convolve_2d": lambda x, k: jax.scipy.signal.convolve2d(x, k, mode="same"),
    }


def torch_functions():
    import torch
    from torch.nn import functional, grad

    def conv(last=False, stride=1, groups=1):
        """Channels last: the same memory, with other strides."""

        def f(x, w):
            if last:
                x, w = x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1)
            y = functional.conv2d(x, w, stride=stride, groups=groups)
            return y.permute(0, 2, 3, 1) if last else y

        return f

    def weights(stride=1, groups=1):
        return lambda x, w, c: grad.conv2d_weight(x, w.shape, c, stride=stride, groups=groups)

    def weights_last(x, w, c):
        d = grad.conv2d_weight(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1).shape, c.permute(0, 3, 1, 2))
        return d.permute(2, 3, 1, 0)

    def flipped(x, k):
        return functional.conv2d(x[None, None], torch.flip(k, (0, 1))[None, None], padding="same")[0, 0]

    return {
        **convolutions(conv),
        "conv_nchw_image": lambda x, w, c: grad.conv2d_input(x.shape, w, c),
        "conv_nchw_weights": weights(),
        "conv_nhwc_weights": weights_last,
        "conv_first_weights": weights(stride=2),
        "conv_depthwise_weights": weights(groups=64),
        "batch_norm_nchw": lambda x: functional.batch_norm(x, None, None, training=True),
        "max_pool_nchw": lambda x: functional.max_pool2d(x, 2),
        "convolve": lambda x, k: functional.conv1d(x[None, None], torch.flip(k, (0,))[None, None], padding="same")[0, 0],
        "convolve_2d": flipped,
    }
