import { describe, expect, it } from 'vitest';
import { readModuleMeta, readProgramMeta } from './module-meta.ts';

const right = { module_id: 'acme:weather', entrypoint: 'bin/run' };
const model = { api: 'rdk:component:sensor', model: 'acme:weather:thermometer' };

function problemsOf(meta: unknown): readonly string[] {
  const read = readModuleMeta(JSON.stringify(meta), 'meta.json');
  return 'problems' in read ? read.problems : [];
}

describe('the description of a module', () => {
  it('is read with its APIs in our spelling, what tools have in it untouched', () => {
    const whole = {
      ...right,
      $schema: 'https://example.com/module.json',
      visibility: 'public_unlisted',
      url: null,
      models: [{ ...model, short_description: 'warm or cold' }],
      first_run: './setup.sh',
      build: { build: 'make', arch: ['linux/arm64'] },
    };
    const api = 'core:component:sensor';
    const expected = { meta: { ...whole, models: [{ ...model, api, short_description: 'warm or cold' }] } };
    expect(readModuleMeta(JSON.stringify(whole), 'meta.json')).toEqual(expected);
    expect(readModuleMeta(`\uFEFF${JSON.stringify(whole)}`, 'meta.json')).toEqual(expected);
    expect(readModuleMeta(JSON.stringify({ ...right, models: null }), 'x')).toEqual({
      meta: { ...right, models: null },
    });
  });

  it.each<readonly [unknown, string]>([
    [[], 'it is []; it takes an object in { }'],
    [{ ...right, module_id: 'weather' }, 'module_id is "weather"; write namespace:name, as in acme:weather'],
    [{ ...right, module_id: 7 }, 'module_id is 7; it takes text in double quotes'],
    [{ module_id: 'a:b' }, 'entrypoint is missing; name the program of the package, relative to its top'],
    ...['', '.', '..', '/bin/sh', '../x', 'a/../../a', 'a/..'].map(
      (entrypoint) =>
        [
          { ...right, entrypoint },
          `entrypoint is "${entrypoint}"; name the program of the package, relative to its top`,
        ] as const,
    ),
    [{ ...right, visibility: 'secret' }, 'visibility is "secret"; it takes private, public, public_unlisted, null'],
    [{ ...right, models: 'fast' }, 'models is "fast"; it takes an array in [ ] or null'],
    [{ ...right, models: [model, {}] }, 'models[1].api is missing; write a triplet, as in core:component:sensor'],
    [
      { ...right, models: [model, { ...model, api: 'sensor' }] },
      'models[1].api is "sensor"; write a triplet, as in core:component:sensor',
    ],
    [
      { ...right, models: [{ ...model, model: 'a:b:c:d' }] },
      'models[0].model is "a:b:c:d"; write a triplet, as in acme:weather:thermometer',
    ],
    [{ ...right, url: 'u'.repeat(2_001) }, `url is "${'u'.repeat(79)}...; it takes at most 2000 characters`],
  ])('%j is refused with the key, what it is, and what to write', (meta, sentence) => {
    expect(problemsOf(meta)[0]).toBe(`meta.json: ${sentence}`);
  });

  it('tells of everything that is wrong, and of a text that is no JSON', () => {
    expect(problemsOf({ visibility: 1, models: [3] })).toHaveLength(4);
    expect(readModuleMeta('{', 'acme/meta.json')).toEqual({
      problems: [expect.stringMatching(/^acme\/meta\.json: it is no JSON \(.+\)$/)],
    });
  });
});

describe('what a machine reads of it', () => {
  it('is right whatever the rest is', () => {
    const odd = { module_id: 'odd', entrypoint: '../x', visibility: 3, models: 'none', url: 1 };
    expect(readProgramMeta(JSON.stringify(odd), 'meta.json')).toEqual({ meta: odd });
    expect(readProgramMeta('{"entrypoint": "run", "first_run": null}', 'meta.json')).toHaveProperty('meta');
  });

  it.each([
    ['{"first_run": "x"}', 'entrypoint is missing; name the program'],
    ['{"entrypoint": 3}', 'entrypoint is 3; it takes text'],
    ['{"entrypoint": "run", "first_run": 1}', 'first_run is 1; it takes text in double quotes or null'],
    ['{"entrypoint": "run", "module_id": null}', 'module_id is null; it takes text'],
  ])('%s is refused', (json, sentence) => {
    expect(readProgramMeta(json, 'meta.json')).toEqual({ problems: [expect.stringContaining(sentence)] });
  });
});
