import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TrainingResult } from '../../src-main/hub/training/runner/training-runner.ts';
import { defaultSettings } from '../../src-main/hub/training/training-settings.ts';
import { until } from '../harness/until.ts';
import { RunnerBench } from './runner-bench.ts';
import { SlurmCluster, whyNoSlurm } from './slurm-cluster.ts';

const reason = whyNoSlurm();
/** Reports that it has begun, and continues for longer than any test. */
const LONG = 'say("begun")\ntime.sleep(1000)';
/** Begins, and ends successfully as soon as a file exists. */
const untilThere = (file: string): string => `
say("begun")
while not os.path.exists(${JSON.stringify(file)}):
    time.sleep(0.05)
say("goes on")
model()
`;

describe.skipIf(reason !== undefined)(`training on Slurm${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let cluster: SlurmCluster;

  beforeAll(async () => {
    cluster = await SlurmCluster.start();
  });

  afterAll(() => cluster.end());

  const open = (settings: Parameters<typeof RunnerBench.open>[0]['settings'] = {}): Promise<RunnerBench> => {
    // Jobs that a failed test leaves in the queue do not disturb the next one.
    onTestFinished(async () => void (await cluster.ask('scancel', '--user=root')));
    return RunnerBench.open({ shared: cluster.shared, settings });
  };
  const nothingIsLeft = async (bench: RunnerBench): Promise<void> => {
    await cluster.isEmpty();
    expect(await bench.left()).toEqual([]);
  };
  const expectFailed = (result: TrainingResult, code: string, message: RegExp): void =>
    expect(result).toMatchObject({ kind: 'failed', code, message: expect.stringMatching(message) as string });
  const go = (bench: RunnerBench): string => `${path.dirname(bench.record)}-go`;
  const goOn = (bench: RunnerBench): void => {
    writeFileSync(go(bench), '');
    onTestFinished(() => rmSync(go(bench), { force: true }));
  };

  it('gives the script its arguments, and hands on its lines from the first, its epochs and its model', async () => {
    process.env['ARMATURE_TEST_SECRET'] = 'x';
    const bench = await open();
    const result = await bench.run(`
say("reads " + open(arguments["dataset_file"]).read().strip() + " " + arguments["labels"] + " " + arguments["threads"])
say('@training {"progress": {"epoch": 1, "of": 2, "loss": 0.5, "metrics": {"f1": 0.25}}}')
print("a warning", file=sys.stderr, flush=True)
say(f"home {os.environ['HOME'].endswith('temporary')} secret {'ARMATURE_TEST_SECRET' in os.environ}")
model()
print("no end of a line", end="")
`);
    delete process.env['ARMATURE_TEST_SECRET'];
    if (result.kind !== 'trained') throw new Error(JSON.stringify(result));
    expect(readFileSync(path.join(result.folder, 'model.onnx'), 'utf8')).toBe('model');
    expect(bench.lines.filter((line) => line.startsWith('info') && !line.includes('Slurm'))).toEqual([
      `info reads {} ["screw","a nut's"] 1`,
      'info home True secret False',
      'info no end of a line',
    ]);
    expect(bench.lines).toContain('error a warning');
    expect(bench.epochs).toEqual([{ epoch: 1, of: 2, loss: 0.5, metrics: { f1: 0.25 } }]);
    await result.remove();
    await nothingIsLeft(bench);
  });

  it('says why it waits in the queue of Slurm, and is canceled there and while it runs', async () => {
    const [first, second] = [await open(), await open()];
    const running = first.run(LONG);
    await first.says('begun');
    await first.stands('the first one runs', ({ isWaiting, note }) => !isWaiting && note === '');
    const waiting = second.run(LONG);
    await second.stands('the second one waits', ({ note }) =>
      /^It waits in Slurm's queue as job \d+: \w+ \(/.test(note),
    );
    expect(second.state?.isWaiting).toBe(true);
    second.cancel.abort();
    expect(await waiting).toEqual({ kind: 'ended' });
    expect((await cluster.jobs()).includes(`${second.name} CANCELLED`)).toBe(true);
    first.cancel.abort();
    expect(await running).toEqual({ kind: 'ended' });
    await nothingIsLeft(first);
    await nothingIsLeft(second);
  });

  it('is over after it is canceled, also for a script that will not end', async () => {
    const bench = await open();
    const ended = bench.run(`signal.signal(signal.SIGTERM, signal.SIG_IGN)\n${LONG}`);
    await bench.says('begun');
    bench.cancel.abort();
    expect(await ended).toEqual({ kind: 'ended' });
    await nothingIsLeft(bench);
  });

  it.each([
    ['sys.exit(3)', 'internal.bug', /exit code 3/],
    ['', 'internal.bug', /left no model\.onnx/],
    [
      `say('@training {"failure": {"reason": "diverged", "message": "The loss became nan."}}'); sys.exit(12)`,
      'call.failed_precondition',
      /^The loss became nan\.$/,
    ],
    ['block = bytearray(os.urandom(1)) * (500 << 20)', 'internal.bug', /exit code 1/],
    ['os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)', 'internal.bug', /without a report \(FAILED/],
  ] as const)('fails after %s', async (source, code, message) => {
    const bench = await open();
    expectFailed(await bench.run(source), code, message);
    await nothingIsLeft(bench);
  });

  it('fails where its processes together use more memory than it may', async () => {
    const bench = await open();
    const source = `
for _ in range(4):
    if os.fork() == 0:
        block = bytearray(os.urandom(1)) * (100 << 20)
        time.sleep(1000)
time.sleep(1000)
`;
    expectFailed(await bench.run(source), 'call.too_large', /more than 256 MB of memory/);
    await nothingIsLeft(bench);
  });

  it('fails where it takes longer than it may', async () => {
    const bench = await open({ timeLimitMinutes: 1 / 30 });
    expectFailed(await bench.run(LONG), 'call.deadline_exceeded', /took longer than/);
    await nothingIsLeft(bench);
  });

  it('fails where Slurm ends it because its time is over', async () => {
    const bench = await open();
    const ended = bench.run(LONG);
    await bench.says('begun');
    await cluster.ask('scontrol', 'update', `jobid=${await cluster.jobId()}`, 'EndTime=now+1seconds');
    expectFailed(await ended, 'call.deadline_exceeded', /took longer than/);
    await nothingIsLeft(bench);
  });

  it('fails with what Slurm says where it does not take the job', async () => {
    const slurm = { sharedFolder: cluster.shared, partition: 'nowhere', account: '', options: [] };
    const bench = await open({ slurm });
    const refused = await bench.run(LONG);
    expectFailed(
      refused,
      'call.failed_precondition',
      /^Slurm does not take the job: invalid partition specified: nowhere/,
    );
    await nothingIsLeft(bench);
  });

  it('says why the partition does not begin it', async () => {
    const slurm = { sharedFolder: cluster.shared, partition: 'short', account: '', options: [] };
    const bench = await open({ slurm });
    const waiting = bench.run(LONG);
    await bench.stands('it waits', ({ note }) =>
      note.includes('PartitionTimeLimit (the partition does not allow so much'),
    );
    bench.cancel.abort();
    expect(await waiting).toEqual({ kind: 'ended' });
    await nothingIsLeft(bench);
  });

  it('fails where somebody cancels it in Slurm', async () => {
    const bench = await open();
    const ended = bench.run(LONG);
    await bench.says('begun');
    await cluster.ask('scancel', `--name=${bench.name}`);
    expectFailed(await ended, 'call.cancelled', /^Slurm job \d+ was canceled in Slurm/);
    await nothingIsLeft(bench);
  });

  it('fails where Python is not on the node', async () => {
    const bench = await open({ python: '/nowhere/python3' });
    expectFailed(await bench.run(LONG), 'training.unavailable', /not there at \/nowhere\/python3 on \S+: install it/);
    await nothingIsLeft(bench);
  });

  it('fails where its folder is gone', async () => {
    const bench = await open();
    const ended = bench.run(LONG);
    await bench.says('begun');
    renameSync(bench.folder, `${bench.folder}-moved`);
    onTestFinished(() => rmSync(`${bench.folder}-moved`, { recursive: true }));
    await cluster.ask('scancel', '--batch', '--signal=KILL', await cluster.jobId());
    expectFailed(await ended, 'file.unreadable', /is gone: look whether/);
    await cluster.isEmpty();
  });

  it('fails where the shared folder is full, before and while it runs', async () => {
    const small = path.join(cluster.shared, 'small');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'none', small]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', small]);
      rmSync(small, { recursive: true });
    });
    const slurm = { sharedFolder: small, partition: '', account: '', options: [] };
    const filling = await RunnerBench.open({ shared: small, settings: { slurm } });
    const fill = `
say("begun")
with open(os.environ["TMPDIR"] + "/large", "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        os.kill(os.getppid(), signal.SIGKILL)
`;
    expectFailed(await filling.run(fill), 'store.full', /The shared folder \S+ is full: make room/);
    await nothingIsLeft(filling);

    writeFileSync(path.join(small, 'full'), Buffer.alloc(500 << 10));
    const before = await RunnerBench.open({ shared: small, settings: { slurm } });
    expectFailed(await before.run(LONG), 'store.full', /The shared folder \S+ is full: make room/);
    expect(await before.left()).toEqual(['full']);
  });

  it('goes on while the controller is away, which is told, and no job is failed for that', async () => {
    const bench = await open();
    const ended = bench.run(untilThere(go(bench)));
    await bench.says('begun');
    await cluster.killController();
    await bench.stands('there is no news', ({ noNewsSince }) => noNewsSince !== undefined);
    expect(bench.state).toMatchObject({
      isWaiting: false,
      note: expect.stringMatching(/the training may go on/) as string,
    });
    cluster.startController();
    await bench.stands('there is news', ({ noNewsSince }) => noNewsSince === undefined);
    goOn(bench);
    expect(await ended).toMatchObject({ kind: 'trained' });
    await bench.runner().start([]);
    await nothingIsLeft(bench);
  });

  it('waits for the controller where that is away, and is submitted once', async () => {
    const bench = await open();
    await cluster.killController();
    const ended = bench.run('say("begun")\nmodel()');
    await bench.stands('there is no news', ({ note }) => note.includes('gets the job as soon as it does'));
    cluster.startController();
    const result = await ended;
    expect(result.kind).toBe('trained');
    if (result.kind === 'trained') await result.remove();
    expect((await cluster.jobs()).filter((job) => job.startsWith(bench.name))).toHaveLength(1);
    await nothingIsLeft(bench);
  });

  it('is canceled when the controller is back', async () => {
    const bench = await open();
    const ended = bench.run(LONG);
    await bench.says('begun');
    await cluster.killController();
    bench.cancel.abort();
    await bench.stands('there is no news', ({ noNewsSince }) => noNewsSince !== undefined);
    cluster.startController();
    expect(await ended).toEqual({ kind: 'ended' });
    await nothingIsLeft(bench);
  });

  it('is left alone where the hub ends, and followed by the next one, line by line', async () => {
    const bench = await open();
    const first = bench.run(untilThere(go(bench)));
    await bench.says('begun');
    bench.leave.abort();
    bench.cancel.abort();
    expect(await first).toEqual({ kind: 'left' });
    const next = bench.again();
    expect(await next.runner().holds(path.basename(bench.record, '.json'))).toBe(true);
    await next.runner().start([path.basename(bench.record, '.json')]);
    const ended = next.run();
    goOn(bench);
    const result = await ended;
    expect(result.kind).toBe('trained');
    expect(next.lines.filter((line) => !line.includes('Slurm'))).toEqual(['info goes on']);
    if (result.kind === 'trained') await result.remove();
    expect((await cluster.jobs()).filter((job) => job.startsWith(bench.name))).toHaveLength(1);
    await nothingIsLeft(bench);
  });

  it.each(['while it runs', 'after it ended'])(
    'is found by its name %s, where the hub ended before it heard its number',
    async (when) => {
      const bench = await open();
      const first = bench.run(untilThere(go(bench)));
      await bench.says('begun');
      bench.leave.abort();
      expect(await first).toEqual({ kind: 'left' });
      const record = JSON.parse(readFileSync(bench.record, 'utf8')) as object;
      writeFileSync(bench.record, JSON.stringify({ ...record, slurmId: '', positions: { out: 0, err: 0 } }));
      if (when === 'after it ended') {
        goOn(bench);
        await cluster.isEmpty();
      }
      const next = bench.again();
      const ended = next.run();
      await next.says('begun');
      goOn(bench);
      const result = await ended;
      expect(result.kind).toBe('trained');
      if (result.kind === 'trained') await result.remove();
      expect((await cluster.jobs()).filter((job) => job.startsWith(bench.name))).toHaveLength(1);
      await nothingIsLeft(bench);
    },
  );

  it('ends and removes what belongs to no job any more', async () => {
    const bench = await open();
    const first = bench.run(LONG);
    await bench.says('begun');
    bench.leave.abort();
    expect(await first).toEqual({ kind: 'left' });
    await bench.again().runner().start([]);
    await nothingIsLeft(bench);
  });

  it('says what is missing before a job is submitted', async () => {
    await expect((await open()).runner().check()).resolves.toBeUndefined();
    const gone = path.join(cluster.shared, 'gone');
    const slurm = { ...defaultSettings().slurm, sharedFolder: gone };
    await expect((await open({ slurm })).runner().check()).rejects.toThrow(
      /"slurm\.shared_folder".*\/gone"\), is not there/,
    );
    expect(existsSync(gone)).toBe(false);
    const { PATH } = process.env;
    process.env['PATH'] = '/nowhere';
    onTestFinished(() => void (process.env['PATH'] = PATH));
    await expect((await open()).runner().check()).rejects.toThrow(
      /sbatch is not on this computer: .*apt install slurm-client/,
    );
  });

  it('fails where its node dies', async () => {
    const bench = await open();
    const ended = bench.run(LONG);
    await bench.says('begun');
    await cluster.failNode();
    const result = await ended;
    await cluster.repairNode();
    expectFailed(result, 'peer.unreachable', /^The node \S+ failed while it trained \(Slurm job \d+: NODE_FAIL\)/);
    await nothingIsLeft(bench);
  });

  it('leaves no process behind', async () => {
    await until(
      'no training runs',
      () => !execFileSync('ps', ['-eo', 'args']).toString().includes(cluster.shared),
      30_000,
      100,
    );
  });
});
