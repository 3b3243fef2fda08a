import { readJsonText, type JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { TextProblem } from '../../../shared/json-editor/text-problem.ts';

/** Where and why a text is not valid JSON. */
export interface JsonFault extends TextProblem {
  /** Counted from 1. */
  readonly line: number;
}

/** Parses a text as JSON. An empty text stands for an empty object. */
export function readRequest(text: string): { readonly value: JsonValue } | { readonly fault: JsonFault } {
  if (text.trim() === '') return { value: {} };
  const { root, faults, lines } = readJsonText(text);
  const [first] = faults;
  if (first === undefined) return { value: root?.value ?? null };
  const { offset, message } = first;
  return { fault: { line: lines.at(offset).line, from: offset, to: offset + 1, message, severity: 'error' } };
}

/** The problems to mark in the editor of a request. */
export function marksIn(text: string): readonly TextProblem[] {
  const read = readRequest(text);
  return 'fault' in read ? [read.fault] : [];
}

export function isObject(value: unknown): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
