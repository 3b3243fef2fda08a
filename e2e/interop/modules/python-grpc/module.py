"""A module on Python's grpcio without any SDK: `acme:pygrpc:counter`, of an API that the machine has no code for.

module.py ADDRESS [--log-level=LEVEL] [--tcp-mode]
"""

import asyncio
import os
import signal
import sys

import grpc
from grpc_reflection.v1alpha import reflection

from wire import COUNTER, FILES, messages

API = "acme:service:counter"
MODEL = "acme:pygrpc:counter"


def message(name):
    return messages[f"viam.module.v1.{name}"]


def count(value):
    return messages["acme.service.counter.v1.CountResponse"](value=value)


class Counter:
    def __init__(self, start):
        self.value = start
        self.given_up = 0
        self.running = None

    def run(self):
        if self.running is None:
            self.running = asyncio.create_task(self._count())

    def stop(self):
        if self.running is not None:
            self.running.cancel()
        self.running = None

    async def _count(self):
        while True:
            await asyncio.sleep(0.01)
            self.value += 1


class Counters:
    """CounterService, for all instances."""

    def __init__(self):
        self.all = {}

    async def find(self, name, context):
        if name not in self.all:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"this module has no {API}/{name}")
        return self.all[name]

    async def Add(self, request, context):
        counter = await self.find(request.name, context)
        counter.value += request.amount
        return count(counter.value)

    async def Watch(self, request, context):
        counter = await self.find(request.name, context)
        sent = 0
        is_whole = False
        try:
            while request.count == 0 or sent < request.count:
                sent += 1
                yield count(counter.value)
                await asyncio.sleep(request.interval_ms / 1000)
            is_whole = True
        finally:
            # Cancelled while it sleeps, or closed by grpcio while a response is being sent.
            if not is_whole:
                counter.given_up += 1

    async def AddAll(self, requests, context):
        counter = None
        async for request in requests:
            counter = await self.find(request.name, context)
            counter.value += request.amount
        return count(counter.value if counter else 0)

    async def AddEach(self, requests, context):
        async for request in requests:
            counter = await self.find(request.name, context)
            counter.value += request.amount
            yield count(counter.value)

    async def Run(self, request, context):
        counter = await self.find(request.name, context)
        counter.run()
        return count(counter.value)

    async def Stop(self, request, context):
        counter = await self.find(request.name, context)
        counter.stop()
        return count(counter.value)

    async def IsMoving(self, request, context):
        counter = await self.find(request.name, context)
        return messages["acme.service.counter.v1.IsMovingResponse"](is_moving=counter.running is not None)

    async def Wait(self, request, context):
        counter = await self.find(request.name, context)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            counter.given_up += 1
            raise

    async def Inspect(self, request, context):
        counter = await self.find(request.name, context)
        received = context.invocation_metadata()
        trailers = [(key, value) for key, value in received if key == "x-trailer"]
        context.set_trailing_metadata(trailers)
        remaining = context.time_remaining()
        return messages["acme.service.counter.v1.InspectResponse"](
            metadata={key: value.hex() if isinstance(value, bytes) else value for key, value in received},
            remaining_ms=0 if remaining is None else int(remaining * 1000),
            given_up=counter.given_up,
            pid=os.getpid(),
        )

    async def Fail(self, request, context):
        code = next(one for one in grpc.StatusCode if one.value[0] == request.code)
        await context.abort(code, request.message)


class Modules:
    """ModuleService, without ReconfigureResource, which modules may leave out."""

    def __init__(self, counters):
        self.counters = counters
        self.parent = None

    async def Ready(self, request, context):
        if self.parent is None:
            at = request.parent_address
            self.parent = grpc.aio.insecure_channel(f"unix:{at}" if at.startswith("/") else at)
        names = self.parent.unary_unary(
            "/viam.robot.v1.RobotService/ResourceNames",
            request_serializer=lambda sent: sent.SerializeToString(),
            response_deserializer=messages["viam.robot.v1.ResourceNamesResponse"].FromString,
        )
        await names(messages["viam.robot.v1.ResourceNamesRequest"](), timeout=3)
        answer = message("ReadyResponse")(ready=True)
        handler = answer.handlermap.handlers.add(models=[MODEL])
        namespace, kind, subtype = API.split(":")
        handler.subtype.proto_service = COUNTER
        name = handler.subtype.subtype
        name.namespace, name.type, name.subtype = namespace, kind, subtype
        return answer

    async def ValidateConfig(self, request, context):
        attributes = dict(request.config.attributes)
        if not isinstance(attributes.get("start", 0.0), (int, float)):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f'"start" must be a number, not {attributes["start"]!r}')
        return message("ValidateConfigResponse")()

    async def AddResource(self, request, context):
        start = dict(request.config.attributes).get("start", 0)
        self.counters.all[request.config.name] = Counter(int(start))
        return message("Empty")()

    async def RemoveResource(self, request, context):
        counter = self.counters.all.pop(request.name.rsplit("/", 1)[-1], None)
        if counter is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"this module has no {request.name}")
        counter.stop()
        return message("Empty")()


def handler_of(path, name, servicer):
    package, _, _, services = FILES[path]
    handlers = {}
    for method, (request, response) in services[name].items():
        kind = ("stream" if request.startswith("stream ") else "unary") + (
            "_stream" if response.startswith("stream ") else "_unary"
        )
        handlers[method] = getattr(grpc, f"{kind}_rpc_method_handler")(
            getattr(servicer, method),
            request_deserializer=messages[f"{package}.{request.removeprefix('stream ')}"].FromString,
            response_serializer=lambda sent: sent.SerializeToString(),
        )
    return grpc.method_handlers_generic_handler(f"{package}.{name}", handlers)


async def main():
    address = sys.argv[1]
    counters = Counters()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (
            handler_of("module/v1/module.proto", "ModuleService", Modules(counters)),
            handler_of("acme/service/counter/v1/counter.proto", "CounterService", counters),
        )
    )
    reflection.enable_server_reflection([COUNTER], server)
    server.add_insecure_port(address if "--tcp-mode" in sys.argv else f"unix:{address}")
    await server.start()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    print("counting", flush=True)
    await ended.wait()
    await server.stop(1)


asyncio.run(main())
