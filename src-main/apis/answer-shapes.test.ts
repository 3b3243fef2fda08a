import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, it } from 'vitest';
import { fileDescriptorSet } from '../../proto/gen/descriptors.ts';
import { answerShapes, type ValueShape } from '../../proto/value-shapes.ts';
import { valueShapesOf } from '../rpc/reflection/foreign-service.ts';
import { builtinApis } from './all.ts';

const { file: files } = fromBinary(FileDescriptorSetSchema, Buffer.from(fileDescriptorSet, 'base64'));
const shapeOf = valueShapesOf(files);

/** The paths to Values, each type once: a Struct may hold Structs. */
function paths(shape: ValueShape | undefined, above: readonly ValueShape[] = []): string[] {
  if (shape === undefined) return [];
  if (above.includes(shape)) return ['...'];
  const inner = [...shape.fields].flatMap(([number, next]) =>
    paths(next, [...above, shape]).map((p) => `${number}.${p}`),
  );
  return [shape.kind, ...inner].sort();
}

it('where answers have Values is known of each method of the built-in APIs, as their descriptors say', () => {
  const methods = builtinApis.flatMap(({ service }) => {
    const of = files.flatMap((file) =>
      file.service.filter(({ name }) => `${file.package}.${name}` === service.fullName),
    );
    return Object.values(service.methods).map((method) => {
      const outputType = of[0]?.method.find(({ name }) => name === method.name)?.outputType ?? '';
      return [service.fullName, method.name, paths(answerShapes.get(method.responseType)), paths(shapeOf(outputType))];
    });
  });
  const withValues = methods.filter(([, , , derived]) => derived?.length !== 0);
  expect(withValues.length).toBeGreaterThan(10);
  for (const [service, method, known, derived] of methods) {
    expect([service, method, known]).toEqual([service, method, derived]);
  }
});
