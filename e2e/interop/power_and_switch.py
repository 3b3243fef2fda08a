"""The public Python SDK reads a power sensor and turns a switch, and prints what it saw as JSON.

power_and_switch.py ADDRESS
"""

import asyncio
import json
import sys

from viam.components.power_sensor import PowerSensor
from viam.components.switch import Switch
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
        supply = PowerSensor.from_robot(robot, "supply")
        mode = Switch.from_robot(robot, "mode")
        before = await mode.get_position()
        await mode.set_position(2)
        count, labels = await mode.get_number_of_positions()
        seen = {
            "voltage": await supply.get_voltage(),
            "current": await supply.get_current(),
            "power": await supply.get_power(),
            "readings": await supply.get_readings(),
            "positions": [count, list(labels)],
            "before": before,
            "after": await mode.get_position(),
            "refusal": await refusal(mode.set_position(3)),
        }
        print(json.dumps(seen))


asyncio.run(main())
