import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { ConfigFile } from '../config/source/config-file.ts';
import { parseConfig } from '../config/reading/parse-config.ts';
import type { Plan } from '../config/plan/plan.ts';
import { planChange } from '../config/plan/planner.ts';
import { revisionOf } from '../../base/revision.ts';
import { Configuration } from './configuration.ts';
import { withoutMaintenance } from './testing/without-maintenance.ts';
import { builtinCatalog } from '../models/catalog.ts';
import type { ResourceReadiness } from './trial-terms.ts';
import type { Unready } from './trial.ts';
import type { TrialRecord } from './trial-record.ts';

const textWith = (name: string): string =>
  JSON.stringify({ components: [{ name, api: 'core:component:generic', model: 'fake' }] });

const noResources: ResourceReadiness = {
  ready: () => [],
  notReadyReason: () => undefined,
  subscribe: () => () => undefined,
};
const noRecord: TrialRecord = { load: async () => undefined, save: async () => undefined };

describe('Configuration', () => {
  let folder = '';
  let file = '';
  let configuration: Configuration;
  let executed: Plan[] = [];
  let failures: readonly Unready[] = [];
  /** Set by a test: what carrying out a plan waits for, or fails with. */
  let carryOut: (plan: Plan) => Promise<void> = async () => undefined;
  let takeSettings: () => void = () => undefined;
  let failsToPlan = false;

  /** Settles when the configuration reaches the wanted state. */
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

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-configuration-'));
    file = path.join(folder, 'machine.json');
    executed = [];
    failures = [];
    carryOut = async () => undefined;
    takeSettings = () => undefined;
    failsToPlan = false;
    await writeFile(file, textWith('first'));
    configuration = new Configuration({
      source: new ConfigFile({ path: file, clock: systemClock }),
      clock: systemClock,
      logger: silentLogger,
      parse: (text) => parseConfig(text, { file, environment: {}, catalog: builtinCatalog }),
      plan: (from, to) => {
        if (failsToPlan) throw new Error('no plan');
        return planChange(from, to, builtinCatalog);
      },
      applySettings: () => takeSettings(),
      execute: async (plan) => {
        executed.push(plan);
        await carryOut(plan);
      },
      failures: () => failures,
      resources: noResources,
      trialRecord: noRecord,
      ...withoutMaintenance(systemClock),
    });
    await configuration.load();
    await configuration.start();
  });

  afterEach(async () => {
    configuration.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const apply = (text: string, baseRevision: string): ReturnType<Configuration['apply']> =>
    configuration.apply({ text, baseRevision, author: 'somebody', note: '', returnAfterMs: 0 });

  it('runs what the file says, and says so', () => {
    const { state } = configuration;
    expect(state).toMatchObject({ source: 'file', appliedRevision: state.revision, isReadOnly: false });
    expect(state.outcome.kind).toBe('applied');
    expect(executed.map((plan) => plan.summary)).toHaveLength(1);
  });

  it('sends an edit of the file and an Apply through the same steps', async () => {
    await writeFile(file, textWith('second'));
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('second')));
    const outcome = await apply(textWith('third'), configuration.state.revision);
    expect(outcome.kind).toBe('applied');
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('third')));
    expect(executed.map((plan) => plan.to.resources.map(({ name }) => name))).toEqual([
      ['first'],
      ['second'],
      ['third'],
    ]);
  });

  it('carries out the very plan that Apply answered with', async () => {
    const outcome = await apply(textWith('second'), configuration.state.revision);
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('second')));
    expect(outcome.kind === 'applied' && outcome.plan).toBe(executed.at(-1));
  });

  it('writes an applied text byte for byte and keeps the mode of the file', async () => {
    await chmod(file, 0o640);
    const text = '{ "components" :[ ]\n}\n\n';
    await apply(text, configuration.state.revision);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  it('refuses a text that was written from another revision, and gives the present one', async () => {
    const outcome = await apply(textWith('mine'), 'somethingelse');
    expect(outcome).toEqual({
      kind: 'conflict',
      currentRevision: revisionOf(textWith('first')),
      currentText: textWith('first'),
    });
    expect(executed).toHaveLength(1);
  });

  it('lets one of two that apply at the same time win, and tells the other', async () => {
    const base = configuration.state.revision;
    const outcomes = await Promise.all([apply(textWith('a'), base), apply(textWith('b'), base)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['applied', 'conflict']);
    expect(await readFile(file, 'utf8')).toBe(textWith('a'));
    expect(outcomes.find(({ kind }) => kind === 'conflict')).toMatchObject({ currentText: textWith('a') });
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('a')));
    expect(executed).toHaveLength(2);
  });

  it('takes over an edit that Apply finds before the watch does, once, and tells of the conflict', async () => {
    const base = configuration.state.revision;
    await writeFile(file, textWith('by-hand'));
    expect(await apply(textWith('mine'), base)).toEqual({
      kind: 'conflict',
      currentRevision: revisionOf(textWith('by-hand')),
      currentText: textWith('by-hand'),
    });
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('by-hand')));
    await writeFile(file, textWith('later'));
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('later')));
    expect(executed).toHaveLength(3);
  });

  it('makes the file again where it was deleted, from the text that is applied', async () => {
    const base = configuration.state.revision;
    await rm(file);
    expect(await apply(textWith('again'), base)).toMatchObject({ kind: 'applied' });
    expect(await readFile(file, 'utf8')).toBe(textWith('again'));
    expect(configuration.state.text).toBe(textWith('again'));
  });

  it.each(['settings', 'resources'] as const)(
    'a text whose %s are not taken over is done in full next time',
    async (what) => {
      const fail = (): never => {
        throw new Error('half-way');
      };
      if (what === 'settings') takeSettings = fail;
      else carryOut = async () => fail();
      const before = configuration.state.appliedRevision;
      await apply(textWith('second'), before);
      await reach(() => configuration.state.outcome.kind === 'rejected');
      expect(configuration.state).toMatchObject({ appliedRevision: before, outcome: { message: 'half-way' } });
      takeSettings = () => undefined;
      carryOut = async () => undefined;
      executed = [];
      const mended = `${textWith('second')}\n`;
      await apply(mended, configuration.state.revision);
      await reach(() => configuration.state.appliedRevision === revisionOf(mended));
      expect(executed[0]?.resources.map(({ kind, name }) => `${kind} ${name.split('/')[1]}`)).toEqual([
        'remove first',
        'add second',
      ]);
    },
  );

  it('an apply that a newer one overtook says nothing more, also where both have one text', async () => {
    const releases: (() => void)[] = [];
    carryOut = () => new Promise((resolve) => releases.push(resolve));
    for (const name of ['a', 'b', 'a']) await apply(textWith(name), configuration.state.revision);
    expect(releases).toHaveLength(3);
    releases[0]?.();
    releases[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(configuration.state.outcome.kind).toBe('applying');
    expect(configuration.state.appliedRevision).toBe(revisionOf(textWith('first')));
    releases[2]?.();
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('a')));
  });

  it('a broken edit while a text is being carried out does not hide that this one is in force', async () => {
    let release = (): void => undefined;
    carryOut = () => new Promise((resolve) => (release = resolve));
    await apply(textWith('second'), configuration.state.revision);
    const second = revisionOf(textWith('second'));
    await writeFile(file, '{');
    await reach(() => configuration.state.outcome.kind === 'rejected');
    expect(configuration.state.outcome.message).toContain(`goes on with ${second}`);
    release();
    await reach(() => configuration.state.appliedRevision === second);
    expect(configuration.state).toMatchObject({ revision: revisionOf('{'), outcome: { kind: 'rejected' } });
  });

  it('a plan that cannot be made is a text that cannot be applied, not the end of the program', async () => {
    failsToPlan = true;
    await writeFile(file, textWith('second'));
    await reach(() => configuration.state.outcome.kind === 'rejected');
    expect(configuration.state).toMatchObject({
      revision: revisionOf(textWith('second')),
      appliedRevision: revisionOf(textWith('first')),
      outcome: { message: expect.stringContaining('no plan') as string },
    });
    expect(executed).toHaveLength(1);
  });

  it('rejects a text that cannot be applied: file and machine stay as they are', async () => {
    const outcome = await apply('{"components": 7}', configuration.state.revision);
    expect(outcome.kind).toBe('rejected');
    expect(await readFile(file, 'utf8')).toBe(textWith('first'));
    expect(executed).toHaveLength(1);
  });

  it('keeps the revision in force apart from the stored one when the file is broken', async () => {
    const applied = configuration.state.appliedRevision;
    await writeFile(file, '{"components": [');
    await reach(() => configuration.state.outcome.kind === 'rejected');
    const { state } = configuration;
    expect([state.appliedRevision, state.revision]).toEqual([applied, revisionOf('{"components": [')]);
    expect(state.problems[0]).toMatchObject({ severity: 'error', line: 1 });
    await writeFile(file, textWith('mended'));
    await reach(() => configuration.state.appliedRevision === revisionOf(textWith('mended')));
  });

  it('names what did not become ready', async () => {
    failures = [{ name: 'core:component:generic/second', reason: 'cable out' }];
    await writeFile(file, textWith('second'));
    await reach(() => configuration.state.outcome.kind === 'applied-with-failures');
    const { outcome } = configuration.state;
    expect(outcome.message).toBe('core:component:generic/second: cable out');
    expect(outcome).toMatchObject({ unready: ['core:component:generic/second'], tookMs: expect.any(Number) as number });
  });

  it('plans without changing anything', async () => {
    const { plan } = await configuration.plan(textWith('other'));
    expect(plan?.resources.map(({ kind }) => kind).sort()).toEqual(['add', 'remove']);
    expect((await configuration.plan('{')).plan).toBeUndefined();
    expect(executed).toHaveLength(1);
  });

  it('refuses to start from a text that cannot be used', async () => {
    await writeFile(file, '{"network": {"bind_address": 7}}');
    const fresh = new ConfigFile({ path: file, clock: systemClock });
    const broken = new Configuration({
      source: fresh,
      clock: systemClock,
      logger: silentLogger,
      parse: (text) => parseConfig(text, { file, environment: {}, catalog: builtinCatalog }),
      plan: (from, to) => planChange(from, to, builtinCatalog),
      applySettings: () => undefined,
      execute: async () => undefined,
      failures: () => [],
      resources: noResources,
      trialRecord: noRecord,
      ...withoutMaintenance(systemClock),
    });
    await expect(broken.load()).rejects.toMatchObject({ code: 'config.invalid' });
  });
});
