import { describe, expect, it } from 'vitest';
import { GoForRequest, MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import type { Channel } from '../../link/channel.ts';
import { reflectionCalls } from './calls/reflection.ts';
import { resourceClients } from './resource.ts';
import { resourceIn, SentCommands, type SentCommand } from './sent-commands.ts';

function bench(answer: () => Promise<Uint8Array> = () => Promise.resolve(new Uint8Array())) {
  const channel: Channel = {
    async *call() {
      yield await answer();
    },
  };
  const sent = new SentCommands();
  const noted: SentCommand[] = [];
  const stop = sent.subscribe((command) => noted.push(command));
  const motor = resourceClients(channel, channel, sent)(MotorServiceDefinition, 'core:component:motor/left');
  return { noted, stop, motor, reflection: reflectionCalls(channel, channel, sent) };
}
const lost = (): Promise<never> => Promise.reject(new Error('no answer'));

describe('the commands that a page sends', () => {
  it('are told with resource, method, request and answer; calls that only read are not', async () => {
    const { noted, motor } = bench();
    await motor.setPower({ powerPct: 0.4 });
    await motor.getPosition({});
    await motor.stop({});
    expect(noted.map(({ resource, method, request }) => [resource, method, request])).toEqual([
      ['left', 'SetPower', { powerPct: 0.4 }],
      ['left', 'Stop', {}],
    ]);
    await expect(noted[0]?.answer).resolves.toBeDefined();
  });

  it('are told with why they failed', async () => {
    const { noted, motor } = bench(lost);
    await expect(motor.setPower({ powerPct: 1 })).rejects.toThrow();
    await expect(noted[0]?.answer).rejects.toThrow('no answer');
  });

  it('are told of APIs that the page has no code for, too', async () => {
    const request = GoForRequest.encode({ name: 'left', rpm: 1, revolutions: 1, extra: undefined }).finish();
    const { noted, reflection } = bench();
    const signal = new AbortController().signal;
    for await (const _answer of reflection.call('/acme.Arm/GetReach', [request], signal));
    for await (const _answer of reflection.call('/acme.Arm/Move', [request], signal));
    await reflection.stop('/acme.Arm/Stop', request);
    expect(noted.map(({ resource, method }) => [resource, method])).toEqual([
      ['left', 'Move'],
      ['left', 'Stop'],
    ]);
    await expect(noted[0]?.answer).resolves.toBeUndefined();
  });

  it('are not told to who does not listen any more', async () => {
    const { noted, stop, motor } = bench();
    stop();
    await motor.stop({});
    expect(noted).toEqual([]);
  });

  it('name no resource where the request has none', () => {
    expect(resourceIn(new Uint8Array())).toBe('');
    expect(resourceIn(Uint8Array.of(0x10, 4, 97, 98))).toBe('');
  });
});
