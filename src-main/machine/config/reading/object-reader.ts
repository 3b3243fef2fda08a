import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { JsonNode, JsonValue } from '../../../../proto/config/text/json-text.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import { showValue, type Finding, type ProblemSink } from '../problem-list.ts';

type Severity = 'error' | 'warning';

/** Counts keys that have no effect yet, so that each is reported once. */
export class UnsupportedKeys {
  readonly #places = new Map<string, string[]>();

  add(key: string, pointer: string): void {
    const places = this.#places.get(key);
    if (places === undefined) this.#places.set(key, [pointer]);
    else places.push(pointer);
  }

  reportTo(sink: ProblemSink): void {
    for (const [key, [first = '', ...more]] of this.#places) {
      const others =
        more.length === 0 ? '' : ` (also in ${more.length} more ${more.length === 1 ? 'place' : 'places'})`;
      sink.report({
        pointer: first,
        severity: 'warning',
        code: 'config.unsupported_key',
        message: `"${key}" is not supported yet: it is kept in the file and has no effect${others}.`,
        isAtKey: true,
      });
    }
  }
}

/** The name of a value's type, for messages. */
export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'string' ? 'text' : 'a number';
}

/**
 * Reads one object of the document by the keys in its schema. A key that differs only in case is accepted with a
 * warning, as in the public server; other unknown keys are a warning; null counts as absent.
 */
export class ObjectReader {
  /** Pointer of the object in the document. */
  readonly pointer: string;
  readonly #what: string;
  readonly #sink: ProblemSink;
  readonly #values = new Map<string, { readonly node: JsonNode; readonly pointer: string }>();

  /** `what` begins each message: `component "left"`, `network`. */
  constructor(
    node: JsonNode,
    pointer: string,
    what: string,
    schema: JsonSchema,
    sink: ProblemSink,
    unsupported: UnsupportedKeys,
  ) {
    this.pointer = pointer;
    this.#what = what;
    this.#sink = sink;
    this.#readKeys(node, schema, unsupported);
  }

  /** Pointer of a key's value as the document spells it; of the object if the key is absent. */
  pointerOf(key: string): string {
    return this.#values.get(key)?.pointer ?? this.pointer;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  node(key: string): JsonNode | undefined {
    return this.#values.get(key)?.node;
  }

  text(key: string, severity: Severity = 'error'): string | undefined {
    const value = this.node(key)?.value;
    if (value === undefined || typeof value === 'string') return value;
    this.#wrongType(key, value, 'text in double quotes', severity);
    return undefined;
  }

  flag(key: string, severity: Severity = 'error'): boolean | undefined {
    const value = this.node(key)?.value;
    if (value === undefined || typeof value === 'boolean') return value;
    this.#wrongType(key, value, 'true or false', severity);
    return undefined;
  }

  object(key: string, severity: Severity = 'error'): JsonNode | undefined {
    const node = this.node(key);
    if (node === undefined || node.properties !== undefined) return node;
    this.#wrongType(key, node.value, 'an object in { }', severity);
    return undefined;
  }

  list(key: string, severity: Severity = 'error'): readonly JsonNode[] | undefined {
    const node = this.node(key);
    if (node === undefined || node.items !== undefined) return node?.items;
    this.#wrongType(key, node.value, 'an array in [ ]', severity);
    return undefined;
  }

  /** An array of texts; other items are reported and left out. */
  texts(key: string, severity: Severity = 'error'): readonly string[] | undefined {
    const items = this.list(key, severity);
    return items?.flatMap((item, index) => {
      if (typeof item.value === 'string') return [item.value];
      this.#wrongType(
        `${key}[${index}]`,
        item.value,
        'text in double quotes',
        severity,
        `${this.pointerOf(key)}/${index}`,
      );
      return [];
    });
  }

  /** Reports a problem with the value of a key, or with the object if the key is absent. */
  report(
    key: string,
    severity: Severity,
    code: string,
    message: string,
    more: Pick<Finding, 'allowed' | 'nearest' | 'missing'> = {},
  ): void {
    this.#sink.report({
      pointer: this.pointerOf(key),
      severity,
      code,
      message: `${this.#what}: ${message}`,
      found: this.node(key)?.value,
      ...more,
    });
  }

  /** Reports a key that is needed, and is absent or empty. */
  reportMissing(key: string, message: string, more: Pick<Finding, 'allowed'> = {}): void {
    const missing = this.has(key) ? undefined : key;
    this.report(key, 'error', 'config.missing_key', message, { ...more, missing });
  }

  #wrongType(key: string, value: JsonValue, wanted: string, severity: Severity, pointer = this.pointerOf(key)): void {
    this.#sink.report({
      pointer,
      severity,
      code: 'config.wrong_type',
      message: `${this.#what}: "${key}" is ${typeOf(value)} (${showValue(value, pointer, 40)}); it takes ${wanted}.`,
      found: value,
      allowed: [wanted],
    });
  }

  #readKeys(node: JsonNode, schema: JsonSchema, unsupported: UnsupportedKeys): void {
    const known = schema.properties ?? {};
    const bySmallLetters = new Map(Object.keys(known).map((key) => [key.toLowerCase(), key]));
    for (const [written, child] of node.properties ?? []) {
      const pointer = joinPointer(this.pointer, written);
      const key = Object.hasOwn(known, written) ? written : bySmallLetters.get(written.toLowerCase());
      if (key === undefined) {
        this.#unknownKey(written, pointer, Object.keys(known));
        continue;
      }
      if (key !== written) {
        const isShadowed = node.properties?.has(key) === true || this.#values.has(key);
        this.#sink.report({
          pointer,
          severity: 'warning',
          code: 'config.key_case',
          message: isShadowed
            ? `${this.#what}: "${written}" is ignored, because "${key}" is there as well; remove it.`
            : `${this.#what}: "${written}" is read as "${key}"; write it in small letters.`,
          nearest: key,
          isAtKey: true,
        });
        if (isShadowed) continue;
      }
      if (known[key]?.['x-unsupported'] === true) unsupported.add(key, pointer);
      if (child.value !== null) this.#values.set(key, { node: child, pointer });
    }
  }

  #unknownKey(written: string, pointer: string, known: readonly string[]): void {
    const guess = nearest(written, known);
    const hint = guess === undefined ? 'it is ignored.' : `it is ignored; did you mean "${guess}"?`;
    this.#sink.report({
      pointer,
      severity: 'warning',
      code: 'config.unknown_key',
      message: `${this.#what}: "${written.slice(0, 80)}" is not a known key; ${hint}`,
      nearest: guess,
      isAtKey: true,
    });
  }
}
