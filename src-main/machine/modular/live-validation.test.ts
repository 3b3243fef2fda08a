import { beforeEach, describe, expect, it } from 'vitest';
import { ArmatureError } from '../../base/errors.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import { parseConfig } from '../config/reading/parse-config.ts';
import { fixtureCatalog } from '../config/config.fixture.ts';
import { LiveValidation } from './live-validation.ts';
import { FakeModule, motorModel, sensorModel } from './testing/fake-module.ts';
import { ModularFixture } from './testing/modular-fixture.ts';

let fixture: ModularFixture;
let module: FakeModule;
let live: LiveValidation;

function component(name: string, attributes: object, more: object = {}): object {
  return { name, api: 'rdk:component:motor', model: motorModel.model, attributes, ...more };
}

async function problems(
  components: readonly object[],
  environment: Record<string, string> = {},
): Promise<readonly Problem[]> {
  const modules = [
    { name: 'acme_parts', type: 'local', module_id: 'acme:parts', executable_path: '/x', version: '1.0.0' },
  ];
  const text = JSON.stringify({ modules, components });
  return live.problems(parseConfig(text, { file: 'm.json', environment, catalog: fixtureCatalog }), 'm.json');
}

const told = (found: readonly Problem[]): readonly string[] =>
  found.map(({ severity, pointer, code, message }) => `${severity} ${pointer} ${code} ${message}`);

beforeEach(() => {
  fixture = new ModularFixture();
  module = new FakeModule({ clock: fixture.clock, models: [motorModel, sensorModel] });
  live = new LiveValidation(fixture.modules, fixture.clock);
  fixture.directory.run(module);
});

describe('what a module has against a text', () => {
  it.each([
    ['attribute "pin" must be a text', '/components/0/attributes/pin'],
    ["the pin: 'pins' has no a", '/components/0/attributes/pins'],
    ['`pins` needs another "a"', '/components/0/attributes/pins/a'],
    ['max_rpm is too high', '/components/0/attributes/max_rpm'],
    ['pinning is not possible', '/components/0/attributes'],
    ['no such port', '/components/0/attributes'],
  ])('is an error at the field it names: %s', async (words, pointer) => {
    module.onValidate = () => {
      throw new ArmatureError('call.bad_argument', words);
    };
    const [problem, ...others] = await problems([component('left', { pin: 7, pins: { a: 1 }, max_rpm: 1e9 })]);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ severity: 'error', code: 'module.invalid', pointer, file: 'm.json', line: 1 });
    expect(problem?.message).toBe(`component "left": ${words}`);
    expect(problem?.column).toBeGreaterThan(1);
  });

  it('is at the entry where that has no attributes', async () => {
    module.onValidate = () => {
      throw new ArmatureError('call.bad_argument', 'pin is required');
    };
    const entry = { name: 'left', api: 'rdk:component:motor', model: motorModel.model };
    expect(told(await problems([entry]))).toEqual([
      'error /components/0 module.invalid component "left": pin is required',
    ]);
  });

  it('never quotes what came from the environment', async () => {
    module.onValidate = ({ attributes }) => {
      throw new ArmatureError('call.bad_argument', `port ${String(attributes?.['port'])} is closed`);
    };
    const [problem] = await problems([component('left', { port: '${environment.PORT}' })], { PORT: 'hunter2' });
    expect(problem?.message).toBe('component "left": port *** is closed');
    expect(problem?.found).toBe('"${environment.PORT}"');
  });

  it('is asked for what could run only, all at once, and each answer is kept for its attributes', async () => {
    let open = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    module.onValidate = async () => {
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => releases.push(resolve));
      open--;
      return {};
    };
    const entries = [
      component('a', {}),
      component('b', { n: 1 }),
      component('c', {}, { disabled: true }),
      { name: 'd', api: 'rdk:component:motor', model: 'acme:other:x' },
      component('e', {}, { depends_on: 7 }),
    ];
    const first = problems(entries);
    await fixture.rest();
    releases.splice(0).forEach((release) => release());
    expect(await first).toEqual([]);
    expect(most).toBe(2);
    expect(module.takeCalls().sort()).toEqual(['validate a', 'validate b']);
    const second = problems([component('a', {}), component('b', { n: 2 })]);
    await fixture.rest();
    releases.splice(0).forEach((release) => release());
    await second;
    expect(module.takeCalls()).toEqual(['validate b']);
    await fixture.pass(30_000);
    const third = problems([component('a', {})]);
    await fixture.rest();
    releases.splice(0).forEach((release) => release());
    await third;
    expect(module.takeCalls()).toEqual(['validate a']);
  });

  it('that does not answer within 2 s delays nobody longer, and is asked again', async () => {
    module.onValidate = () => new Promise(() => undefined);
    const slow = problems([component('left', {})]);
    await fixture.rest();
    await fixture.pass(2_001);
    expect(told(await slow)).toEqual([
      'warning /components/0 module.silent component "left": whether its attributes are right is not known: its module ' +
        'acme_parts did not answer ValidateConfig within 2 s.',
    ]);
    module.onValidate = () => ({});
    expect(await problems([component('left', {})])).toEqual([]);
  });

  it('are the resources it needs and nobody configured, at the name where that is written', async () => {
    module.onValidate = ({ name }) => ({ dependencies: [name === 'left' ? 'bnch' : 'lamp'], optional: ['x'] });
    const found = await problems([component('left', { board: 'bnch' }), component('bench', {})]);
    expect(told(found)).toEqual([
      'warning /components/0/attributes/board dependency.missing component "left" waits for "bnch", which its module ' +
        'acme_parts asks for and which is not in the configuration; did you mean "bench"?',
      'warning /components/1 dependency.missing component "bench" waits for "lamp", which its module acme_parts asks for ' +
        'and which is not in the configuration.',
    ]);
  });

  it('is also that it does not have a model of its id', async () => {
    const entry = { name: 'left', api: 'rdk:component:motor', model: 'acme:parts:turne' };
    expect(told(await problems([entry, { ...entry, name: 'right', disabled: true }]))).toEqual([
      'warning /components/0/model module.no_model component "left" waits for model acme:parts:turne of ' +
        'core:component:motor: module acme_parts runs and does not have it (did you mean acme:parts:turner?); it has ' +
        'acme:parts:turner.',
    ]);
  });

  it('makes the plan know what resources need of each other', async () => {
    module.onValidate = () => ({ dependencies: ['bench'] });
    await problems([component('left', { board: 'bench' })]);
    const entry = fixture.modules.find(motorModel.api, motorModel.model);
    expect(entry?.dependencies?.({ board: 'bench' })).toEqual({ required: ['bench'], optional: [] });
    expect(entry?.dependencies?.({ board: 'desk' })).toEqual({ required: [], optional: [] });
    expect(entry?.dependencies?.({ board: 'desk' }, 'core:component:motor/left')).toMatchObject({
      required: ['bench'],
    });
  });
});
