import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { revisionOf } from '../../base/revision.ts';
import { textOf, WaitingMachine, WINDOW } from './testing/waiting-machine.ts';

const BEFORE = textOf(['left']);
const AFTER = textOf(['left', 'right']);
const POLL_MS = 2_000;

describe('a maintenance window', () => {
  let machine: WaitingMachine;

  beforeEach(async () => {
    machine = await WaitingMachine.create(BEFORE);
  });

  afterEach(() => machine.remove());

  /** The next poll of the door has finished. */
  async function look(): Promise<void> {
    const before = machine.looks;
    await expect
      .poll(() => {
        machine.clock.advance(POLL_MS);
        return machine.looks;
      })
      .toBeGreaterThan(before);
  }

  const names = (): readonly string[] => machine.running.filter((name) => name !== 'door');

  it('a first configuration applies at once, whatever its sensor says', () => {
    expect(names()).toEqual(['left']);
    expect(machine.looks).toBe(0);
  });

  it('stores a text, holds it back, and says what it waits for since when', async () => {
    const since = machine.clock.now();
    await machine.applyAndWait(AFTER);
    const { state } = machine.configuration;
    expect(await machine.stored).toBe(AFTER);
    expect(state).toMatchObject({ revision: revisionOf(AFTER), appliedRevision: revisionOf(BEFORE) });
    expect(state.outcome).toMatchObject({
      kind: 'deferred',
      revision: revisionOf(AFTER),
      message: `Waiting for sensor door: closed is false, since ${new Date(since).toISOString()}: right: added`,
      deferred: { reason: 'sensor door: closed is false', since, runningText: BEFORE },
    });
    expect(state.outcome.deferred?.plan.resources).toMatchObject([
      { kind: 'add', name: 'core:component:generic/right' },
    ]);
    expect(names()).toEqual(['left']);
  });

  it('carries out what waited as soon as a look says that it may, for Apply', async () => {
    await machine.applyAndWait(AFTER);
    await look();
    expect(names()).toEqual(['left']);
    machine.readings = { closed: true };
    await look();
    await machine.inForce(AFTER);
    expect(names()).toEqual(['left', 'right']);
    expect(machine.lines).toContain(`configuration ${revisionOf(AFTER)} is applied: maintenance is allowed`);
  });

  it('and for an edit of the file, which nobody delivers a second time', async () => {
    await writeFile(machine.file, AFTER);
    await machine.reach(() => machine.outcome.kind === 'deferred');
    machine.readings = { closed: true };
    await look();
    await machine.inForce(AFTER);
  });

  it('carries out at once what is allowed at once', async () => {
    machine.readings = { closed: true };
    await machine.apply(AFTER);
    await machine.inForce(AFTER);
    expect(machine.outcomes.map(({ kind }) => kind)).not.toContain('deferred');
  });

  it('of several the newest wins, and the history is told of the other', async () => {
    await machine.applyAndWait(AFTER);
    const newest = textOf(['newest']);
    await machine.applyAndWait(newest);
    machine.readings = { closed: true };
    await look();
    await machine.inForce(newest);
    expect(machine.executed.map(({ to }) => to.resources.at(-1)?.name)).toEqual(['left', 'newest']);
    expect(machine.outcomes.find(({ kind }) => kind === 'replaced')).toMatchObject({
      revision: revisionOf(AFTER),
      message: `Configuration ${revisionOf(newest)} replaced it before maintenance was allowed.`,
    });
  });

  it('two editors: who started from what runs is told of what waits', async () => {
    await machine.applyAndWait(AFTER);
    const request = {
      text: textOf(['mine']),
      baseRevision: revisionOf(BEFORE),
      author: '',
      note: '',
      returnAfterMs: 0,
    };
    expect(await machine.configuration.apply(request)).toMatchObject({ kind: 'conflict', currentText: AFTER });
    expect(machine.outcome.kind).toBe('deferred');
  });

  it('the block in force decides about a text without it', async () => {
    const free = textOf(['left'], { maintenance: undefined });
    await machine.applyAndWait(free);
    expect(machine.outcome.deferred?.plan.summary).toContain('maintenance core:component:sensor/door closed to none');
    await machine.configuration.applyNow(revisionOf(free), 'ada');
    await machine.inForce(free);
    // From then on nothing waits.
    await machine.apply(AFTER);
    await machine.inForce(AFTER);
  });

  it('and about one with another sensor or key, and one that changes the sensor itself', async () => {
    const allowing = {
      name: 'other',
      api: 'core:component:sensor',
      model: 'fake',
      attributes: { readings: { ok: true } },
    };
    const maintenance = { sensor_name: 'core:component:sensor/other', maintenance_allowed_key: 'ok' };
    await machine.applyAndWait(textOf([], { components: [allowing], maintenance }));
    await machine.applyAndWait(textOf(['left'], { maintenance: { ...WINDOW, maintenance_allowed_key: 'ok' } }));
    const door = {
      name: 'door',
      api: 'core:component:sensor',
      model: 'fake',
      attributes: { readings: { closed: true } },
    };
    await machine.applyAndWait(textOf([], { components: [door] }));
    expect(names()).toEqual(['left']);
  });

  it('levels of logs never wait: alone they are in force at once, with other changes beside them', async () => {
    const log = [{ pattern: 'core.*', level: 'debug' }];
    const louder = textOf(['left'], { log });
    await machine.apply(louder);
    await machine.inForce(louder);
    const most = textOf(['left', 'right'], { log: [], debug: true });
    await machine.applyAndWait(most);
    expect(machine.levelsOf.at(-1)).toMatchObject({ debug: true, log: [] });
    expect(machine.outcome.deferred?.plan.settings).toEqual([]);
    expect(names()).toEqual(['left']);
    // After a revert, the levels are as before.
    await machine.apply(louder);
    await machine.inForce(louder);
    expect(machine.levelsOf.at(-1)).toMatchObject({ debug: false, log });
  });

  it('asks once more right before it carries out, and goes on waiting where that is over', async () => {
    await machine.applyAndWait(AFTER);
    machine.nextReadings.push({ closed: true }, { closed: false });
    await look();
    await look();
    expect(machine.nextReadings).toEqual([]);
    expect(names()).toEqual(['left']);
    expect(machine.outcome.kind).toBe('deferred');
  });

  it('who applies it now is logged, with what the sensor said', async () => {
    await machine.applyAndWait(AFTER);
    expect(await machine.configuration.applyNow(revisionOf(AFTER), 'ada')).toBe(revisionOf(AFTER));
    await machine.inForce(AFTER);
    expect(machine.lines).toContain(
      `configuration ${revisionOf(AFTER)} is carried out now, as ada decided, although it waited: sensor door: closed is false`,
    );
    await expect(machine.configuration.applyNow(revisionOf(AFTER), 'ada')).rejects.toMatchObject({
      code: 'call.failed_precondition',
    });
    expect(machine.executed).toHaveLength(2);
  });

  it('refuses to apply now what does not wait any more', async () => {
    await machine.applyAndWait(AFTER);
    await machine.applyAndWait(textOf(['newest']));
    await expect(machine.configuration.applyNow(revisionOf(AFTER), 'ada')).rejects.toMatchObject({
      code: 'call.failed_precondition',
    });
    expect(names()).toEqual(['left']);
  });

  it('takes back what waits when what runs is applied, and keeps nothing of it', async () => {
    await machine.applyAndWait(AFTER);
    await machine.apply(BEFORE);
    await machine.inForce(BEFORE);
    expect(machine.outcomes.find(({ kind }) => kind === 'replaced')?.message).toMatch(/^Withdrawn/);
    machine.readings = { closed: true };
    machine.clock.advance(10 * POLL_MS);
    expect(machine.executed.at(-1)?.summary).toBe('no changes');
    await expect.poll(() => stat(machine.recordFile).catch(() => 'none')).toBe('none');
  });

  it('a sensor that fails while something waits is told of, and the wait is the same', async () => {
    const since = machine.clock.now();
    await machine.applyAndWait(AFTER);
    machine.readings = new Error('the cable of door is out');
    await look();
    await machine.reach(() => machine.outcome.deferred?.reason === 'sensor door: the cable of door is out');
    expect(machine.outcome).toMatchObject({ at: since, deferred: { since } });
    machine.readings = { closed: true };
    await look();
    await machine.inForce(AFTER);
  });

  it('asks a sensor that comes back at once', async () => {
    await machine.applyAndWait(AFTER);
    const looks = machine.looks;
    machine.become('core:component:sensor/door', 'it has no answer');
    await expect.poll(() => machine.looks).toBe(looks + 1);
    machine.readings = { closed: true };
    machine.become('core:component:sensor/door', undefined);
    await machine.inForce(AFTER);
  });

  it('a clock that is set back by a day changes nothing', async () => {
    const since = machine.clock.now();
    await machine.applyAndWait(AFTER);
    machine.clock.jumpMs = -86_400_000;
    await look();
    expect(machine.outcome.deferred?.since).toBe(since);
    machine.readings = { closed: true };
    await look();
    await machine.inForce(AFTER);
  });

  it('a text that cannot be applied takes the place of what waits, and nothing is carried out', async () => {
    await machine.applyAndWait(AFTER);
    await writeFile(machine.file, '{ "components": ');
    await machine.reach(() => machine.outcome.kind === 'rejected');
    machine.readings = { closed: true };
    machine.clock.advance(10 * POLL_MS);
    expect(names()).toEqual(['left']);
  });

  it('a file that is gone is waited for no more, and again when it is back', async () => {
    await machine.applyAndWait(AFTER);
    await rm(machine.file);
    await machine.reach(() => machine.outcome.kind === 'rejected');
    machine.readings = { closed: true };
    machine.clock.advance(10 * POLL_MS);
    expect(names()).toEqual(['left']);
    machine.readings = { closed: false };
    await writeFile(machine.file, AFTER);
    await machine.reach(() => machine.outcome.kind === 'deferred');
  });

  it('refuses a text for which it cannot be kept what runs meanwhile', async () => {
    await mkdir(path.dirname(machine.recordFile), { recursive: true });
    await rm(path.dirname(machine.recordFile), { recursive: true });
    await writeFile(path.dirname(machine.recordFile), 'no folder');
    await expect(machine.apply(AFTER)).rejects.toMatchObject({ code: 'file.unwritable' });
    expect(await machine.stored).toBe(BEFORE);
    expect(names()).toEqual(['left']);
  });

  describe('over the end of the server', () => {
    it('what ran starts again, and what waited goes on waiting, since when it did', async () => {
      const since = machine.clock.now();
      await machine.applyAndWait(AFTER);
      expect((await stat(machine.recordFile)).mode & 0o777).toBe(0o600);
      machine.end();
      machine.clock.advance(60_000);
      await machine.start();
      await machine.reach(() => machine.outcome.kind === 'deferred');
      const { state } = machine.configuration;
      expect(state).toMatchObject({ text: AFTER, appliedRevision: revisionOf(BEFORE) });
      expect(state.outcome.deferred).toMatchObject({ since, runningText: BEFORE });
      expect(names()).toEqual(['left']);
      expect(machine.outcomes.map(({ revision }) => revision)).not.toContain(revisionOf(BEFORE));
      machine.readings = { closed: true };
      await look();
      await machine.inForce(AFTER);
      machine.end();
      await machine.start();
      expect(names()).toEqual(['left', 'right']);
      expect(machine.outcome.kind).toBe('applied');
    });

    it('a file that was edited while nothing ran is what starts', async () => {
      await machine.applyAndWait(AFTER);
      machine.end();
      const edited = textOf(['edited']);
      await writeFile(machine.file, edited);
      await machine.start();
      expect(names()).toEqual(['edited']);
      // The text that waited is an ordinary text from now on.
      machine.end();
      await writeFile(machine.file, AFTER);
      await machine.start();
      expect(names()).toEqual(['left', 'right']);
    });

    it('a server that ended between the record and the text goes on with the text it has', async () => {
      await machine.applyAndWait(AFTER);
      const kept = JSON.parse(await readFile(machine.recordFile, 'utf8')) as Record<string, unknown>;
      machine.end();
      const never = { ...kept, revision: revisionOf(textOf(['never'])), replaces: revisionOf(AFTER) };
      await writeFile(machine.recordFile, JSON.stringify(never));
      await machine.start();
      await machine.reach(() => machine.outcome.kind === 'deferred');
      expect(machine.configuration.state.text).toBe(AFTER);
      expect(names()).toEqual(['left']);
    });

    it.each(['', '{', '{"revision": 1}', '[]'])(
      'a record that says %j is none: what is stored starts',
      async (record) => {
        await machine.applyAndWait(AFTER);
        machine.end();
        await chmod(machine.recordFile, 0o600);
        await writeFile(machine.recordFile, record);
        await machine.start();
        expect(names()).toEqual(['left', 'right']);
      },
    );
  });

  describe('and a safe apply', () => {
    const WAIT_MS = 30_000;

    it('the time to prove itself begins when the text is carried out', async () => {
      machine.stuck.add('right');
      await machine.apply(BEFORE);
      await machine.applyAndWait(AFTER, WAIT_MS);
      machine.clock.advance(10 * WAIT_MS);
      expect(machine.outcome.kind).toBe('deferred');
      expect(machine.configuration.state.trial).toBeUndefined();
      machine.stuck.add('left');
      machine.readings = { closed: true };
      await look();
      await machine.reach(() => machine.configuration.state.trial !== undefined);
      machine.readings = { closed: false };
      machine.stuck.clear();
      machine.clock.advance(WAIT_MS);
      // A rollback does not wait.
      await machine.reach(() => machine.outcome.kind === 'rolled-back');
      await machine.reach(() => machine.configuration.state.appliedRevision === revisionOf(BEFORE));
      expect(await machine.stored).toBe(BEFORE);
    });

    /** A text on trial whose resource does not become ready, with another text waiting on top of it. */
    async function trialBeneath(): Promise<string> {
      const tried = textOf(['left', 'tried']);
      machine.readings = { closed: true };
      machine.stuck.add('left');
      await machine.apply(tried, WAIT_MS);
      await machine.reach(() => machine.configuration.state.trial !== undefined);
      machine.readings = { closed: false };
      await machine.applyAndWait(AFTER);
      machine.stuck.clear();
      return tried;
    }

    it('a text on trial is left while another one waits, which goes on waiting', async () => {
      const tried = await trialBeneath();
      expect(names()).toEqual(['left', 'tried']);
      machine.clock.advance(WAIT_MS);
      await machine.reach(() => machine.configuration.state.appliedRevision === revisionOf(BEFORE));
      expect(names()).toEqual(['left']);
      expect(machine.outcomes.find(({ kind }) => kind === 'rolled-back')).toMatchObject({
        revision: revisionOf(tried),
      });
      expect(await machine.stored).toBe(AFTER);
      expect(machine.outcome).toMatchObject({ kind: 'deferred', deferred: { runningText: BEFORE } });
      machine.readings = { closed: true };
      await look();
      await machine.inForce(AFTER);
    });

    it('and after the server ended twice meanwhile', async () => {
      await trialBeneath();
      machine.stuck.add('left');
      machine.end();
      await machine.start();
      expect(names()).toEqual(['left', 'tried']);
      machine.end();
      machine.stuck.clear();
      await machine.start();
      expect(names()).toEqual(['left']);
      expect(await machine.stored).toBe(AFTER);
      await machine.reach(() => machine.outcome.kind === 'deferred');
    });
  });
});
