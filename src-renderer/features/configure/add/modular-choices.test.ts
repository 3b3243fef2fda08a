import { describe, expect, it } from 'vitest';
import { registryModule } from '../../../shared/machine/module.fixture.ts';
import { emptyModel, readDocument } from '../document/document-model.ts';
import { entriesOf, proposedName } from './add-entries.ts';
import { modularChoices, modularEntries, moduleChoices, type ModularSources } from './modular-choices.ts';

const motor = 'core:component:motor';
const sensor = 'core:component:sensor';
const model = (api: string, name: string, description = '') => ({ api, model: name, description, documentation: '' });
const motors = registryModule('acme:motors', {
  description: 'Drives of Acme',
  models: [model(motor, 'acme:motors:dc', 'A brushed motor'), model(motor, 'other:motors:dc')],
});
const env = registryModule('acme:env', { models: [model(sensor, 'acme:env:bme280')] });
const sources = (more: Partial<ModularSources> = {}): ModularSources => ({
  running: [],
  found: [motors, env],
  modules: [],
  ...more,
});
const ids = (text: string, more: Partial<ModularSources> = {}): string[] =>
  modularChoices(text, sources(more)).map(({ model: found, moduleName }) => `${found} ${moduleName}`.trim());

describe('models of modules', () => {
  it('are those that run and, with a text, those of the registry', () => {
    const running = [{ moduleName: 'acme_env', api: sensor, model: 'acme:env:bme280' }];
    const modules = [{ name: 'acme_env', moduleId: 'acme:env', version: 'latest' }];
    expect(ids('', { running, modules })).toEqual(['acme:env:bme280 acme_env']);
    expect(ids('sensor', { running, modules })).toEqual(['acme:env:bme280 acme_env']);
    expect(ids('brushed motor')).toEqual(['acme:motors:dc']);
    expect(ids('drives')).toEqual(['acme:motors:dc']);
    expect(ids('drives sensor')).toEqual([]);
  });

  it('add their module before them if the draft does not have it', () => {
    const [choice] = modularChoices('brushed', sources());
    if (choice === undefined) throw new Error('not found');
    const resource = {
      section: 'components',
      value: { name: 'left', api: motor, model: 'acme:motors:dc', attributes: {} },
    };
    expect(modularEntries(choice, 'left', [])).toEqual([
      {
        section: 'modules',
        value: { type: 'registry', name: 'acme_motors', module_id: 'acme:motors', version: 'latest' },
      },
      resource,
    ]);
    expect(modularEntries({ ...choice, moduleName: 'acme_motors' }, 'left', [])).toEqual([resource]);
  });
});

describe('modules to add', () => {
  const words = 'local module program on this computer';
  it('are the published ones that the draft does not have, and the local one if the text matches', () => {
    const modules = [{ name: 'acme_env', moduleId: 'acme:env', version: '1.*' }];
    const found = [motors, env, registryModule('acme:empty', { latest: '' })];
    expect(moduleChoices('', { found, modules }, words).map(({ id }) => id)).toEqual([
      'module.acme:motors',
      'module.local',
    ]);
    expect(moduleChoices('motor', { found: [motors], modules: [] }, words).map(({ id }) => id)).toEqual([
      'module.acme:motors',
    ]);
    expect(moduleChoices('local mod', { found: [], modules: [] }, words).map(({ kind }) => kind)).toEqual(['local']);
  });
});

describe('the entry of a new module', () => {
  const read = readDocument(JSON.stringify({ modules: [{ name: 'acme_motors', type: 'local' }] }));
  const model = read.kind === 'read' ? read.model : emptyModel;
  const nothing = { program: '', moduleId: '', address: '', machine: '' };
  const local = { ...nothing, program: '/opt/arm/module', moduleId: 'me:arm' };

  it('has the conventional name and the newest release, or the newest prerelease if there is no release', () => {
    const choice = { kind: 'module', id: 'module.acme:motors', module: motors } as const;
    const name = proposedName(choice, model, nothing);
    expect(name).toBe('acme_motors-2');
    expect(entriesOf(choice, name, model, nothing)).toEqual([
      { section: 'modules', value: { type: 'registry', name, module_id: 'acme:motors', version: 'latest' } },
    ]);
    const young = { ...choice, module: registryModule('acme:young', { latest: '', latestPrerelease: '0.1.0-rc.1' }) };
    expect(entriesOf(young, 'acme_young', model, nothing)[0]?.value['version']).toBe('latest-with-prerelease');
  });

  it('has the program of a local one, and its id if known', () => {
    const choice = { kind: 'local', id: 'module.local' } as const;
    expect(proposedName(choice, model, nothing)).toBe('local_module');
    expect(proposedName(choice, model, local)).toBe('me_arm');
    expect(entriesOf(choice, 'me_arm', model, local)).toEqual([
      {
        section: 'modules',
        value: { type: 'local', name: 'me_arm', module_id: 'me:arm', executable_path: '/opt/arm/module' },
      },
    ]);
    expect(entriesOf(choice, 'x', model, nothing)[0]?.value).not.toHaveProperty('module_id');
  });
});
