import { describe, expect, it } from 'vitest';
import { readDocument, type DocumentModel } from './document-model.ts';
import { findReferences } from './references.ts';

const bench = {
  components: [
    { name: 'bench', api: 'core:component:board', model: 'fake' },
    { name: 'wheel', api: 'core:component:encoder', model: 'incremental', attributes: { board: 'bench' } },
    {
      name: 'left',
      api: 'rdk:component:motor',
      model: 'gpio',
      attributes: { board: 'rdk:component:board/bench', encoder: 'wheel', notes: 'bench' },
      depends_on: ['bench', 'core:component:encoder/wheel'],
    },
    {
      name: 'arm',
      api: 'acme:component:arm',
      model: 'acme:arms:x',
      attributes: { joints: [{ motor: 'left' }], m: 'core:component:motor/left' },
    },
    { name: 'bench', api: 'core:component:sensor', model: 'fake' },
  ],
  modules: [{ name: 'acme_env', type: 'local' }],
  log: [
    { pattern: 'core.component.motor.left', level: 'debug' },
    { pattern: 'rdk.component.*.left', level: 'debug' },
    { pattern: 'core.component.motor.*', level: 'debug' },
    { pattern: 'core.component.motor.theleft', level: 'debug' },
    { pattern: 'core:component:motor/left', level: 'debug' },
    { pattern: 'core.modmanager.acme_env', level: 'debug' },
  ],
  maintenance: { sensor_name: 'rdk:component:sensor/bench', maintenance_allowed_key: 'ok' },
};

function modelOf(value: unknown): DocumentModel {
  const read = readDocument(JSON.stringify(value));
  if (read.kind === 'broken') throw new Error(read.message);
  return read.model;
}

const found = (name: string): string[] =>
  findReferences(modelOf(bench), name, 'new').map(
    ({ where, pointer, now, renamed, isCertain }) =>
      `${where} | ${pointer} | ${now} > ${renamed}${isCertain ? '' : ' ?'}`,
  );

describe('references to a resource', () => {
  it('are found in attributes by schema, full or short, and in depends_on, with the right API only', () => {
    expect(found('core:component:board/bench')).toEqual([
      'wheel · attributes.board | /components/1/attributes/board | bench > new',
      'left · attributes.board | /components/2/attributes/board | rdk:component:board/bench > rdk:component:board/new',
      'left · depends_on.0 | /components/2/depends_on/0 | bench > new',
    ]);
  });

  it('include, for a remote, every name of one of its resources', () => {
    const model = modelOf({
      components: [
        { name: 'wheel', api: 'core:component:encoder', model: 'incremental', attributes: { board: 'far:bench' } },
        {
          name: 'arm',
          api: 'acme:component:arm',
          model: 'acme:arms:x',
          attributes: { motor: 'rdk:component:motor/far:left', words: 'far:away', other: 'farther:left' },
          depends_on: ['far:left', 'left'],
        },
      ],
      remotes: [{ name: 'far', address: 'far.local' }],
      maintenance: { sensor_name: 'core:component:sensor/far:door', maintenance_allowed_key: 'ok' },
    });
    const changes = findReferences(model, 'remote/far', 'second').map(
      ({ where, now, renamed, isCertain }) => `${where} | ${now} > ${renamed}${isCertain ? '' : ' ?'}`,
    );
    expect(changes).toEqual([
      'wheel · attributes.board | far:bench > second:bench',
      'arm · attributes.motor | rdk:component:motor/far:left > rdk:component:motor/second:left',
      'arm · attributes.words | far:away > second:away ?',
      'arm · depends_on.0 | far:left > second:left',
      'maintenance.sensor_name | core:component:sensor/far:door > core:component:sensor/second:door',
    ]);
  });

  it('are found in the maintenance setting', () => {
    expect(found('core:component:sensor/bench')).toContain(
      'maintenance.sensor_name | /maintenance/sensor_name | rdk:component:sensor/bench > rdk:component:sensor/new',
    );
  });

  it('are found in log patterns; a pattern with a star and a model without a schema make them uncertain', () => {
    expect(found('left')).toEqual([
      'arm · attributes.joints.0.motor | /components/3/attributes/joints/0/motor | left > new ?',
      'arm · attributes.m | /components/3/attributes/m | core:component:motor/left > core:component:motor/new',
      'log.0.pattern | /log/0/pattern | core.component.motor.left > core.component.motor.new',
      'log.1.pattern | /log/1/pattern | rdk.component.*.left > rdk.component.*.new ?',
      'log.4.pattern | /log/4/pattern | core:component:motor/left > core:component:motor/new',
    ]);
    expect(found('module/acme_env')).toEqual([
      'log.5.pattern | /log/5/pattern | core.modmanager.acme_env > core.modmanager.new',
    ]);
  });

  it('are searched in a log pattern of many stars without backtracking', () => {
    const stars = `${'*e*o'.repeat(60)}*.`;
    const entries = [`${stars}left`, 'c*c*.*.left', 'c*core.*.left'].map((pattern) => ({ pattern, level: 'debug' }));
    const model = modelOf({ components: [{ name: 'left', api: 'core:component:motor', model: 'gpio' }], log: entries });
    expect(findReferences(model, 'left').map(({ where }) => where)).toEqual(['log.1.pattern']);
  });

  it('are found for a name that no entry has', () => {
    const dangling = modelOf({
      components: [{ name: 'left', api: 'core:component:motor', model: 'gpio', attributes: { board: 'gone' } }],
    });
    expect(findReferences(dangling, 'gone').map(({ where }) => where)).toEqual(['left · attributes.board']);
    expect(findReferences(dangling, '')).toEqual([]);
  });
});
