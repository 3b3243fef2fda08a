import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ModelType } from '../../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { systemClock } from '../../../../base/clock.ts';
import { ArmatureError } from '../../../../base/errors.ts';
import type { Epoch } from '../../jobs/training-jobs.ts';
import { defaultSettings, type TrainingSettings } from '../../training-settings.ts';
import type { TaskScript, TrainingResult } from '../training-runner.ts';
import { LocalRunner } from './local-runner.ts';

/** Beginning of every script. Its `note` records process ids, so that a test can look for the processes afterwards. */
const PRELUDE = `
import os, signal, subprocess, sys, time
arguments = dict(word[2:].split("=", 1) for word in sys.argv[1:])
def note(pid):
    with open(os.environ["PIDS"], "a") as pids:
        pids.write(f"{pid}\\n")
def model():
    with open(arguments["model_output_directory"] + "/model.onnx", "w") as file:
        file.write("model")
`;

describe.skipIf(process.platform !== 'linux')('training as a process of this computer', () => {
  let scratch = '';
  let lines: string[] = [];
  let epochs: Epoch[] = [];
  let cancel: AbortController;

  beforeEach(() => {
    scratch = mkdtempSync(path.join(os.tmpdir(), 'armature-runner-'));
    lines = [];
    epochs = [];
    cancel = new AbortController();
  });

  afterEach(() => rmSync(scratch, { recursive: true }));

  const runs = (): string => path.join(scratch, 'runs');
  const pidFile = (): string => path.join(scratch, 'pids');
  const runnerOf = (source: string, settings: Partial<TrainingSettings> = {}, isUntrusted = false): LocalRunner =>
    new LocalRunner({
      folder: runs(),
      settings: () => Promise.resolve({ ...defaultSettings(), ...settings }),
      clock: systemClock,
      isUntrusted,
      graceSeconds: 1,
      script: () =>
        Promise.resolve({
          files: new Map([['train.py', PRELUDE.replace('os.environ["PIDS"]', JSON.stringify(pidFile())) + source]]),
          packages: ['json'],
        }),
    });
  const run = (
    source: string,
    settings: Partial<TrainingSettings> = {},
    script?: TaskScript,
  ): Promise<TrainingResult> =>
    runnerOf(source, settings).run(
      {
        jobId: 'job-1',
        modelType: ModelType.OBJECT_DETECTION,
        labels: ['screw', 'a nut'],
        snapshot: 'd@1',
        script,
        writeDataset: (folder) => {
          mkdirSync(folder);
          writeFileSync(path.join(folder, 'dataset.jsonl'), '{}\n');
          return Promise.resolve();
        },
      },
      {
        log: (level, line) => lines.push(`${level} ${line}`),
        epoch: (epoch) => epochs.push(epoch),
        state: () => undefined,
        stored: () => Promise.resolve(),
      },
      cancel.signal,
    );
  /** The process ids that the script recorded. */
  const pids = (): number[] =>
    existsSync(pidFile()) ? readFileSync(pidFile(), 'utf8').trim().split('\n').map(Number) : [];
  const noted = (count: number): Promise<void> =>
    vi.waitFor(() => expect(pids()).toHaveLength(count), { timeout: 15_000 });
  const running = (): number[] =>
    pids().filter((pid) => {
      try {
        return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      } catch {
        return false;
      }
    });
  const expectFailed = (result: TrainingResult, code: string, message: RegExp): void => {
    expect(result).toMatchObject({ kind: 'failed', code, message: expect.stringMatching(message) as string });
    expect(readdirSync(runs())).toEqual([]);
    expect(running()).toEqual([]);
  };

  it('passes the script its arguments, and passes on its lines, epochs and model', async () => {
    process.env['ARMATURE_TEST_SECRET'] = 'x';
    const result = await run(`
print("reads", open(arguments["dataset_file"]).read().strip(), arguments["labels"], arguments["model_type"], flush=True)
print('@training {"progress": {"epoch": 1, "of": 2, "loss": 0.5, "metrics": {"f1": 0.25}}}', flush=True)
print("a warning", file=sys.stderr, flush=True)
print("nice", os.nice(0), "home", os.environ["HOME"].endswith("temporary"), "secret", "ARMATURE_TEST_SECRET" in os.environ)
model()
`);
    delete process.env['ARMATURE_TEST_SECRET'];
    if (result.kind !== 'trained') throw new Error(JSON.stringify(result));
    expect(readFileSync(path.join(result.folder, 'model.onnx'), 'utf8')).toBe('model');
    expect(lines.toSorted()).toEqual([
      'error a warning',
      `info nice ${Math.min(19, os.getPriority() + 10)} home True secret False`,
      'info reads {} ["screw","a nut"] object_detection',
    ]);
    expect(epochs).toEqual([{ epoch: 1, of: 2, loss: 0.5, metrics: { f1: 0.25 } }]);
    await result.remove();
    expect(readdirSync(runs())).toEqual([]);
  });

  describe('with a script of the registry', () => {
    /** Runs a package with this `model/training.py`. */
    const runCustom = (source: string, settings: Partial<TrainingSettings> = {}): Promise<TrainingResult> =>
      run('raise ValueError("the script of the hub")', settings, {
        arguments: { num_epochs: '3', 'a-b': 'x y' },
        unpack: (folder) => {
          mkdirSync(path.join(folder, 'package/model'), { recursive: true });
          writeFileSync(path.join(folder, 'package/model/__init__.py'), '');
          writeFileSync(path.join(folder, 'package/model/words.py'), 'word = "beside it"');
          const prelude = PRELUDE.replace('os.environ["PIDS"]', JSON.stringify(pidFile()));
          writeFileSync(path.join(folder, 'package/model/training.py'), prelude + source);
          return Promise.resolve(path.join(folder, 'package'));
        },
      });

    it('runs its module in the folder of the dataset, with the arguments of the public contract', async () => {
      const result = await runCustom(`
from model.words import word
names = [one.split("=")[0] for one in sys.argv[1:]]
print(*names, arguments["num_epochs"], arguments["a-b"], word, __name__, flush=True)
print(os.path.samefile(os.getcwd(), os.path.dirname(arguments["dataset_file"])), open("dataset.jsonl").read().strip(), flush=True)
os.mkdir(arguments["model_output_directory"] + "/saved")
with open(arguments["model_output_directory"] + "/saved/weights.bin", "w") as file:
    file.write("weights")
`);
      if (result.kind !== 'trained') throw new Error(JSON.stringify([result, lines]));
      expect(lines).toEqual([
        'info --dataset_file --model_output_directory --num_epochs --a-b 3 x y beside it __main__',
        'info True {}',
      ]);
      expect(readFileSync(path.join(result.folder, 'saved/weights.bin'), 'utf8')).toBe('weights');
      await result.remove();
    });

    it.each([
      ['import no_such_package', 'internal.bug', /exit code 1/],
      ['sys.exit(7)', 'internal.bug', /exit code 7/],
      ['', 'call.failed_precondition', /left no model in "model_output_directory"/],
      [
        'open(arguments["model_output_directory"] + "/labels.txt", "w").write("a")',
        'call.failed_precondition',
        /left no model in "model_output_directory"/,
      ],
    ] as const)('fails after %s', async (source, code, message) => {
      expectFailed(await runCustom(source), code, message);
    });

    it('fails if it has no entry point', async () => {
      const unpack = (folder: string): Promise<string> => {
        mkdirSync(folder, { recursive: true });
        return Promise.resolve(folder);
      };
      const result = await run('', {}, { arguments: {}, unpack });
      expectFailed(result, 'internal.bug', /exit code 1/);
      expect(lines.join(' ')).toMatch(/No module named/);
    });

    it('fails if it cannot be unpacked', async () => {
      const gone = new ArmatureError('call.not_found', 'There is no training script "a:b 1".');
      const result = await run('', {}, { arguments: {}, unpack: () => Promise.reject(gone) });
      expectFailed(result, 'call.not_found', /There is no training script "a:b 1"/);
    });

    it('fails if it exceeds the time limit', async () => {
      const result = await runCustom('time.sleep(1000)', { timeLimitMinutes: 1 / 60 });
      expectFailed(result, 'call.deadline_exceeded', /longer than/);
    });

    it('is ended with all processes that it started when it is canceled', async () => {
      const ended = runCustom(`
note(os.getpid())
if os.fork() == 0:
    os.setsid()
    note(os.getpid())
time.sleep(1000)
`);
      await noted(2);
      cancel.abort();
      expect(await ended).toEqual({ kind: 'ended' });
      expect(running()).toEqual([]);
    });

    it('needs no Python packages, and is not started where no programs may be started', async () => {
      const without = new LocalRunner({
        folder: runs(),
        settings: () => Promise.resolve(defaultSettings()),
        clock: systemClock,
        isUntrusted: false,
        script: () => Promise.resolve({ files: new Map(), packages: ['no_such_package'] }),
      });
      await expect(without.check('registry')).resolves.toBeUndefined();
      await expect(runnerOf('', {}, true).check('registry')).rejects.toThrow(/-untrusted-env/);
    });
  });

  it('ends within the grace period after a cancellation, even if its processes ignore SIGTERM', async () => {
    const ended = run(`
signal.signal(signal.SIGTERM, signal.SIG_IGN)
note(os.getpid())
# One that leaves the group and the session, as daemons do, and one that stays.
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        note(os.getpid())
        time.sleep(1000)
    os._exit(0)
note(subprocess.Popen(["sleep", "1000"]).pid)
time.sleep(1000)
`);
    await noted(3);
    expect(running()).toHaveLength(3);
    cancel.abort();
    expect(await ended).toEqual({ kind: 'ended' });
    expect(running()).toEqual([]);
    expect(readdirSync(runs())).toEqual([]);
  });

  it('ends at once if the script ends when it is asked to', async () => {
    const ended = run('note(os.getpid())\ntime.sleep(1000)');
    await noted(1);
    cancel.abort();
    expect(await ended).toEqual({ kind: 'ended' });
  });

  it('is not started if it was canceled before', async () => {
    cancel.abort();
    expect(await run('note(os.getpid())')).toEqual({ kind: 'ended' });
    expect(pids()).toEqual([]);
  });

  it('leaves no processes of a script that has ended', async () => {
    const result = await run(`
if os.fork() == 0:
    os.setsid()
    note(os.getpid())
    time.sleep(1000)
while not os.path.exists(${JSON.stringify(pidFile())}):
    time.sleep(0.01)
model()
`);
    expect(result.kind).toBe('trained');
    expect(pids()).toHaveLength(1);
    expect(running()).toEqual([]);
  });

  it('fails if the script exceeds the time limit', async () => {
    const result = await run('note(os.getpid())\ntime.sleep(1000)', { timeLimitMinutes: 1 / 60 });
    expectFailed(result, 'call.deadline_exceeded', /longer than/);
  });

  it('fails if it exceeds the disk limit', async () => {
    const result = await run(
      `
number = 0
while True:
    number += 1
    with open(os.environ["TMPDIR"] + f"/{number}", "wb") as file:
        file.write(bytes(1 << 20))
    time.sleep(0.01)
`,
      { diskMb: 8 },
    );
    expectFailed(result, 'store.full', /wrote more than 8 MB/);
  });

  it('fails as on a full disk if one file would exceed the disk limit', async () => {
    const result = await run(
      `
try:
    with open(os.environ["TMPDIR"] + "/large", "wb") as file:
        file.truncate(64 << 20)
except OSError as error:
    sys.exit(error.errno)
`,
      { diskMb: 8 },
    );
    expectFailed(result, 'internal.bug', /exit code 27/);
  });

  it('fails if its processes together exceed the memory limit', async () => {
    const result = await run(
      `
for _ in range(4):
    if os.fork() == 0:
        note(os.getpid())
        block = bytearray(os.urandom(1)) * (100 << 20)
        time.sleep(1000)
time.sleep(1000)
`,
      { memoryMb: 256 },
    );
    expectFailed(result, 'call.too_large', /more than 256 MB of memory/);
  });

  it('gets no memory beyond the limit', async () => {
    const result = await run(
      `
try:
    bytearray(400 << 20)
except MemoryError:
    print('@training {"failure": {"reason": "out_of_memory", "message": "Not enough memory."}}', flush=True)
    sys.exit(13)
`,
      { memoryMb: 256 },
    );
    expectFailed(result, 'call.failed_precondition', /^Not enough memory\.$/);
  });

  it.each([
    ['os.kill(os.getpid(), signal.SIGSEGV)', 'internal.bug', /ended by SIGSEGV; it used up to \d+ MB/],
    ['os.kill(os.getpid(), signal.SIGKILL)', 'internal.bug', /ended by SIGKILL/],
    ['sys.exit(3)', 'internal.bug', /exit code 3/],
    ['raise ValueError("odd")', 'internal.bug', /exit code 1/],
    ['', 'internal.bug', /left no model\.onnx/],
    [
      `print('@training {"failure": {"reason": "diverged", "message": "The loss became nan in epoch 2."}}'); sys.exit(12)`,
      'call.failed_precondition',
      /^The loss became nan in epoch 2\.$/,
    ],
    ['note(os.getppid()); os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)', 'internal.bug', /supervisor/],
  ] as const)('fails after %s', async (source, code, message) => {
    expectFailed(await run(source), code, message);
  });

  it('fails if its dataset cannot be written', async () => {
    const failure = new ArmatureError('store.full', 'The disk is full.');
    const task = { jobId: 'j', modelType: ModelType.OBJECT_DETECTION, labels: [], snapshot: '' };
    const writeDataset = (): Promise<void> => Promise.reject(failure);
    const stored = (): Promise<void> => Promise.resolve();
    const events = { log: () => undefined, epoch: () => undefined, state: () => undefined, stored };
    const result = await runnerOf('').run({ ...task, writeDataset }, events, cancel.signal);
    expectFailed(result, 'store.full', /The disk is full/);
  });

  it('says what to install if Python or a package is missing', async () => {
    const missing = new LocalRunner({
      folder: runs(),
      settings: () => Promise.resolve(defaultSettings()),
      clock: systemClock,
      isUntrusted: false,
      script: () => Promise.resolve({ files: new Map(), packages: ['json', 'no_such_package'] }),
    });
    await expect(missing.check()).rejects.toMatchObject({
      code: 'training.unavailable',
      message: expect.stringMatching(/lacks what training needs: no_such_package.*apt install.*GB/) as string,
    });
    await expect(runnerOf('', { python: path.join(scratch, 'python3') }).check()).rejects.toThrow(/is not there at/);
    await expect(runnerOf('', { python: '/bin/false' }).check()).rejects.toThrow(/does not run .* at \/bin\/false/);
    await expect(runnerOf('', {}, true).check()).rejects.toThrow(/-untrusted-env/);
    await expect(runnerOf('').check()).resolves.toBeUndefined();
  });

  it('ends when the program that started its supervisor is killed', async () => {
    // A program in the place of the hub, which can be killed.
    const script = path.join(scratch, 'train.py');
    const daemon = `if os.fork() == 0:\n    os.setsid()\n    note(os.getpid())\n    time.sleep(1000)\n`;
    const prelude = PRELUDE.replace('os.environ["PIDS"]', JSON.stringify(pidFile()));
    writeFileSync(script, `${prelude}note(os.getpid())\n${daemon}time.sleep(1000)`);
    const command = ['/usr/bin/python3', script];
    const rest = { memory_bytes: 2 ** 30, disk_bytes: 2 ** 30, folder: scratch, time_s: 600, grace_s: 600, cpus: 1 };
    const supervisor = path.join(import.meta.dirname, '../script/supervise.py');
    const args = JSON.stringify([supervisor, JSON.stringify({ command, ...rest })]);
    const hub = spawn(process.execPath, [
      '-e',
      `const child = require('node:child_process').spawn('/usr/bin/python3', ${args}, { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
       child.stderr.pipe(process.stderr);`,
    ]);
    await noted(2);
    expect(running()).toHaveLength(2);
    hub.kill('SIGKILL');
    await once(hub, 'exit');
    await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 10_000 });
  });
});
