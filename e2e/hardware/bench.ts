/**
 * The other end of the wires, for tests that run inside the virtual bench: pulls lines, sets analog values, and reads
 * the state that the kernel and the chips report. Nothing here uses the program's own hardware code.
 */
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** GPIO chips of the bench: 32 lines, of which the first 9 have names, and 8, of which the first 4 have. */
export type Chip = 'bench' | 'expansion';
/** Offset or name. */
export type Line = number | string;
/** ADCs of the bench: an MCP3008 and an MCP3208. */
export type AdcDevice = 'spidev0.0' | 'spidev0.1';

const configFolder = (chip: Chip): string => path.join('/sys/kernel/config/gpio-sim', chip);
const readText = (file: string): string => readFileSync(file, 'utf8').trim();

/** The chip's current device: its number may change after it was unplugged. */
export function chipPath(chip: Chip): string {
  return path.join('/dev', readText(path.join(configFolder(chip), 'bank/chip_name')));
}

/** Removes the chip, as unplugging it does; programs that hold a line of it get errors. */
export function unplug(chip: Chip): void {
  writeFileSync(path.join(configFolder(chip), 'live'), '0');
}

export function plug(chip: Chip): void {
  writeFileSync(path.join(configFolder(chip), 'live'), '1');
}

function offsetOf(chip: Chip, line: Line): number {
  if (typeof line === 'number') return line;
  const bank = path.join(configFolder(chip), 'bank');
  for (const entry of readdirSync(bank)) {
    const offset = /^line(\d+)$/.exec(entry)?.[1];
    if (offset !== undefined && readText(path.join(bank, entry, 'name')) === line) return Number(offset);
  }
  throw new Error(`The chip "${chip}" has no line "${line}".`);
}

/** The kernel's file of a line: its level at the wire, or its pull. Changes when the chip is unplugged. */
export function lineFile(chip: Chip, line: Line, name: 'pull' | 'value'): string {
  const folder = configFolder(chip);
  const device = readText(path.join(folder, 'dev_name'));
  const bank = readText(path.join(folder, 'bank/chip_name'));
  return path.join('/sys/devices/platform', device, bank, `sim_gpio${offsetOf(chip, line)}`, name);
}

/** Drives an input from outside. An output is stronger: the pull shows once the output is released. */
export function pull(chip: Chip, line: Line, isHigh: boolean): void {
  writeFileSync(lineFile(chip, line, 'pull'), isHigh ? 'pull-up' : 'pull-down');
}

/** The line's level at the wire. */
export function level(chip: Chip, line: Line): boolean {
  return readText(lineFile(chip, line, 'value')) === '1';
}

/**
 * How long to wait before failing: an emulated computer may be fifty times as slow as another; success comes sooner.
 */
export const GIVE_UP_MS = 240_000;

/**
 * Waits for a change that the kernel does not report, such as the level at a wire.
 * @throws after {@link GIVE_UP_MS}, naming what was expected
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`This did not come within ${GIVE_UP_MS / 1_000} s: ${what}`);
    await delay(5);
  }
}

/** Runs the bench's own program for the kernel's interfaces (`guest/probe.cpp`). @returns its lines */
export async function probe(...args: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(probeProgram(), args, { timeout: GIVE_UP_MS });
  return stdout.trimEnd().split('\n');
}

function probeProgram(): string {
  const folder = process.env['ARMATURE_BENCH_PROGRAMS'];
  if (folder === undefined) throw new Error('This is not the virtual bench: run it with npm run test:hardware.');
  return path.join(folder, 'probe');
}

/** The kernel's information about a line. */
export interface LineInfo {
  readonly offset: number;
  readonly name: string;
  readonly isOutput: boolean;
  readonly isUsed: boolean;
  readonly consumer: string;
}

export async function lines(chip: Chip): Promise<LineInfo[]> {
  return (await probe('gpio-info', chipPath(chip))).map((text) => {
    const [offset, direction, use, name = '', consumer = ''] = text.split('\t');
    return { offset: Number(offset), name, isOutput: direction === 'out', isUsed: use === 'used', consumer };
  });
}

/**
 * Edges that the kernel has delivered to the program that watches their lines, by the kernel's own count
 * (`/proc/interrupts`).
 * @param consumer the name that this program uses
 * @returns the sum of these lines; undefined where it watches none of them
 */
export function edgesTold(consumer: string, offsets: readonly number[]): number | undefined {
  let told: number | undefined;
  for (const text of readText('/proc/interrupts').split('\n')) {
    const [, counts = '', offset, holder] = /^\s*\d+:\s+([\d\s]+?)\s+irq_sim\s+(\d+)\s+(.*)$/.exec(text) ?? [];
    if (holder !== consumer || !offsets.includes(Number(offset))) continue;
    told = counts.split(/\s+/).reduce((sum, count) => sum + Number(count), told ?? 0);
  }
  return told;
}

/**
 * From now on, when a pull of this program returns, the kernel has delivered its edge to the watcher of the line: of
 * two edges that come faster than their interrupt threads run, gpio-sim makes one. On one processor those threads,
 * which have real-time priority, run before this program continues.
 */
export async function tellEdgesAtOnce(): Promise<void> {
  const threads = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isInterruptThread(name));
  if (threads.length === 0) throw new Error('Nobody watches a line.');
  for (const thread of [String(process.pid), ...threads]) {
    await promisify(execFile)('taskset', ['-cp', '0', thread]);
  }
}

function isInterruptThread(thread: string): boolean {
  try {
    return /^irq\/\d+-/.test(readText(`/proc/${thread}/comm`));
  } catch {
    return false; // it has exited meanwhile
  }
}

/** Drives a line as another program would, until the returned function is called. */
export async function hold(chip: Chip, line: Line, isHigh: boolean): Promise<() => Promise<void>> {
  const args = ['gpio-hold', chipPath(chip), String(offsetOf(chip, line)), isHigh ? '1' : '0'];
  const child = spawn(probeProgram(), args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const first = await Promise.race([once(child.stdout, 'data'), exit.then(() => undefined)]);
  if (first === undefined) throw new Error(`The line ${line} of "${chip}" cannot be held: see above.`);
  return async () => {
    child.stdin.end();
    await exit;
  };
}

/** Kernel modules of the test camera, each after its dependencies. */
const cameraModules = [
  ...['videobuf2-common', 'videobuf2-memops', 'videobuf2-v4l2', 'videobuf2-vmalloc', 'videobuf2-dma-contig'],
  ...['font', 'v4l2-tpg', 'cfbfillrect', 'cfbcopyarea', 'cfbimgblt', 'vivid'],
];
const cameraDriver = '/sys/bus/platform/drivers/vivid';

/**
 * Plugs in the test camera: `/dev/video0` shows moving bars, without MJPEG; `/dev/video1` is an output. The devices do
 * not exist before the first call.
 */
export async function plugInCamera(): Promise<void> {
  const folder = process.env['ARMATURE_BENCH_MODULES'];
  if (folder === undefined) throw new Error('This is not the virtual bench: run it with npm run test:hardware.');
  if (!existsSync(cameraDriver)) {
    for (const name of cameraModules) {
      // One device of each kind: capture and output.
      await probe('load', path.join(folder, `${name}.ko`), name === 'vivid' ? 'n_devs=1 node_types=0x101' : '');
    }
  } else if (!existsSync(path.join(cameraDriver, 'vivid.0'))) {
    writeFileSync(path.join(cameraDriver, 'bind'), 'vivid.0');
  }
  await until('the camera', () => existsSync('/dev/video0'));
}

/** Removes the camera, as unplugging it does; its readers get errors. */
export function unplugCamera(): void {
  if (existsSync(path.join(cameraDriver, 'vivid.0'))) writeFileSync(path.join(cameraDriver, 'unbind'), 'vivid.0');
}

/**
 * Copies ffmpeg with its two hundred libraries into memory: while a file is read from this computer, the bench's clock
 * may jump, so that the code waiting for ffmpeg's start times out.
 * @returns the environment in which ffmpeg is run
 */
export async function ffmpegInMemory(): Promise<Readonly<Record<string, string>>> {
  const folder = '/run/tmp/ffmpeg';
  await mkdir(folder, { recursive: true });
  const { stdout } = await promisify(execFile)('ldd', ['/usr/bin/ffmpeg']);
  const libraries = [...stdout.matchAll(/=> (\S+)/g)].map(([, file = '']) => file);
  for (const file of ['/usr/bin/ffmpeg', '/usr/bin/setpriv', ...libraries]) {
    await copyFile(file, path.join(folder, path.basename(file)));
  }
  return { PATH: `${folder}:${process.env['PATH'] ?? ''}`, LD_LIBRARY_PATH: folder };
}

/** The contents of a channel's registers in the PCA9685. */
export interface PwmRegisters {
  /** Counts of 4,096 at which the output turns on and off. */
  readonly on: number;
  readonly off: number;
  readonly isFullOn: boolean;
  readonly isFullOff: boolean;
  /** 0 to 1, computed from the four registers together. */
  readonly dutyCycle: number;
  /** From its oscillator of 25 MHz and the prescaler. */
  readonly frequencyHz: number;
}

/** Reads the registers over I2C (PCA9685 data sheet, table 4 and 7.3.5). @param channel 0 to 15 */
export async function pwmRegisters(channel: number): Promise<PwmRegisters> {
  const registers = async (first: number, count: number): Promise<Buffer> => {
    const [hex = ''] = await probe('i2c', '/dev/i2c-0', '0x40', String(first), String(count));
    return Buffer.from(hex, 'hex');
  };
  const words = await registers(0x06 + 4 * channel, 4);
  const prescaler = (await registers(0xfe, 1)).readUInt8();
  const onWord = words.readUInt16LE(0);
  const offWord = words.readUInt16LE(2);
  const on = onWord & 0x0fff;
  const off = offWord & 0x0fff;
  const isFullOn = (onWord & 0x1000) !== 0;
  const isFullOff = (offWord & 0x1000) !== 0;
  const share = ((off - on + 4096) % 4096) / 4096;
  // Full off overrides full on.
  const dutyCycle = isFullOff ? 0 : isFullOn ? 1 : share;
  return { on, off, isFullOn, isFullOff, dutyCycle, frequencyHz: 25_000_000 / 4096 / (prescaler + 1) };
}

const adcState = (device: AdcDevice): string => path.join('/run/armature', device);

/** Sets the raw value of an ADC's channel; the next conversion returns it. */
export function setAnalog(channel: number, value: number, device: AdcDevice = 'spidev0.0'): void {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  const file = openSync(adcState(device), 'r+');
  writeSync(file, bytes, 0, 2, 2 * channel);
  closeSync(file);
}

/** Activity on an ADC's bus since the bench was turned on. */
export interface AdcCounts {
  /** System calls that moved data. */
  readonly messages: number;
  readonly transfers: number;
  /** Conversions that were read to their last bit. */
  readonly conversions: number;
  /** Of the last transfer. */
  readonly speedHz: number;
  readonly mode: number;
}

export function adcCounts(device: AdcDevice = 'spidev0.0'): AdcCounts {
  const bytes = Buffer.alloc(64);
  const file = openSync(adcState(device), 'r');
  readSync(file, bytes, 0, 64, 0);
  closeSync(file);
  const [messages, transfers, conversions, speedHz, mode] = [16, 20, 24, 28, 32].map((at) => bytes.readUInt32LE(at));
  return { messages: messages!, transfers: transfers!, conversions: conversions!, speedHz: speedHz!, mode: mode! };
}
