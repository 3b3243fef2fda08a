import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CannotRun } from './cannot-run.ts';
import { kernelFolder } from './kernel.ts';
import { need } from './packages.ts';
import { programsFolder } from './programs.ts';

/** A command to run in the virtual bench. */
export interface Job {
  readonly command: readonly string[];
  /** Working folder: the same path as on this computer. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The command gets SIGTERM after this time, and its computer is turned off 5 s later; absent: never. */
  readonly limitMs?: number;
  /**
   * The bench's clock. `host`, or absent: the time of this computer, on two processors; delays of this computer are
   * felt inside. `instructions`: each instruction of its one processor takes 1 ns, and idle time passes at once; delays
   * of this computer are not felt, and `ARMATURE_BENCH_KVM` has no effect.
   */
  readonly clock?: 'host' | 'instructions';
  /** A port of the bench's loopback that is forwarded from the same port of this computer's loopback. */
  readonly port?: number;
  /** Receives the command's standard output and standard error as they come. */
  readonly onOutput: (chunk: Buffer) => void;
  /** Receives a line now and then about the preparations. */
  readonly note: (text: string) => void;
  /** Ends the command: the reason of the abort is the signal's name. */
  readonly abort?: AbortSignal;
  /** Runs before the computer is turned on, with the folder that both sides see (inside: `/run/bench`). */
  readonly prepare?: (shared: string) => Promise<void>;
  /** Runs when the computer is off. */
  readonly finish?: (shared: string) => Promise<void>;
}

export interface JobResult {
  /** 128 + n where signal n ended the command. */
  readonly exitCode: number;
  readonly isTimedOut: boolean;
}

const GRACE_MS = 5_000;

/** @throws CannotRun unless this computer can run the bench's kernel */
function checkPlatform(): void {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  throw new CannotRun(`It runs on Linux on x86-64; this is ${process.platform} on ${process.arch}.`);
}

function describe(job: Job, kernel: string): string {
  const entries = [`C${job.folder}`, `M${kernel}`];
  if (job.port !== undefined) entries.push(`P${job.port}`);
  for (const [name, value] of Object.entries(job.environment)) entries.push(`E${name}=${value}`);
  for (const argument of job.command) entries.push(`A${argument}`);
  return entries.map((entry) => `${entry}\0`).join('');
}

/** QEMU reads a comma as the end of a value; a double comma escapes it. */
const value = (text: string): string => text.replaceAll(',', ',,');

/** QEMU's arguments for the processors and the clock. */
function processors(clock: Job['clock']): string[] {
  if (clock === 'instructions') {
    const counted = ['-icount', 'shift=0,sleep=off', '-rtc', 'clock=vm'];
    return ['-accel', 'tcg,thread=single', '-cpu', 'max', '-smp', '1', ...counted];
  }
  // Only on request: where this computer is itself virtual, /dev/kvm may exist and be too slow to get through the BIOS.
  const usesKvm = process.env['ARMATURE_BENCH_KVM'] === '1';
  return [
    ...(usesKvm ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', 'tcg,thread=multi', '-cpu', 'max']),
    '-smp',
    '2',
  ];
}

function qemuArguments(job: Job, kernel: string, programs: string, shared: string): string[] {
  const root = 'root=root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=512000,cache=loose ro';
  const forward = job.port === undefined ? ',restrict=on' : `,hostfwd=tcp:127.0.0.1:${job.port}-10.0.2.15:1`;
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...processors(job.clock),
    ...['-m', '2048'],
    ...['-kernel', path.join(kernel, 'bzImage')],
    ...['-append', `${root} console=ttyS0 quiet panic=-1 init=${path.join(programs, 'init')}`],
    ...['-serial', `file:${value(path.join(shared, 'kernel.log'))}`],
    ...['-fsdev', 'local,id=root,path=/,security_model=none,readonly=on,multidevs=remap'],
    ...['-device', 'virtio-9p-pci,fsdev=root,mount_tag=root'],
    ...['-fsdev', `local,id=bench,path=${value(shared)},security_model=none`],
    ...['-device', 'virtio-9p-pci,fsdev=bench,mount_tag=bench'],
    ...['-device', 'virtio-serial-pci', '-chardev', 'stdio,id=output,signal=off'],
    ...['-device', 'virtserialport,chardev=output,name=armature.output'],
    ...['-device', 'virtio-rng-pci'],
    ...['-netdev', `user,id=net${forward}`, '-device', 'virtio-net-pci,netdev=net,romfile='],
  ];
}

/** Sends signals to the command, through the port that its output comes from. */
function send(computer: ChildProcess, signal: NodeJS.Signals): void {
  const number = os.constants.signals[signal];
  // A computer that has just been turned off accepts none: its end is noticed elsewhere.
  computer.stdin?.write(Buffer.of(number), () => undefined);
}

async function turnOn(job: Job, args: readonly string[]): Promise<{ isTimedOut: boolean; complaints: string }> {
  const computer = spawn('qemu-system-x86_64', args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const off = once(computer, 'close');
  let complaints = '';
  let isTimedOut = false;
  let grace: NodeJS.Timeout | undefined;
  computer.stdin.on('error', () => undefined);
  computer.stdout.on('data', job.onOutput);
  computer.stderr.on('data', (chunk: Buffer) => void (complaints += chunk.toString()));
  const end = (signal: NodeJS.Signals): void => {
    send(computer, signal);
    grace ??= setTimeout(() => computer.kill('SIGKILL'), GRACE_MS);
  };
  const limit = setTimeout(() => {
    isTimedOut = true;
    end('SIGTERM');
  }, job.limitMs ?? 0x7fffffff);
  const aborted = (): void => end((job.abort?.reason ?? 'SIGTERM') as NodeJS.Signals);
  const exiting = (): void => void computer.kill('SIGKILL');
  job.abort?.addEventListener('abort', aborted);
  process.on('exit', exiting);
  try {
    await off;
  } finally {
    clearTimeout(limit);
    clearTimeout(grace);
    job.abort?.removeEventListener('abort', aborted);
    process.off('exit', exiting);
  }
  return { isTimedOut, complaints };
}

/**
 * Boots the virtual bench, runs a command in it, turns it off. The command sees this computer's files; what it writes
 * is lost when the bench ends, except in `/run/bench`.
 * @throws CannotRun where the bench is not available here
 */
export async function runInBench(job: Job): Promise<JobResult> {
  checkPlatform();
  await need(['qemu'], job.note);
  const kernel = await kernelFolder(job.note);
  const programs = await programsFolder(job.note);
  const shared = await mkdtemp(path.join(os.tmpdir(), 'armature-bench-'));
  try {
    const environment = { HOME: os.homedir(), LANG: 'C.UTF-8', TMPDIR: '/run/tmp', ...job.environment };
    const inside = { ...environment, ARMATURE_BENCH_PROGRAMS: programs, ARMATURE_BENCH_MODULES: kernel };
    await writeFile(path.join(shared, 'job'), describe({ ...job, environment: inside }, kernel));
    await job.prepare?.(shared);
    const { isTimedOut, complaints } = await turnOn(job, qemuArguments(job, kernel, programs, shared));
    await job.finish?.(shared);
    const exit = await readFile(path.join(shared, 'exit'), 'utf8').catch(() => undefined);
    if (exit !== undefined) return { exitCode: Number(exit), isTimedOut };
    if (isTimedOut || job.abort?.aborted === true) return { exitCode: 128 + os.constants.signals.SIGKILL, isTimedOut };
    const console = await readFile(path.join(shared, 'kernel.log'), 'utf8').catch(() => '');
    throw new Error(`The virtual bench ended without a result.\n${complaints}${console.slice(-4_000)}`);
  } finally {
    await rm(shared, { recursive: true, force: true });
  }
}
