import type { MessageOf, MethodDefinition } from '../../../link/client.ts';
import type { RequestFields } from '../../../shared/machine/resource.ts';
import type { Text } from '../../../shared/text.ts';

/** One value, as it is shown beside a form. */
export interface GlanceValue {
  readonly label: string;
  readonly value: string;
  /** '' for none. */
  readonly unit: string;
}

/** What tells something of a resource at a glance: a method that is polled, and the values of its answers. */
export interface Glance {
  readonly method: MethodDefinition;
  /** What it is asked beside the name of the resource. */
  readonly request: object;
  readonly valuesOf: (response: unknown) => readonly GlanceValue[];
}

/**
 * What Configure shows of a resource beside its form.
 * @param attributes those of the applied configuration
 */
export type Glances = (t: Text, attributes: Readonly<Record<string, unknown>>) => readonly Glance[];

/** More than this are not shown; Control has them all. */
export const mostShown = 4;

export function glanceAt<M extends MethodDefinition>(
  method: M,
  request: RequestFields<M>,
  valuesOf: (response: MessageOf<M['responseType']>) => readonly GlanceValue[],
): Glance {
  return { method, request, valuesOf: valuesOf as Glance['valuesOf'] };
}

/** Without marks between thousands; a true minus sign, and none before a zero. */
export function decimals(value: number, digits: number): string {
  return value
    .toFixed(digits)
    .replace(/^-(?=0(\.0*)?$)/, '')
    .replace('-', '−');
}
