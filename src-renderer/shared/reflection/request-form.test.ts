import { describe, expect, it } from 'vitest';
import { everythingFiles, everythingService } from './everything.fixture.ts';
import { formOf, type FormField } from './request-form.ts';
import { readService } from './service-model.ts';

const { methods } = readService(everythingService, everythingFiles());
const [echo] = methods;
if (echo === undefined) throw new Error('no method');
const items = formOf(echo.input);
const fields = new Map(
  items.flatMap((item) => (item.kind === 'field' ? [item.field] : item.fields)).map((field) => [field.name, field]),
);
const field = (name: string): FormField => {
  const found = fields.get(name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return found;
};

describe('the form of a request', () => {
  it('has every field of the descriptor, and each oneof once', () => {
    expect(fields.size).toBe(echo.input.fields.length);
    const oneofs = items.filter((item) => item.kind === 'oneof');
    expect(oneofs.map(({ name }) => name)).toEqual(['choice']);
    expect(oneofs[0]?.fields.map(({ name }) => name)).toContain('message_choice');
  });

  it('names the type as the proto file does', () => {
    expect(field('uint32_one').typeName).toBe('uint32');
    expect(field('message_list').typeName).toBe('repeated test.v1.Everything');
    expect(field('bool_map').typeName).toBe('map<int32, bool>');
  });

  it.each([
    ['int32_one', -(2n ** 31n), 2n ** 31n - 1n, false],
    ['fixed32_one', 0n, 2n ** 32n - 1n, false],
    ['sint64_one', -(2n ** 63n), 2n ** 63n - 1n, true],
    ['uint64_list', 0n, 2n ** 64n - 1n, true],
    ['uint32value_one', 0n, 2n ** 32n - 1n, false],
  ] as const)('knows the range of %s', (name, minimum, maximum, isString) => {
    expect(field(name).input).toEqual({ kind: 'whole', minimum, maximum, isString });
  });

  it('offers the names of an enum, and special inputs for well-known types', () => {
    expect(field('enum_one').input).toEqual({
      kind: 'choice',
      names: ['MODE_UNSPECIFIED', 'MODE_GENTLE', 'MODE_FIRM'],
    });
    expect(field('timestamp_one').input).toEqual({ kind: 'time' });
    expect(field('duration_list').input).toEqual({ kind: 'duration' });
    expect(field('struct_one').input).toEqual({ kind: 'json', empty: 'object' });
    expect(field('listvalue_one').input).toEqual({ kind: 'json', empty: 'list' });
    expect(field('bytes_one').input).toEqual({ kind: 'bytes' });
  });

  it('tells which fields have presence', () => {
    expect(
      ['int32_one', 'int32_optional', 'message_one', 'int32value_one', 'int32_list'].map(
        (name) => field(name).hasPresence,
      ),
    ).toEqual([false, true, true, true, false]);
  });

  it('reads a nested message only when it is shown: a type may contain itself', () => {
    const { input } = field('message_one');
    expect(input.kind === 'message' && formOf(input.message)).toEqual(items);
  });
});

describe('a service', () => {
  it('has the methods of its descriptor, with their kind of streaming', () => {
    expect(methods.map(({ path, kind }) => [path, kind])).toEqual([
      [`/${everythingService}/Echo`, 'one'],
      [`/${everythingService}/Watch`, 'answers'],
      [`/${everythingService}/Feed`, 'requests'],
      [`/${everythingService}/Talk`, 'both'],
    ]);
  });

  it('says what is missing', () => {
    const [own = new Uint8Array(), ...imports] = everythingFiles();
    expect(() => readService('test.v1.Other', [own, ...imports])).toThrow('descriptors do not define test.v1.Other');
    expect(() => readService(everythingService, [own])).toThrow(
      'The machine did not send google/protobuf/any.proto, which test/v1/everything.proto imports.',
    );
  });
});
