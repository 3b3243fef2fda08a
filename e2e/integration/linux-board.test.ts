/** The whole program with board model `linux` on simulated hardware: what a user can try without wires. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingReason } from '../../native/index.js';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition } from '../../proto/gen/core/component/encoder/v1/encoder.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const config = await readFile(path.join(import.meta.dirname, '../fixtures/linux-bench.json'), 'utf8');
const WAIT_MS = 10_000;

describe.skipIf(missingReason() !== undefined)('a server with a linux board and -simulate-hardware', () => {
  let server: ServerProcess;
  let client: MachineClient;
  beforeEach(async () => {
    server = await startServer({ config, args: ['-simulate-hardware'] });
    client = new MachineClient(server.url);
  });
  afterEach(async () => {
    client.close();
    expect(await server.stop()).toBe(0);
  });

  async function simulate(command: object): Promise<Readonly<Record<string, unknown>>> {
    const request = { name: 'bench', command: { simulate: command } };
    const { result } = await client.grpc.call(BoardServiceDefinition, 'doCommand', request);
    return result ?? {};
  }
  const isHigh = async (pin: string) => (await simulate({ probe: pin }))['is_high'];

  it('drives the wires of a motor, reads its encoder and an analog', async () => {
    await client.setPower('left', 0.5);
    expect([await isHigh('in1'), await isHigh('in2'), await client.pwm('pwm')]).toEqual([true, false, 0.5]);
    await until(
      'PWM on the wire',
      async () => {
        const duty = Number((await simulate({ probe: 'pwm' }))['duty']);
        return duty > 0.3 && duty < 0.7;
      },
      WAIT_MS,
    );
    await client.stop('left');
    expect([await isHigh('in1'), await isHigh('pwm')]).toEqual([false, false]);

    const levels = [
      [true, false],
      [true, true],
      [false, true],
      [false, false],
    ] as const;
    for (const [a, b] of levels) {
      await simulate({ pull: ['enc_a', a] });
      await simulate({ pull: ['enc_b', b] });
    }
    const ticks = async () =>
      (await client.grpc.call(EncoderServiceDefinition, 'getPosition', { name: 'wheel' })).value;
    await until('two ticks', async () => (await ticks()) === 2, WAIT_MS);
    const name = { boardName: 'bench', digitalInterruptName: 'enc_a' };
    const { value } = await client.grpc.call(BoardServiceDefinition, 'getDigitalInterruptValue', name);
    expect(value).toBe(2n);

    await simulate({ analog: ['pot', 500] });
    const readings = async () =>
      (await client.grpc.call(SensorServiceDefinition, 'getReadings', { name: 'pot' })).readings;
    await until('the new value', async () => (await readings())['raw'] === 500, WAIT_MS);
    expect(await readings()).toEqual({ raw: 500, value: 50, unit: '%' });
  });

  it('answers bad input with the code and the reason, and what drives goes on', async () => {
    await client.setPower('left', 0.5);
    const { grpc } = client;
    const bench = { name: 'bench' };
    const calls: readonly (readonly [Promise<unknown>, number, RegExp])[] = [
      [client.setPwm('pwm', Number.NaN), status.INVALID_ARGUMENT, /duty_cycle_pct/],
      [
        grpc.call(BoardServiceDefinition, 'setPWMFrequency', { ...bench, pin: '4', frequencyHz: 1_000_000n }),
        status.INVALID_ARGUMENT,
        /Pin "4": a PWM frequency of 1000000 Hz is not possible; allowed is 1 to/,
      ],
      [client.gpio('nope'), status.NOT_FOUND, /there is no pin "nope"/],
      [client.setGpio('enc_a', true), status.FAILED_PRECONDITION, /is digital interrupt "enc_a"/],
      [
        grpc.call(BoardServiceDefinition, 'readAnalogReader', { boardName: 'bench', analogReaderName: 'x' }),
        status.NOT_FOUND,
        /has no analog "x"/,
      ],
      [
        grpc.call(BoardServiceDefinition, 'writeAnalog', { ...bench, pin: 'pot', value: 1 }),
        status.UNIMPLEMENTED,
        /converters of this board only read/,
      ],
      [grpc.call(BoardServiceDefinition, 'setPowerMode', { ...bench, powerMode: 1 }), status.UNIMPLEMENTED, /bench/],
    ];
    for (const [call, code, reason] of calls) {
      await expect(call).rejects.toMatchObject({ code, details: expect.stringMatching(reason) as string });
    }
    expect(await client.power('left')).toBe(0.5);
    expect(await isHigh('in1')).toBe(true);
  });

  it('leaves the pin of a client that is gone at the level that is safe for it', async () => {
    await client.setGpio('brake', true);
    const script = path.join(import.meta.dirname, 'driving-client.ts');
    const child = spawn(process.execPath, [script, server.url, 'brake', 'gpio-low', 'session'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(await isHigh('brake')).toBe(false);
    child.kill('SIGKILL');
    await until('the brake is on again', async () => (await isHigh('brake')) === true, WAIT_MS);
  });

  it('takes new analogs while the motor turns', async () => {
    await client.setPower('left', 0.5);
    await server.writeConfig(config.replace('"pin": "2"', '"pin": "2", "average_over_ms": 100'));
    await until('the change is in force', () => server.stderr().match(/is in force/g)?.length === 2, WAIT_MS);
    expect(await client.power('left')).toBe(0.5);
    expect(await isHigh('in1')).toBe(true);
  });
});

describe('a linux board without its hardware', () => {
  it('is in the documents with an example that has no problem', async () => {
    const page = await readFile(path.join(import.meta.dirname, '../../docs/bench-engineer.md'), 'utf8');
    const examples = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text = '']) => text);
    const example = examples.find((text) => text.includes('"model": "linux"')) ?? '';
    const file = path.join(await temporaryFolder(), 'machine.json');
    await writeFile(file, example);
    const { code, stdout } = await runArmature(['config', 'check', file]);
    expect([code, stdout]).toEqual([0, `${file}: 0 errors, 0 warnings\n`]);
  });

  it('is checked without it: what cannot be is named with its place', async () => {
    const file = path.join(await temporaryFolder(), 'machine.json');
    await writeFile(file, config.replace('"line_number": 2', '"line_number": 1'));
    const { code, stdout, stderr } = await runArmature(['config', 'check', file]);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(
      /attribute.conflict component "bench": Line 1 of the chip of the board is already pin "in1"/,
    );
  });
});
