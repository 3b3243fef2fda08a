/** The wiring that docs/bench-engineer.md prints, with the printed command that tries it without hardware. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { missingReason } from '../../native/index.js';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { EncoderServiceDefinition } from '../../proto/gen/core/component/encoder/v1/encoder.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

interface PrintedMachine {
  readonly components: readonly {
    readonly name: string;
    readonly api: string;
    readonly model: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

const page = await readFile(path.join(import.meta.dirname, '../../docs/bench-engineer.md'), 'utf8');
const section = /^## Real wires\n([^]*?)^## /m.exec(page)?.[1] ?? '';
const printed = JSON.parse(/```json\n([^]*?)```/.exec(section)?.[1] ?? '{}') as PrintedMachine;
/** Options of the printed command; the configuration file is the test's. */
const options = (/^\.\/armature server -config \S+(.*)$/m.exec(section)?.[1] ?? '').split(' ').filter(Boolean);
const named = (api: string) => printed.components.find((one) => one.api === `core:component:${api}`)!;

describe.skipIf(missingReason() !== undefined)('the wiring in the documents', () => {
  let server: ServerProcess | undefined;
  let client: MachineClient | undefined;
  afterEach(async () => {
    client?.close();
    await server?.stop();
  });

  it('turns its shaft by the printed command, as far as GoFor says, both ways', { timeout: 120_000 }, async () => {
    expect(options).toEqual(['-simulate-hardware']);
    const [board, motor, encoder] = [named('board'), named('motor'), named('encoder')];
    expect([board.model, motor.model, encoder.model]).toEqual(['linux', 'gpio', 'incremental']);
    // The usual port may be in use, and on a busy computer the program may block for longer than a board usually
    // allows.
    const components = printed.components.map((one) =>
      one === board ? { ...one, attributes: { ...one.attributes, expiry_ms: 60_000 } } : one,
    );
    const config = JSON.stringify({ network: { bind_address: 'localhost:0' }, components });
    server = await startServer({ config, args: options });
    client = new MachineClient(server.url, {}, { callLimitMs: 100_000 });
    const { grpc } = client;
    /** Revolutions of the shaft itself, at the other end of the wires. */
    const turned = async (): Promise<number> => {
      const request = { name: board.name, command: { simulate: { motor: 0 } } };
      const { result } = await grpc.call(BoardServiceDefinition, 'doCommand', request);
      return Number(result?.['revolutions']);
    };
    const ticks = Number(motor.attributes['ticks_per_rotation']);
    for (const [revolutions, goal] of [
      [2, 2],
      [-0.5, 1.5],
    ] as const) {
      await client.goFor(motor.name, 60, revolutions);
      expect(await client.isMoving(motor.name)).toBe(false);
      expect(Math.abs((await client.position(motor.name)) - goal)).toBeLessThan(0.1);
      expect(Math.abs((await turned()) - goal)).toBeLessThan(0.1);
      const { value } = await grpc.call(EncoderServiceDefinition, 'getPosition', { name: encoder.name });
      expect(Math.abs(value / ticks - goal)).toBeLessThan(0.1);
    }
  });

  it('has the pins of its table', () => {
    const cells = section.split('\n').flatMap((line) => line.split('|').map((cell) => cell.trim()));
    const pinsOf = (wire: string) => cells[cells.indexOf(wire) + 1]?.split(', ');
    const { a, b, pwm } = named('motor').attributes['pins'] as Record<string, string>;
    expect([pinsOf('bridge IN1, IN2'), pinsOf('bridge PWM (EN)')]).toEqual([[a, b], [pwm]]);
    const interrupts = named('board').attributes['digital_interrupts'] as { pin: string }[];
    expect(pinsOf('encoder A, B')).toEqual(interrupts.map(({ pin }) => pin));
  });
});
