import { describe, expect, it } from 'vitest';
import { findEntry, readDocument, type DocumentModel } from './document-model.ts';

function modelOf(text: string): DocumentModel {
  const read = readDocument(text);
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

describe('reading a configuration', () => {
  it('gives entries with canonical names, whatever form their API has', () => {
    const text = JSON.stringify({
      components: [
        { name: 'a', api: 'rdk:component:motor', model: 'rdk:builtin:gpio' },
        { name: 'b', type: 'motor', model: 'gpio' },
        { name: 'c', namespace: 'acme', type: 'arm', model: 'acme:arms:x' },
        { name: 'd', api: { namespace: 'rdk', type: 'component', subtype: 'board' }, model: 'fake' },
      ],
      services: [{ api: 'core:service:generic' }],
      modules: [{ name: 'acme_env', type: 'local' }],
    });
    expect(modelOf(text).entries.map(({ fullName, model, pointer }) => `${pointer} ${fullName} ${model}`)).toEqual([
      '/components/0 core:component:motor/a core:builtin:gpio',
      '/components/1 core:component:motor/b core:builtin:gpio',
      '/components/2 acme:component:arm/c acme:arms:x',
      '/components/3 core:component:board/d core:builtin:fake',
      '/services/0 core:service:generic/builtin core:builtin:builtin',
      '/modules/0 module/acme_env ',
    ]);
  });

  it('skips what is no entry, and keeps the indexes of the others', () => {
    const { entries } = modelOf(
      '{"components": [7, {}, {"name": 5}, {"name": "left"}, {"name": "left"}], "services": 4}',
    );
    expect(entries.map(({ name, index }) => `${index} ${name}`)).toEqual(['1 ', '2 ', '3 left', '4 left']);
  });

  it('knows where entries are in the text', () => {
    const text = '\uFEFF{\n "services": [ { "name": "x" } ],\n "components": [ {"name":"]"} ,\t{ "name": "left" }]}';
    const left = findEntry(modelOf(text), 'left');
    expect(left && text.slice(left.from, left.to)).toBe('{ "name": "left" }');
    expect(left?.pointer).toBe('/components/1');
  });

  it('finds by full name before short name, and nothing without a name', () => {
    const model = modelOf(
      '{"components": [{"name": "x", "api": "core:component:motor"}, {"name": "x", "api": "core:component:board"}, {}]}',
    );
    expect(findEntry(model, 'core:component:board/x')?.index).toBe(1);
    expect(findEntry(model, 'x')?.index).toBe(0);
    expect(findEntry(model, '')).toBeUndefined();
  });

  it('gives the line of a syntax error', () => {
    expect(readDocument('{\n  "a": 1\n  "b": 2\n}')).toEqual({
      kind: 'broken',
      line: 3,
      message: 'A comma is missing before "\\"b\\"".',
    });
    expect(readDocument('[]').kind).toBe('broken');
    expect(readDocument(' \n').kind).toBe('read');
  });
});
