import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { membersAlone, memoryNeed } from './memory-need.ts';
import { parseConfig } from './parse-config.ts';
import { builtinCatalog } from '../../models/catalog.ts';

const motors = (count: number): string =>
  JSON.stringify({
    components: Array.from({ length: count }, (_, at) => ({
      name: `motor-${at}`,
      api: 'core:component:motor',
      model: 'fake',
      attributes: { max_rpm: 100 },
    })),
  });

describe('memory for a configuration', () => {
  it('is asked for by what is in it, not by how long it is', () => {
    const long = JSON.stringify({ notes: 'x'.repeat(100_000) });
    expect(memoryNeed(long)).toBeLessThan(memoryNeed(motors(200)));
    expect(memoryNeed(motors(20_000))).toBeGreaterThan(150e6);
    expect(memoryNeed(motors(20_000))).toBeLessThan(250e6);
  });

  it('counts nothing of what is written in strings', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, another) => {
        const [first, second] = [one, another].map((value) => JSON.stringify([value]));
        const perCharacter = ((first?.length ?? 0) - (second?.length ?? 0)) * 6;
        expect(memoryNeed(first ?? '') - memoryNeed(second ?? '')).toBe(perCharacter);
      }),
    );
  });

  it('that is not there makes it a problem that says how much is, and what to do', () => {
    const parsed = parseConfig(motors(1_000), {
      file: 'machine.json',
      environment: {},
      catalog: builtinCatalog,
      memoryBytes: 5_000_000,
    });
    expect(parsed.config).toBeUndefined();
    expect(parsed.problems).toMatchObject([
      {
        code: 'config.too_large_for_memory',
        message:
          'Reading this configuration takes about 8 MB of memory, and this program may use 5 more: make it smaller, or start the program with NODE_OPTIONS=--max-old-space-size=<megabytes> set higher.',
      },
    ]);
  });
});

it('finds members of a document that is not read, whatever stands around them', () => {
  const name = fc.constantFrom('network', 'auth', 'components', 'a"b', '\\');
  const document = fc.dictionary(name, fc.jsonValue());
  fc.assert(
    fc.property(document, fc.constantFrom(0, 2), (value, indentation) => {
      const { network, auth } = value;
      const expected = { ...(network !== undefined && { network }), ...(auth !== undefined && { auth }) };
      const alone = membersAlone(JSON.stringify(value, null, indentation), ['network', 'auth']);
      expect(JSON.parse(alone)).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});
