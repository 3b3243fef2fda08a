import { describe, expect, it } from 'vitest';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition } from '../../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { ServoServiceDefinition } from '../../../proto/gen/core/component/servo/v1/servo.ts';
import type { CallSpec, Channel } from '../../link/channel.ts';
import type { MethodDefinition, ServiceDefinition } from '../../link/client.ts';
import { resourceClients, routeOf } from './resource.ts';
import { SentCommands } from './sent-commands.ts';

const generated = import.meta.glob<Readonly<Record<string, unknown>>>(
  '../../../proto/gen/core/{component,service}/*/v1/*.ts',
  { eager: true },
);
const services = Object.values(generated)
  .flatMap((file) => Object.entries(file))
  .filter(([name]) => name.endsWith('ServiceDefinition'))
  .map(([, definition]) => definition as ServiceDefinition);

/** Clients whose calls get empty answers, and a record of what was sent over which channel. */
function bench() {
  const sent: { readonly over: string; readonly request: Uint8Array; readonly spec: CallSpec }[] = [];
  const channel = (over: string): Channel => ({
    async *call(spec) {
      if (Symbol.asyncIterator in spec.requests) throw new Error('a stream of requests');
      sent.push({ over, request: spec.requests[0], spec });
      yield await Promise.resolve(new Uint8Array());
    },
  });
  return { sent, resource: resourceClients(channel('session'), channel('link'), new SentCommands()) };
}

const short = 15_000;

describe('a call of a resource', () => {
  type Bench = ReturnType<typeof bench>['resource'];
  const motor = (resource: Bench) => resource(MotorServiceDefinition, 'core:component:motor/left');
  const servo = (resource: Bench) => resource(ServoServiceDefinition, 'core:component:servo/left');
  const encoder = (resource: Bench) => resource(EncoderServiceDefinition, 'core:component:encoder/left');
  const board = (resource: Bench) => resource(BoardServiceDefinition, 'core:component:board/left');
  const signal = new AbortController().signal;
  const pin = '11';

  it.each<[string, string, number | undefined, (resource: Bench) => Promise<unknown>]>([
    ['motor SetPower', 'session', short, (of) => motor(of).setPower({ powerPct: 1 })],
    ['motor SetRPM', 'session', short, (of) => motor(of).setRPM({ rpm: 1 }, { signal })],
    ['motor ResetZeroPosition', 'session', short, (of) => motor(of).resetZeroPosition({ offset: 0 })],
    ['motor GoFor', 'session', undefined, (of) => motor(of).goFor({ rpm: 1, revolutions: 1 }, { untilDone: true })],
    ['motor DoCommand', 'session', undefined, (of) => motor(of).doCommand({ command: {} }, { untilDone: true })],
    ['motor Stop', 'link', 5_000, (of) => motor(of).stop({})],
    ['motor GetProperties', 'link', short, (of) => motor(of).getProperties({})],
    ['motor IsMoving', 'link', short, (of) => motor(of).isMoving({})],
    ['servo Move', 'session', short, (of) => servo(of).move({ angleDeg: 1 })],
    ['servo Stop', 'link', 5_000, (of) => servo(of).stop({})],
    ['encoder ResetPosition', 'session', short, (of) => encoder(of).resetPosition({})],
    ['encoder GetProperties', 'link', short, (of) => encoder(of).getProperties({})],
    ['board GetGPIO', 'link', short, (of) => board(of).getGPIO({ pin })],
    ['board SetGPIO', 'session', short, (of) => board(of).setGPIO({ pin, high: true })],
    ['board PWM', 'link', short, (of) => board(of).pWM({ pin })],
    ['board SetPWM', 'session', short, (of) => board(of).setPWM({ pin, dutyCyclePct: 1 })],
    ['board PWMFrequency', 'link', short, (of) => board(of).pWMFrequency({ pin })],
    ['board SetPWMFrequency', 'session', short, (of) => board(of).setPWMFrequency({ pin, frequencyHz: 1n })],
    ['board WriteAnalog', 'session', short, (of) => board(of).writeAnalog({ pin, value: 1 })],
    ['board ReadAnalogReader', 'link', short, (of) => board(of).readAnalogReader({ analogReaderName: 'pot' })],
  ])('of %s goes over the %s', async (_name, over, timeoutMs, call) => {
    const { sent, resource } = bench();
    await call(resource);
    expect(sent.map((each) => [each.over, each.spec.options.timeoutMs])).toEqual([[over, timeoutMs]]);
  });

  it('carries the short name of the resource, its fields and its signal', async () => {
    const { sent, resource } = bench();
    await motor(resource).goFor({ rpm: 10, revolutions: 2 }, { signal, untilDone: true });
    await board(resource).readAnalogReader({ analogReaderName: 'pot' });
    const { goFor } = MotorServiceDefinition.methods;
    const { readAnalogReader } = BoardServiceDefinition.methods;
    const [first, second] = sent.map(({ request }) => request);
    expect(goFor.requestType.decode(first ?? new Uint8Array())).toMatchObject({
      name: 'left',
      rpm: 10,
      revolutions: 2,
    });
    expect(readAnalogReader.requestType.decode(second ?? new Uint8Array())).toMatchObject({
      boardName: 'left',
      analogReaderName: 'pot',
    });
    expect(sent[0]?.spec.options.signal).toBe(signal);
  });
});

describe('the generated APIs of resources', () => {
  const methods = services.flatMap((service) => Object.values(service.methods).map((method) => ({ service, method })));
  const moves = ({ options }: MethodDefinition & { readonly options?: object }): boolean =>
    '_unknownFields' in (options ?? {});

  it('name the resource in the first field of every request', () => {
    expect(methods.length).toBeGreaterThan(100);
    const firstFields = methods
      .filter(({ service }) => service.fullName.startsWith('core.component.'))
      .map(({ method }) => Object.keys(method.requestType.decode(new Uint8Array()) as object)[0]);
    expect(new Set(firstFields)).toEqual(new Set(['name', 'boardName', 'controller']));
  });

  it('send every method that a session must monitor through the session', () => {
    const watched = methods.filter(({ method }) => moves(method));
    expect(watched.length).toBeGreaterThan(10);
    expect(watched.filter(({ service, method }) => routeOf(service, method) !== 'session')).toEqual([]);
  });
});
