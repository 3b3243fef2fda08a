import vm from 'node:vm';
import { ArmatureError } from '../../../base/errors.ts';
import { FILE_REGEX_FLAGS } from '../../../../proto/config/models/sensor-file.ts';

/** A pattern that needs longer has no end in sight, and everything else would wait for it. */
const MATCH_LIMIT_MS = 50;
/** So much of what was found stands in an error. */
const SHOWN_CHARACTERS = 60;

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Finds a number in a text: the first group of a pattern, else all it matches; without a pattern the whole text. */
export class NumberFinder {
  readonly #regex: string;
  readonly #context: vm.Context;
  readonly #script: vm.Script | undefined;

  /** @param regex '' for none. Throws `config.invalid` where it is no regular expression. */
  constructor(regex: string) {
    this.#regex = regex;
    this.#context = vm.createContext({ text: '' });
    if (regex === '') return;
    try {
      new RegExp(regex, FILE_REGEX_FLAGS);
    } catch (thrown) {
      throw new ArmatureError('config.invalid', `"regex" ${regex} is no regular expression: ${String(thrown)}`);
    }
    // In a context of its own, because only there can a match be given up on.
    this.#script = new vm.Script(
      `(() => { const found = new RegExp(${JSON.stringify(regex)}, '${FILE_REGEX_FLAGS}').exec(text);` +
        ` return found === null ? null : String(found[1] ?? found[0]); })()`,
    );
  }

  /** Throws `file.unreadable` where there is no number, with what is there instead. */
  find(text: string): number {
    const found = this.#script === undefined ? text : this.#match(this.#script, text);
    if (found === undefined) throw notFound(`"regex" ${this.#regex} matches nothing in ${shown(text)}`);
    const value = decimal.test(found.trim()) ? Number(found) : Number.NaN;
    if (Number.isFinite(value)) return value;
    const where = this.#regex === '' ? 'the file holds' : `"regex" ${this.#regex} finds`;
    throw notFound(`${where} ${shown(found)}, which is not a number`);
  }

  #match(script: vm.Script, text: string): string | undefined {
    this.#context['text'] = text;
    try {
      const found: unknown = script.runInContext(this.#context, { timeout: MATCH_LIMIT_MS });
      return typeof found === 'string' ? found : undefined;
    } catch (thrown) {
      if (!isTimeout(thrown)) throw thrown;
      throw notFound(`"regex" ${this.#regex} was not done after ${MATCH_LIMIT_MS} ms: make it simpler`);
    } finally {
      this.#context['text'] = '';
    }
  }
}

/** The error is of the other context, whose `Error` is not ours. */
function isTimeout(thrown: unknown): boolean {
  return (thrown as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
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
