import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApplyModel } from './testing/apply-model.ts';
import { BREAKS, MemoryMachine, parse, type Death } from './testing/memory-machine.ts';

/**
 * How many interleavings are tested; 10,000 take a minute: ARMATURE_INTERLEAVINGS=10000 npm run test:unit --
 * interleavings
 */
const RUNS = Number(process.env['ARMATURE_INTERLEAVINGS'] ?? 1_000);
/** Time limit of a trial; chosen so that it never ends at the moment of a poll, where the order would be undefined. */
const WAIT_MS = 5_100;
/** Time passes in steps of this size, so that earlier events are over before later ones are due. */
const STEP_MS = 100;

const door = { name: 'door', api: 'core:component:sensor', model: 'fake' };
const window = { sensor_name: 'core:component:sensor/door', maintenance_allowed_key: 'closed' };

function textOf(names: readonly string[], hasWindow: boolean, notes: string, more: object = {}): string {
  const components = names.map((name) => ({ name, api: 'core:component:generic', model: 'fake', notes }));
  return JSON.stringify({ components: [door, ...components], ...(hasWindow ? { maintenance: window } : {}), ...more });
}

const goodText = fc
  .tuple(fc.subarray(['a', 'b']), fc.boolean(), fc.constantFrom('', 'other words', BREAKS))
  .map(([names, hasWindow, notes]) => textOf(names, hasWindow, notes));
/**
 * Used by no other step: if the file returns to a text that waited earlier, it cannot be known whether it still waits.
 */
const editedText = fc
  .tuple(fc.subarray(['a', 'b']), fc.boolean())
  .map(([names, hasWindow]) => textOf(names, hasWindow, '', { debug: true }));
const text = fc.oneof({ weight: 9, arbitrary: goodText }, { weight: 1, arbitrary: fc.constant('{"components": ') });
const waitMs = fc.constantFrom(0, WAIT_MS);

type Step =
  | { readonly do: 'apply'; readonly text: string; readonly waitMs: number; readonly isStale: boolean }
  | { readonly do: 'edit'; readonly text: string }
  | { readonly do: 'door'; readonly isClosed: boolean }
  | { readonly do: 'world'; readonly name: string; readonly works: boolean }
  | { readonly do: 'pass'; readonly seconds: number }
  | { readonly do: 'apply-now' }
  | { readonly do: 'end-trial'; readonly keep: boolean }
  | { readonly do: 'restart'; readonly edited: string | undefined }
  | { readonly do: 'die'; readonly death: Death; readonly text: string; readonly waitMs: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('apply' as const),
    text,
    waitMs,
    isStale: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  }),
  fc.record({ do: fc.constant('edit' as const), text }),
  fc.record({ do: fc.constant('door' as const), isClosed: fc.boolean() }),
  fc.record({ do: fc.constant('world' as const), name: fc.constantFrom('a', 'b'), works: fc.boolean() }),
  fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(2, 4, 6) }),
  fc.constant({ do: 'apply-now' as const }),
  fc.record({ do: fc.constant('end-trial' as const), keep: fc.boolean() }),
  fc.record({ do: fc.constant('restart' as const), edited: fc.option(editedText, { nil: undefined }) }),
  fc.record({
    do: fc.constant('die' as const),
    death: fc.constantFrom<Death>('after-record', 'after-write'),
    text: goodText,
    waitMs,
  }),
);

/**
 * Applies one step to both the machine and the model. Answers checked here tell the model what it cannot know itself.
 */
async function take(machine: MemoryMachine, model: ApplyModel, one: Step): Promise<void> {
  const { configuration } = machine;
  const { revision } = configuration.state;
  const apply = (asked: string, returnAfterMs: number, baseRevision: string) =>
    configuration.apply({ text: asked, baseRevision, author: 'ada', note: '', returnAfterMs });
  switch (one.do) {
    case 'apply': {
      const { kind } = await apply(one.text, one.waitMs, one.isStale ? 'another' : revision);
      const isGood = parse(one.text).config !== undefined;
      expect(kind).toBe(one.isStale ? 'conflict' : isGood ? 'applied' : 'rejected');
      if (kind === 'applied') model.apply(one.text, one.waitMs);
      break;
    }
    case 'edit':
      machine.edit(one.text);
      model.edit(one.text);
      break;
    case 'door':
      machine.isDoorClosed = model.isDoorClosed = one.isClosed;
      break;
    case 'world':
      machine.setWorks(one.name, one.works);
      model.resourcesChanged();
      break;
    case 'pass':
      for (let ms = 0; ms < one.seconds * 1_000; ms += STEP_MS) {
        machine.clock.advance(STEP_MS);
        await machine.settle();
      }
      model.pass(one.seconds * 1_000);
      break;
    case 'apply-now': {
      const done = configuration.applyNow(revision, 'ada').then(
        () => true,
        () => false,
      );
      expect(await done).toBe(model.applyNow());
      break;
    }
    case 'end-trial': {
      const ended = model.trial === undefined ? '' : revisionOnTrial(machine, model);
      const done = configuration.endTrial(ended, one.keep).then(
        () => true,
        () => false,
      );
      expect(await done).toBe(model.endTrial(one.keep));
      break;
    }
    case 'restart':
      machine.end();
      if (one.edited !== undefined) machine.edit(one.edited);
      // An edit of the file while nothing ran was somebody's decision: it starts, and nothing waits or is on trial.
      if (one.edited !== undefined && one.edited !== model.stored) {
        model.stored = one.edited;
        model.waiting = undefined;
        model.trial = undefined;
      }
      await restarted(machine, model);
      break;
    case 'die':
      machine.dieAt(one.death);
      void apply(one.text, one.waitMs, revision).catch(() => undefined);
      await machine.settle();
      machine.end();
      if (machine.hasDied) model.diedIn(one.text, one.waitMs, one.death);
      else {
        // The server did not end at that point: the Apply was carried out, and the server ended afterwards.
        model.apply(one.text, one.waitMs);
        model.restart();
      }
      machine.hasDied = false;
      await started(machine, model);
      break;
  }
  await machine.settle();
}

async function restarted(machine: MemoryMachine, model: ApplyModel): Promise<void> {
  if (parse(model.stored).config !== undefined || model.waiting !== undefined) model.restart();
  await started(machine, model);
}

/** A text that cannot be used makes the start fail with an error: a person has to repair the file. */
async function started(machine: MemoryMachine, model: ApplyModel): Promise<void> {
  if (parse(machine.stored).config !== undefined) {
    await machine.start();
    return;
  }
  await expect(machine.start()).rejects.toMatchObject({ code: 'config.invalid' });
  const mended = textOf([], false, 'mended');
  machine.end();
  machine.edit(mended);
  model.stored = mended;
  model.waiting = model.trial = undefined;
  model.restart();
  await machine.start();
}

function revisionOnTrial(machine: MemoryMachine, model: ApplyModel): string {
  // A waiting text hides the trial beneath it, whose revision is that of the running text.
  return model.waiting === undefined
    ? machine.configuration.state.revision
    : machine.configuration.state.appliedRevision;
}

/** Applies the steps to a machine and to the model; both must agree after each step. */
async function walk(first: string, steps: readonly Step[]): Promise<void> {
  const machine = new MemoryMachine(first);
  const model = new ApplyModel(first, machine.world);
  await machine.start();
  for (const one of steps) {
    await take(machine, model, one);
    const { configuration } = machine;
    const seen = {
      stored: machine.stored,
      told: configuration.state.text,
      running: configuration.runningText,
      waits: machine.hasDeferral,
      isOnTrial: configuration.state.trial !== undefined,
    };
    expect(seen, JSON.stringify(one)).toEqual({
      stored: model.stored,
      told: model.stored,
      running: model.running,
      waits: model.waiting !== undefined,
      // A waiting text hides the one on trial beneath it.
      isOnTrial: model.trial !== undefined && model.waiting === undefined,
    });
  }
  machine.end();
}

const apply = (asked: string, ms: number): Step => ({ do: 'apply', text: asked, waitMs: ms, isStale: false });
const die = (death: Death, asked: string, ms: number): Step => ({ do: 'die', death, text: asked, waitMs: ms });
const restart: Step = { do: 'restart', edited: undefined };
const withA = (hasWindow: boolean, notes = ''): string => textOf(['a'], hasWindow, notes);

it.each<readonly [string, string, readonly Step[]]>([
  [
    'a text that was on trial, and left because the server ended twice, is not started again beneath one that waits',
    withA(true),
    [apply(withA(true, BREAKS), WAIT_MS), restart, apply(textOf([], false, ''), 0), restart, restart],
  ],
  [
    'a text that was never stored, as the server ended before, is not on trial when it is applied later without a way back',
    withA(false),
    [die('after-record', withA(false, BREAKS), WAIT_MS), apply(withA(false, BREAKS), 0), restart],
  ],
  [
    'a text that waits keeps its own terms where the server ends before another one is stored',
    withA(true),
    [
      apply(textOf(['a', 'b'], true, BREAKS), 0),
      die('after-record', textOf([], true, ''), WAIT_MS),
      { do: 'apply-now' },
    ],
  ],
  [
    'a text on trial has no third chance where the server ends before another one is stored',
    withA(false),
    [apply(withA(false, BREAKS), WAIT_MS), restart, die('after-record', textOf([], false, ''), WAIT_MS)],
  ],
])('%s', (_title, first, steps) => walk(first, steps));

it(
  'any interleaving of edits, applies, trials, maintenance and ends of the server leaves what the rules say',
  { timeout: 600_000 },
  async () => {
    const steps = fc.array(step, { minLength: 6, maxLength: 24, size: 'max' });
    await fc.assert(fc.asyncProperty(goodText, steps, walk), { numRuns: RUNS });
  },
);
