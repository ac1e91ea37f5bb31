#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX's own backend test cases, which the `onnx` package makes, as folders for build/.../onnx_cases: KIND/NAME/model.onnx,
tolerance (rtol, atol) and test_data_set_N/{input,output}_M.pb. The cases of real models (AlexNet, DenseNet, Inception, ResNet, ...) are those
that the package has: the real graphs with weights that they make themselves; what would be downloaded is left out.

usage: onnx-cases.py FOLDER       with a Python that has onnx: build/peers-models/bin/python """
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case import model as models, node as nodes


def collected():
    """All cases; what collects them has changed its signature."""
    try:
        yield from nodes.collect_testcases()
    except TypeError:
        yield from nodes.collect_testcases("")
    yield from models.collect_testcases()


def written(value, info):
    """A value of a case as the bytes of its file."""
    kind = info.type.WhichOneof("value")
    if isinstance(value, (TensorProto, onnx.SequenceProto, onnx.OptionalProto, onnx.MapProto)):
        return value.SerializeToString()
    made = {"map_type": numpy_helper.from_dict, "sequence_type": numpy_helper.from_list, "optional_type": numpy_helper.from_optional}
    return made.get(kind, numpy_helper.from_array)(value, info.name).SerializeToString()


def write(case, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    (folder / "tolerance").write_text(f"{case.rtol or 1e-3:g} {case.atol or 1e-7:g}\n")
    for i, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir()
        for what, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
            for j, value in enumerate(values):
                (data / f"{what}_{j}.pb").write_bytes(written(value, infos[j]))


def write_real(case, package, folder):
    """A case of a real model: its inputs are those of onnx's own runner, numbers from 0 to 1 in order."""
    source = package.parents[3] / case.url
    model = onnx.load(source)
    stored = {i.name for i in model.graph.initializer}
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    shutil.copyfile(source, folder / "model.onnx")
    (folder / "tolerance").write_text(f"{case.rtol:g} {case.atol:g}\n")
    for j, info in enumerate(i for i in model.graph.input if i.name not in stored):
        shape = [d.dim_value or 1 for d in info.type.tensor_type.shape.dim]
        count = np.prod(shape)
        value = (np.arange(count).reshape(shape) / count).astype(np.float32)
        (data / f"input_{j}.pb").write_bytes(numpy_helper.from_array(value, info.name).SerializeToString())
    for j in range(len(model.graph.output)):
        shutil.copyfile(source.with_name(f"{source.stem}_output_{j}.pb"), data / f"output_{j}.pb")


def main(arguments):
    into, count, bad = Path(arguments[0]), 0, 0
    package = Path(onnx.__file__).parent / "backend/test/data"
    shutil.rmtree(into, ignore_errors=True)
    for case in collected():
        if (case.url or "").startswith("onnx/backend/test/data/light/"):
            write_real(case, package, into / case.kind / case.name)
            count += 1
            continue
        if case.model is None or not case.data_sets:
            continue
        try:
            write(case, into / case.kind / case.name)
            count += 1
        except (TypeError, ValueError, AttributeError, IndexError) as e:
            shutil.rmtree(into / case.kind / case.name, ignore_errors=True)
            print(f"{case.name}: {e}")
            bad += 1
    for kind in ("pytorch-converted", "pytorch-operator"):
        for folder in sorted((package / kind).glob("*/")):
            shutil.copytree(folder, into / kind / folder.name)
            count += 1
    print(f"onnx {onnx.__version__}: {count} cases, {bad} could not be written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
