"""Pictures and the tensors that should be made of them, worked out without any code of this program.

Writes golden.json beside this file. Run it again where a case is added (Debian: python3-numpy, python3-pil):

    python3 golden.py

Values follow the public definition of the inputs of vision service `mlmodel`: bytes as they are, or
(value / 255 - mean) / standard deviation; colours that shine through are those on black; a picture of
another size is resized with a triangle filter, whatever its proportions.
"""

import base64
import io
import json
import pathlib

import numpy as np
from PIL import Image


def noise(width, height, channels, seed):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), dtype=np.uint8)


def smooth(width, height):
    """No finer than a resize can keep: what filters do with noise differs."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    planes = [x, y, 0.5 + 0.5 * np.sin(3 * x + 2 * y)]
    return np.round(np.stack(planes, axis=-1) * 255).astype(np.uint8)


def encoded(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return base64.b64encode(out.getvalue()).decode()


def on_black(rgba):
    alpha = rgba[..., 3:].astype(np.float64) / 255
    return np.round(rgba[..., :3] * alpha).astype(np.uint8)


def values_of(rgb, spec):
    pixels = rgb[..., ::-1] if spec.get("bgr") else rgb
    if spec["type"] == "float32":
        mean = np.array(spec.get("mean", [0.5] * 3))
        deviation = np.array(spec.get("deviation", [0.5] * 3))
        pixels = ((pixels.astype(np.float64) / 255 - mean) / deviation).astype(np.float32)
    tensor = pixels[np.newaxis]
    return np.ascontiguousarray(tensor.transpose(0, 3, 1, 2) if spec.get("channelsFirst") else tensor)


def case(name, mime_type, picture, rgb, tolerance=0, **spec):
    """:param tolerance: in levels of 255 that a value may differ"""
    tensor = values_of(rgb, spec)
    return {
        "name": name,
        "mimeType": mime_type,
        "picture": picture,
        "size": list(rgb.shape[1::-1]),
        "spec": spec,
        "shape": list(tensor.shape),
        "tolerance": tolerance,
        "data": base64.b64encode(tensor.tobytes()).decode(),
    }


def cases():
    rgb = noise(16, 12, 3, 1)
    png = encoded(Image.fromarray(rgb), "PNG")
    yield case("bytes", "image/png", png, rgb, type="uint8")
    yield case("bytes, blue first", "image/png", png, rgb, type="uint8", bgr=True)
    yield case("floats", "image/png", png, rgb, type="float32")
    yield case(
        "floats, colours first, of ImageNet",
        "image/png",
        png,
        rgb,
        type="float32",
        channelsFirst=True,
        mean=[0.485, 0.456, 0.406],
        deviation=[0.229, 0.224, 0.225],
    )
    yield case(
        "floats, blue first",
        "image/png",
        png,
        rgb,
        type="float32",
        bgr=True,
        mean=[0.4, 0.45, 0.5],
        deviation=[0.2, 0.3, 0.4],
    )
    grey = noise(16, 12, 1, 2)[..., 0]
    yield case(
        "shades of grey",
        "image/png",
        encoded(Image.fromarray(grey, "L"), "PNG"),
        np.repeat(grey[..., np.newaxis], 3, axis=2),
        type="uint8",
    )
    rgba = noise(16, 12, 4, 3)
    yield case(
        "transparent",
        "image/png",
        encoded(Image.fromarray(rgba, "RGBA"), "PNG"),
        on_black(rgba),
        tolerance=1,
        type="uint8",
    )
    indexed = Image.fromarray(smooth(16, 12)).quantize(8)
    yield case(
        "with a palette",
        "image/png",
        encoded(indexed, "PNG"),
        np.asarray(indexed.convert("RGB")),
        type="uint8",
    )
    jpeg = encoded(Image.fromarray(smooth(64, 48)), "JPEG", quality=90, subsampling=0)
    decoded = np.asarray(Image.open(io.BytesIO(base64.b64decode(jpeg))))
    yield case("JPEG", "image/jpeg", jpeg, decoded, tolerance=1, type="uint8")
    large = smooth(64, 48)
    # Where a picture is enlarged, libvips and Pillow place the pixels a part of one apart.
    for width, height, tolerance in [(16, 12, 2), (20, 20, 2), (96, 72, 4)]:
        resized = np.asarray(Image.fromarray(large).resize((width, height), Image.BILINEAR))
        yield case(
            f"resized to {width}x{height}",
            "image/png",
            encoded(Image.fromarray(large), "PNG"),
            resized,
            tolerance=tolerance,
            type="uint8",
        )


if __name__ == "__main__":
    file = pathlib.Path(__file__).with_name("golden.json")
    file.write_text(json.dumps(list(cases()), indent=1) + "\n", encoding="utf-8")
