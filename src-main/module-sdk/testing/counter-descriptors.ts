import { create, toBinary } from '@bufbuild/protobuf';
import { FieldDescriptorProto_Type as Type, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const add = '.acme.counter.v1.AddRequest';
const total = '.acme.counter.v1.Total';

/** A vendor's API with one method of each kind, as `buf build` writes it. */
export const counterDescriptors: Uint8Array = toBinary(
  FileDescriptorSetSchema,
  create(FileDescriptorSetSchema, {
    file: [
      {
        name: 'acme/counter/v1/counter.proto',
        package: 'acme.counter.v1',
        syntax: 'proto3',
        messageType: [
          {
            name: 'AddRequest',
            field: [
              { name: 'name', number: 1, type: Type.STRING },
              { name: 'step_size', jsonName: 'stepSize', number: 2, type: Type.INT64 },
            ],
          },
          { name: 'Total', field: [{ name: 'total', number: 1, type: Type.INT64 }] },
          { name: 'Nameless', field: [{ name: 'count', number: 1, type: Type.INT64 }] },
        ],
        service: [
          {
            name: 'CounterService',
            method: [
              { name: 'Add', inputType: add, outputType: total },
              { name: 'Watch', inputType: add, outputType: total, serverStreaming: true },
              { name: 'Sum', inputType: add, outputType: total, clientStreaming: true },
              { name: 'Follow', inputType: add, outputType: total, clientStreaming: true, serverStreaming: true },
              { name: 'Reset', inputType: add, outputType: total },
            ],
          },
          {
            name: 'LostService',
            method: [{ name: 'Find', inputType: '.acme.counter.v1.Nameless', outputType: total }],
          },
        ],
      },
    ],
  }),
);
