/**
 * The JavaScript side of the addon: fills in defaults, renews the expiry of outputs while the event loop runs, and
 * makes everything safe when the program ends. `index.d.ts` documents each function.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { setInterval, clearInterval } from 'node:timers';
import { edgeForm, invalid, linesForm, number, text } from './forms.js';

/** Several renewals fit into the shortest allowed expiry (`forms.js`): a late one does no harm. */
const renewEveryMs = 50;
/** The kernel's limit for one message (drivers/i2c/i2c-dev.c). */
const mostI2cBytes = 8192;

/** This file may be part of a bundle: looks for the build folder in the folders above it. */
function buildFolder() {
  if (process.env.ARMATURE_NATIVE_BUILD !== undefined) return process.env.ARMATURE_NATIVE_BUILD;
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'native', 'build', 'Release'))) {
    const parent = path.dirname(folder);
    if (parent === folder) return path.join(import.meta.dirname, 'build', 'Release');
    folder = parent;
  }
  return path.join(folder, 'native', 'build', 'Release');
}

let addon;

function load() {
  if (addon !== undefined) return addon;
  const file = path.join(buildFolder(), 'armature_hardware.node');
  const fail = (reason) => {
    const error = new Error(reason);
    throw Object.assign(error, { code: 'hardware.unsupported', errno: 0, syscall: '', device: '' });
  };
  if (process.platform !== 'linux') fail(`Hardware needs Linux; this computer has ${process.platform}.`);
  if (!existsSync(file)) {
    fail(
      'The hardware addon was not built: install cmake and a C++ compiler (sudo apt install cmake g++), start again.',
    );
  }
  try {
    addon = createRequire(import.meta.url)(file);
  } catch (error) {
    fail(`The hardware addon does not load (${error.message}): remove native/build and start again.`);
  }
  return addon;
}

export function missingReason() {
  try {
    load();
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** Null where it cannot be loaded. */
let processAddon;

function loadProcessAddon() {
  if (processAddon !== undefined) return processAddon;
  processAddon = null;
  const file = path.join(buildFolder(), 'armature_process.node');
  if (process.platform !== 'linux' || !existsSync(file)) return null;
  try {
    processAddon = createRequire(import.meta.url)(file);
  } catch {
    // Built for another computer: the caller reports what is missing.
  }
  return processAddon;
}

export function hideMemory() {
  return loadProcessAddon()?.hideMemory() === 0;
}

export function limitUnanswered(socket, ms) {
  // Node has no public API for a socket's descriptor, but its handles have always had it.
  const descriptor = socket._handle?.fd;
  if (!(Number.isInteger(descriptor) && descriptor >= 0)) return false;
  return loadProcessAddon()?.limitUnanswered(descriptor, ms) === 0;
}

export function guardianPath() {
  return path.join(buildFolder(), 'armature-guardian');
}

/** Closed when the program exits normally; when it is killed, the guardian acts. */
const open = new Set();
process.on('exit', () => {
  for (const hardware of [...open]) hardware.close();
});

class Line {
  #owner;
  #handle;
  #index;
  #isGroup;
  constructor(owner, handle, index, isGroup) {
    this.#owner = owner;
    this.#handle = handle;
    this.#index = index;
    this.#isGroup = isGroup;
  }
  read() {
    return this.#owner.native.readLines(this.#handle, 1n << BigInt(this.#index)) !== 0n;
  }
  write(isHigh) {
    const bit = 1n << BigInt(this.#index);
    this.#owner.native.writeLines(this.#handle, bit, isHigh ? bit : 0n);
  }
  pwm(dutyCycle, frequencyHz) {
    const [duty, hz] = [number('a duty cycle', dutyCycle), number('a frequency', frequencyHz)];
    this.#owner.native.pulseLine(this.#handle, this.#index, duty, hz);
  }
  isExpired() {
    return this.#owner.native.isExpired(this.#handle, this.#index);
  }
  close() {
    if (this.#isGroup) invalid('a line of a group is closed with its group');
    this.#owner.release(this.#handle);
  }
}

class LineGroup {
  #owner;
  #handle;
  lines;
  constructor(owner, handle, count) {
    this.#owner = owner;
    this.#handle = handle;
    this.lines = Array.from({ length: count }, (_, index) => new Line(owner, handle, index, true));
  }
  read() {
    const bits = this.#owner.native.readLines(this.#handle, (1n << BigInt(this.lines.length)) - 1n);
    return this.lines.map((_, index) => ((bits >> BigInt(index)) & 1n) === 1n);
  }
  write(levels) {
    if (levels.length !== this.lines.length) {
      invalid(`a group of ${this.lines.length} lines takes as many levels, not ${levels.length}`);
    }
    let [mask, bits] = [0n, 0n];
    levels.forEach((isHigh, index) => {
      if (isHigh === undefined) return;
      mask |= 1n << BigInt(index);
      if (isHigh) bits |= 1n << BigInt(index);
    });
    if (mask !== 0n) this.#owner.native.writeLines(this.#handle, mask, bits);
  }
  close() {
    this.#owner.release(this.#handle);
  }
}

/** Shared by the handles: the native object, and the renewal while there are outputs. */
class Owner {
  native;
  #outputs = new Set();
  #timer;
  constructor(options) {
    const { Hardware } = load();
    this.native = new Hardware({
      backend: options.backend,
      guardian: options.guardian ?? '',
      root: options.root ?? '',
    });
  }
  /** @returns the same handle */
  output(handle) {
    this.#outputs.add(handle);
    this.native.renew();
    this.#timer ??= setInterval(() => this.native.renew(), renewEveryMs).unref();
    return handle;
  }
  release(handle) {
    this.native.closeHandle(handle);
    this.#outputs.delete(handle);
    if (this.#outputs.size === 0) this.#stop();
  }
  close() {
    this.#outputs.clear();
    this.#stop();
    this.native.close();
  }
  #stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function adcForm(channels) {
  return channels.map((channel) => ({
    channel: number('the number of a channel', channel.channel),
    samplesPerSecond: number('samples per second', channel.samplesPerSecond),
    averageOverMs: channel.averageOverMs ?? 0,
  }));
}

function openAdc(owner, options) {
  const channels = adcForm(options.channels);
  if (channels.length === 0) invalid(`${options.device}: name at least one channel`);
  const handle = owner.native.openAdc(
    options.chip,
    text('a device', options.device),
    options.address ?? 0x48,
    channels,
  );
  return {
    read: (channel) => owner.native.readAdc(handle, channel),
    max: owner.native.statsAdc(handle).max,
    stats: () => {
      const { samples, systemCalls, errors } = owner.native.statsAdc(handle);
      return { samples, systemCalls, errors };
    },
    close: () => owner.release(handle),
  };
}

function openSpi(owner, options) {
  const { device, mode = 0, speedHz = 1_000_000, bitsPerWord = 8 } = options;
  const handle = owner.native.openSpi(text('a device', device), mode, speedHz, bitsPerWord);
  return {
    transfer: async (transfers) => {
      const form = transfers.map(({ send, isChipSelectReleased = false }) => ({ send, isChipSelectReleased }));
      if (form.length === 0 || form.length > 400) invalid(`${device}: a message has 1 to 400 transfers`, device);
      if (!form.every(({ send }) => send instanceof Uint8Array && send.length > 0)) {
        invalid(`${device}: what is sent has to be a Uint8Array of at least a byte`, device);
      }
      return owner.native.transferSpi(handle, form);
    },
    close: () => owner.release(handle),
  };
}

function openI2c(owner, bus) {
  const handle = owner.native.openI2c(text('a bus', bus));
  return {
    transfer: async (address, send, receive) => {
      if (!Number.isInteger(address) || address < 3 || address > 0x77) {
        invalid(`${bus}: an address is 0x03 to 0x77, not ${address}`, bus);
      }
      const isSendable = send instanceof Uint8Array && send.length <= mostI2cBytes;
      if (!isSendable || !Number.isInteger(receive) || receive < 0 || receive > mostI2cBytes) {
        invalid(`${bus}: a transfer sends a Uint8Array of 0 to 8192 bytes and receives 0 to 8192`, bus);
      }
      if (send.length === 0 && receive === 0) invalid(`${bus}: a transfer sends or receives at least a byte`, bus);
      return owner.native.transferI2c(handle, address, send, receive);
    },
    close: () => owner.release(handle),
  };
}

function openPwm(owner, options) {
  const { chip, channel, expiryMs } = options;
  const expiry = linesForm([{ offset: channel, expiryMs }])[0].expiryMs;
  const handle = owner.output(owner.native.openPwm(text('a pwmchip', chip), channel, expiry));
  return {
    set: (dutyCycle, frequencyHz) =>
      owner.native.setPwm(handle, number('a duty cycle', dutyCycle), number('a frequency', frequencyHz)),
    read: () => owner.native.readPwm(handle),
    isExpired: () => owner.native.isExpired(handle, 0),
    close: () => owner.release(handle),
  };
}

function watchEdges(owner, options, onEdges, onGone = () => {}) {
  const { chip, consumer = 'armature', capacity = 65_536 } = options;
  if (!(Number.isInteger(capacity) && capacity >= 1 && capacity <= 2 ** 24)) {
    invalid(`${chip}: room for 1 to 16777216 edges, not ${capacity}`, chip);
  }
  const lines = edgeForm(chip, options.lines);
  const handle = owner.native.watchEdges(text('a chip', chip), consumer, lines, capacity, onEdges, onGone);
  return {
    read: (offset) => owner.native.readEdge(handle, offset),
    counts: (offset) => owner.native.countEdges(handle, offset),
    deliver: () => owner.native.deliverEdges(handle),
    close: () => owner.release(handle),
  };
}

function simWorld(native) {
  const names = ['pull', 'probe', 'probePwm', 'setAdc', 'unplug', 'plug', 'shareClock', 'delayWrites', 'failWrites'];
  return Object.fromEntries(names.map((name) => [name, (...values) => native[name](...values)]));
}

export function openHardware(options) {
  if (options.backend !== 'linux' && options.backend !== 'sim') invalid(`no backend '${options.backend}'`);
  const owner = new Owner(options);
  const { native } = owner;
  const openLines = (lines) => {
    const form = linesForm(lines);
    const { chip, consumer = 'armature' } = lines[0];
    return owner.output(native.openLines(text('a chip', chip), consumer, form));
  };
  const hardware = {
    gpioChips: () => native.gpioChips(),
    gpioLines: (chip) => native.gpioLines(text('a chip', chip)),
    openLine: (line) => new Line(owner, openLines([line]), 0, false),
    openLines: (lines) => new LineGroup(owner, openLines(lines), lines.length),
    watchEdges: (edges, onEdges, onGone) => watchEdges(owner, edges, onEdges, onGone),
    pwmChips: () => native.pwmChips(),
    openPwm: (pwm) => openPwm(owner, pwm),
    spiDevices: () => native.spiDevices(),
    openSpi: (spi) => openSpi(owner, spi),
    i2cBuses: () => native.i2cBuses(),
    openI2c: (bus) => openI2c(owner, bus),
    openAdc: (adc) => openAdc(owner, adc),
    limits: () => native.limits(),
    stats: () => native.stats(),
    close: () => {
      open.delete(hardware);
      owner.close();
    },
    ...(options.backend === 'sim' ? { sim: simWorld(native) } : {}),
  };
  open.add(hardware);
  return hardware;
}
