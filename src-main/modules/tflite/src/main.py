"""The module's program: serves the model `armature:tflite:tflite_cpu`."""

import asyncio

from tflite_cpu import TfliteCpu  # noqa: F401  (registers itself)
from viam.module.module import Module

if __name__ == "__main__":
    asyncio.run(Module.run_from_registry())
