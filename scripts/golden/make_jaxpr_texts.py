#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/jaxpr_texts.txt: jaxprs as the installed JAX prints them, one named case each.

A case is a function below with the decorator @case(example, ...): its name is the case's, the text is that of
jax.make_jaxpr of it (or of what it returns, if it returns a function). tests/unit programs record the same function with
Kiln and compare the typed form to the letter. To add a case, write a function; nothing else.
"""
import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name

OUT = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "golden", "jaxpr_texts.txt")
CASES = []

x = jnp.float32(1)                                       # f32[]
v = jnp.ones(3, jnp.float32)                             # f32[3]
m = jnp.ones((2, 2), jnp.float32)                        # f32[2,2]


def case(*examples):
    def add(make):
        CASES.append((make.__name__, make, examples))
        return make
    return add


# --- custom derivatives --------------------------------------------------------------------------

@jax.custom_jvp
def f(x, y):
    return jnp.sin(x) * y


@f.defjvp
def f_jvp(primals, tangents):
    x, y = primals
    dx, dy = tangents
    return f(x, y), jnp.cos(x) * dx * y + jnp.sin(x) * dy


@jax.custom_vjp
def g(x, y):
    return jnp.sin(x) * y


def g_fwd(x, y):
    return g(x, y), (jnp.cos(x), jnp.sin(x), y)


def g_bwd(residuals, ct):
    a, b, y = residuals
    return a * ct * y, b * ct


g.defvjp(g_fwd, g_bwd)


@case(x, x)
def custom_jvp():
    return f


@case(v, v)
def custom_jvp_vmap():
    return jax.vmap(f)


@case(x, x)
def custom_jvp_in_jit():
    return jax.jit(f)


@case(x, x, x, x)
def custom_jvp_jvp():
    @jax.custom_jvp
    def twice(x, y):
        return jnp.sin(x) * y

    @twice.defjvp
    def twice_jvp(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return jnp.sin(x) * y, jnp.cos(x) * dx * y + jnp.sin(x) * dy

    return lambda x, y, dx, dy: jax.jvp(twice, (x, y), (dx, dy))


@case(x, x)
def custom_vjp():
    return g


@case(v, v)
def custom_vjp_vmap():
    return jax.vmap(g)


@case(v, x)
def custom_vjp_vmap_one():
    return jax.vmap(g, in_axes=(0, None))


# --- checkpoint ----------------------------------------------------------------------------------

def h(x, y):
    return jnp.sin(jnp.sin(x)) * y


def named(x):
    return checkpoint_name(jnp.sin(x), "s") * x


def product(x):
    return jnp.matmul(x, x)


policies = jax.checkpoint_policies


@case(x, x)
def checkpoint():
    return jax.checkpoint(h)


@case(v, v)
def checkpoint_vmap():
    return jax.vmap(jax.checkpoint(h))


@case(x, x)
def checkpoint_value_and_grad():
    return jax.value_and_grad(jax.checkpoint(h))


@case(x)
def checkpoint_no_cse():
    return jax.checkpoint(jnp.sin, prevent_cse=False)


@case(m)
def checkpoint_products():
    return jax.checkpoint(product, policy=policies.dots_saveable)


@case(m)
def checkpoint_products_without_batch():
    return jax.checkpoint(product, policy=policies.dots_with_no_batch_dims_saveable)


@case(x)
def checkpoint_names():
    return jax.checkpoint(named, policy=policies.save_only_these_names("s"))


@case(x)
def checkpoint_other_names():
    return jax.checkpoint(named, policy=policies.save_any_names_but_these("t"))


@case(x, x)
def checkpoint_jvp():
    return lambda x, dx: jax.jvp(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), (x,), (dx,))


@case(x)
def stop_gradient():
    return lambda x: jax.lax.stop_gradient(x) * x


# -------------------------------------------------------------------------------------------------

def main():
    with open(OUT, "w") as out:
        out.write("# made by scripts/golden/make_jaxpr_texts.py with JAX %s\n" % jax.__version__)
        for name, make, examples in CASES:
            text = str(jax.make_jaxpr(make())(*examples))
            if re.search(r" at 0x[0-9a-fA-F]+", text):
                raise SystemExit("%s: the text has an address" % name)
            out.write("\n== %s\n%s\n" % (name, text))


if __name__ == "__main__":
    main()
