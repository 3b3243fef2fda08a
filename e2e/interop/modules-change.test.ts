import { describe, expect, it, onTestFinished } from 'vitest';
import { Resource_State } from '../../proto/gen/core/status/v1/status.ts';
import type { MachineContents, ModuleMachine } from '../harness/module-machine.ts';
import { ReflectedClient, type Answer } from '../harness/reflected-client.ts';
import { until } from '../harness/until.ts';
import { bench, withModules } from '../harness/with-modules.ts';

const counting = { name: 'counting', kind: 'node-grpc' } as const;
const steps = { name: 'steps', api: 'acme:service:counter', model: 'acme:bare:counter' };
const other = { ...steps, name: 'other' };
const probe = { name: 'probe', api: 'core:component:sensor', model: 'acme:bare:probe', attributes: { value: 1 } };
const motor = {
  name: 'wheel',
  api: 'core:component:motor',
  model: 'acme:bare:motor',
  attributes: { board: 'bench', pin: '11' },
};

/** A stream of responses that must never break. */
class Watched {
  readonly #client: ReflectedClient;
  count = 0;
  broken: Error | undefined;
  isOver = false;

  private constructor(client: ReflectedClient) {
    this.#client = client;
    const stream = client.serverStream('Watch', { name: 'steps', count: 0, intervalMs: 2 });
    stream.on('data', (_: Answer) => (this.count += 1));
    stream.on('error', (error) => (this.broken = error));
    stream.on('end', () => (this.isOver = true));
    onTestFinished(() => {
      stream.cancel();
      client.close();
    });
  }

  static async of(machine: ModuleMachine): Promise<Watched> {
    const client = await ReflectedClient.of(machine.server.url, 'acme.service.counter.v1.CounterService');
    const watched = new Watched(client);
    await watched.flows();
    return watched;
  }

  /** Checks that it continues from now on. */
  async flows(): Promise<void> {
    const { count } = this;
    await until('more of the stream', () => this.count > count + 5 || this.broken !== undefined, 5_000);
    expect(this.broken).toBeUndefined();
    expect(this.isOver).toBe(false);
  }

  async inspect(): Promise<Answer> {
    return (await this.#client.unary('Inspect', { name: 'steps' })).answer;
  }
}

/** One process, many instances: none of them may be disturbed by another. */
describe('instances of one module', { timeout: 90_000 }, () => {
  const contents: MachineContents = { modules: [counting], components: [probe, bench], services: [steps] };

  it('one is added, changed in place and removed: the stream of its sibling never breaks', async (context) => {
    const machine = await withModules(context, { modules: [counting], services: [steps] });
    await machine.ready('steps');
    const pid = await machine.moduleReady('counting');
    const watched = await Watched.of(machine);

    await machine.configure(contents);
    await machine.ready('probe');
    await watched.flows();
    await machine.configure({ ...contents, components: [{ ...probe, attributes: { value: 2 } }, bench] });
    await until('the change', async () => (await machine.readings('probe'))['value'] === 2, 10_000);
    // Reconfigured in place: it is the same instance.
    expect(await machine.readings('probe')).toMatchObject({ value: 2, reconfigured: 1 });
    await watched.flows();
    await machine.configure({ ...contents, components: [motor, bench], services: [steps, other] });
    await machine.ready('wheel', 'other');
    await watched.flows();
    await machine.configure({ modules: [counting], services: [steps] });
    await machine.until('they are gone', () => machine.resource('wheel') === undefined);
    await watched.flows();
    expect(await machine.moduleReady('counting')).toBe(pid);
    expect(await watched.inspect()).toMatchObject({ givenUp: 0 });
  });

  it('without ReconfigureResource (grpcio), a change makes it anew, and its sibling goes on', async (context) => {
    const module = { name: 'counting', kind: 'python-grpc' } as const;
    const [one, two] = [steps, other].map((entry) => ({ ...entry, model: 'acme:pygrpc:counter' }));
    if (one === undefined || two === undefined) throw new Error('no entries');
    const machine = await withModules(context, { modules: [module], services: [one, two] });
    await machine.ready('steps', 'other');
    const watched = await Watched.of(machine);
    const client = await ReflectedClient.of(machine.server.url, 'acme.service.counter.v1.CounterService');
    onTestFinished(() => client.close());
    await client.unary('Add', { name: 'other', amount: 1n });
    await machine.configure({ modules: [module], services: [one, { ...two, attributes: { start: 40 } }] });
    const value = async (): Promise<unknown> => {
      try {
        return (await client.unary('Add', { name: 'other', amount: 0n })).answer['value'];
      } catch {
        return undefined; // between two runs
      }
    };
    await until('it starts at 40', async () => (await value()) === 40n, 10_000);
    await watched.flows();
    expect(await watched.inspect()).toMatchObject({ givenUp: 0 });
  });

  it('one that is slow to be added keeps nobody waiting, of its module or of another', async (context) => {
    const second = { name: 'second', kind: 'node-grpc', id: 'acme:second' } as const;
    const slow = { ...probe, name: 'slow', attributes: { slow_ms: 4_000 } };
    const machine = await withModules(context, { ...contents, components: [bench] });
    await machine.ready('steps');
    const watched = await Watched.of(machine);
    await machine.apply({ ...contents, modules: [counting, second], components: [slow, probe, bench] });
    await machine.ready('probe');
    expect(machine.resource('slow')?.state).toBe(Resource_State.CONFIGURING);
    await machine.moduleReady('second');
    expect(machine.resource('slow')?.state).toBe(Resource_State.CONFIGURING);
    await watched.flows();
    await machine.ready('slow');
  });

  it('one that crashes the process while it is changed: it and its siblings come back, the text stays', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('steps', 'probe');
    const pid = await machine.moduleReady('counting');
    await machine.configure({
      ...contents,
      components: [{ ...probe, attributes: { value: 3, crash_on_reconfigure: true } }, bench],
    });
    await machine.moduleReady('counting', pid);
    await machine.ready('steps', 'probe');
    expect(await machine.readings('probe')).toMatchObject({ value: 3, reconfigured: 0 });
    expect(machine.isReady('bench')).toBe(true);
  });

  it('what refuses to be added says so, and is ready as soon as its attributes let it', async (context) => {
    const refusing = { ...probe, attributes: { refuse: 'the lid is open' } };
    const machine = await withModules(context, { ...contents, components: [refusing, bench] });
    await machine.until('it fails', () => machine.resource('probe')?.state === Resource_State.FAILED);
    expect(machine.resource('probe')?.reason).toContain('the lid is open');
    expect(machine.isReady('steps')).toBe(true);
    await machine.configure(contents);
    await machine.ready('probe');
  });
});
