"""The public Python SDK as a client: drives a motor in each way, or drives and waits to be killed.

    drive_and_wait.py [--webrtc] ADDRESS all|hold [KEY_ID KEY]

`all` prints what it saw as JSON and ends; `hold` prints "driving" and stays. Over WebRTC the address is an IP address: this
SDK connects directly to names of this computer.
"""

import asyncio
import json
import sys

from viam.components.board import Board
from viam.components.motor import Motor
from viam.components.sensor import Sensor
from viam.robot.client import RobotClient
from viam.rpc.dial import Credentials, DialOptions


async def connect(address, key, webrtc):
    if key:
        # With credentials this SDK speaks TLS only; for localhost it takes any certificate.
        credentials = Credentials(type="api-key", payload=key[1])
        dial = DialOptions(disable_webrtc=True, auth_entity=key[0], credentials=credentials)
    else:
        dial = DialOptions(disable_webrtc=not webrtc, insecure=True)
    return await RobotClient.at_address(address, RobotClient.Options(refresh_interval=0, dial_options=dial))


async def drive_all(robot):
    motor = Motor.from_robot(robot, "turntable")
    board = Board.from_robot(robot, "bench")
    await motor.set_power(0.4)
    powered = await motor.is_powered()
    await motor.stop()
    stopped = not await motor.is_moving()
    await motor.reset_zero_position(0)
    await motor.go_for(60, 1)
    level = await board.analog_by_name("level")
    first = (await level.read()).value
    second = (await level.read()).value
    try:
        await Motor.from_robot(robot, "turntable").go_for(60, 0)
        refusal = ""
    except Exception as error:
        refusal = str(error)
    print(
        json.dumps(
            {
                "names": sorted(f"{name.namespace} {name.subtype}/{name.name}" for name in robot.resource_names),
                "powered": powered,
                "stopped": stopped,
                "position": await motor.get_position(),
                "analogStep": second - first,
                "readings": sorted(await Sensor.from_robot(robot, "climate").get_readings()),
                "refusal": refusal,
            }
        )
    )


async def main():
    webrtc = "--webrtc" in sys.argv
    address, mode, *key = [given for given in sys.argv[1:] if given != "--webrtc"]
    robot = await connect(address, key, webrtc)
    if mode == "all":
        await drive_all(robot)
        await robot.close()
        return
    await Motor.from_robot(robot, "turntable").set_power(0.4)
    print("driving", flush=True)
    await asyncio.sleep(3600)


asyncio.run(main())
