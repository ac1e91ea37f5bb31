# SPDX-License-Identifier: Apache-2.0
"""Devices in the shape of a mesh (jax.experimental.mesh_utils)."""
from .._mesh import make_mesh as _make_mesh

__all__ = ["create_device_mesh"]


def create_device_mesh(mesh_shape, devices=None, **options):
    """The devices in this shape, in order, an array of NumPy's. (jax.experimental.mesh_utils.create_device_mesh)"""
    return _make_mesh(mesh_shape, [f"axis{i}" for i in range(len(mesh_shape))], devices=devices).devices
