import { create, toBinary } from '@bufbuild/protobuf';
import { FieldDescriptorProto_Type, FileDescriptorSetSchema, MethodOptionsSchema } from '@bufbuild/protobuf/wkt';

/** Descriptors of an API of `vendor`, in a file that every vendor calls the same: `Turn` moves, `Watch` streams. */
export function gizmoDescriptors(vendor: string): Uint8Array {
  const protoPackage = `${vendor}.gizmo.v1`;
  const inputType = `.${protoPackage}.Request`;
  const monitored = create(MethodOptionsSchema);
  monitored.$unknown = [{ no: 84260, wireType: 0, data: Uint8Array.of(1) }];
  const field = [{ name: 'name', number: 1, type: FieldDescriptorProto_Type.STRING }];
  return toBinary(
    FileDescriptorSetSchema,
    create(FileDescriptorSetSchema, {
      file: [
        {
          name: 'gizmo.proto',
          package: protoPackage,
          syntax: 'proto3',
          messageType: [{ name: 'Request', field }],
          service: [
            {
              name: 'GizmoService',
              method: [
                { name: 'Turn', inputType, outputType: inputType, options: monitored },
                { name: 'Watch', inputType, outputType: inputType, serverStreaming: true },
                { name: 'Feed', inputType, outputType: inputType, clientStreaming: true },
              ],
            },
          ],
        },
      ],
    }),
  );
}
