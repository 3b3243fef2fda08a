import vm from 'node:vm';
import { ArmatureError } from '../../../base/errors.ts';
import type { UserPattern } from '../../../base/user-pattern.ts';
import { compileFilePattern } from './machine-rules.ts';

/** Time limit for one match, which blocks everything else: a complex pattern can take seconds on a large file. */
const MATCH_LIMIT_MS = 50;
/** How much of the text found is shown in an error. */
const SHOWN_CHARACTERS = 60;

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Finds a number in a text: the first group of a pattern, or the whole match; without a pattern, the whole text. */
export class NumberFinder {
  readonly #regex: string;
  readonly #limitMs: number;
  #pattern: UserPattern | undefined;
  readonly #context = vm.createContext({ match: undefined });
  readonly #script = new vm.Script('match()');

  /**
   * @param regex '' for none. Throws `config.invalid` if it is not a valid pattern.
   * @param limitMs time limit for one match
   */
  constructor(regex: string, limitMs = MATCH_LIMIT_MS) {
    this.#regex = regex;
    this.#limitMs = limitMs;
    if (regex !== '') this.#pattern = compiledFilePattern(regex);
  }

  /** Throws `file.unreadable` if there is no number, with what was found instead. */
  find(text: string): number {
    const found = this.#pattern === undefined ? text : this.#match(this.#pattern, text);
    if (found === undefined) throw notFound(`"regex" ${this.#regex} matches nothing in ${shown(text)}`);
    const value = decimal.test(found.trim()) ? Number(found) : Number.NaN;
    if (Number.isFinite(value)) return value;
    const where = this.#regex === '' ? 'the file holds' : `"regex" ${this.#regex} finds`;
    throw notFound(`${where} ${shown(found)}, which is not a number`);
  }

  /** Runs in a context of its own, because only there can a match be aborted. */
  #match(pattern: UserPattern, text: string): string | undefined {
    this.#context['match'] = () => pattern.findFirst(text);
    try {
      return this.#script.runInContext(this.#context, { timeout: this.#limitMs }) as string | undefined;
    } catch (thrown) {
      if (!isTimeout(thrown)) throw thrown;
      // An aborted match may have left its internal state inconsistent.
      this.#pattern = compiledFilePattern(this.#regex);
      throw notFound(`"regex" ${this.#regex} was not done after ${this.#limitMs} ms: make it simpler`);
    } finally {
      this.#context['match'] = undefined;
    }
  }
}

/** The error comes from the other context, whose `Error` class is not ours. */
function isTimeout(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function compiledFilePattern(regex: string): UserPattern {
  const compiled = compileFilePattern(regex);
  if (compiled.kind === 'valid') return compiled.pattern;
  throw new ArmatureError('config.invalid', `"regex" ${regex} is no pattern: ${compiled.reason}`);
}

function notFound(message: string): ArmatureError {
  return new ArmatureError('file.unreadable', message);
}

function shown(text: string): string {
  if (text === '') return 'nothing: it is empty';
  return text.length <= SHOWN_CHARACTERS
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))} and ${text.length - SHOWN_CHARACTERS} characters more`;
}
