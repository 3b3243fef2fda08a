import { beforeEach, describe, expect, it } from 'vitest';
import type { CallOptions } from '../../apis/resource.ts';
import { ArmatureError } from '../../base/errors.ts';
import { resource } from '../graph/testing/graph-fixture.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { FakeModule, motorModel, sensorModel } from './testing/fake-module.ts';
import { ModularFixture } from './testing/modular-fixture.ts';

const MOTOR = 'core:component:motor/left';
const BENCH = 'core:component:generic/bench';

let fixture: ModularFixture;
let module: FakeModule;

function motor(attributes: object = {}, rest: Partial<ResourceConfig> = {}): ResourceConfig {
  const entry = { api: motorModel.api, model: motorModel.model, ...rest };
  return resource(rest.name ?? 'left', attributes, entry);
}

function named(name: string, attributes: object = {}): ResourceConfig {
  return { ...motor(attributes), name, fullName: `${motorModel.api}/${name}` };
}

function sensor(name: string, attributes: object = {}): ResourceConfig {
  return resource(name, attributes, { api: sensorModel.api, model: sensorModel.model });
}

function newModule(options: Partial<ConstructorParameters<typeof FakeModule>[0]> = {}): FakeModule {
  return new FakeModule({ clock: fixture.clock, models: [motorModel, sensorModel], ...options });
}

async function apply(...config: readonly ResourceConfig[]): Promise<void> {
  void fixture.start(...config);
  await fixture.rest();
}

beforeEach(() => {
  fixture = new ModularFixture();
  module = newModule();
});

describe('a model of a module', () => {
  it('is built by ValidateConfig and AddResource, with the entry as modules know it', async () => {
    fixture.directory.run(module);
    const entry = motor(
      { pins: { a: '1' } },
      {
        dependsOn: ['bench'],
        logLevel: 'debug',
        serviceConfigs: [{ type: 'core:service:datamanager', attributes: { capture: 1 } }],
      },
    );
    await apply(resource('bench'), entry);
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.takeCalls()).toEqual(['validate left', 'add left']);
    const { config, dependencies } = module.instances.get('rdk:component:motor/left')!;
    expect(config).toEqual({
      name: 'left',
      namespace: 'rdk',
      type: 'motor',
      api: 'rdk:component:motor',
      model: 'acme:parts:turner',
      frame: undefined,
      dependsOn: ['bench'],
      serviceConfigs: [{ type: 'rdk:service:datamanager', attributes: { capture: 1 } }],
      attributes: { pins: { a: '1' } },
      logConfiguration: { level: 'debug' },
    });
    expect(dependencies).toEqual(['rdk:component:generic/bench']);
    expect(fixture.isForwarded(MOTOR)).toBe(true);
    expect(module.holds).toBe(1);
    expect(module.peer.wrongPaths).toEqual([]);
  });

  it('needs nothing where the module checks nothing', async () => {
    module = newModule({ without: ['validateConfig'] });
    fixture.directory.run(module);
    await apply(motor());
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.takeCalls()).toEqual(['add left']);
  });

  it('that moves is stopped like what is built in', async () => {
    const asked: unknown[] = [];
    module = newModule({
      make: (_config, name) => ({
        name,
        stop: async (options?: CallOptions) => void asked.push(options?.extra),
        isMoving: async () => asked.length === 0,
        close: async () => undefined,
      }),
    });
    fixture.directory.run(module);
    await apply(motor(), sensor('t'));
    const [only, ...others] = fixture.graph.actuators();
    expect([only?.fullName, others]).toEqual([MOTOR, []]);
    expect(await only?.actuator.isMoving()).toBe(true);
    await only?.actuator.stop({ extra: { softly: true }, signal: new AbortController().signal });
    expect(asked).toEqual([{ softly: true }]);
    expect(await only?.actuator.isMoving()).toBe(false);
  });

  it('is stopped first, then removed, then lets go of its process', async () => {
    const order: string[] = [];
    module = newModule({
      make: (_config, name) => ({
        name,
        stop: async () => void order.push(`stop, held ${module.holds}`),
        isMoving: async () => true,
        close: async () => undefined,
      }),
    });
    fixture.directory.run(module);
    await apply(motor());
    module.onRemove = () => void order.push(`remove, held ${module.holds}`);
    await apply();
    expect(order).toEqual(['stop, held 1', 'remove, held 1']);
    expect(module.holds).toBe(0);
    expect(module.instances.size).toBe(0);
    expect(fixture.told(MOTOR)).toBe('gone');
  });
});

describe('what a module does not have or has not yet', () => {
  it('waits for a module that starts, fails with one that failed, and tells of one that is disabled', async () => {
    fixture.directory.lose('acme:parts', 'starting');
    const applied = fixture.start(motor());
    await fixture.rest();
    expect(fixture.stateOf(MOTOR)).toEqual({
      kind: 'waiting',
      for: ['module/acme_parts'],
      reason: 'waiting for module acme_parts, which is starting',
      isUnderWay: true,
    });
    let isSettled = false;
    void applied.then(() => (isSettled = true));
    await fixture.rest();
    expect(isSettled).toBe(false);
    fixture.directory.lose('acme:parts', 'failed', 'module acme_parts ended: exit code 1 after 3.2 s');
    await fixture.rest();
    expect(isSettled).toBe(true);
    expect(fixture.stateOf(MOTOR)).toEqual({
      kind: 'failed',
      reason: 'module acme_parts ended: exit code 1 after 3.2 s',
      attempts: 0,
      nextRetryAt: undefined,
    });
    fixture.directory.lose('acme:parts', 'starting', 'module acme_parts is starting (try 2)');
    expect(fixture.told(MOTOR)).toBe(
      'waiting: waiting for module acme_parts, which is starting (try 2): module acme_parts ended: exit code 1 after 3.2 s',
    );
    fixture.directory.lose('acme:parts', 'disabled');
    expect(fixture.told(MOTOR)).toBe('waiting: waiting for module acme_parts, which is disabled');
    fixture.directory.run(module);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
  });

  it('of a module that takes long to start does not keep a change from being told of', async () => {
    fixture.directory.lose('acme:parts', 'starting');
    let isSettled = false;
    void fixture.start(motor()).then(() => (isSettled = true));
    await fixture.pass(9_999);
    expect(isSettled).toBe(false);
    await fixture.pass(1);
    expect(isSettled).toBe(true);
    expect(fixture.told(MOTOR)).toBe('waiting: waiting for module acme_parts, which is starting');
    fixture.directory.run(module);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
  });

  it('says which module_id nobody has, and what a module has instead', async () => {
    await apply(motor());
    expect(fixture.told(MOTOR)).toBe(
      'waiting: waiting for a module that provides model acme:parts:turner of core:component:motor; none is configured ' +
        'with the module_id acme:parts, add it to "modules"',
    );
    fixture.directory.run(newModule({ models: [{ ...motorModel, model: 'acme:parts:turn' }] }));
    expect(fixture.told(MOTOR)).toBe(
      'waiting: waiting for model acme:parts:turner of core:component:motor: module acme_parts runs and does not have ' +
        'it (did you mean acme:parts:turn?); it has acme:parts:turn',
    );
    fixture.directory.run();
    fixture.directory.lose('', 'starting');
    expect(fixture.stateOf(MOTOR)).toMatchObject({ kind: 'waiting', for: ['module/'] });
  });

  it("is the first module's where two have it, and both are named once", async () => {
    const other = newModule({ name: 'other', moduleId: 'acme:other', models: [motorModel] });
    fixture.directory.run(other, module);
    fixture.directory.run(other, module);
    await apply(motor());
    expect(other.takeCalls()).toEqual(['validate left', 'add left']);
    expect(module.takeCalls()).toEqual([]);
    expect(fixture.logged('warn')).toEqual([
      'The module acme_parts has the model acme:parts:turner of core:component:motor too; the module other comes first and is used.',
    ]);
    fixture.directory.run(module);
    await fixture.rest();
    expect(module.takeCalls()).toEqual(['validate left', 'add left']);
    expect(other.takeCalls()).toEqual(['remove left']);
  });
});

describe('an instance that a module still has', () => {
  it.each([
    '<class \'viam.errors.DuplicateResourceError\'>: Cannot add resource with duplicate name "left" to the registry',
    'resource rdk:component:motor/left already exists',
    'Attempted to add resource that already existed: left',
  ])('is removed and made anew at once, not tried again and again: %s', async (words) => {
    let isThere = true;
    let builds = 0;
    module.onAdd = () => {
      builds++;
      if (isThere) throw new ArmatureError('internal.bug', words);
    };
    module.onRemove = () => void (isThere = false);
    fixture.directory.run(module);
    await apply(motor());
    expect(module.takeCalls()).toEqual(['validate left', 'add left', 'remove left', 'add left']);
    expect([fixture.told(MOTOR), builds]).toEqual(['ready', 2]);
    expect(fixture.logged('error')).toEqual([]);
  });

  it('and cannot remove is told in its words, after one try', async () => {
    module.onAdd = () => {
      throw new ArmatureError('call.not_found', 'resource rdk:component:motor/left already exists');
    };
    module.onRemove = () => {
      throw new ArmatureError('call.not_found', 'no such thing');
    };
    fixture.directory.run(module);
    await apply(motor());
    expect(module.takeCalls()).toEqual(['validate left', 'add left', 'remove left']);
    expect(fixture.told(MOTOR)).toBe('failed: resource rdk:component:motor/left already exists');
  });
});

describe('a module that ends', () => {
  it('takes its resources with it at once, with the reason, and brings them back when it is there again', async () => {
    fixture.directory.run(module);
    await apply(motor(), resource('user', {}, { dependsOn: [MOTOR] }));
    expect(fixture.state('user')).toBe('ready');
    fixture.directory.lose('acme:parts', 'failed', 'module acme_parts ended: killed by SIGKILL after 4 s');
    expect(fixture.told(MOTOR)).toBe('failed: module acme_parts ended: killed by SIGKILL after 4 s');
    await fixture.rest();
    expect(fixture.world.events).toContain('closed user');
    expect(fixture.reason('user')).toContain('killed by SIGKILL');
    expect(module.holds).toBe(0);
    const next = newModule();
    fixture.directory.run(next);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(fixture.state('user')).toBe('ready');
    expect(next.takeCalls()).toEqual(['validate left', 'add left']);
    expect(next.violations).toEqual([]);
  });

  it('ends a build that is under way, and the next process is asked anew', async () => {
    module.onAdd = () => new Promise(() => undefined);
    fixture.directory.run(module);
    await apply(motor());
    expect(fixture.stateOf(MOTOR)?.kind).toBe('configuring');
    fixture.directory.lose('acme:parts', 'starting', 'gone');
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('waiting: waiting for module acme_parts, which is starting');
    expect(module.holds).toBe(0);
    fixture.directory.run(newModule());
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
  });
});

describe('dependencies that a module names', () => {
  it('are waited for, given, and no failure', async () => {
    module.onValidate = () => ({
      dependencies: ['bench', '$framesystem'],
      optional: ['rdk:component:generic/lamp', 'framesystem'],
    });
    fixture.directory.run(module);
    await apply(motor());
    expect(fixture.told(MOTOR)).toBe('waiting: waiting for bench, which is not configured');
    expect(fixture.logged('error')).toEqual([]);
    expect(fixture.logged('warn')).toEqual([]);
    expect(module.takeCalls()).toEqual(['validate left']);
    await apply(motor(), resource('bench'));
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.takeCalls()).toEqual(['add left']);
    expect(module.instances.get('rdk:component:motor/left')?.dependencies).toEqual(['rdk:component:generic/bench']);
    // An optional dependency that appears causes a rebuild.
    await apply(motor(), resource('bench'), resource('lamp'));
    expect(module.takeCalls()).toEqual(['remove left', 'validate left', 'add left']);
    expect(module.instances.get('rdk:component:motor/left')?.dependencies).toEqual([
      'rdk:component:generic/bench',
      'rdk:component:generic/lamp',
    ]);
    expect(module.violations).toEqual([]);
  });

  it('are asked for again where what was known of another process or other attributes is not there any more', async () => {
    module.onValidate = ({ attributes }) => ({ dependencies: [String(attributes?.board)] });
    fixture.directory.run(module);
    await apply(motor({ board: 'bench' }), resource('bench'));
    expect(fixture.told(MOTOR)).toBe('ready');
    // The board it had is removed by the same change that names another one.
    await apply(motor({ board: 'desk' }), resource('desk'));
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.instances.get('rdk:component:motor/left')?.dependencies).toEqual(['rdk:component:generic/desk']);
    // A newer process needs nothing, and what the old one needed is removed meanwhile.
    fixture.directory.lose('acme:parts', 'starting');
    await apply(motor({ board: 'desk' }));
    const next = newModule();
    fixture.directory.run(next);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.violations).toEqual([]);
  });

  it('stay known when asking fails for once', async () => {
    module.onValidate = () => ({ dependencies: ['bench'] });
    fixture.directory.run(module);
    await apply(motor(), resource('bench'));
    expect(fixture.graph.status(MOTOR)?.dependsOn).toEqual([BENCH]);
    module.onValidate = () => {
      throw new ArmatureError('resource.not_ready', 'busy');
    };
    await apply(motor(), resource('bench', { value: 2 }));
    expect(fixture.told(MOTOR)).toContain('failed: its module acme_parts could not be asked (ValidateConfig): busy');
    expect(fixture.graph.status(MOTOR)?.dependsOn).toEqual([BENCH]);
    module.onValidate = () => ({ dependencies: ['bench'] });
    await fixture.pass(1_000);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
  });

  it('give a circle its reason, also where a guess would hide it', async () => {
    module.onValidate = ({ name }) => ({ dependencies: [name === 'left' ? 'right' : 'left'] });
    fixture.directory.run(module);
    await apply(named('left'), named('right'));
    expect(fixture.told(MOTOR)).toContain('failed: it depends on itself: left -> right -> left');
    // An answer for earlier attributes, which is wrong for the ones wanted now.
    module.onValidate = ({ name }) => ({ dependencies: name === 'left' ? ['right'] : [] });
    await apply(named('left'), named('right', { alone: true }));
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(fixture.told('core:component:motor/right')).toBe('ready');
  });

  it('that are others each time do not have it built for ever', async () => {
    let asked = 0;
    module.onValidate = () => ({ optional: [`x${++asked}`] });
    fixture.directory.run(module);
    await apply(motor());
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.takeCalls()).toEqual(['validate left', 'add left']);
  });

  it('a module that does not answer is given up on after 5 s, and asked again', async () => {
    module.onValidate = () => new Promise(() => undefined);
    fixture.directory.run(module);
    await apply(motor());
    await fixture.pass(5_001);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('failed: its module acme_parts did not answer ValidateConfig within 5 s');
    module.onValidate = () => ({});
    await fixture.pass(1_000);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
  });
});

describe('what a module says against it', () => {
  it('is the reason of the resource, in its own words, and is tried again', async () => {
    module.onValidate = () => {
      throw new ArmatureError('call.bad_argument', `<class 'type'>: attribute "pin" is missing`);
    };
    fixture.directory.run(module);
    await apply(motor(), sensor('t'));
    expect(fixture.told(MOTOR)).toBe('failed: attribute "pin" is missing');
    module.onValidate = () => ({});
    await fixture.pass(1_000);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
  });

  it('AddResource that does not end in time is given up on; what it made is removed before the next try', async () => {
    module.onAdd = (_config, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    fixture.directory.run(module);
    await apply(motor());
    await fixture.pass(60_001);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toContain('timed out after 60 s');
    expect(module.takeCalls()).toEqual(['validate left', 'add left', 'remove left']);
    module.onAdd = () => undefined;
    await fixture.pass(2_000);
    await fixture.rest();
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(module.violations).toEqual([]);
    expect(module.holds).toBe(1);
  });
});

describe('a change of attributes', () => {
  beforeEach(async () => {
    fixture.directory.run(module);
    await apply(motor({ limit: 1 }), sensor('t'));
    module.takeCalls();
  });

  it('is taken in place', async () => {
    const { forwarder } = fixture.graph.find(motorModel.api, 'left') as { forwarder: unknown };
    await apply(motor({ limit: 2 }), sensor('t'));
    expect(module.takeCalls()).toEqual(['validate left', 'reconfigure left']);
    expect(module.instances.get('rdk:component:motor/left')?.config.attributes).toEqual({ limit: 2 });
    expect(fixture.told(MOTOR)).toBe('ready');
    expect(fixture.graph.find(motorModel.api, 'left')).toMatchObject({ forwarder });
  });

  it('has the instance built again where it needs something else now', async () => {
    module.onValidate = () => ({ dependencies: ['bench'] });
    await apply(motor({ limit: 2 }), sensor('t'), resource('bench'));
    expect(module.takeCalls()).toEqual(['validate left', 'remove left', 'validate left', 'add left']);
    expect(module.instances.get('rdk:component:motor/left')?.dependencies).toEqual(['rdk:component:generic/bench']);
    expect(fixture.told(MOTOR)).toBe('ready');
  });

  it('has it built again where the module cannot change one, which is remembered of the process', async () => {
    const old = newModule({ without: ['reconfigureResource'] });
    fixture.directory.run(old);
    await fixture.rest();
    old.takeCalls();
    const entry = fixture.modules.find(motorModel.api, motorModel.model)!;
    expect(entry.inPlace).toBe('all');
    await apply(motor({ limit: 2 }), sensor('t'));
    expect(old.takeCalls()).toEqual(['validate left', 'remove left', 'validate left', 'add left']);
    expect(entry.inPlace).toEqual([]);
    await apply(motor({ limit: 3 }), sensor('t'));
    expect(old.takeCalls()).toEqual(['remove left', 'validate left', 'add left']);
    expect(fixture.logged('warn')).toEqual([]);
    fixture.directory.run(newModule());
    expect(fixture.modules.find(motorModel.api, motorModel.model)!.inPlace).toBe('all');
  });

  it('that the module refuses ends the instance: nothing goes on with what is not wanted', async () => {
    module.onValidate = () => {
      throw new ArmatureError('call.bad_argument', 'speed is too high');
    };
    await apply(motor({ limit: 9 }), sensor('t'));
    expect(fixture.told(MOTOR)).toBe('failed: speed is too high');
    expect(fixture.told('core:component:sensor/t')).toBe('ready');
    expect([...module.instances.keys()]).toEqual(['rdk:component:sensor/t']);
  });
});
