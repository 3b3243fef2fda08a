"""The public Python SDK looks through a camera, and prints what it saw as JSON.

camera.py ADDRESS
"""

import asyncio
import json
import sys

from viam.components.camera import Camera
from viam.robot.client import RobotClient
from viam.rpc.dial import DialOptions


async def refusal(awaitable):
    try:
        await awaitable
        return ""
    except Exception as error:
        return str(error)


async def main():
    dial = DialOptions(disable_webrtc=True, insecure=True)
    options = RobotClient.Options(refresh_interval=0, dial_options=dial)
    async with await RobotClient.at_address(sys.argv[1], options) as robot:
        eye = Camera.from_robot(robot, "eye")
        images, metadata = await eye.get_images()
        filtered, _ = await eye.get_images(filter_source_names=["color"])
        properties = await eye.get_properties()
        truth = await eye.do_command({"truth": True})
        seen = {
            "images": [[image.name, str(image.mime_type), image.data[:3].hex(), image.width] for image in images],
            "filtered": [image.name for image in filtered],
            "captured_at": metadata.captured_at.ToSeconds(),
            "mime_types": list(properties.mime_types),
            "frame_rate": properties.frame_rate,
            "supports_pcd": properties.supports_pcd,
            "boxes": len(truth["boxes"]),
            "refusal": await refusal(eye.get_images(filter_source_names=["depth"])),
            "no_points": await refusal(eye.get_point_cloud()),
        }
        print(json.dumps(seen))


asyncio.run(main())
