"""Messages of the module's wire, made at run time from their field numbers: no generated code, no SDK.

`messages["viam.module.v1.ReadyRequest"]` is a class; its file is in the default pool, where reflection finds it.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2  # noqa: F401

Field = descriptor_pb2.FieldDescriptorProto
SCALARS = {
    "string": Field.TYPE_STRING,
    "bool": Field.TYPE_BOOL,
    "int32": Field.TYPE_INT32,
    "uint32": Field.TYPE_UINT32,
    "int64": Field.TYPE_INT64,
}
# The option by which an API says that a method moves something.
SAFETY_HEARTBEAT_MONITORED = 84260

COUNTER = "acme.service.counter.v1.CounterService"

FILES = {
    "common/v1/common.proto": (
        "viam.common.v1",
        ["google/protobuf/struct.proto", "google/protobuf/descriptor.proto"],
        {
            "ResourceName": {1: "string namespace", 2: "string type", 3: "string subtype", 4: "string name"},
        },
        {},
    ),
    "app/v1/robot.proto": (
        "viam.app.v1",
        ["google/protobuf/struct.proto"],
        {
            "LogConfiguration": {1: "string level"},
            "ComponentConfig": {
                1: "string name",
                4: "string model",
                8: ".google.protobuf.Struct attributes",
                9: "string api",
                10: ".viam.app.v1.LogConfiguration log_configuration",
            },
        },
        {},
    ),
    "robot/v1/robot.proto": (
        "viam.robot.v1",
        ["common/v1/common.proto"],
        {
            "ResourceNamesRequest": {},
            "ResourceNamesResponse": {1: "*.viam.common.v1.ResourceName resources"},
            "ResourceRPCSubtype": {1: ".viam.common.v1.ResourceName subtype", 2: "string proto_service"},
        },
        {},
    ),
    "module/v1/module.proto": (
        "viam.module.v1",
        ["app/v1/robot.proto", "robot/v1/robot.proto"],
        {
            "ResourceRequest": {1: ".viam.app.v1.ComponentConfig config", 2: "*string dependencies"},
            "RemoveResourceRequest": {1: "string name"},
            "ReadyRequest": {1: "string parent_address", 3: "string raw_parent_address"},
            "HandlerDefinition": {1: ".viam.robot.v1.ResourceRPCSubtype subtype", 2: "*string models"},
            "HandlerMap": {1: "*.viam.module.v1.HandlerDefinition handlers"},
            "ReadyResponse": {1: "bool ready", 2: ".viam.module.v1.HandlerMap handlermap"},
            "ValidateConfigRequest": {1: ".viam.app.v1.ComponentConfig config"},
            "ValidateConfigResponse": {1: "*string dependencies", 2: "*string optional_dependencies"},
            "Empty": {},
        },
        {
            "ModuleService": {
                "AddResource": ("ResourceRequest", "Empty"),
                "RemoveResource": ("RemoveResourceRequest", "Empty"),
                "Ready": ("ReadyRequest", "ReadyResponse"),
                "ValidateConfig": ("ValidateConfigRequest", "ValidateConfigResponse"),
            }
        },
    ),
    "acme/service/counter/v1/counter.proto": (
        "acme.service.counter.v1",
        ["common/v1/common.proto"],
        {
            "NameRequest": {1: "string name"},
            "AddRequest": {1: "string name", 2: "int64 amount"},
            "CountResponse": {1: "int64 value"},
            "WatchRequest": {1: "string name", 2: "uint32 count", 3: "uint32 interval_ms"},
            "IsMovingResponse": {1: "bool is_moving"},
            "InspectResponse": {
                1: "map<string, string> metadata",
                2: "int64 remaining_ms",
                3: "uint32 given_up",
                4: "int32 pid",
            },
            "FailRequest": {1: "string name", 2: "int32 code", 3: "string message"},
        },
        {
            "CounterService": {
                "Add": ("AddRequest", "CountResponse"),
                "Watch": ("WatchRequest", "stream CountResponse"),
                "AddAll": ("stream AddRequest", "CountResponse"),
                "AddEach": ("stream AddRequest", "stream CountResponse"),
                "Run": ("NameRequest", "CountResponse"),
                "Stop": ("NameRequest", "CountResponse"),
                "IsMoving": ("NameRequest", "IsMovingResponse"),
                "Wait": ("NameRequest", "CountResponse"),
                "Inspect": ("NameRequest", "InspectResponse"),
                "Fail": ("FailRequest", "CountResponse"),
            }
        },
    ),
}
MONITORED = {"Run"}


def _field(message, package, number, text):
    """Adds `[*]TYPE name`; a map brings the message of its entries."""
    kind, name = text.rsplit(" ", 1)
    field = message.field.add(name=name, number=number, label=Field.LABEL_OPTIONAL)
    if kind.startswith("map<"):
        entry = message.nested_type.add(name=name.title().replace("_", "") + "Entry")
        entry.options.map_entry = True
        for at, part in enumerate(kind[4:-1].split(", "), 1):
            entry.field.add(name=("key", "value")[at - 1], number=at, label=Field.LABEL_OPTIONAL, type=SCALARS[part])
        field.label, field.type = Field.LABEL_REPEATED, Field.TYPE_MESSAGE
        field.type_name = f".{package}.{message.name}.{entry.name}"
        return
    if kind.startswith("*"):
        field.label, kind = Field.LABEL_REPEATED, kind[1:]
    if kind in SCALARS:
        field.type = SCALARS[kind]
    else:
        field.type, field.type_name = Field.TYPE_MESSAGE, kind


def _varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def _add_files():
    pool = descriptor_pool.Default()
    for path, (package, imports, declared, services) in FILES.items():
        file = descriptor_pb2.FileDescriptorProto(name=path, package=package, syntax="proto3", dependency=imports)
        for name, fields in declared.items():
            message = file.message_type.add(name=name)
            for number, text in fields.items():
                _field(message, package, number, text)
        for name, methods in services.items():
            service = file.service.add(name=name)
            for method, (request, response) in methods.items():
                added = service.method.add(
                    name=method,
                    input_type=f".{package}.{request.removeprefix('stream ')}",
                    output_type=f".{package}.{response.removeprefix('stream ')}",
                    client_streaming=request.startswith("stream "),
                    server_streaming=response.startswith("stream "),
                )
                if method in MONITORED:
                    # A varint field; the extension is not declared here, and a reader of options does not need it.
                    added.options.MergeFromString(_varint(SAFETY_HEARTBEAT_MONITORED << 3) + b"\x01")
        pool.AddSerializedFile(file.SerializeToString())
    return pool


POOL = _add_files()
messages = {
    f"{package}.{name}": message_factory.GetMessageClass(POOL.FindMessageTypeByName(f"{package}.{name}"))
    for package, _, declared, _ in FILES.values()
    for name in declared
}
