"""JPEGs made into floats by Pillow and numpy. tensors.py PICTURE; each line COUNT is answered with ms for one picture."""

import io
import pathlib
import sys
import time

import numpy
from PIL import Image

picture = pathlib.Path(sys.argv[1]).read_bytes()


def tensor():
    rgb = numpy.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=numpy.float32)
    return numpy.ascontiguousarray(((rgb / 255 - 0.5) / 0.5).transpose(2, 0, 1))[numpy.newaxis]


print(tensor().shape, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    for _ in range(int(line)):
        tensor()
    print((time.perf_counter() - start) * 1000 / int(line), flush=True)
