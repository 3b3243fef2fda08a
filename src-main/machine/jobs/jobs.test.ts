import { beforeEach, describe, expect, it } from 'vitest';
import { DoCommandResponse } from '../../../proto/gen/core/common/v1/common.ts';
import { SensorServiceDefinition } from '../../../proto/gen/core/component/sensor/v1/sensor.ts';
import { GenericServiceDefinition } from '../../../proto/gen/core/component/generic/v1/generic.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Connection, ServerCall } from '../../rpc/call.ts';
import { DEFAULT_DEADLINE_MS } from '../../rpc/interceptors/deadline.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { LogRegistry } from '../logging/log-registry.ts';
import { noLogSettings } from '../logging/log-settings.ts';
import type { JobConfig } from './job-config.ts';
import { Jobs } from './jobs.ts';
import { readSchedule } from './schedule.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function job(name: string, more: Partial<JobConfig> & { readonly every?: string } = {}): JobConfig {
  const { every = '5s', ...rest } = more;
  const read = readSchedule(every);
  return {
    name,
    scheduleText: every,
    schedule: read.kind === 'valid' ? read.schedule : undefined,
    resource: 'thing',
    method: 'DoCommand',
    command: { do: name },
    logLevel: undefined,
    isDisabled: false,
    pointer: '/jobs/0',
    problems: [],
    ...rest,
  };
}

/** A machine with a generic `thing` and a sensor `heat`, whose calls end when a test says so, or at once. */
class World {
  readonly clock = new ManualClock();
  readonly logs = new LogRegistry({
    clock: this.clock,
    isDebugFlagSet: false,
    historyCapacity: 1_000,
    store: undefined,
    firstSeq: 1,
  });
  readonly router = new CallRouter({ clock: this.clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  /** The calls: the command, or the method. */
  readonly called: string[] = [];
  readonly calls: ServerCall[] = [];
  readonly closed: Connection[] = [];
  resources = [
    { api: 'core:component:generic', name: 'thing' },
    { api: 'core:component:sensor', name: 'heat' },
  ];
  isHeld = false;
  failure: Error | undefined;
  release: () => void = () => undefined;
  readonly jobs = new Jobs({
    clock: this.clock,
    random: () => 0,
    router: () => this.router,
    find: (name) => this.resources.filter((one) => one.name === name),
    serviceOf: (api) =>
      api === 'core:component:sensor' ? SensorServiceDefinition.fullName : GenericServiceDefinition.fullName,
    logger: this.logs.logger('core.job_manager'),
    loggerFor: (name) => this.logs.logger(`core.job_manager.${name}`),
  });

  constructor() {
    const target = (): { kind: 'local'; resource: undefined } => ({ kind: 'local', resource: undefined });
    this.router.addResourceService(
      GenericServiceDefinition,
      {
        doCommand: async (_resource, request, call) => {
          await this.#take(String(request.command?.['do']), call);
          return DoCommandResponse.fromPartial({ result: { done: true } });
        },
      },
      target,
    );
    this.router.addResourceService(
      SensorServiceDefinition,
      {
        getReadings: async (_resource, request, call) => {
          await this.#take(`readings of ${request.name}`, call);
          return { readings: { heat: 20 } };
        },
      },
      target,
    );
  }

  async #take(what: string, call: ServerCall): Promise<void> {
    this.called.push(what);
    this.calls.push(call);
    call.connection.onClose(() => this.closed.push(call.connection));
    if (this.failure !== undefined) throw this.failure;
    if (!this.isHeld) return;
    await new Promise<void>((resolve) => {
      this.release = resolve;
      call.signal.addEventListener('abort', () => resolve());
    });
  }

  async apply(...configs: JobConfig[]): Promise<void> {
    this.jobs.apply(configs, Promise.resolve());
    await import('./job.ts');
    await settled();
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed++) {
      this.clock.advance(1_000);
      await settled();
    }
  }

  get log(): readonly string[] {
    return this.logs.history.after(0).map(({ level, logger, message }) => `${level} ${logger} ${message}`);
  }
}

let world: World;

beforeEach(() => {
  world = new World();
});

describe('jobs', () => {
  it('call what they name when they are due, each by itself, and remember the last ten runs', async () => {
    await world.apply(job('a'), job('b', { method: 'GetReadings', resource: 'heat', command: {}, every: '7s' }));
    await world.pass(14);
    expect(world.called).toEqual(['a', 'readings of heat', 'a', 'readings of heat']);
    await world.pass(60);
    const [a, b] = world.jobs.statuses();
    expect(a).toMatchObject({ name: 'a', failures: [] });
    expect(a?.successes.length).toBe(10);
    expect(a?.successes.at(-1)).toBe(world.clock.now() - 4_000);
    expect(a?.successes).toEqual(a?.successes.toSorted());
    expect(b?.name).toBe('b');
  });

  it('wait until the resources are built, and are what the newest configuration says then', async () => {
    let built = (): void => undefined;
    world.jobs.apply([job('a')], new Promise<void>((resolve) => (built = resolve)));
    await import('./job.ts');
    await world.pass(10);
    expect(world.called).toEqual([]);
    expect(world.jobs.statuses()).toEqual([]);
    await world.apply(job('b'));
    built();
    await world.pass(6);
    expect(world.called).toEqual(['b']);
  });

  it('begin also where the resources could not be built', async () => {
    world.jobs.apply([job('a')], Promise.reject(new Error('not built')));
    await import('./job.ts');
    await settled();
    await world.pass(6);
    expect(world.called).toEqual(['a']);
  });

  it('leave out what is wrong or disabled', async () => {
    const problem = { severity: 'error' } as JobConfig['problems'][number];
    await world.apply(job('wrong', { problems: [problem] }), job('off', { isDisabled: true }), job('a'));
    await world.pass(6);
    expect(world.called).toEqual(['a']);
  });

  it('fail with the reason, which is told, while others go on', async () => {
    await world.apply(job('lost', { resource: 'nowhere' }), job('wild', { method: 'Fly' }), job('a'));
    world.resources.push({ api: 'core:component:sensor', name: 'thing' });
    await world.pass(5);
    world.resources.pop();
    await world.pass(5);
    expect(world.log).toEqual(
      expect.arrayContaining([
        'warn core.job_manager.lost DoCommand of nowhere failed: There is no resource "nowhere".',
        expect.stringMatching(
          /^warn core.job_manager.wild Fly of thing failed: "Fly" is no method: core:component:generic has /,
        ),
        expect.stringMatching(
          /^warn core.job_manager.a .*"thing" may be core:component:generic\/thing, core:component:sensor\/thing/,
        ),
      ]),
    );
    const [lost, wild, a] = world.jobs.statuses();
    expect([lost?.failures.length, wild?.failures.length, a?.failures.length, a?.successes.length]).toEqual([
      2, 2, 1, 1,
    ]);
  });

  it('are ended after the time that any call has, and what they moved is stopped then', async () => {
    world.isHeld = true;
    await world.apply(job('a', { every: '1h' }));
    world.clock.advance(3_600_000);
    await settled();
    expect(world.calls.length).toBe(1);
    world.clock.advance(DEFAULT_DEADLINE_MS + 1_000);
    await settled();
    expect(world.calls[0]?.isCancelled).toBe(true);
    expect(world.closed).toEqual([world.calls[0]?.connection]);
    expect(world.jobs.statuses()).toMatchObject([{ failures: [world.clock.now()] }]);
  });

  it('keep what they moved while all goes well, and stop it when they fail', async () => {
    await world.apply(job('a'));
    await world.pass(10);
    expect(world.calls[1]?.connection).toBe(world.calls[0]?.connection);
    expect(world.closed).toEqual([]);
    world.failure = new Error('broken');
    await world.pass(5);
    expect(world.closed.length).toBeGreaterThan(0);
    world.failure = undefined;
    await world.pass(5);
    expect(world.calls[3]?.connection).not.toBe(world.calls[0]?.connection);
  });

  it('that are removed end at once, their call too, and nothing is told of them any more', async () => {
    world.isHeld = true;
    await world.apply(job('a'));
    await world.pass(5);
    await world.apply();
    expect(world.calls[0]?.isCancelled).toBe(true);
    expect(world.closed).toEqual([world.calls[0]?.connection]);
    expect(world.jobs.statuses()).toEqual([]);
    await world.pass(60);
    expect(world.called).toEqual(['a']);
    await world.router.drain(0); // its own timer
    expect(world.clock.pending).toBe(0);
    expect(world.log).toContain('info core.job_manager Job a was removed.');
    expect(world.log.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it('that are disabled end too', async () => {
    await world.apply(job('a'));
    await world.apply(job('a', { isDisabled: true }));
    await world.pass(10);
    expect(world.called).toEqual([]);
    expect(world.log).toContain('info core.job_manager Job a is disabled or wrong now, and has ended.');
  });

  it('with another schedule let the call end that is under way, and go on after it', async () => {
    world.isHeld = true;
    await world.apply(job('a'));
    await world.pass(5);
    await world.apply(job('a', { every: '2s' }));
    await world.pass(10);
    expect([world.called.length, world.calls[0]?.isCancelled]).toEqual([1, false]);
    world.isHeld = false;
    world.release();
    await settled();
    await world.pass(4);
    expect(world.called).toEqual(['a', 'a', 'a']);
    expect(world.jobs.statuses()).toMatchObject([{ name: 'a', failures: [] }]);
  });

  it('with another call have the one under way cancelled, and keep their history', async () => {
    await world.apply(job('a'));
    await world.pass(5);
    world.isHeld = true;
    await world.pass(5);
    await world.apply(job('a', { command: { do: 'other' } }));
    expect(world.calls[1]?.isCancelled).toBe(true);
    world.isHeld = false;
    await world.pass(5);
    expect(world.called).toEqual(['a', 'a', 'other']);
    expect(world.jobs.statuses()).toMatchObject([{ name: 'a', failures: [] }]);
    expect(world.jobs.statuses()[0]?.successes.length).toBe(2);
  });

  it('go on in time where another level of the log is all that changed', async () => {
    await world.apply(job('a'));
    await world.pass(4);
    await world.apply(job('a', { logLevel: 'debug' }));
    world.logs.apply({ ...noLogSettings, jobs: new Map([['core.job_manager.a', 'debug']]) });
    await world.pass(1);
    expect(world.called).toEqual(['a']);
    expect(world.log).toContain('debug core.job_manager.a Job succeeded.');
  });

  it('end with the machine, with no call left and none to come', async () => {
    world.isHeld = true;
    await world.apply(job('a'), job('b', { every: 'continuous' }));
    await world.pass(6);
    expect(world.router.inFlight).toBe(2);
    world.jobs.close();
    await settled();
    expect(world.router.inFlight).toBe(0);
    world.jobs.apply([job('c')], Promise.resolve());
    await world.pass(60);
    expect(world.called.toSorted()).toEqual(['a', 'b']);
    await world.router.drain(0); // its own timer
    expect(world.clock.pending).toBe(0);
  });
});
