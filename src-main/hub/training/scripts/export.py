"""Writes the result of a training: the model, its labels and its card."""

import datetime
import inspect
import json
import os
import platform

import torch

from report import log

SCRIPT_VERSION = "1"
OPSET = 13
WORST_EXAMPLES = 20


def write_model(folder, module, size, input_names, output_names, card, arguments):
    """Writes model.onnx, labels.txt and model.json."""
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, "model.onnx")
    # Newer releases of PyTorch would use an exporter that needs more packages.
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(
        module.eval(),
        torch.zeros(1, 3, size, size),
        file,
        input_names=input_names,
        output_names=output_names,
        opset_version=OPSET,
        **options,
    )
    with open(os.path.join(folder, "labels.txt"), "w", encoding="utf-8") as labels:
        labels.write("".join(f"{label}\n" for label in card["labels"]))
    examples = sorted(card.pop("examples"), key=lambda example: -example["loss"])
    whole = {
        "model_type": arguments.model_type,
        "snapshot": arguments.snapshot,
        "script_version": SCRIPT_VERSION,
        "seed": arguments.seed,
        "framework": f"PyTorch {torch.__version__}, Python {platform.python_version()}",
        "format": "ONNX",
        "created_at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "input": {"name": input_names[0], "shape": [1, 3, size, size], "data_type": "float32", "mean": 0.5, "std": 0.5},
        "outputs": output_names,
        **card,
        "worst_examples": examples[:WORST_EXAMPLES],
    }
    with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as out:
        json.dump(whole, out, indent=2, ensure_ascii=False)
        out.write("\n")
    log(f"Wrote the model: {os.path.getsize(file) / 1e6:.1f} MB.")
