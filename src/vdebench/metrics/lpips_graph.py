"""LPIPS's network as an ONNX graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def graph_of(steps: str, arrays: Arrays) -> bytes:
    """Build the graph: input (2, height, width, 3) of uint8; outputs per head are distances and their row means."""
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[Any] = []
    constants: list[Any] = []
    outputs: list[str] = []

    def constant(name: str, values: Any) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))
        return name

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def convolution(x: str, layer: str, stride: int = 1, padding: int = 0) -> str:
        weights = [constant(f"{layer}.{part}", arrays[f"{layer}.{part}"]) for part in ("weight", "bias")]
        return node("Relu", node("Conv", x, *weights, strides=[stride] * 2, pads=[padding] * 4))

    shift, scale = np.array([-0.030, -0.088, -0.188]), np.array([0.458, 0.448, 0.450])
    factor = constant("factor", (1 / (127.5 * scale)).reshape(3, 1, 1))
    offset = constant("offset", ((-1 - shift) / scale).reshape(3, 1, 1))
    epsilon = constant("epsilon", 1e-10)
    constants.append(numpy_helper.from_array(np.array([0, 1]), "front"))
    x = node("Cast", node("Transpose", "pair", perm=[0, 3, 1, 2]), to=TensorProto.FLOAT)
    x = node("Add", node("Mul", x, factor), offset)
    for step in steps.split():
        numbers = [int(number) for number in step[1:].rstrip("!").split(",")]
        if step[0] == "c":
            x = convolution(x, f"features.{numbers[0]}", *numbers[1:])
        elif step[0] == "f":
            fire = f"features.{numbers[0]}"
            x = convolution(x, f"{fire}.squeeze")
            x = node("Concat", convolution(x, f"{fire}.expand1x1"), convolution(x, f"{fire}.expand3x3", 1, 1), axis=1)
        else:
            squeezed = "f" in steps  # SqueezeNet rounds sizes up
            x = node("MaxPool", x, kernel_shape=numbers * 2, strides=[2, 2], ceil_mode=int(squeezed))
        if step.endswith("!"):
            number = len(outputs) // 2
            head = constant(f"head{number}", arrays[f"lin{number}.model.1.weight"])
            unit = node("Div", x, node("Add", node("ReduceL2", x, axes=[1], keepdims=1), epsilon))
            halves = [f"half{number}{side}" for side in "ab"]
            nodes.append(helper.make_node("Split", [unit], halves, axis=0))
            difference = node("Sub", *halves)
            distance = node("Conv", node("Mul", difference, difference), head)
            nodes.append(helper.make_node("ReduceMean", [distance], [f"rows{number}"], axes=[0, 1, 3], keepdims=0))
            nodes.append(helper.make_node("Squeeze", [distance, "front"], [f"map{number}"]))
            outputs += [f"rows{number}", f"map{number}"]
    graph = helper.make_graph(
        nodes,
        "lpips",
        [helper.make_tensor_value_info("pair", TensorProto.UINT8, [2, "height", "width", 3])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        constants,
    )
    # opset 17 and format 9: what ONNX Runtime has read since 1.15
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    content: bytes = model.SerializeToString()
    return content
