import { printParseErrorCode, visit } from 'jsonc-parser';
import { setOwn } from '../../own-property.ts';
import { joinPointer, pointerSteps } from './json-pointer.ts';
import { describeSyntaxError } from './json-syntax-message.ts';
import { LineIndex } from './text-position.ts';

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A value and where it stands. Offsets are UTF-16 code units from the start of the text. */
export interface JsonNode {
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
  /** Offset of the key in front of the value; -1 where it has none. */
  readonly keyStart: number;
  /** Values of an object by key; undefined for other values. */
  readonly properties: ReadonlyMap<string, JsonNode> | undefined;
  /** Values of an array; undefined for other values. */
  readonly items: readonly JsonNode[] | undefined;
}

/** Something about the text itself that is wrong. Anything but `syntax` and `too_deep` leaves a document to work with. */
export interface TextFault {
  readonly kind: 'syntax' | 'too_deep' | 'too_large' | 'too_large_for_memory' | 'duplicate_key' | 'number_range';
  readonly offset: number;
  /** JSON pointer of the value; '' for faults of syntax. */
  readonly pointer: string;
  readonly message: string;
  readonly found?: string;
}

export interface JsonText {
  /** Undefined where the text is not one JSON document. */
  readonly root: JsonNode | undefined;
  readonly faults: readonly TextFault[];
  readonly lines: LineIndex;
}

/** Deeper documents are refused: everything behind the parser may then recurse. */
export const DEEPEST_NESTING = 128;
/** After so many faults of syntax the rest of the text is not read. */
const MOST_SYNTAX_FAULTS = 20;

interface OpenNode {
  value: JsonValue;
  start: number;
  end: number;
  keyStart: number;
  properties: Map<string, JsonNode> | undefined;
  items: JsonNode[] | undefined;
}

/** Thrown through the visitor to end it early; never leaves this file. */
class EnoughFaults extends Error {}

/**
 * Reads strict JSON (RFC 8259: no comments, no trailing commas) and keeps the
 * place of every value. Never throws. Of a key written twice the first is kept.
 * A byte order mark in front is skipped and counts as no column.
 */
export function readJsonText(text: string): JsonText {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = new LineIndex(body);
  const reader = new TreeReader(body, lines);
  try {
    reader.read();
  } catch (thrown) {
    // A stack that overflows means nesting far beyond the limit, which is already among the faults.
    if (!(thrown instanceof EnoughFaults) && !(thrown instanceof RangeError)) throw thrown;
  }
  const isBroken = reader.faults.some((fault) => fault.kind === 'syntax' || fault.kind === 'too_deep');
  return { root: isBroken ? undefined : reader.root, faults: reader.faults, lines };
}

/** The node a pointer names, below `root`. */
export function nodeAt(root: JsonNode, pointer: string): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of pointerSteps(pointer) ?? ['']) {
    if (node?.properties !== undefined) node = node.properties.get(step);
    else if (node?.items !== undefined && /^(0|[1-9]\d*)$/.test(step)) node = node.items[Number(step)];
    else return undefined;
  }
  return node;
}

class TreeReader {
  root: JsonNode | undefined;
  readonly faults: TextFault[] = [];
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #open: OpenNode[] = [];
  /** Key of each open node in its parent. */
  readonly #steps: (string | number)[] = [];
  #key = '';
  #keyStart = -1;
  #lastComma = -1;
  #lastClosedStart = 0;
  #hasOtherFault = false;
  #syntaxFaults = 0;

  constructor(text: string, lines: LineIndex) {
    this.#text = text;
    this.#lines = lines;
  }

  read(): void {
    visit(
      this.#text,
      {
        onObjectBegin: (offset) => this.#begin({}, offset),
        onArrayBegin: (offset) => this.#begin([], offset),
        onObjectEnd: (offset, length) => this.#end(offset + length),
        onArrayEnd: (offset, length) => this.#end(offset + length),
        onObjectProperty: (key, offset) => {
          this.#key = key;
          this.#keyStart = offset;
        },
        onLiteralValue: (value: JsonValue, offset, length) => this.#literal(value, offset, offset + length),
        onSeparator: (character, offset) => {
          if (character === ',') this.#lastComma = offset;
        },
        onError: (error, offset, length) => this.#syntaxError(printParseErrorCode(error), offset, length),
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  }

  #begin(value: JsonValue, start: number): boolean {
    if (this.#open.length >= DEEPEST_NESTING) {
      if (!this.faults.some((fault) => fault.kind === 'too_deep')) {
        this.faults.push({
          kind: 'too_deep',
          offset: start,
          pointer: '',
          message: `The document is nested more than ${DEEPEST_NESTING} levels deep; flatten it.`,
        });
      }
      return false;
    }
    const isArray = Array.isArray(value);
    const node: OpenNode = {
      value,
      start,
      end: start,
      keyStart: this.#takeKeyStart(),
      properties: isArray ? undefined : new Map(),
      items: isArray ? [] : undefined,
    };
    this.#steps.push(this.#attach(node));
    this.#open.push(node);
    return true;
  }

  #end(end: number): void {
    const node = this.#open.pop();
    this.#steps.pop();
    if (node === undefined) return;
    node.end = Math.min(end, this.#text.length);
    this.#lastClosedStart = node.start;
  }

  #literal(value: JsonValue, start: number, end: number): void {
    const node: JsonNode = {
      value,
      start,
      end,
      keyStart: this.#takeKeyStart(),
      properties: undefined,
      items: undefined,
    };
    const step = this.#attach(node);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const found = this.#text.slice(start, end).slice(0, 200);
      this.faults.push({
        kind: 'number_range',
        offset: start,
        pointer: this.#pointerTo(step),
        message: `The number ${found.slice(0, 40)} is too large; numbers go up to about 1.8e308.`,
        found,
      });
    }
  }

  #takeKeyStart(): number {
    const keyStart = this.#open.at(-1)?.properties === undefined ? -1 : this.#keyStart;
    this.#keyStart = -1;
    return keyStart;
  }

  /** Puts a node into the innermost open one and answers its key or index there. */
  #attach(node: JsonNode): string | number {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.root ??= node;
      return '';
    }
    if (parent.items !== undefined) {
      parent.items.push(node);
      (parent.value as JsonValue[]).push(node.value);
      return parent.items.length - 1;
    }
    const key = this.#key;
    const first = parent.properties?.get(key);
    if (first !== undefined) {
      this.faults.push({
        kind: 'duplicate_key',
        offset: node.keyStart,
        pointer: this.#pointerTo(key),
        message: `The key "${key}" is already there on line ${this.#lines.at(first.keyStart).line}; remove one of the two.`,
      });
      return key;
    }
    parent.properties?.set(key, node);
    setOwn(parent.value as { [key: string]: JsonValue }, key, node.value);
    return key;
  }

  #pointerTo(step: string | number): string {
    return [...this.#steps.slice(1), step].reduce<string>((pointer, next) => joinPointer(pointer, next), '');
  }

  #syntaxError(name: string, offset: number, length: number): void {
    if (this.#isTrailingComma(name, offset)) {
      const comma = this.#lastComma;
      if (this.faults.some((fault) => fault.kind === 'syntax' && fault.offset === comma)) return;
      this.#addSyntaxFault(comma, `The comma before "${this.#text[offset] ?? ''}" must go: nothing follows it.`, ',');
      return;
    }
    if (name === 'InvalidCommentToken') {
      const found = this.#text.slice(offset, offset + Math.min(length, 40)).split('\n', 1)[0] ?? '';
      this.#addSyntaxFault(offset, 'JSON has no comments; put the text into a "notes" key instead.', found);
      return;
    }
    // Later faults are mostly consequences of the first.
    if (this.#hasOtherFault) return;
    this.#hasOtherFault = true;
    const found = this.#text.slice(offset, offset + Math.min(length, 40));
    const openedLine = this.#lines.at(this.#lastClosedStart).line;
    this.#addSyntaxFault(offset, describeSyntaxError(name, found, openedLine), found);
  }

  #isTrailingComma(name: string, offset: number): boolean {
    if (name !== 'ValueExpected' && name !== 'PropertyNameExpected') return false;
    const closing = this.#text[offset];
    if ((closing !== '}' && closing !== ']') || this.#lastComma < 0) return false;
    return /^,\s*$/.test(this.#text.slice(this.#lastComma, offset).replace(/\/\/.*|\/\*[^]*?\*\//g, ''));
  }

  #addSyntaxFault(offset: number, message: string, found: string): void {
    this.faults.push({ kind: 'syntax', offset, pointer: '', message, ...(found === '' ? {} : { found }) });
    this.#syntaxFaults++;
    if (this.#syntaxFaults >= MOST_SYNTAX_FAULTS) throw new EnoughFaults();
  }
}
