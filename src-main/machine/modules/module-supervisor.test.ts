import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { Permission } from '../maintenance/maintenance-gate.ts';
import type { FilesObserver, ModuleFiles, ModuleFilesSource } from './module-files.ts';
import type { RunEnd, RunObserver } from './run/module-run.ts';
import { ModuleSupervisor } from './module-supervisor.ts';
import { defaultTiming } from './run/module-timing.ts';
import type { RunningModule } from './run/running-module.ts';
import { moduleConfig } from './testing/module-bench.ts';

function files(version: string): ModuleFiles {
  return { version, executable: `/opt/${version}/run`, root: `/opt/${version}` };
}

/** A start whose outcome the test decides. */
class FakeRun {
  readonly config: ModuleConfig;
  readonly files: ModuleFiles;
  readonly observer: RunObserver;
  isStopping = false;
  isGone = false;
  readonly module: RunningModule;

  constructor(config: ModuleConfig, found: ModuleFiles, observer: RunObserver) {
    this.config = config;
    this.files = found;
    this.observer = observer;
    this.module = { name: config.name, models: [] } as unknown as RunningModule;
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return Promise.resolve();
  }

  ready(): void {
    this.observer.onProcess(100, 'user');
    this.observer.onReady(this.module);
  }

  crash(failure = 'ended: exit code 1 after 1 s'): void {
    this.observer.onProcess(100, 'user');
    this.observer.onLost(failure);
    this.gone({ failure, lastExit: 'exit code 1 after 1 s' });
  }

  gone(end: RunEnd = { failure: undefined, lastExit: 'exit code 0 after 1 s' }): void {
    this.isGone = true;
    this.observer.onGone(end);
  }
}

function fixture(config = moduleConfig('test', '/opt/run', { version: '1.*' })) {
  const clock = new ManualClock();
  const runs: FakeRun[] = [];
  const follows: {
    observer: FilesObserver;
    accepted: string[];
    rejected: string[];
    back: ModuleFiles | undefined;
    isClosed: boolean;
  }[] = [];
  let permission: Permission = { isAllowed: true };
  let gone = 0;
  let changesAfterGone = 0;
  const source: ModuleFilesSource = {
    follow(_module, _environment, observer) {
      const follow = {
        observer,
        accepted: [] as string[],
        rejected: [] as string[],
        back: undefined as ModuleFiles | undefined,
        isClosed: false,
      };
      follows.push(follow);
      return {
        accepted: ({ version }) => void follow.accepted.push(version),
        rejected: ({ version }) => {
          follow.rejected.push(version);
          return follow.back;
        },
        refresh: () => Promise.resolve(),
        close: () => (follow.isClosed = true),
      };
    },
  };
  const supervisor = new ModuleSupervisor(config, {
    clock,
    timing: defaultTiming,
    random: () => 0,
    logger: silentLogger,
    source,
    firstRunEnvironment: () => ({}),
    startRun: (of, found, observer) => {
      const run = new FakeRun(of, found, observer);
      runs.push(run);
      return run;
    },
    mayInterrupt: () => Promise.resolve(permission),
    refusal: '',
    onChange: () => (changesAfterGone += gone),
    onGone: () => gone++,
  });
  supervisor.open();
  return {
    clock,
    runs,
    follows,
    supervisor,
    source,
    get run(): FakeRun {
      const last = runs.at(-1);
      if (last === undefined) throw new Error('nothing was started');
      return last;
    },
    get gone() {
      return gone;
    },
    get changesAfterGone() {
      return changesAfterGone;
    },
    get state() {
      return supervisor.status.state;
    },
    offer: (found: ModuleFiles) => follows.at(-1)?.observer.onFiles(found),
    allow: (next: Permission) => (permission = next),
    /** Lets promises settle. */
    settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

describe('a supervised module', () => {
  it('waits 1, 2, 4 ... 60 s between starts that fail, from the first on', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      bench.run.crash();
      expect(bench.state).toMatchObject({ kind: 'failed', attempts: attempt });
      const before = bench.runs.length;
      let waited = 0;
      for (; bench.runs.length === before; waited += 500) bench.clock.advance(500);
      delays.push(waited);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('that was ready is started again at once five times, and forgets failures after a minute of health', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    for (let kill = 1; kill <= 5; kill++) {
      bench.run.ready();
      bench.run.crash();
      expect(bench.runs).toHaveLength(kill + 1);
    }
    bench.run.ready();
    bench.run.crash();
    expect(bench.runs).toHaveLength(6); // it does not stay ready: 1 s
    bench.clock.advance(1_000);
    bench.run.ready();
    bench.clock.advance(59_999);
    bench.run.crash();
    expect(bench.state).toMatchObject({ kind: 'failed', attempts: 7 });
    bench.clock.advance(2_000);
    bench.run.ready();
    bench.clock.advance(60_000);
    bench.run.crash();
    expect(bench.runs).toHaveLength(9);
    expect(bench.supervisor.status).toMatchObject({ state: { kind: 'starting', reason: 'try 2' }, restarts: 8 });
  });

  it('serves nothing from the moment its process is lost', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    expect(bench.supervisor.running).toBe(bench.run.module);
    bench.run.observer.onLost('ended: killed by SIGSEGV after 2 s');
    expect(bench.supervisor.running).toBeUndefined();
    expect(bench.supervisor.absence).toEqual({
      name: 'test',
      kind: 'failed',
      reason: 'module test ended: killed by SIGSEGV after 2 s',
    });
    expect(bench.runs).toHaveLength(1); // its remaining processes are ended first
  });

  it('without files says why, and starts when they are there', () => {
    const bench = fixture();
    expect(bench.state).toEqual({ kind: 'pending', reason: 'its files are looked for' });
    bench.follows[0]?.observer.onProgress({
      version: '1.2.3',
      step: 'downloading',
      doneBytes: 1,
      totalBytes: 2,
      reason: '',
    });
    expect(bench.state).toEqual({ kind: 'pending', reason: 'version 1.2.3: downloading' });
    bench.follows[0]?.observer.onProgress(undefined);
    bench.follows[0]?.observer.onMissing('the hub has no version 1.*');
    expect(bench.supervisor.absence).toMatchObject({
      kind: 'failed',
      reason: 'module test has no program to run: the hub has no version 1.*',
    });
    bench.offer(files('1.2.3'));
    expect(bench.state.kind).toBe('starting');
  });

  it('that is disabled, or wrong, or not allowed, starts nothing and says so', () => {
    const disabled = fixture(moduleConfig('test', '/opt/run', { isDisabled: true }));
    expect(disabled.supervisor.absence).toMatchObject({ kind: 'disabled', reason: 'module test is disabled' });
    expect(disabled.follows).toHaveLength(0);
    const problem = { severity: 'error', message: '"type" is missing; write local or registry.' } as never;
    const wrong = fixture(moduleConfig('test', '/opt/run', { problems: [problem] }));
    expect(wrong.supervisor.absence?.reason).toBe(
      'module test cannot be started: "type" is missing; write local or registry',
    );
    wrong.supervisor.configure(moduleConfig('test', '/opt/run'), 'its error is gone');
    wrong.offer(files('1.0.0'));
    expect(wrong.runs).toHaveLength(1);
  });

  it('leaves the directory before it is asked to end, and goes only when nothing is left', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.supervisor.remove();
    expect(bench.supervisor.running).toBeUndefined();
    expect(bench.run.isStopping).toBe(true);
    expect(bench.state).toEqual({ kind: 'stopping', reason: 'removed from the configuration' });
    expect(bench.follows[0]?.isClosed).toBe(true);
    expect(bench.gone).toBe(0);
    bench.run.gone();
    expect(bench.gone).toBe(1);
    // A change reported now would add it again to lists that were told it is gone.
    expect(bench.changesAfterGone).toBe(0);
  });

  it('that is configured again while it is stopping starts afterwards', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.supervisor.remove();
    bench.supervisor.configure(moduleConfig('test', '/opt/other'), undefined);
    bench.offer(files('2.0.0'));
    expect(bench.runs).toHaveLength(1);
    bench.run.gone();
    expect(bench.gone).toBe(0);
    expect(bench.runs).toHaveLength(2);
    expect(bench.run.config.executablePath).toBe('/opt/other');
  });

  it('that crashes while it is stopping is stopped, not failed', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.supervisor.configure(moduleConfig('test', '/opt/run', { env: { A: 'b' } }), 'env A set');
    bench.run.crash();
    bench.offer(files('1.0.0'));
    expect(bench.supervisor.status).toMatchObject({ state: { kind: 'starting', reason: '' }, restarts: 0 });
  });

  it('rdk#3739: that crashes while the machine stops stays down', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.supervisor.freeze();
    bench.run.crash();
    bench.clock.advance(600_000);
    expect(bench.runs).toHaveLength(1);
  });

  it('with a lower level runs on, with a hint', () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.supervisor.configure(moduleConfig('test', '/opt/run', { version: '1.*', logLevel: 'debug' }), undefined);
    expect(bench.run.isStopping).toBe(false);
    expect(bench.supervisor.status.restartHint).toBe(
      'it was started with log level info; restart it to have it send debug',
    );
  });
});

describe('a restart by a person', () => {
  it('ends the wait for the next try, and its failures count from the first again', async () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.crash();
    const restarted = bench.supervisor.restart();
    await bench.settle();
    expect(bench.runs).toHaveLength(2);
    bench.run.ready();
    await restarted;
  });

  it('of a process that is just being lost waits for the next one', async () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.run.observer.onLost('hangs');
    const restarted = bench.supervisor.restart();
    await bench.settle();
    bench.run.gone({ failure: 'hangs', lastExit: '' });
    expect(bench.runs).toHaveLength(2);
    bench.run.crash('ended: exit code 3 after 1 s');
    await expect(restarted).rejects.toThrow('Module test ended: exit code 3 after 1 s.');
  });

  it('of a disabled one is refused', async () => {
    const { supervisor } = fixture(moduleConfig('test', '/opt/run', { isDisabled: true }));
    await expect(supervisor.restart()).rejects.toMatchObject({ code: 'module.disabled' });
  });
});

describe('a new version', () => {
  async function proven() {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.clock.advance(defaultTiming.trialMs);
    return bench;
  }

  it('is accepted when it has been ready for a while', async () => {
    const bench = fixture();
    bench.offer(files('1.0.0'));
    bench.run.ready();
    bench.clock.advance(defaultTiming.trialMs - 1);
    expect(bench.follows[0]?.accepted).toEqual([]);
    bench.clock.advance(1);
    expect(bench.follows[0]?.accepted).toEqual(['1.0.0']);
  });

  it('waits for maintenance, saying for what, while the old one runs', async () => {
    const bench = await proven();
    bench.allow({ isAllowed: false, reason: 'sensor door: closed is false' });
    bench.offer(files('1.1.0'));
    await bench.settle();
    expect(bench.supervisor.status).toMatchObject({
      state: { kind: 'ready' },
      version: '1.0.0',
      update: { version: '1.1.0', step: 'deferred', reason: 'waiting for sensor door: closed is false' },
    });
    bench.allow({ isAllowed: true });
    bench.clock.advance(defaultTiming.permissionMs);
    await bench.settle();
    expect(bench.run.isStopping).toBe(true);
    expect(bench.supervisor.status.update).toMatchObject({ version: '1.1.0', step: 'switching' });
    bench.run.gone();
    expect(bench.run.files.version).toBe('1.1.0');
    bench.run.ready();
    expect(bench.supervisor.status).toMatchObject({ version: '1.1.0', update: undefined });
  });

  it.each([
    ['does not get ready', (run: FakeRun) => run.crash('did not become ready: it was not ready within 300 s')],
    [
      'dies right after it was ready',
      (run: FakeRun) => {
        run.ready();
        run.crash('ended: exit code 1 after 1 s');
      },
    ],
  ])('that %s is refused, and the one before runs again at once', async (_title, fail) => {
    const bench = await proven();
    const follow = bench.follows[0];
    if (follow !== undefined) follow.back = bench.run.files;
    bench.offer(files('1.1.0'));
    await bench.settle();
    bench.run.gone();
    fail(bench.run);
    expect(bench.follows[0]?.rejected).toEqual(['1.1.0']);
    expect(bench.run.files.version).toBe('1.0.0');
    bench.run.ready();
    expect(bench.supervisor.status).toMatchObject({
      state: { kind: 'ready' },
      version: '1.0.0',
      update: { version: '1.1.0', step: 'rejected' },
    });
  });

  it('that fails, where nothing better is known, is tried again', async () => {
    const bench = await proven();
    bench.offer(files('1.1.0'));
    await bench.settle();
    bench.run.gone();
    bench.run.crash();
    bench.clock.advance(1_000);
    expect(bench.run.files.version).toBe('1.1.0');
  });

  it('that was never ready, as the first of this run, gives way to the one of before', () => {
    const bench = fixture();
    const follow = bench.follows[0];
    if (follow !== undefined) follow.back = files('0.9.0');
    bench.offer(files('1.0.0'));
    bench.run.crash();
    expect(bench.run.files.version).toBe('0.9.0');
    bench.run.crash();
    expect(follow?.rejected).toEqual(['1.0.0']);
    expect(bench.state).toMatchObject({ kind: 'failed', attempts: 1 });
  });

  it('that is taken back while it waits is forgotten', async () => {
    const bench = await proven();
    bench.allow({ isAllowed: false, reason: 'the door' });
    bench.offer(files('1.1.0'));
    await bench.settle();
    bench.offer(bench.run.files);
    expect(bench.supervisor.status.update).toBeUndefined();
    expect(bench.run.isStopping).toBe(false);
  });

  it('takes the place of one that does not get ready without asking anybody', async () => {
    const bench = fixture();
    bench.allow({ isAllowed: false, reason: 'the door' });
    bench.offer(files('1.0.0'));
    bench.run.crash();
    bench.offer(files('1.0.1'));
    expect(bench.run.files.version).toBe('1.0.1');
  });

  it('of another channel is followed while the old one runs on', async () => {
    const bench = await proven();
    bench.supervisor.configure(moduleConfig('test', '/opt/run', { version: '2.*' }), undefined);
    expect(bench.follows).toHaveLength(2);
    expect(bench.follows[0]?.isClosed).toBe(true);
    expect(bench.run.isStopping).toBe(false);
    bench.follows[0]?.observer.onFiles(files('1.9.0')); // too late
    bench.follows[1]?.observer.onMissing('the hub has no version 2.*');
    expect(bench.supervisor.status).toMatchObject({
      state: { kind: 'ready' },
      update: { version: '2.*', step: 'rejected', reason: 'the hub has no version 2.*' },
    });
    bench.offer(files('2.0.0'));
    await bench.settle();
    bench.run.gone();
    expect(bench.run.files.version).toBe('2.0.0');
  });
});

describe('whatever happens', () => {
  const event = fc.constantFrom(
    ...(['files', 'missing', 'ready', 'crash', 'gone', 'restart', 'remove', 'configure', 'disable', 'time'] as const),
  );

  it('at most one process is there, and in the end it is as configured', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const bench = fixture();
        let isConfigured = true;
        let version = 0;
        for (const one of events) {
          const last = bench.runs.at(-1);
          if (one === 'files') bench.offer(files(`1.0.${version++}`));
          else if (one === 'missing') bench.follows.at(-1)?.observer.onMissing('gone');
          else if (one === 'ready' && last?.isGone === false && bench.state.kind === 'starting') last.ready();
          else if (one === 'crash' && last?.isGone === false) last.crash();
          else if (one === 'gone' && last?.isGone === false && last.isStopping) last.gone();
          else if (one === 'restart') void bench.supervisor.restart().catch(() => undefined);
          else if (one === 'remove' && bench.gone === 0) {
            bench.supervisor.remove();
            isConfigured = false;
          } else if ((one === 'configure' || one === 'disable') && bench.gone === 0) {
            const isDisabled = one === 'disable';
            bench.supervisor.configure(moduleConfig('test', `/opt/${version++}`, { isDisabled }), one);
            isConfigured = !isDisabled;
          } else if (one === 'time') bench.clock.advance(5_000);
          await bench.settle();
          expect(bench.runs.filter(({ isGone }) => !isGone).length).toBeLessThanOrEqual(1);
        }
        for (let turn = 0; turn < 10; turn++) {
          const hasFiles = bench.supervisor.status.version !== '';
          if (bench.gone === 0 && !hasFiles) bench.offer(files('9.9.9'));
          bench.clock.advance(60_000);
          await bench.settle();
          const last = bench.runs.at(-1);
          if (last?.isGone === false && last.isStopping) last.gone();
          else if (bench.state.kind === 'starting') last?.ready();
        }
        expect(bench.supervisor.running !== undefined).toBe(isConfigured && bench.gone === 0);
      }),
      { numRuns: 150 },
    );
  });
});
