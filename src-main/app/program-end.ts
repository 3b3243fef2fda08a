import { systemClock } from '../base/clock.ts';
import type { LogRegistry } from '../machine/logging/log-registry.ts';
import { exitCodes, type ExitCode } from '../machine/options/exit-codes.ts';
import { stopSignals } from './stop-signals.ts';

/** Longer than everything an orderly stop may take, shorter than a service manager's patience. */
export const SHUTDOWN_LIMIT_MS = 30_000;
/** One Ctrl+C comes several times: from the terminal, and from npm and each script that passes it on. */
const SAME_SIGNAL_MS = 500;

/** How a serving program ends: by a signal, by an internal failure, or on request. */
export class ProgramEnd {
  /** Settles when the program is to stop in order. */
  readonly requested: Promise<void>;
  readonly #name: string;
  readonly #logs: LogRegistry;
  #request: () => void = () => undefined;
  #exitCode: ExitCode = exitCodes.ok;

  /** @param name for messages: `server`, `hub` */
  constructor(name: string, logs: LogRegistry) {
    this.#name = name;
    this.#logs = logs;
    this.requested = new Promise((resolve) => (this.#request = resolve));
  }

  /** What the program is to exit with. */
  get exitCode(): ExitCode {
    return this.#exitCode;
  }

  request(exitCode: ExitCode = this.#exitCode): void {
    this.#exitCode = exitCode;
    this.#request();
  }

  /** From now on the first signal stops in order; a second one ends the program at once. */
  followSignals(): void {
    let stoppingSince: number | undefined;
    const onSignal = (signal: NodeJS.Signals): void => {
      const now = systemClock.monotonic();
      if (stoppingSince === undefined) {
        stoppingSince = now;
        this.#logs.activity.info(`stopping: ${signal}`, {});
        this.request();
      } else if (now - stoppingSince > SAME_SIGNAL_MS) {
        this.#logs.activity.warn(`ended at once: ${signal} came again`, {});
        endAtOnce(exitCodes.hungShutdown);
      }
    };
    for (const signal of stopSignals) process.on(signal, onSignal);
  }

  /** From now on a fault of our own ends the program, but not before it has stopped in order. */
  followFaults(): void {
    process.on('uncaughtException', (thrown: unknown) => {
      const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#logs.fatal(`The ${this.#name} has a fault and is stopping: ${message}`, { stack });
      this.request(exitCodes.failed);
    });
  }

  /** Carries out an orderly stop, which is cut short where it hangs. */
  async carryOut(stop: () => Promise<void>): Promise<void> {
    const hung = setTimeout(() => {
      this.#logs.fatal(`The ${this.#name} did not stop within ${SHUTDOWN_LIMIT_MS / 1_000} s and is cut short.`, {});
      endAtOnce(exitCodes.hungShutdown);
    }, SHUTDOWN_LIMIT_MS);
    await stop();
    clearTimeout(hung);
  }
}

/**
 * Ends the process even if something hangs. `process.exit` would wait for the threads that read and write files, and
 * one may hang in the kernel for a lost disk. Instead, the process is replaced by another program (exec), ending all
 * threads; the guardian makes outputs safe, as `exit` would.
 */
function endAtOnce(code: ExitCode): void {
  try {
    process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {});
  } catch {
    // There is no shell, or no such call on this system.
  }
  process.kill(process.pid, 'SIGKILL');
}
