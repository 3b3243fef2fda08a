import { describe, expect, it } from 'vitest';
import { readPasted, sectionOf, type Pasted } from './pasted.ts';

const motor = '{"name": "left", "api": "core:component:motor", "model": "gpio", "attributes": {"max_rpm": 1.0e2}}';
const manager = '{"name": "dm", "api": "core:service:data_manager", "model": "builtin"}';
const module = '{"type": "registry", "name": "env", "module_id": "acme:env", "version": "1.0.0"}';
const remote = '{"name": "far", "address": "10.0.0.2:8080"}';

function names(pasted: Pasted): readonly string[] {
  return pasted.kind === 'entries'
    ? pasted.model.entries.map(({ section, name }) => `${section} ${name}`)
    : [pasted.kind];
}

describe('a pasted text', () => {
  it('is a configuration or a part of one, with the other settings named', () => {
    const pasted = readPasted(`\uFEFF{"network": {}, "components": [${motor}], "remotes": [${remote}]}`);
    expect(names(pasted)).toEqual(['components left', 'remotes far']);
    expect(pasted).toMatchObject({ settings: ['network'] });
  });

  it('is a list of entries, or one entry, each in the section that it looks like', () => {
    expect(names(readPasted(`[${motor}, ${manager},\n ${module}, ${remote}]`))).toEqual([
      'components left',
      'services dm',
      'modules env',
      'remotes far',
    ]);
    const one = readPasted(` ${motor}\n`);
    expect(names(one)).toEqual(['components left']);
    expect(one).toMatchObject({ text: expect.stringContaining('"max_rpm": 1.0e2') as string });
  });

  it('that is no JSON has a line and a reason', () => {
    const pasted = readPasted('{\n  "components": [\n    {"name": "left" "model": "gpio"}\n  ]\n}');
    expect(pasted).toMatchObject({ kind: 'broken', line: 3 });
    expect(readPasted('hello')).toMatchObject({ kind: 'broken', line: 1 });
    expect(readPasted('// x\n{}')).toMatchObject({
      kind: 'broken',
      line: 1,
      reason: expect.stringContaining('no comments') as string,
    });
  });

  it('that is something else is told apart', () => {
    expect(readPasted(' \n')).toEqual({ kind: 'empty' });
    for (const text of [
      '{}',
      '[]',
      '12',
      '"x"',
      '[1]',
      '{"a": 1}',
      '{"components": {}}',
      '{"components": []}',
      `[${motor}, 1]`,
    ]) {
      expect(readPasted(text), text).toEqual({ kind: 'other' });
    }
  });
});

describe('the section of an entry', () => {
  it.each([
    [{ api: { type: 'service', subtype: 'vision' } }, 'services'],
    [{ api: { subtype: 'motor' } }, 'components'],
    [{ type: 'motor', model: 'gpio' }, 'components'],
    [{ type: 'data_manager' }, 'services'],
    [{ type: 'local', name: 'x' }, 'modules'],
    [{ name: 'x', executable_path: '/bin/x' }, 'modules'],
    [{ name: 'x', model: 'fake' }, 'components'],
    [{ name: 'x' }, undefined],
    [null, undefined],
  ])('%j: %s', (entry, section) => {
    expect(sectionOf(entry)).toBe(section);
  });
});
