import { writeSync } from 'node:fs';
import os from 'node:os';
import { systemClock } from '../base/clock.ts';
import { toArmatureError } from '../base/errors.ts';
import { MAX_MESSAGE_BYTES } from '../rpc/routing/call-router.ts';
import { openPeer } from '../rpc/peer/http2-peer.ts';
import type { Model } from './model.ts';
import { Module } from './module.ts';
import { readModuleOptions } from './server/module-options.ts';

export interface ModuleDefinition {
  readonly models: readonly Model[];
}

/** A machine that is running accepts a connection at once; it waits 3 s for the answer to Ready. */
const CONNECT_MS = 2_000;
/** Time limit for an orderly end; the machine waits 10 s. */
const STOP_LIMIT_MS = 8_000;
const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Runs this process as a module of a machine, until the machine ends it. Reads the command line and the environment
 * that a machine starts modules with, and serves the models. Ends in order at SIGTERM, when the machine has been gone
 * for 10 s, and when the code of a model breaks. Settles when the module listens.
 */
export async function runModule({ models }: ModuleDefinition): Promise<void> {
  let end: (code: number, why?: string) => void = (code) => process.exit(code);
  try {
    const options = readModuleOptions(process.argv.slice(2), process.env);
    const module = new Module({
      models,
      options,
      clock: systemClock,
      openPeer: (address) =>
        openPeer(address, {
          clock: systemClock,
          name: 'the machine',
          maxMessageBytes: MAX_MESSAGE_BYTES,
          signal: AbortSignal.timeout(CONNECT_MS),
        }),
      print,
      onGone: (reason) => end(EXIT.failed, `The machine is gone for good: ${reason}.`),
    });
    end = endOnce(module);
    await module.listen();
  } catch (thrown) {
    const error = toArmatureError(thrown);
    process.stderr.write(`ERROR ${error.message}\n`);
    end(error.code === 'call.bad_argument' ? EXIT.usage : EXIT.failed);
  }
}

/** Handles signals and uncaught errors. @returns a function that ends the process in order, once */
function endOnce(module: Module): (code: number, why?: string) => void {
  let isEnding = false;
  const end = (code: number, why?: string): void => {
    if (isEnding) return;
    isEnding = true;
    if (why !== undefined) module.logger.error(why);
    // Not a timer of the clock, because this one must keep the process alive until the end.
    setTimeout(() => process.exit(EXIT.failed), STOP_LIMIT_MS);
    module.stop().then(
      () => process.exit(code),
      () => process.exit(EXIT.failed),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(128 + os.constants.signals[signal]);
      end(EXIT.ok);
    });
  }
  process.on('uncaughtException', (thrown: unknown) => {
    const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    module.logger.error(`The code of the module broke: ${message}`, { stack });
    end(EXIT.failed);
  });
  return end;
}

/** Writes synchronously, so that the last output of a process is not lost. */
function print(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // Nobody reads: the machine is gone, or reads more slowly than the module writes.
  }
}
