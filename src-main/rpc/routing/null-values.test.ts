import { create, fromBinary, toBinary, toJson, type JsonValue } from '@bufbuild/protobuf';
import {
  FileDescriptorSetSchema,
  ListValueSchema,
  StructSchema,
  ValueSchema,
  type FileDescriptorProto,
  type Value,
} from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileDescriptorSet } from '../../../proto/gen/descriptors.ts';
import { structShape } from '../../../proto/value-shapes.ts';
import { valueShapesOf } from '../reflection/foreign-service.ts';
import { withNulls } from './null-values.ts';

const { file: files } = fromBinary(FileDescriptorSetSchema, Buffer.from(fileDescriptorSet, 'base64'));

/** Stands for a Value without a kind. */
const NOTHING = Symbol('nothing');
type Written = typeof NOTHING | null | boolean | number | string | Written[] | { [key: string]: Written };

const written = fc.letrec<{ any: Written; list: Written[]; struct: { [key: string]: Written } }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 6 },
    fc.constant<Written>(NOTHING),
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.string({ maxLength: 300 }),
    tie('list'),
    tie('struct'),
  ),
  list: fc.array(tie('any'), { maxLength: 5 }),
  struct: fc.dictionary(fc.string({ maxLength: 8 }), tie('any'), { maxKeys: 5, noNullPrototype: true }),
}));

function toValue(what: Written): Value {
  const value = create(ValueSchema);
  if (what === NOTHING) return value;
  if (what === null) value.kind = { case: 'nullValue', value: 0 };
  else if (typeof what === 'boolean') value.kind = { case: 'boolValue', value: what };
  else if (typeof what === 'number') value.kind = { case: 'numberValue', value: what };
  else if (typeof what === 'string') value.kind = { case: 'stringValue', value: what };
  else if (Array.isArray(what)) {
    value.kind = { case: 'listValue', value: create(ListValueSchema, { values: what.map(toValue) }) };
  } else value.kind = { case: 'structValue', value: toStruct(what) };
  return value;
}

// The type of a Struct in wkt is its JSON, which has no place for a missing kind.
function toStruct(what: { [key: string]: Written }): never {
  const struct = create(StructSchema);
  for (const [key, value] of Object.entries(what)) struct.fields[key] = toValue(value);
  return struct as never;
}

function asJson(what: Written): JsonValue {
  if (what === NOTHING || what === null) return null;
  if (Array.isArray(what)) return what.map(asJson);
  if (typeof what === 'object') return Object.fromEntries(Object.entries(what).map(([k, v]) => [k, asJson(v)]));
  return what;
}

function lacksKind(what: Written): boolean {
  if (what === NOTHING) return true;
  return typeof what === 'object' && what !== null && Object.values(what).some(lacksKind);
}

const encode = (what: { [key: string]: Written }): Uint8Array => toBinary(StructSchema, toStruct(what));

describe('a Value without a kind', () => {
  it('is a null for whoever reads the answer, at any depth, and all else is what it was', () => {
    fc.assert(
      fc.property(written.struct, (struct) => {
        const bytes = encode(struct);
        const result = withNulls(bytes, structShape);
        expect(toJson(StructSchema, fromBinary(StructSchema, result))).toEqual(asJson(struct));
        // Nothing is copied where nothing is missing, and a second look finds nothing.
        if (!lacksKind(struct)) expect(result).toBe(bytes);
        expect(withNulls(result, structShape)).toBe(result);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is found in an entry of a map that has no value at all', () => {
    const bytes = Uint8Array.of(0x0a, 3, 0x0a, 1, 0x61);
    expect(toJson(StructSchema, fromBinary(StructSchema, withNulls(bytes, structShape)))).toEqual({ a: null });
  });

  it('bytes that are no readable message are passed on as they are', () => {
    fc.assert(
      fc.property(written.struct, fc.nat(), fc.nat(255), (struct, index, byte) => {
        const bytes = Uint8Array.from(encode(struct));
        if (bytes.length > 0) bytes[index % bytes.length] = byte;
        const result = withNulls(bytes, structShape);
        let isReadable = true;
        try {
          fromBinary(StructSchema, bytes);
        } catch {
          isReadable = false;
        }
        if (!isReadable) expect(() => fromBinary(StructSchema, result)).toThrow();
      }),
    );
    let nested = Buffer.alloc(0);
    for (let depth = 0; depth < 3_000; depth++) {
      const value = Buffer.concat([Buffer.of(0x2a), lengthOf(nested), nested]);
      const entry = Buffer.concat([Buffer.of(0x12), lengthOf(value), value]);
      nested = Buffer.concat([Buffer.of(0x0a), lengthOf(entry), entry]);
    }
    expect(withNulls(nested, structShape)).toBe(nested);
  });
});

function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  for (let left = length; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left]);
    bytes.push((left & 0x7f) | 0x80);
  }
}

describe('where answers have Values', () => {
  const shapeOf = valueShapesOf(files);

  it('is read from the descriptors of a module, also through messages that contain themselves', () => {
    const message = '.core.service.discovery.v1.DiscoverResourcesResponse';
    expect(shapeOf(message)?.fields.get(1)?.fields.get(8)).toBe(structShape);
    expect(shapeOf('.core.component.motor.v1.GetPositionResponse')).toBeUndefined();
    const tree = {
      package: '',
      messageType: [
        {
          name: 'Tree',
          field: [
            { number: 1, typeName: '.Tree' },
            { number: 9, typeName: '.google.protobuf.Value' },
          ],
          nestedType: [],
        },
      ],
    } as unknown as FileDescriptorProto;
    const shape = valueShapesOf([tree])('.Tree');
    expect(shape?.fields.get(1)).toBe(shape);
    // Tree{ 1: Tree{ 9: Value{} } }
    const result = withNulls(Uint8Array.of(0x0a, 2, 0x4a, 0), shape!);
    expect([...result]).toEqual([0x0a, 4, 0x4a, 2, 0x08, 0]);
  });
});
