import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareByResource } from './compare-resources.ts';
import { maskedTexts } from './masked-texts.ts';

const motor = (name: string, attributes: object): object => ({
  name,
  api: 'rdk:component:motor',
  model: 'gpio',
  attributes,
});
const text = (...components: object[]): string => JSON.stringify({ components });

describe('two configurations by resource', () => {
  it('show what is added, changed and removed, with keys and both values', () => {
    const from = text(motor('left', { max_rpm: 200, pins: { a: '1', b: '2' } }), motor('old', { max_rpm: 1 }));
    const to = text(motor('new', { max_rpm: 2 }), motor('left', { max_rpm: 220, pins: { a: '1', b: '3' } }));
    expect(compareByResource(from, to)).toEqual([
      {
        subject: 'core:component:motor/new',
        name: 'new',
        what: 'motor · gpio',
        kind: 'added',
        fields: [
          { key: 'model', from: undefined, to: '"gpio"', isSecret: false },
          { key: 'max_rpm', from: undefined, to: '2', isSecret: false },
        ],
      },
      {
        subject: 'core:component:motor/left',
        name: 'left',
        what: 'motor · gpio',
        kind: 'changed',
        fields: [
          { key: 'max_rpm', from: '200', to: '220', isSecret: false },
          { key: 'pins.b', from: '"2"', to: '"3"', isSecret: false },
        ],
      },
      expect.objectContaining({ subject: 'core:component:motor/old', kind: 'removed' }),
    ]);
  });

  it('do not differ by order of keys, order of entries or spacing', () => {
    const one = motor('left', { a: 1, b: 2 });
    const other = { attributes: { b: 2, a: 1 }, model: 'gpio', api: 'rdk:component:motor', name: 'left' };
    const before = text(one, motor('right', {}));
    expect(compareByResource(before, JSON.stringify({ components: [motor('right', {}), other] }, null, 4))).toEqual([]);
  });

  it('show modules and machine-wide settings by name', () => {
    const found = compareByResource('', JSON.stringify({ modules: [{ name: 'm', version: '1' }], debug: true }));
    expect(
      found?.map(({ subject, what, fields }) => [
        subject,
        what,
        fields.map((field) => [field.key, 'to' in field && field.to]),
      ]),
    ).toEqual([
      ['module/m', 'module', [['version', '"1"']]],
      ['debug', '', [['', 'true']]],
    ]);
  });

  it('word lists by their items and renames once', () => {
    const taps = (...items: object[]): object => ({ taps: items });
    const from = text(
      motor('left', taps({ name: 'a', pin: '1' }, { name: 'old', pin: '2' })),
      motor('top', { on: 'left' }),
    );
    const to = text(
      motor('port', taps({ name: 'a', pin: '3' }, { name: 'new_tap', pin: '4' })),
      motor('top', { on: 'port' }),
    );
    expect(compareByResource(from, to)).toEqual([
      {
        subject: 'core:component:motor/port',
        oldName: 'core:component:motor/left',
        name: 'left → port',
        what: 'motor · gpio',
        kind: 'renamed',
        fields: [
          { key: 'taps', words: 'taps: added new_tap; removed old; changed a', kind: 'changed' },
          { key: 'taps.a.pin', from: '"1"', to: '"3"', isSecret: false },
        ],
      },
      expect.objectContaining({ name: 'top', fields: [{ key: 'on', words: 'on left → port', kind: 'changed' }] }),
    ]);
    expect(compareByResource('{}', from)?.[0]?.fields).toContainEqual({
      key: 'taps',
      words: 'taps: added a, old',
      kind: 'added',
    });
  });

  it('are not compared if a text is not a configuration', () => {
    expect(compareByResource('{', '{}')).toBeUndefined();
    expect(compareByResource('{}', '[]')).toBeUndefined();
  });

  it('show that a secret differs, but not its value', () => {
    const from = text(motor('left', { api_key: 'uno-1', host: 'a' }));
    const to = text(motor('left', { api_key: 'due-2', host: 'a' }));
    expect(compareByResource(from, to)?.[0]?.fields).toEqual([
      { key: 'api_key', from: '***', to: '***', isSecret: true },
    ]);
  });
});

const secretKeys = fc.constantFrom('password', 'token', 'api_key', 'client_secret', 'private_key', 'passphrase');

/** A configuration with secrets in every kind of place; each secret contains `hush`. */
const secretConfig = fc
  .record({
    key: secretKeys,
    secret: fc.integer().map((number) => `hush-${number}`),
    depth: fc.nat(3),
    isInList: fc.boolean(),
    count: fc.nat(3),
  })
  .map(({ key, secret, depth, isInList, count }) => {
    let value: unknown = { [key]: secret, port: 80 };
    for (let each = 0; each < depth; each++) value = isInList ? [value, each] : { inner: value };
    const entry = (name: string): object => ({ name, api: 'rdk:component:generic', model: 'm', attributes: { value } });
    return JSON.stringify({
      components: Array.from({ length: count }, (_, index) => entry(`c${index}`)),
      modules: [{ name: 'm', env: { ANY: secret }, [key]: { deep: [secret] } }],
      auth: { handlers: [{ type: 'api-key', config: { id: secret } }] },
      cloud: { id: 'x', [key]: secret, api_key: { key: secret } },
    });
  });

describe('secrets', () => {
  it('appear in no comparison, by resource or by line, wherever they are', () => {
    fc.assert(
      fc.property(secretConfig, fc.oneof(secretConfig, fc.constant('{}'), fc.constant('')), (one, other) => {
        for (const [from, to] of [
          [one, other],
          [other, one],
        ] as const) {
          expect(JSON.stringify(compareByResource(from, to))).not.toContain('hush');
          expect(JSON.stringify(maskedTexts(from, to))).not.toContain('hush');
        }
      }),
    );
  });

  it('are masked with the whole text if it is not JSON', () => {
    expect(JSON.stringify(maskedTexts('{ "token": "hush" ', '{}'))).not.toContain('hush');
  });

  it('make their line differ only if they differ', () => {
    const of = (token: string): string => `{\n "cloud": {\n  "secret": "${token}"\n }\n}`;
    const changed = maskedTexts(of('one'), of('two'));
    expect(changed.from).toBe(of('***'));
    expect(changed.to).toBe(of('*** (differs)'));
    expect(maskedTexts(of('one'), `${of('one')}\n`)).toEqual({
      from: of('***'),
      to: `${of('***')}\n`,
      hidesDifference: false,
    });
  });

  it('that only changed places are reported, though no line differs', () => {
    const of = (a: string, b: string): string => `{ "cloud": { "secret": "${a}", "api_key": "${b}" } }`;
    expect(maskedTexts(of('x', 'y'), of('y', 'x')).hidesDifference).toBe(true);
  });
});
