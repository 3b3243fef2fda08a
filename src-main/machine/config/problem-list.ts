import type { ExpandedText } from './reading/expand-variables.ts';
import { MASK, isSecretPointer } from '../../../proto/config/secrets.ts';
import { joinPointer } from '../../../proto/config/text/json-pointer.ts';
import { nodeAt, type JsonText, type JsonValue } from '../../../proto/config/text/json-text.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { Logger } from '../../base/logger.ts';

/** Most characters of a value in a problem. */
const LONGEST_FOUND = 200;

/** A problem before its place is known. */
export interface Finding {
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  /** The value found; absent where there is none. */
  readonly found?: JsonValue | undefined;
  readonly allowed?: readonly string[] | undefined;
  readonly nearest?: string | undefined;
  /** As in `Problem`. */
  readonly missing?: string | undefined;
  /** Marks the key instead of the value: for keys that should be removed. */
  readonly isAtKey?: boolean;
  /** The place, if the pointer is ambiguous (the second of two equal keys). */
  readonly offset?: number;
}

/** Receives the problems that the reader of one part of the document finds. */
export interface ProblemSink {
  report(finding: Finding): void;
}

/** A value as JSON text, cut for a message; anything in it that may be secret is masked. */
export function showValue(value: JsonValue, pointer: string, longest = LONGEST_FOUND): string {
  const text = JSON.stringify(withoutSecrets(value, pointer));
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

function withoutSecrets(value: JsonValue, pointer: string): JsonValue {
  if (isSecretPointer(pointer)) return MASK;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item, index) => withoutSecrets(item, joinPointer(pointer, index)));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, joinPointer(pointer, key))]),
  );
}

/** Collects the problems of one document and gives each its place. */
export class ProblemList implements ProblemSink {
  readonly #file: string;
  readonly #text: JsonText;
  readonly #problems: Problem[] = [];
  #concealed: readonly ExpandedText[] = [];

  constructor(file: string, text: JsonText) {
    this.#file = file;
    this.#text = text;
  }

  /** Problems show these texts as written: the expanded variables may be secret. */
  conceal(texts: readonly ExpandedText[]): void {
    this.#concealed = texts;
  }

  report(finding: Finding): void {
    this.add(finding);
  }

  add(finding: Finding): Problem {
    const { pointer, severity, code, message, found, allowed, nearest, missing } = this.#asWritten(finding);
    const problem: Problem = {
      file: this.#file,
      ...this.#place(finding),
      pointer,
      severity,
      code,
      message,
      ...(found === undefined ? {} : { found: showValue(found, pointer) }),
      ...(allowed === undefined ? {} : { allowed }),
      ...(nearest === undefined ? {} : { nearest }),
      ...(missing === undefined ? {} : { missing }),
    };
    this.#problems.push(problem);
    return problem;
  }

  /** A sink that also stores its problems in `own`. */
  scope(own: Problem[]): ProblemSink {
    return { report: (finding) => void own.push(this.add(finding)) };
  }

  /** By place, then by code. */
  sorted(): readonly Problem[] {
    return byPlace(this.#problems);
  }

  #asWritten(finding: Finding): Finding {
    const { pointer } = finding;
    const inside = this.#concealed.filter((text) => text.pointer === pointer || text.pointer.startsWith(`${pointer}/`));
    if (inside.length === 0) return finding;
    let { message, found } = finding;
    for (const { became, written } of inside) if (became !== '') message = message.replaceAll(became, () => written);
    if (found !== undefined && this.#text.root !== undefined) found = nodeAt(this.#text.root, pointer)?.value;
    return { ...finding, message, ...(found === undefined ? {} : { found }) };
  }

  #place(finding: Finding): { line: number; column: number } {
    if (finding.offset !== undefined) return this.#text.lines.at(finding.offset);
    const node = this.#text.root === undefined ? undefined : nodeAt(this.#text.root, finding.pointer);
    if (node === undefined) return { line: 0, column: 0 };
    return this.#text.lines.at(finding.isAtKey === true && node.keyStart >= 0 ? node.keyStart : node.start);
  }
}

/** Problems by place, then by code. */
export function byPlace(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(
    (a, b) => a.line - b.line || a.column - b.column || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}

/** Whether one of the problems is an error. */
export function hasError(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** At most `limit` problems of a list, in its order: errors are kept before warnings. */
export function foremost(problems: readonly Problem[], limit: number): readonly Problem[] {
  if (problems.length <= limit) return problems;
  const errors = problems.filter((problem) => problem.severity === 'error');
  const warnings = problems.filter((problem) => problem.severity === 'warning');
  const kept = new Set([...errors, ...warnings].slice(0, limit));
  return problems.filter((problem) => kept.has(problem));
}

/** Most problems of one text in the log; Watch and the command line show more. */
const MAX_PROBLEMS_LOGGED = 100;

/** Logs the problems of a file, each with its place. */
export function logProblems(problems: readonly Problem[], file: string, logger: Logger): void {
  const logged = foremost(problems, MAX_PROBLEMS_LOGGED);
  for (const { severity, line, column, message } of logged) {
    const text = `${file}:${line}:${column}: ${message}`;
    if (severity === 'error') logger.error(text);
    else logger.warn(text);
  }
  if (logged.length < problems.length) {
    logger.warn(`${file}: ${problems.length - logged.length} more problems; armature config check lists them all.`);
  }
}
