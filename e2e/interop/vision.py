"""The public Python SDK looks for things in pictures, and prints what was found as JSON.

vision.py ADDRESS
"""

import asyncio
import json
import sys

import numpy
from viam.components.camera import Camera
from viam.robot.client import RobotClient
from viam.rpc.dial import DialOptions
from viam.services.mlmodel import MLModelClient
from viam.services.vision import VisionClient


async def refusal(awaitable):
    try:
        await awaitable
        return ""
    except Exception as error:
        return str(error)


async def status_of(awaitable):
    try:
        await awaitable
        return "OK"
    except Exception as error:
        return error.status.name


def words(detections):
    return [[one.class_name, round(one.confidence, 3), one.x_min, one.y_min, one.x_max, one.y_max] for one in detections]


async def main():
    dial = DialOptions(disable_webrtc=True, insecure=True)
    options = RobotClient.Options(refresh_interval=0, dial_options=dial)
    async with await RobotClient.at_address(sys.argv[1], options) as robot:
        eyes = VisionClient.from_robot(robot, "eyes")
        net = MLModelClient.from_robot(robot, "net")
        images, _ = await Camera.from_robot(robot, "cam").get_images()
        properties = await eyes.get_properties()
        everything = await eyes.capture_all_from_camera("cam", return_image=True, return_detections=True)
        metadata = await net.metadata()
        picture = numpy.zeros((1, 3, 240, 320), dtype=numpy.float32)
        picture[0, 0, 10:20, 40:60] = 1
        outputs = await net.infer({"image": picture})
        seen = {
            "from_camera": words(await eyes.get_detections_from_camera("cam")),
            "of_image": words(await eyes.get_detections(images[0])),
            "all": words(everything.detections),
            "image": str(everything.image.mime_type),
            "properties": [
                properties.detections_supported,
                properties.classifications_supported,
                properties.object_point_clouds_supported,
            ],
            "inputs": [[one.name, one.data_type, list(one.shape)] for one in metadata.input_info],
            "outputs": sorted(one.name for one in metadata.output_info),
            "location": outputs["location"][0][0].tolist(),
            "status": (await eyes.get_status())["input"]["name"],
            "no_points": await refusal(eyes.get_object_point_clouds("cam")),
            # Newer than the public server, which does not know it either.
            "unknown": await status_of(eyes.get_detections_3d("cam")),
            "nothing_to_command": await status_of(eyes.do_command({"a": 1})),
            "no_classes": await refusal(eyes.get_classifications_from_camera("cam", 1)),
            "wrong_type": await refusal(net.infer({"image": picture.astype(numpy.uint8)})),
        }
        print(json.dumps(seen))


asyncio.run(main())
