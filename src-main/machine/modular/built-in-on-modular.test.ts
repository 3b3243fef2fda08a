import { beforeAll, describe, expect, it } from 'vitest';
import type { Motor } from '../../apis/motor.ts';
import type { FakeBoardAttributes } from '../models/board-fake/schema.ts';
import { resource, settle } from '../graph/testing/graph-fixture.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { FakeBoard } from '../models/board-fake/fake-board.ts';
import { builtinCatalog } from '../models/catalog.ts';
import { boardModel, FakeModule } from './testing/fake-module.ts';
import { ModularFixture } from './testing/modular-fixture.ts';

const BOARD = boardModel.api;
const MOTOR = 'core:component:motor';
const ENCODER = 'core:component:encoder';

const boardAttributes = {
  fail_new: false,
  simulated_motors: [
    {
      pins: { pwm: '12', dir: '16' },
      encoder_pins: { a: '20', b: '21' },
      ticks_per_rotation: 100,
      max_rpm: 300,
      time_constant_ms: 20,
    },
  ],
} as unknown as FakeBoardAttributes;

function bench(): { readonly fixture: ModularFixture; readonly boards: FakeBoard[]; newModule(): FakeModule } {
  const fixture = new ModularFixture(builtinCatalog);
  const boards: FakeBoard[] = [];
  const newModule = (): FakeModule =>
    new FakeModule({
      clock: fixture.clock,
      models: [boardModel],
      make: (_config, name) => {
        const board = new FakeBoard(name, boardAttributes, fixture.clock);
        boards.push(board);
        return board;
      },
    });
  return { fixture, boards, newModule };
}

const config: readonly ResourceConfig[] = [
  resource('bench', {}, { api: BOARD, model: boardModel.model }),
  resource('wheel', { board: 'bench', pins: { a: '20', b: '21' } } as never, {
    api: ENCODER,
    model: 'core:builtin:incremental',
  }),
  resource(
    'left',
    {
      board: 'bench',
      encoder: 'wheel',
      ticks_per_rotation: 100,
      max_rpm: 300,
      pins: { pwm: '12', dir: '16' },
      dir_flip: false,
    } as never,
    { api: MOTOR, model: 'core:builtin:gpio' },
  ),
];

async function pass(fixture: ModularFixture, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5) {
    fixture.clock.advance(5);
    for (let turn = 0; turn < 3; turn++) await settle();
  }
}

// Loading code takes real time, which the clock of these tests does not measure.
beforeAll(async () => {
  for (const { api, model } of config) await builtinCatalog.find(api, model)?.load();
});

describe('a built-in motor and encoder on the board of a module', () => {
  it('measure and turn as on a board of our own', async () => {
    const { fixture, newModule } = bench();
    fixture.directory.run(newModule());
    void fixture.start(...config);
    await fixture.rest();
    await pass(fixture, 100);
    expect(fixture.graph.statuses().map(({ name, state }) => [name, state.kind])).toEqual([
      ['bench', 'ready'],
      ['wheel', 'ready'],
      ['left', 'ready'],
    ]);
    const motor = fixture.graph.resourceOf(`${MOTOR}/left`) as Motor;
    let isThere = false;
    const motion = motor.goFor(120, 2).then(() => (isThere = true));
    await pass(fixture, 4_000);
    expect(isThere).toBe(true);
    await motion;
    expect(await motor.position()).toBeCloseTo(2, 1);
    expect(await motor.isMoving()).toBe(false);
  }, 30_000);

  it('end with it, and come back with it', async () => {
    const { fixture, boards, newModule } = bench();
    fixture.directory.run(newModule());
    void fixture.start(...config);
    await fixture.rest();
    await pass(fixture, 100);
    const motor = fixture.graph.resourceOf(`${MOTOR}/left`) as Motor;
    void motor.setPower(1).catch(() => undefined);
    await pass(fixture, 200);
    expect(await motor.isMoving()).toBe(true);
    fixture.directory.lose('acme:parts', 'failed', 'module acme_parts ended: killed by SIGKILL after 1 s');
    expect(fixture.told(`${BOARD}/bench`)).toContain('killed by SIGKILL');
    await pass(fixture, 1_000);
    expect(() => fixture.graph.find(BOARD, 'bench')).toThrow(/killed by SIGKILL/);
    expect(() => fixture.graph.find(MOTOR, 'left')).toThrow(/killed by SIGKILL/);
    expect(fixture.told(`${MOTOR}/left`)).toBe(
      'waiting: its board bench failed: module acme_parts ended: killed by SIGKILL after 1 s (and 1 more)',
    );
    fixture.directory.run(newModule());
    await fixture.rest();
    await pass(fixture, 100);
    expect(fixture.told(`${MOTOR}/left`)).toBe('ready');
    expect(boards).toHaveLength(2);
  }, 30_000);
});
