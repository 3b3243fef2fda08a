import type { MessageOf, MethodDefinition } from '../../../link/client.ts';
import type { RequestFields } from '../../../shared/machine/resource.ts';
import type { Text } from '../../../shared/text.ts';

/** One live value that Configure shows beside a form. */
export interface GlanceValue {
  readonly label: string;
  readonly value: string;
  /** '' for none. */
  readonly unit: string;
}

/** A method that is polled for values to show at a glance, and how to read them from its responses. */
export interface Glance {
  readonly method: MethodDefinition;
  /** Fields of the request, without the name of the resource. */
  readonly request: object;
  readonly valuesOf: (response: unknown) => readonly GlanceValue[];
}

/**
 * Gives the live values that Configure shows beside the form of a resource.
 * @param attributes those of the applied configuration
 */
export type Glances = (t: Text, attributes: Readonly<Record<string, unknown>>) => readonly Glance[];

/** At most this many values are shown beside a form; Control shows all. */
export const MAX_GLANCE_VALUES = 4;

export function glanceAt<M extends MethodDefinition>(
  method: M,
  request: RequestFields<M>,
  valuesOf: (response: MessageOf<M['responseType']>) => readonly GlanceValue[],
): Glance {
  return { method, request, valuesOf: valuesOf as Glance['valuesOf'] };
}

/** Formats without thousands separators, with a typographic minus sign, and without a minus before zero. */
export function decimals(value: number, digits: number): string {
  return value
    .toFixed(digits)
    .replace(/^-(?=0(\.0*)?$)/, '')
    .replace('-', '−');
}
