import { Metadata, status, type ClientReadableStream } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { ModuleMachine } from '../harness/module-machine.ts';
import { ReflectedClient, type Answer } from '../harness/reflected-client.ts';
import { until } from '../harness/until.ts';
import { withModules } from '../harness/with-modules.ts';

const service = 'acme.service.counter.v1.CounterService';
const kinds = [
  { kind: 'node-grpc', model: 'acme:bare:counter' },
  { kind: 'python-grpc', model: 'acme:pygrpc:counter' },
] as const;

/** A client gets everything that it knows of the API from the machine, which asked the module. */
describe.each(kinds)(
  'an API of a module ($kind) that the machine has no code for',
  { timeout: 90_000 },
  ({ kind, model }) => {
    const name = 'steps';

    async function serve(context: TestContext): Promise<{ machine: ModuleMachine; steps: ReflectedClient }> {
      const machine = await withModules(context, {
        modules: [{ name: 'counting', kind }],
        services: [{ name, api: 'acme:service:counter', model, attributes: { start: 10 } }],
      });
      await machine.ready(name);
      const steps = await ReflectedClient.of(machine.server.url, service);
      onTestFinished(() => steps.close());
      return { machine, steps };
    }

    const inspect = async (steps: ReflectedClient): Promise<Answer> => (await steps.unary('Inspect', { name })).answer;

    it('is listed with its service, and serves unary calls and each kind of stream', async (context) => {
      const { machine, steps } = await serve(context);
      const { resourceRpcSubtypes } = await machine.client.grpc.call(RobotServiceDefinition, 'resourceRPCSubtypes', {});
      expect(resourceRpcSubtypes.map(({ protoService }) => protoService)).toContain(service);

      expect((await steps.unary('Add', { name, amount: 5n })).answer['value']).toBe(15n);
      const watched: unknown[] = [];
      for await (const one of steps.serverStream('Watch', { name, count: 3, intervalMs: 1 })) {
        watched.push((one as Answer)['value']);
      }
      expect(watched).toEqual([15n, 15n, 15n]);
      const added = await steps.clientStream('AddAll', [
        { name, amount: 1n },
        { name, amount: 2n },
        { name, amount: 3n },
      ]);
      expect(added['value']).toBe(21n);

      const each = steps.bidi('AddEach');
      const answers: unknown[] = [];
      each.on('data', (one: Answer) => answers.push(one['value']));
      const over = new Promise((resolve, reject) => each.once('end', resolve).once('error', reject));
      for (const amount of [1n, -2n, 3n]) {
        const had = answers.length;
        each.write({ name, amount });
        // Answered before the next is sent: our code does not wait for the end of the stream.
        await until('an answer', () => answers.length > had, 5_000);
      }
      each.end();
      await over;
      expect(answers).toEqual([22n, 20n, 23n]);
    });

    it('receives the metadata, also binary and repeated, and sends its trailers back', async (context) => {
      const { steps } = await serve(context);
      const metadata = new Metadata();
      metadata.set('x-flavour', 'sour');
      metadata.set('x-shape-bin', Buffer.from([0, 255, 127]));
      metadata.add('x-trailer', 'first');
      metadata.add('x-trailer', 'second');
      const { answer, trailers } = await steps.unary('Inspect', { name }, metadata);
      expect(answer['metadata']).toMatchObject({ 'x-flavour': 'sour', 'x-shape-bin': '00ff7f' });
      // A list in one line means the same, and is what Node's HTTP/2 makes of two lines.
      expect(trailers.get('x-trailer').join(', ')).toBe('first, second');
    });

    it('has the deadline of its caller, and none is longer than ten minutes', async (context) => {
      const { steps } = await serve(context);
      const deadline = Date.now() + 5_000;
      const { answer } = await steps.unary('Inspect', { name }, new Metadata(), { deadline });
      expect(Number(answer['remainingMs'])).toBeGreaterThan(3_000);
      expect(Number(answer['remainingMs'])).toBeLessThanOrEqual(5_000);
      const unlimited = Number((await inspect(steps))['remainingMs']);
      expect(unlimited).toBeGreaterThan(500_000);
      expect(unlimited).toBeLessThanOrEqual(600_000);
      const passed = steps.unary('Wait', { name }, new Metadata(), { deadline: Date.now() + 300 });
      await expect(passed).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
      await until('it gave up', async () => (await inspect(steps))['givenUp'] === 1, 5_000);
    });

    it('hears that its caller has gone', async (context) => {
      const { steps } = await serve(context);
      const watching: ClientReadableStream<Answer> = steps.serverStream('Watch', { name, count: 0, intervalMs: 5 });
      await new Promise((resolve) => watching.once('data', resolve));
      watching.on('error', () => undefined).cancel();
      await until('it gave up', async () => (await inspect(steps))['givenUp'] === 1, 5_000);
    });

    it('fails with its own code and its own words', async (context) => {
      const { steps } = await serve(context);
      for (const [code, message] of [
        [status.NOT_FOUND, 'no such step'],
        [status.OUT_OF_RANGE, '100 % and a newline\nof “words”'],
        [status.UNIMPLEMENTED, 'not today'],
      ] as const) {
        await expect(steps.unary('Fail', { name, code, message })).rejects.toMatchObject({ code, details: message });
      }
    });

    it('stops what its option says moves, by Stop all', async (context) => {
      const { machine, steps } = await serve(context);
      await steps.unary('Run', { name });
      expect((await steps.unary('IsMoving', { name })).answer['isMoving']).toBe(true);
      await machine.client.stopAll();
      expect((await steps.unary('IsMoving', { name })).answer['isMoving']).toBe(false);
    });

    it('stops what it moves when whoever moved it is gone', async (context) => {
      const { machine, steps } = await serve(context);
      const other = await ReflectedClient.of(machine.server.url, service);
      await other.unary('Run', { name });
      other.close();
      await until(
        'it stands',
        async () => (await steps.unary('IsMoving', { name })).answer['isMoving'] === false,
        10_000,
      );
    });

    it('is unknown to reflection when its module has left the configuration', async (context) => {
      const { machine } = await serve(context);
      await machine.configure({ modules: [] });
      const asked = async (): Promise<boolean> => {
        try {
          (await ReflectedClient.of(machine.server.url, service)).close();
          return false;
        } catch {
          return true;
        }
      };
      await until('it is unknown', asked, 10_000);
    });
  },
);
