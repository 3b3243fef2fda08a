"""A module on the public Python SDK, as its authors write them: a sensor, a motor on pins of a board, a servo."""

import asyncio
import os
import signal
import sys
from typing import Mapping, Optional, Self, Sequence, Tuple

from viam.components.board import Board
from viam.components.motor import Motor
from viam.components.sensor import Sensor
from viam.components.servo import Servo
from viam.module.module import Module
from viam.proto.app.robot import ComponentConfig
from viam.proto.common import ResourceName
from viam.resource.base import ResourceBase
from viam.resource.easy_resource import EasyResource
from viam.utils import struct_to_dict


class Thermometer(Sensor, EasyResource):
    """Reads a constant, in the unit that is configured."""

    MODEL = "acme:pysdk:thermometer"

    builds = 0
    """Instances made so far in this process: a change makes another one, as this SDK does it."""

    @classmethod
    def validate_config(cls, config: ComponentConfig) -> Tuple[Sequence[str], Sequence[str]]:
        unit = struct_to_dict(config.attributes).get("unit")
        if unit is None:
            raise ValueError('"unit" is required: "celsius" or "fahrenheit"')
        if unit not in ("celsius", "fahrenheit"):
            raise ValueError(f'"unit" must be "celsius" or "fahrenheit", not {unit!r}')
        return [], []

    @classmethod
    def new(cls, config: ComponentConfig, dependencies: Mapping[ResourceName, ResourceBase]) -> Self:
        self = super().new(config, dependencies)
        attributes = struct_to_dict(config.attributes)
        self.unit = attributes["unit"]
        self.offset = float(attributes.get("offset", 0))
        self.fault = attributes.get("fault") is True
        Thermometer.builds += 1
        self.logger.info("measures in %s", self.unit)
        return self

    async def get_readings(self, **kwargs):
        celsius = 20 + self.offset
        return {
            "temperature": celsius if self.unit == "celsius" else celsius * 9 / 5 + 32,
            "unit": self.unit,
            "builds": Thermometer.builds,
            "pid": os.getpid(),
            **({"fault": None, "history": [1, None, {"since": None}]} if self.fault else {}),
        }

    async def do_command(self, command, **kwargs):
        if "log" in command:
            getattr(self.logger, str(command["level"]))(command["log"])
        if "print" in command:
            print(command["print"], file=sys.stderr if command.get("to") == "stderr" else sys.stdout)
        if "kill" in command:
            os.kill(os.getpid(), getattr(signal, str(command["kill"])))
        if "nothing" in command:
            return {"nothing": None, "within": {"list": [None]}}
        return {name: os.environ.get(str(name)) for name in command.get("env", [])} | {"argv": sys.argv[1:]}


class PinMotor(Motor, EasyResource):
    """Drives a PWM pin and a direction pin of a board of the machine."""

    MODEL = "acme:pysdk:motor"

    @classmethod
    def validate_config(cls, config: ComponentConfig) -> Tuple[Sequence[str], Sequence[str]]:
        attributes = struct_to_dict(config.attributes)
        for key in ("board", "pwm", "dir"):
            if not attributes.get(key):
                raise ValueError(f'"{key}" is required')
        return [str(attributes["board"])], []

    @classmethod
    def new(cls, config: ComponentConfig, dependencies: Mapping[ResourceName, ResourceBase]) -> Self:
        self = super().new(config, dependencies)
        attributes = struct_to_dict(config.attributes)
        self.board = dependencies[Board.get_resource_name(str(attributes["board"]))]
        self.pwm_pin, self.dir_pin = str(attributes["pwm"]), str(attributes["dir"])
        self.max_rpm = float(attributes.get("max_rpm", 60))
        self.power = 0.0
        self.turned = 0.0
        self.since = asyncio.get_running_loop().time()
        return self

    def _count(self):
        """Dead reckoning: revolutions until now, at the power until now."""
        now = asyncio.get_running_loop().time()
        self.turned += self.power * self.max_rpm / 60 * (now - self.since)
        self.since = now

    async def set_power(self, power: float, *, extra=None, timeout: Optional[float] = None, **kwargs):
        direction = await self.board.gpio_pin_by_name(self.dir_pin)
        await direction.set(power > 0)
        pwm = await self.board.gpio_pin_by_name(self.pwm_pin)
        await pwm.set_pwm(abs(power))
        self._count()
        self.power = power

    async def go_for(self, rpm: float, revolutions: float, *, extra=None, timeout: Optional[float] = None, **kwargs):
        await self.set_power((rpm if revolutions >= 0 else -rpm) / self.max_rpm)
        try:
            await asyncio.sleep(abs(revolutions) / abs(rpm) * 60)
        finally:
            await self.stop()

    async def go_to(self, rpm: float, position_revolutions: float, *, extra=None, timeout=None, **kwargs):
        await self.go_for(abs(rpm), position_revolutions - await self.get_position())

    async def set_rpm(self, rpm: float, *, extra=None, timeout: Optional[float] = None, **kwargs):
        await self.set_power(rpm / self.max_rpm)

    async def reset_zero_position(self, offset: float, *, extra=None, timeout: Optional[float] = None, **kwargs):
        self._count()
        self.turned = -offset

    async def get_position(self, *, extra=None, timeout: Optional[float] = None, **kwargs) -> float:
        self._count()
        return self.turned

    async def get_properties(self, *, extra=None, timeout: Optional[float] = None, **kwargs) -> Motor.Properties:
        return Motor.Properties(position_reporting=True)

    async def stop(self, *, extra=None, timeout: Optional[float] = None, **kwargs):
        await self.set_power(0)

    async def is_powered(self, *, extra=None, timeout: Optional[float] = None, **kwargs) -> Tuple[bool, float]:
        return self.power != 0, abs(self.power)

    async def is_moving(self) -> bool:
        return self.power != 0

    async def do_command(self, command, **kwargs):
        """Logs and reads a pin, again and again: the SDK logs from a thread of its own, over the same connection."""
        pin = await self.board.gpio_pin_by_name(self.dir_pin)
        for count in range(int(command.get("chatter", 0))):
            self.logger.info("chatter %d", count)
            await pin.get()
        return {}


class MotorServo(Servo, EasyResource):
    """Turns a motor of the machine, and needs it to the very end."""

    MODEL = "acme:pysdk:servo"

    @classmethod
    def validate_config(cls, config: ComponentConfig) -> Tuple[Sequence[str], Sequence[str]]:
        return [str(struct_to_dict(config.attributes)["motor"])], []

    @classmethod
    def new(cls, config: ComponentConfig, dependencies: Mapping[ResourceName, ResourceBase]) -> Self:
        self = super().new(config, dependencies)
        name = str(struct_to_dict(config.attributes)["motor"])
        self.motor = dependencies[Motor.get_resource_name(name)]
        return self

    async def move(self, angle: int, *, extra=None, timeout: Optional[float] = None, **kwargs):
        await self.motor.set_power(angle / 180)

    async def get_position(self, *, extra=None, timeout: Optional[float] = None, **kwargs) -> int:
        return round((await self.motor.is_powered())[1] * 180)

    async def stop(self, *, extra=None, timeout: Optional[float] = None, **kwargs):
        await self._last(self.motor.stop(), "stopped its motor")

    async def is_moving(self) -> bool:
        return await self.motor.is_moving()

    async def close(self):
        """Leaves its motor turning: whoever ends the motor has to stop it."""
        await self._last(self.motor.set_power(0.5), "parked by its motor")

    async def _last(self, call, done: str):
        try:
            await call
            print(done, flush=True)
        except Exception as error:
            print(f"could not reach its motor: {error}", flush=True)


if __name__ == "__main__":
    asyncio.run(Module.run_from_registry())
