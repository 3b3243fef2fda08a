import type { Clock } from '../../../base/clock.ts';
import type { LogLevel } from '../../../base/logger.ts';
import type { LogRegistry } from '../../logging/log-registry.ts';
import type { ProcessOutput } from '../process/module-process.ts';
import { OutputRateLimit, LINES_PER_S } from './output-rate-limit.ts';
import { withoutColours, type ReadLine } from './line-level.ts';
import { CUT_MARK, LineSplitter } from './line-splitter.ts';
import { StackTraceJoiner } from './stack-trace-joiner.ts';

/** How much of the latest standard error output is kept, to explain why a process ended. */
const TAIL_BYTES = 4 * 1024;
const TAIL_LINES = 10;
const LONGEST_TAIL_LINE = 300;

export interface ModuleOutputOptions {
  readonly module: string;
  readonly logs: Pick<LogRegistry, 'module' | 'appendExternal'>;
  readonly clock: Clock;
  /** Masks secrets in a text. */
  readonly mask: (text: string) => string;
}

interface OutputStream {
  readonly splitter: LineSplitter;
  readonly joiner: StackTraceJoiner;
  /** One limit per stream, so that a flood on one does not drop the errors of the other. */
  readonly limit: OutputRateLimit;
}

/**
 * Logs the output of a module's process under `<module>.StdOut` and `<module>.StdErr`, as info and error unless a line
 * states its own level.
 */
export class ModuleOutput implements ProcessOutput {
  readonly #options: ModuleOutputOptions;
  readonly #out: OutputStream;
  readonly #err: OutputStream;
  #tail: Buffer = Buffer.alloc(0);

  constructor(options: ModuleOutputOptions) {
    this.#options = options;
    this.#out = this.#stream('StdOut', 'info');
    this.#err = this.#stream('StdErr', 'error');
  }

  out(chunk: Buffer): void {
    this.#out.splitter.push(chunk);
  }

  err(chunk: Buffer): void {
    this.#err.splitter.push(chunk);
    const last = chunk.length > TAIL_BYTES ? chunk.subarray(chunk.length - TAIL_BYTES) : chunk;
    const before = Math.max(0, TAIL_BYTES - last.length);
    // Copied, so that the chunk can be freed.
    this.#tail = Buffer.concat([this.#tail.subarray(Math.max(0, this.#tail.length - before)), last]);
  }

  /** The output has ended: logs the rest. */
  end(): void {
    for (const { splitter, joiner, limit } of [this.#out, this.#err]) {
      splitter.end();
      joiner.flush();
      limit.end();
    }
  }

  /** The last lines of standard error, with secrets masked, including lines over the rate limit. */
  lastErrors(): readonly string[] {
    const lines = this.#options.mask(withoutColours(this.#tail.toString('utf8'))).split('\n');
    // The text may begin in the middle of a line.
    if (this.#tail.length === TAIL_BYTES) lines.shift();
    const printed = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
    return printed.slice(-TAIL_LINES).map((line) => line.slice(0, LONGEST_TAIL_LINE));
  }

  #stream(logger: 'StdOut' | 'StdErr', standard: LogLevel): OutputStream {
    const limit = new OutputRateLimit(this.#options.clock, (lines) => this.#tellOfDropped(logger, lines));
    const joiner = new StackTraceJoiner(this.#options.clock, standard, (entry) => this.#log(logger, entry));
    const splitter = new LineSplitter(
      () => limit.take(),
      (line, isCut) => joiner.push(withoutColours(line.toString('utf8')) + (isCut ? CUT_MARK : '')),
    );
    return { splitter, joiner, limit };
  }

  #log(logger: 'StdOut' | 'StdErr', { level, message, fields }: ReadLine): void {
    const { logs, module, clock, mask } = this.#options;
    // Without a configured level, the level of the module's logger applies: printed lines were not filtered before.
    if (!logs.module(module).isEnabled(level)) return;
    logs.appendExternal({
      module,
      resource: undefined,
      logger,
      level,
      time: clock.now(),
      message: mask(message),
      fields,
      caller: undefined,
      // Repeated traces are not collapsed, because a hidden one would be missed.
      isNeverFolded: logger === 'StdErr',
    });
  }

  #tellOfDropped(stream: 'StdOut' | 'StdErr', lines: number): void {
    const { logs, module } = this.#options;
    const text = `${lines.toLocaleString('en')} lines of its ${stream} were left out: it writes more than ${LINES_PER_S.toLocaleString('en')} a second.`;
    logs.module(module).warn(text, { lines });
  }
}
