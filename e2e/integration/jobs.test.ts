import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import type { Operation } from '../../proto/gen/core/robot/v1/robot.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { JobStatus } from '../../proto/gen/core/robot/v1/status.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerOptions, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const thing = { name: 'thing', api: 'core:component:generic', model: 'fake' };
const heat = { name: 'heat', api: 'core:component:sensor', model: 'fake' };
const network = { bind_address: 'localhost:0' };

const job = (name: string, more: object = {}): object => ({
  name,
  schedule: '200ms',
  resource: 'heat',
  method: 'GetReadings',
  ...more,
});
const document = (jobs: readonly object[], more: object = {}): string =>
  JSON.stringify({ network, components: [thing, heat], jobs, ...more });

/** A server with its first client. */
class Machine {
  readonly server: ServerProcess;
  readonly client: MachineClient;

  private constructor(server: ServerProcess) {
    this.server = server;
    this.client = new MachineClient(server);
  }

  static async start(config: string, options: Partial<ServerOptions> = {}): Promise<Machine> {
    const machine = new Machine(await startServer({ config, ...options }));
    onTestFinished(async () => {
      machine.client.close();
      await machine.server.stop();
    });
    return machine;
  }

  async status(name: string): Promise<JobStatus | undefined> {
    const { jobStatuses } = await this.client.grpc.call(RobotServiceDefinition, 'getMachineStatus', {});
    return jobStatuses.find((one) => one.jobName === name);
  }

  async successes(name: string): Promise<number> {
    return (await this.status(name))?.recentSuccessfulRuns.length ?? 0;
  }

  async failures(name: string): Promise<number> {
    return (await this.status(name))?.recentFailedRuns.length ?? 0;
  }

  /** Calls of jobs that are under way. */
  async runs(): Promise<readonly Operation[]> {
    const { operations } = await this.client.grpc.call(RobotServiceDefinition, 'getOperations', {});
    return operations.filter(({ method }) => method.endsWith('/GetReadings'));
  }

  async apply(text: string): Promise<void> {
    const { revision } = await this.client.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
    const { outcome } = await this.client.grpc.call(ConfigServiceDefinition, 'apply', {
      partId: '',
      text,
      baseRevision: revision,
      author: '',
      note: '',
    });
    expect(outcome?.$case).toBe('applied');
  }
}

describe('jobs of a machine', () => {
  it('are run by the clock and without a pause, by DoCommand and by other methods, and their status tells of it', async () => {
    const machine = await Machine.start(
      document([
        job('often'),
        job('command', { resource: 'thing', method: 'DoCommand', command: { say: 'hello' } }),
        job('always', { schedule: 'continuous' }),
        job('each second', { schedule: '* * * * * *', log_configuration: { level: 'debug' } }),
        job('lost', { resource: 'nowhere' }),
        job('wrong', { method: 'ReadHeat' }),
      ]),
    );
    for (const name of ['often', 'command', 'always', 'each second']) {
      await until(`${name} has run`, async () => (await machine.successes(name)) >= 2, 15_000);
    }
    await until('ten are kept', async () => (await machine.successes('always')) === 10, 15_000);
    await until('a failure is told', async () => (await machine.failures('lost')) > 0, 15_000);
    const often = await machine.status('often');
    const times = (often?.recentSuccessfulRuns ?? []).map((at) => at.getTime());
    expect(often?.recentFailedRuns).toEqual([]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await machine.status('wrong')).toBeUndefined();
    expect(await machine.successes('lost')).toBe(0);
    const log = machine.server.stderr();
    expect(log).toContain('There is no resource "nowhere"');
    expect(log).toMatch(/machine\.json:1:\d+: job "wrong": "ReadHeat" is no method: core:component:sensor has /);
    expect(log).toMatch(/core\.job_manager\.each second.*Job succeeded/);
    expect(log).not.toMatch(/core\.job_manager\.often.*Job succeeded/);
  }, 60_000);

  it('call what another machine has, and are changed and removed in the middle of a call', async () => {
    const there = await Machine.start(JSON.stringify({ network, components: [{ ...heat, name: 'far' }] }));
    const remotes = [{ name: 'second', address: there.server.url, connection_check_interval: '10m' }];
    const withJobs = (...jobs: object[]): string => document(jobs, { remotes });
    const far = (more: object = {}): object => job('far', { resource: 'far', ...more });
    const here = await Machine.start(withJobs(far(), job('near')));
    await until('it runs', async () => (await here.successes('far')) >= 2, 20_000);
    // Its first runs may have come before the connection was established.
    const failed = await here.failures('far');
    // Stops answering from now on, while its connection stays open.
    there.server.process.kill('SIGSTOP');
    onTestFinished(() => void there.server.process.kill('SIGCONT'));
    await until('it is in the middle of a call', async () => (await here.runs()).length > 0, 10_000);
    const lasting = async (): Promise<string | undefined> =>
      (await here.runs()).find(({ arguments: request }) => request?.['name'] === 'far')?.id;
    await until('of the other machine', async () => (await lasting()) !== undefined, 10_000);
    const id = await lasting();

    await here.apply(withJobs(far({ schedule: '300ms' }), job('near', { schedule: '100ms' })));
    await until('it is in force', () => here.server.stderr().includes('Job far changed'), 10_000);
    expect(await lasting()).toBe(id);

    await here.apply(withJobs(far({ method: 'DoCommand', command: { say: 'on' }, schedule: '1h' }), job('near')));
    await until('the call that it made before is gone', async () => (await lasting()) === undefined, 10_000);
    expect(await here.failures('far')).toBe(failed);
    expect(await here.successes('far')).toBeGreaterThan(0);

    await here.apply(withJobs(far({ schedule: '50ms' }), job('near')));
    await until('it calls again', async () => (await lasting()) !== undefined, 10_000);
    await here.apply(withJobs(job('near')));
    await until('the call is gone with the job', async () => (await lasting()) === undefined, 10_000);
    expect(await here.status('far')).toBeUndefined();
    const before = (await here.status('near'))?.recentSuccessfulRuns.at(-1)?.getTime() ?? 0;
    const newest = async (): Promise<number> =>
      (await here.status('near'))?.recentSuccessfulRuns.at(-1)?.getTime() ?? 0;
    await until('the other one goes on', async () => (await newest()) > before, 10_000);

    await here.apply(withJobs(far({ schedule: '50ms' })));
    await until('it calls once more', async () => (await lasting()) !== undefined, 10_000);
    const startedAt = performance.now();
    expect(await here.server.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    // An interrupted run does not count as a failure of the job.
    expect(here.server.stderr()).not.toMatch(/failed: .*(gave it up|cancelled)/);
  }, 90_000);

  it('stop what they moved when they are removed, and Stop all works on it before', async () => {
    const servo = { name: 'gate', api: 'core:component:servo', model: 'fake' };
    const machine = await Machine.start(
      document([job('turn', { resource: 'gate', method: 'Move' })], { components: [servo] }),
    );
    await until('it has run', async () => (await machine.successes('turn')) > 0, 15_000);
    await machine.client.stopAll();
    const { length } = (await machine.status('turn'))?.recentSuccessfulRuns ?? [];
    await until('it runs again', async () => (await machine.successes('turn')) > length || length === 10, 15_000);
    await machine.apply(document([], { components: [servo] }));
    const told = 'Stopping core:component:servo/gate: connection from job turn closed';
    await until('it is stopped', () => machine.server.stderr().includes(told), 10_000);
  }, 40_000);

  it('are refused where the environment is not trusted, and each says so', async () => {
    const machine = await Machine.start(document([job('often'), job('always', { schedule: 'continuous' })]), {
      args: ['-untrusted-env'],
    });
    await machine.apply(document([job('often'), job('always', { schedule: 'continuous' }), job('third')]));
    await until(
      'the third is told of',
      () => /job "third" is not run: this server runs with -untrusted-env/.test(machine.server.stderr()),
      10_000,
    );
    expect(machine.server.stderr()).toContain('job "often" is not run');
    const { jobStatuses } = await machine.client.grpc.call(RobotServiceDefinition, 'getMachineStatus', {});
    expect(jobStatuses).toEqual([]);
    expect(machine.server.stderr()).not.toContain('was created');
  }, 40_000);
});
