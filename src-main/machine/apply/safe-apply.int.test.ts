import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { ConfigFile } from '../config/source/config-file.ts';
import { parseConfig } from '../config/reading/parse-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import { planChange } from '../config/plan/planner.ts';
import { revisionOf } from '../../base/revision.ts';
import { Configuration } from './configuration.ts';
import { withoutMaintenance } from './testing/without-maintenance.ts';
import { builtinCatalog } from '../models/catalog.ts';
import { TrialRecordFile } from './trial-record.ts';

const API = 'core:component:generic';
const full = (name: string): string => `${API}/${name}`;
/** A configuration with these resources; the mark is put in their notes. */
const textOf = (names: readonly string[], mark = ''): string =>
  JSON.stringify({ components: names.map((name) => ({ name, api: API, model: 'fake', notes: mark })) });

const GOOD = textOf(['left', 'right']);
const BROKEN = textOf(['left', 'right'], 'breaks left');
const WAIT_MS = 30_000;

/**
 * The state of the resources, as the test sets it. A plan makes the resources of its configuration ready, except these.
 */
class FakeResources {
  readonly states = new Map<string, string | undefined>();
  readonly listeners = new Set<() => void>();
  /** Names of resources that do not become ready, by the `notes` of the configuration. */
  readonly stuck = new Map<string, readonly string[]>([['breaks left', ['left']]]);

  ready(): string[] {
    return [...this.states].flatMap(([name, reason]) => (reason === undefined ? [name] : []));
  }

  notReadyReason(name: string): string | undefined {
    return this.states.has(name) ? this.states.get(name) : 'it is not there';
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  carryOut(plan: Plan): void {
    this.states.clear();
    for (const { fullName, name, notes, isDisabled } of plan.to.resources) {
      const isStuck = this.stuck.get(notes)?.includes(name) === true;
      this.states.set(fullName, isDisabled ? 'it is disabled' : isStuck ? `${name} is unplugged` : undefined);
    }
    this.tell();
  }

  become(name: string, reason: string | undefined): void {
    this.states.set(full(name), reason);
    this.tell();
  }

  tell(): void {
    for (const listener of this.listeners) listener();
  }
}

describe('safe apply', () => {
  let folder = '';
  let file = '';
  let recordFile = '';
  let clock: ManualClock;
  let resources: FakeResources;
  let configuration: Configuration;
  let executed: Plan[] = [];
  let failsToPlan = false;
  let carryOut: (plan: Plan) => void = () => undefined;

  function create(): Configuration {
    resources = new FakeResources();
    clock = new ManualClock();
    executed = [];
    carryOut = (plan) => resources.carryOut(plan);
    return new Configuration({
      source: new ConfigFile({ path: file, clock: systemClock, pollMs: 50 }),
      clock,
      logger: silentLogger,
      parse: (text) => parseConfig(text, { file, environment: {}, catalog: builtinCatalog }),
      plan: (from, to) => {
        if (failsToPlan) throw new Error('no plan');
        return planChange(from, to, builtinCatalog);
      },
      applySettings: () => undefined,
      execute: async (plan) => {
        executed.push(plan);
        carryOut(plan);
      },
      failures: () =>
        [...resources.states].flatMap(([name, reason]) => (reason === undefined ? [] : [{ name, reason }])),
      resources,
      trialRecord: new TrialRecordFile(recordFile),
      ...withoutMaintenance(clock),
    });
  }

  async function start(): Promise<void> {
    configuration = create();
    await configuration.load();
    await configuration.start();
  }

  /** Ends the server in any way, and starts it again. */
  async function restart(): Promise<void> {
    configuration.stop();
    await start();
  }

  function reach(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = configuration.subscribe(check);
      function check(): void {
        if (!isThere()) return;
        unsubscribe();
        resolve();
      }
      check();
    });
  }

  const apply = (text: string, returnAfterMs = WAIT_MS): ReturnType<Configuration['apply']> =>
    configuration.apply({
      text,
      baseRevision: configuration.state.revision,
      author: 'somebody',
      note: '',
      returnAfterMs,
    });
  const outcome = (): string => configuration.state.outcome.kind;
  /** Rolled back, and the rollback has been carried out. */
  const rolledBack = (): Promise<void> =>
    reach(() => outcome() === 'rolled-back' && configuration.state.appliedRevision === configuration.state.revision);
  const settled = (): Promise<void> => reach(() => outcome() !== 'applying');
  const stored = (): Promise<string> => readFile(file, 'utf8');
  const hasRecord = (): Promise<boolean> =>
    stat(recordFile).then(
      () => true,
      () => false,
    );

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-safe-apply-'));
    file = path.join(folder, 'machine.json');
    recordFile = path.join(folder, 'state', 'trial.json');
    failsToPlan = false;
    await writeFile(file, GOOD);
    await start();
  });

  afterEach(async () => {
    configuration.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('goes back when the time is over, and says why and from what', async () => {
    await chmod(file, 0o640);
    await apply(BROKEN);
    await settled();
    expect(configuration.state).toMatchObject({
      appliedRevision: revisionOf(BROKEN),
      outcome: { kind: 'applied-with-failures' },
      trial: { awaited: [full('left')], deadlineAt: clock.now() + WAIT_MS },
    });
    clock.advance(WAIT_MS - 1);
    expect(await stored()).toBe(BROKEN);
    clock.advance(1);
    await rolledBack();
    expect(configuration.state).toMatchObject({
      text: GOOD,
      appliedRevision: revisionOf(GOOD),
      trial: undefined,
      outcome: {
        revision: revisionOf(BROKEN),
        message: 'Rolled back to the previous configuration: left was not ready in 30 s: left is unplugged',
        rolledBackText: BROKEN,
        unready: [full('left')],
      },
    });
    expect(await stored()).toBe(GOOD);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(executed.map(({ to }) => to.resources.map(({ notes }) => notes)[0])).toEqual(['', 'breaks left', '']);
    expect(await hasRecord()).toBe(false);
  });

  it('says that it goes back together with the text it goes back to', async () => {
    await apply(BROKEN);
    await settled();
    const told: string[] = [];
    configuration.subscribe(() => {
      const { text, outcome: now } = configuration.state;
      told.push(`${text === GOOD ? 'good' : 'broken'} ${now.kind}`);
    });
    clock.advance(WAIT_MS);
    await rolledBack();
    expect(new Set(told)).toEqual(new Set(['broken applied-with-failures', 'good rolled-back']));
  });

  it('does not take its own way back for an edit of the file', async () => {
    await apply(BROKEN);
    clock.advance(WAIT_MS);
    await rolledBack();
    const later = textOf(['right'], 'later');
    await writeFile(file, later);
    await reach(() => configuration.state.appliedRevision === revisionOf(later));
    expect(executed).toHaveLength(4);
  });

  it('keeps the new one as soon as all is ready again, and says so', async () => {
    await apply(BROKEN);
    await settled();
    expect(await hasRecord()).toBe(true);
    resources.become('left', undefined);
    expect(configuration.state).toMatchObject({ trial: undefined, outcome: { kind: 'applied' } });
    clock.advance(WAIT_MS);
    expect(await stored()).toBe(BROKEN);
    expect(clock.pending).toBe(0);
    expect(resources.listeners.size).toBe(0);
    await expect.poll(hasRecord).toBe(false);
  });

  it('tells when a resource is ready again, not at every moment', async () => {
    resources.stuck.set('breaks left', ['left', 'right']);
    await apply(BROKEN);
    await settled();
    const told: (readonly string[])[] = [];
    configuration.subscribe(() => told.push(configuration.state.trial?.awaited ?? []));
    clock.advance(WAIT_MS / 2);
    resources.tell();
    resources.become('right', undefined);
    expect(told).toEqual([[full('left')]]);
    expect(configuration.state.trial?.leftMs()).toBe(WAIT_MS / 2);
  });

  it.each([
    ['is new', GOOD, textOf(['left', 'right', 'new'], 'breaks new')],
    ['was not ready before', BROKEN, textOf(['left', 'right'], 'breaks left still')],
    ['has another name now', GOOD, textOf(['renamed', 'right'], 'breaks renamed')],
    ['is removed', GOOD, textOf(['right'])],
  ])('does not wait for one that %s', async (_what, before, after) => {
    resources.stuck.set('breaks new', ['new']).set('breaks renamed', ['renamed']).set('breaks left still', ['left']);
    if (before !== GOOD) await apply(before, 0);
    await settled();
    await apply(after);
    await settled();
    expect(configuration.state.trial).toBeUndefined();
    clock.advance(WAIT_MS);
    expect(await stored()).toBe(after);
  });

  it('does not wait for one that is disabled by it', async () => {
    const disabled = GOOD.replace('"notes"', '"disabled":true,"notes"');
    await apply(disabled);
    await settled();
    expect(configuration.state.trial).toBeUndefined();
  });

  it('has no way back where none is asked for', async () => {
    await apply(BROKEN, 0);
    await settled();
    expect(configuration.state.trial).toBeUndefined();
    expect(await hasRecord()).toBe(false);
    clock.advance(600_000);
    expect(await stored()).toBe(BROKEN);
  });

  it('goes back to the last one that was not on trial, and measures with what was ready then', async () => {
    await apply(BROKEN);
    await settled();
    clock.advance(WAIT_MS / 2);
    const second = textOf(['left', 'right', 'more'], 'breaks left');
    await apply(second);
    await settled();
    expect(configuration.state.trial?.awaited).toEqual([full('left')]);
    clock.advance(WAIT_MS - 1);
    expect(configuration.state.trial).toBeDefined();
    clock.advance(1);
    await rolledBack();
    expect(await stored()).toBe(GOOD);
    expect(configuration.state.outcome.rolledBackText).toBe(second);
  });

  it('a second edit that mends the first is kept, and is what the next goes back to', async () => {
    await apply(BROKEN);
    await settled();
    const mended = textOf(['left', 'right'], 'mended');
    await apply(mended);
    await settled();
    expect(configuration.state.trial).toBeUndefined();
    await apply(BROKEN);
    clock.advance(WAIT_MS);
    await rolledBack();
    expect(await stored()).toBe(mended);
  });

  it('a text that is applied without a way back ends the trial before it', async () => {
    await apply(BROKEN);
    const second = textOf(['left', 'right', 'more'], 'breaks left');
    await apply(second, 0);
    await settled();
    clock.advance(WAIT_MS);
    expect(await stored()).toBe(second);
    await expect.poll(hasRecord).toBe(false);
  });

  it.each([
    ['in order', textOf(['left'], 'by hand')],
    ['broken', '{'],
  ])('an edit of the file, %s, ends the trial and stays', async (_what, edit) => {
    await apply(BROKEN);
    await settled();
    await writeFile(file, edit);
    await reach(() => configuration.state.revision === revisionOf(edit));
    expect(configuration.state.trial).toBeUndefined();
    clock.advance(WAIT_MS);
    expect(await stored()).toBe(edit);
    expect(outcome()).not.toBe('rolled-back');
  });

  it('an edit of the file that is found on the way back stays too', async () => {
    await apply(BROKEN);
    await settled();
    const edit = textOf(['left', 'right'], 'by hand');
    await writeFile(file, edit);
    clock.advance(WAIT_MS);
    await reach(() => configuration.state.revision === revisionOf(edit));
    await settled();
    expect(await stored()).toBe(edit);
    expect(outcome()).toBe('applied');
    expect(executed).toHaveLength(3);
  });

  it('a file that was deleted is made again by the way back', async () => {
    await apply(BROKEN);
    await settled();
    await rm(file);
    clock.advance(WAIT_MS);
    await rolledBack();
    expect(await stored()).toBe(GOOD);
  });

  it('stays and says so where the way back cannot be stored', async () => {
    await apply(BROKEN);
    await settled();
    await rm(file);
    // A folder in place of the file.
    await mkdir(file);
    clock.advance(WAIT_MS);
    await reach(() => configuration.state.outcome.message.includes('It cannot be stored'));
    expect(configuration.state).toMatchObject({ trial: undefined, outcome: { kind: 'applied-with-failures' } });
    expect(configuration.state.outcome.message).toContain('left was not ready in 30 s');
    expect(executed).toHaveLength(2);
  });

  it('says what is not ready after going back either', async () => {
    resources.stuck.set('', ['left']);
    await apply(BROKEN);
    clock.advance(WAIT_MS);
    await rolledBack();
    expect(configuration.state.outcome.message).toContain(
      'left is unplugged. Going back did not help: left: left is unplugged',
    );
  });

  it('is kept at once, or left at once, by the word of a person', async () => {
    await apply(BROKEN);
    await settled();
    expect(await configuration.endTrial(revisionOf(BROKEN), true)).toBe(revisionOf(BROKEN));
    expect(configuration.state).toMatchObject({ trial: undefined, outcome: { kind: 'applied-with-failures' } });
    clock.advance(WAIT_MS);
    expect(await stored()).toBe(BROKEN);

    await apply(GOOD, 0);
    await settled();
    await apply(BROKEN);
    await settled();
    expect(await configuration.endTrial(revisionOf(BROKEN), false)).toBe(revisionOf(GOOD));
    await rolledBack();
    expect(configuration.state.outcome.message).toBe(
      'Rolled back to the previous configuration, on request: left was not ready yet: left is unplugged',
    );
  });

  it('refuses to end a trial that is not, by name', async () => {
    await expect(configuration.endTrial(revisionOf(GOOD), false)).rejects.toMatchObject({
      code: 'call.failed_precondition',
      message: expect.stringContaining(revisionOf(GOOD)) as string,
    });
    await apply(BROKEN);
    await expect(configuration.endTrial('other', true)).rejects.toMatchObject({ code: 'call.failed_precondition' });
    expect(configuration.state.trial).toBeDefined();
  });

  it('one of keeping and leaving at the same moment wins, and the other is told', async () => {
    await apply(BROKEN);
    await settled();
    const revision = revisionOf(BROKEN);
    const ends = await Promise.allSettled([
      configuration.endTrial(revision, false),
      configuration.endTrial(revision, true),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await stored()).toBe(GOOD);
  });

  it('a text that is not carried out is left at once', async () => {
    let isFirst = true;
    carryOut = (plan) => {
      if (isFirst) {
        isFirst = false;
        throw new Error('half-way');
      }
      resources.carryOut(plan);
    };
    await apply(BROKEN);
    await rolledBack();
    expect(configuration.state.outcome.message).toContain('half-way');
    expect(await stored()).toBe(GOOD);
    // What was only half carried out is undone: the rollback starts from there.
    expect(executed.at(-1)?.from?.resources[0]?.notes).toBe('breaks left');
  });

  it('refuses, with nothing changed, where what to go back to cannot be kept', async () => {
    await writeFile(path.join(folder, 'state'), 'not a folder');
    await expect(apply(BROKEN)).rejects.toMatchObject({
      code: 'file.unwritable',
      message: expect.stringContaining('without a way back') as string,
    });
    expect(await stored()).toBe(GOOD);
    expect(executed).toHaveLength(1);
  });

  it('keeps the record for its owner alone', async () => {
    await apply(BROKEN);
    expect((await stat(recordFile)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(recordFile))).mode & 0o777).toBe(0o700);
  });

  it('a server that ended goes on with the trial, with all its time, and then goes back', async () => {
    await apply(BROKEN);
    await settled();
    await restart();
    await settled();
    expect(configuration.state).toMatchObject({ text: BROKEN, trial: { awaited: [full('left')] } });
    clock.advance(WAIT_MS);
    await rolledBack();
    expect(configuration.state.outcome.rolledBackText).toBe(BROKEN);
    expect(await stored()).toBe(GOOD);
    await expect.poll(hasRecord).toBe(false);
  });

  it('a server that ended is kept on the new one where all is ready after', async () => {
    await apply(BROKEN);
    configuration.stop();
    configuration = create();
    resources.stuck.clear();
    await configuration.load();
    await configuration.start();
    expect(configuration.state).toMatchObject({ text: BROKEN, trial: undefined, outcome: { kind: 'applied' } });
    await expect.poll(hasRecord).toBe(false);
  });

  it('a server that ended twice starts with the one before', async () => {
    await apply(BROKEN);
    await settled();
    await restart();
    await restart();
    expect(await stored()).toBe(GOOD);
    expect(configuration.state).toMatchObject({
      text: GOOD,
      outcome: {
        kind: 'rolled-back',
        rolledBackText: BROKEN,
        message: expect.stringContaining('ended twice') as string,
      },
    });
    expect(executed).toHaveLength(1);
    await restart();
    expect(outcome()).toBe('applied');
  });

  it('a record of another text than the stored one is nothing', async () => {
    await apply(BROKEN);
    configuration.stop();
    await writeFile(file, textOf(['right'], 'by hand'));
    await start();
    expect(configuration.state).toMatchObject({ trial: undefined, outcome: { kind: 'applied' } });
    clock.advance(WAIT_MS);
    expect(await stored()).toBe(textOf(['right'], 'by hand'));
  });

  it('a server that ended while a second text was being stored goes on with the trial of the first', async () => {
    await apply(BROKEN);
    await apply(textOf(['left', 'right', 'more'], 'breaks left'));
    await settled();
    configuration.stop();
    // The record of the second text exists, but its text does not.
    await writeFile(file, BROKEN);
    await start();
    await settled();
    expect(configuration.state.trial?.awaited).toEqual([full('left')]);
    clock.advance(WAIT_MS);
    await rolledBack();
    expect(await stored()).toBe(GOOD);
  });

  it('a text that is stored and cannot be planned is rejected, and nothing is on trial', async () => {
    await apply(BROKEN);
    configuration.stop();
    failsToPlan = true;
    await start();
    expect(outcome()).toBe('rejected');
    expect(configuration.state.trial).toBeUndefined();
    await expect(configuration.endTrial(revisionOf(BROKEN), true)).rejects.toMatchObject({
      code: 'call.failed_precondition',
    });
    await expect.poll(hasRecord).toBe(false);
  });

  it('a damaged record is nothing', async () => {
    await apply(BROKEN);
    configuration.stop();
    await writeFile(recordFile, '{"revision": 7');
    await start();
    expect(configuration.state.trial).toBeUndefined();
  });
});
