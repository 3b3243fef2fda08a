import { create, toBinary } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  type FieldDescriptorProto,
} from '@bufbuild/protobuf/wkt';

/** A service whose request has every kind of field, with its files as reflection sends them. */
export const everythingService = 'test.v1.EverythingService';

type Field = Partial<Omit<FieldDescriptorProto, '$typeName'>>;

const scalars = Object.entries(Type).flatMap(([name, type]) =>
  typeof type === 'number' && ![Type.MESSAGE, Type.GROUP, Type.ENUM].includes(type)
    ? [{ name: name.toLowerCase(), type }]
    : [],
);
const wellKnown = [
  ...['Timestamp', 'Duration', 'Struct', 'ListValue', 'Value', 'FieldMask', 'DoubleValue', 'FloatValue', 'Int32Value'],
  ...['UInt32Value', 'Int64Value', 'UInt64Value', 'BoolValue', 'StringValue', 'BytesValue'],
];
const mapKeys = [Type.STRING, Type.BOOL, Type.INT32, Type.UINT64, Type.SFIXED64];

/** Fields of every type: single, optional, repeated, and as the value of a map. */
function everyField(): { fields: Field[]; entries: { name: string; key: Type; value: Field }[] } {
  const values: { name: string; value: Field }[] = [
    ...scalars.map(({ name, type }) => ({ name, value: { type } })),
    { name: 'enum', value: { type: Type.ENUM, typeName: '.test.v1.Mode' } },
    { name: 'message', value: { type: Type.MESSAGE, typeName: '.test.v1.Everything' } },
    ...wellKnown.map((name) => ({
      name: name.toLowerCase(),
      value: { type: Type.MESSAGE, typeName: `.google.protobuf.${name}` },
    })),
  ];
  const fields: Field[] = [];
  const entries: { name: string; key: Type; value: Field }[] = [];
  values.forEach(({ name, value }, index) => {
    const entry = `${name[0]?.toUpperCase()}${name.slice(1)}MapEntry`;
    entries.push({ name: entry, key: mapKeys[index % mapKeys.length] ?? Type.STRING, value });
    const isMessage = value.type === Type.MESSAGE;
    fields.push({ name: `${name}_one`, ...value });
    if (!isMessage) fields.push({ name: `${name}_optional`, ...value, proto3Optional: true });
    fields.push({ name: `${name}_list`, ...value, label: Label.REPEATED });
    fields.push({
      name: `${name}_map`,
      type: Type.MESSAGE,
      typeName: `.test.v1.Everything.${entry}`,
      label: Label.REPEATED,
    });
    fields.push({ name: `${name}_choice`, ...value, oneofIndex: 0 });
  });
  return { fields, entries };
}

function everythingFile(): Uint8Array {
  const { fields, entries } = everyField();
  const optional = fields.filter(({ proto3Optional }) => proto3Optional === true);
  const numbered = fields.map((field, index) => ({
    label: Label.OPTIONAL,
    ...field,
    number: index + 1,
    // Each optional field has a oneof of its own, after the real one.
    oneofIndex: field.proto3Optional === true ? optional.indexOf(field) + 1 : field.oneofIndex,
  }));
  return toBinary(
    FileDescriptorProtoSchema,
    create(FileDescriptorProtoSchema, {
      name: 'test/v1/everything.proto',
      package: 'test.v1',
      syntax: 'proto3',
      dependency: ['any', 'duration', 'field_mask', 'struct', 'timestamp', 'wrappers'].map(
        (name) => `google/protobuf/${name}.proto`,
      ),
      enumType: [
        {
          name: 'Mode',
          value: ['MODE_UNSPECIFIED', 'MODE_GENTLE', 'MODE_FIRM'].map((name, number) => ({ name, number })),
        },
      ],
      messageType: [
        {
          name: 'Everything',
          field: numbered,
          oneofDecl: [{ name: 'choice' }, ...optional.map(({ name }) => ({ name: `_${name}` }))],
          nestedType: entries.map(({ name, key, value }) => ({
            name,
            options: { mapEntry: true },
            field: [
              { name: 'key', number: 1, label: Label.OPTIONAL, type: key },
              { name: 'value', number: 2, label: Label.OPTIONAL, ...value },
            ],
          })),
        },
      ],
      service: [
        {
          name: 'EverythingService',
          method: [
            { name: 'Echo' },
            { name: 'Watch', serverStreaming: true },
            { name: 'Feed', clientStreaming: true },
            { name: 'Talk', clientStreaming: true, serverStreaming: true },
          ].map((method) => ({ ...method, inputType: '.test.v1.Everything', outputType: '.test.v1.Everything' })),
        },
      ],
    }),
  );
}

/** The service's file first, as reflection answers, then its imports. */
export function everythingFiles(): readonly Uint8Array[] {
  return [
    everythingFile(),
    ...[
      file_google_protobuf_any,
      file_google_protobuf_duration,
      file_google_protobuf_field_mask,
      file_google_protobuf_struct,
      file_google_protobuf_timestamp,
      file_google_protobuf_wrappers,
    ].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto)),
  ];
}
