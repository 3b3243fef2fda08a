import { describe, expect, it } from 'vitest';
import { Module_State, Remote, Remote_State, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import { readDocument, type DocumentModel } from '../document/document-model.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { moduleOf } from '../../../shared/machine/module.fixture.ts';
import { stateName } from '../../../shared/machine/rpc/status-merge.ts';
import { filteredRows, resourceRows, stateKeyOf, type RowSources } from './resource-rows.ts';

function modelOf(document: object): DocumentModel {
  const read = readDocument(JSON.stringify(document));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

const motor = (name: string, more: object = {}): object => ({
  name,
  api: 'core:component:motor',
  model: 'fake',
  ...more,
});

const problemAt = (pointer: string): Problem => ({
  file: '',
  line: 1,
  column: 1,
  pointer,
  severity: 'error',
  code: 'x',
  message: 'x',
});

function sources(document: object, more: Partial<RowSources> = {}): RowSources {
  return {
    model: modelOf(document),
    removed: [],
    live: [],
    modules: [],
    remotes: [],
    problems: [],
    changeOf: () => undefined,
    ...more,
  };
}

describe('the rows of the list', () => {
  it('are in the order of the text, by group, with their state', () => {
    const rows = resourceRows(
      sources(
        {
          modules: [{ name: 'env', type: 'registry', module_id: 'acme:env', version: '1.4.*' }],
          components: [motor('b'), motor('a', { disabled: true })],
          services: [{ name: 's', api: 'core:service:generic', model: 'fake' }],
        },
        { live: [resourceOf('b', { state: Resource_State.FAILED })] },
      ),
    );
    expect(rows.map(({ name, group, what }) => [name, group, what])).toEqual([
      ['b', 'component', 'motor · fake'],
      ['a', 'component', 'motor · fake'],
      ['s', 'service', 'generic · fake'],
      ['env', 'module', 'acme:env 1.4.*'],
    ]);
    expect(rows[0]?.live?.state).toBe(Resource_State.FAILED);
    expect(rows[1]?.isDisabled).toBe(true);
  });

  it('have remotes with the state of their connections, before the resources of remotes', () => {
    const document = { remotes: [{ name: 'second', address: 'bench-2:8080' }], components: [motor('a')] };
    const remotes = [
      Remote.fromPartial({ name: 'second', address: 'bench-2:8080', state: Remote_State.CONNECTED }),
      Remote.fromPartial({ name: 'gone', address: 'bench-3:8080', state: Remote_State.DISABLED }),
    ];
    const live = [resourceOf('far', { model: 'core:remote:second' })];
    const rows = resourceRows(sources(document, { remotes, live }));
    expect(rows.map(({ name, group, what, key }) => [name, group, what, key])).toEqual([
      ['a', 'component', 'motor · fake', 'core:component:motor/a'],
      ['second', 'remote', 'bench-2:8080', 'remote/second'],
      ['far', 'ofRemote', 'motor · on second', 'core:component:motor/far'],
      ['gone', 'other', 'bench-3:8080', 'remote/gone'],
    ]);
    expect(rows.map(stateKeyOf)).toEqual([
      undefined,
      'state.remotes.connected',
      'state.kinds.ready',
      'state.remotes.disabled',
    ]);
  });

  it('keep removed entries at their previous places, and show what only the machine has', () => {
    const before = modelOf({ components: [motor('a'), motor('b'), motor('c')] });
    const rows = resourceRows(
      sources(
        { components: [motor('a'), motor('c')] },
        {
          removed: before.entries.filter(({ name }) => name === 'b'),
          live: [resourceOf('b'), resourceOf('elsewhere')],
        },
      ),
    );
    expect(rows.map(({ name, mark, group }) => [name, mark, group])).toEqual([
      ['a', undefined, 'component'],
      ['b', 'removed', 'component'],
      ['c', undefined, 'component'],
      ['elsewhere', undefined, 'other'],
    ]);
  });

  it('show which remote a resource comes from', () => {
    const live = [resourceOf('far', { model: 'core:remote:second' }), resourceOf('elsewhere')];
    const rows = resourceRows(sources({ components: [motor('a')] }, { live }));
    expect(rows.map(({ name, group, what }) => [name, group, what])).toEqual([
      ['a', 'component', 'motor · fake'],
      ['far', 'ofRemote', 'motor · on second'],
      ['elsewhere', 'other', 'motor · gpio'],
    ]);
  });

  it('give every entry of a name used twice a row of its own; the machine runs the first', () => {
    const rows = resourceRows(
      sources({ components: [motor('a'), motor('a'), motor('')] }, { live: [resourceOf('a')] }),
    );
    expect(new Set(rows.map(({ key }) => key)).size).toBe(3);
    expect(rows.map((row) => row.live !== undefined)).toEqual([true, false, false]);
  });

  it('have modules with their state, also one that only the machine has', () => {
    const document = { modules: [{ name: 'acme_env', type: 'registry', module_id: 'acme:env', version: '1.4.*' }] };
    const modules = [moduleOf('acme_env', { state: Module_State.FAILED }), moduleOf('acme_gone')];
    const rows = resourceRows(sources(document, { modules }));
    expect(rows.map((row) => [row.name, row.group, stateKeyOf(row)])).toEqual([
      ['acme_env', 'module', 'state.modules.failed'],
      ['acme_gone', 'other', 'state.modules.ready'],
    ]);
    expect(stateKeyOf(resourceRows(sources(document))[0] ?? rows[0]!)).toBeUndefined();
  });

  it('count the problems of their entry alone', () => {
    const document = { components: Array.from({ length: 11 }, (_, index) => motor(`m${index}`)) };
    const problems = ['/components/1/attributes/max_rpm', '/components/1', '/components/10', '/network'].map(problemAt);
    const rows = resourceRows(sources(document, { problems }));
    expect(rows.map((row) => row.problems)).toEqual([0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    const warnings = problems.map((problem) => ({ ...problem, severity: 'warning' as const }));
    const mixed = resourceRows(sources(document, { problems: [...problems.slice(0, 1), ...warnings] }));
    expect(mixed.map((row) => row.worst).indexOf('error')).toBe(1);
    expect(mixed.filter((row) => row.worst === 'error')).toHaveLength(1);
    expect(mixed.filter((row) => row.worst === 'warning')).toHaveLength(1);
  });

  it('tell what is not given yet from what is wrong', () => {
    const document = { components: [motor('new'), motor('broken')] };
    const missing = { ...problemAt('/components/0/attributes/board'), code: 'attribute.missing' };
    const wrong = { ...missing, pointer: '/components/1/attributes/board' };
    const problems = [missing, wrong, problemAt('/components/1/attributes/max_rpm')];
    expect(resourceRows(sources(document, { problems })).map((row) => row.worst)).toEqual(['needed', 'error']);
  });
});

describe('the filter', () => {
  const rows = resourceRows(
    sources(
      { components: [motor('left'), { name: 'climate', api: 'core:component:sensor', model: 'fake' }] },
      {
        live: [resourceOf('left', { state: Resource_State.FAILED })],
        changeOf: (name) => (name.endsWith('climate') ? 'added' : undefined),
      },
    ),
  );
  const found = (text: string): string[] =>
    filteredRows(rows, text, ({ live: found }) => (found === undefined ? '' : stateName(found.state))).map(
      ({ name }) => name,
    );

  it('finds by name, API, state and mark, in any case', () => {
    expect(found('LEF')).toEqual(['left']);
    expect(found('sensor')).toEqual(['climate']);
    expect(found('failed')).toEqual(['left']);
    expect(found('added')).toEqual(['climate']);
    expect(found('  ')).toEqual(['left', 'climate']);
    expect(found('nothing')).toEqual([]);
  });
});
