import { nearest } from '../../../proto/config/nearest.ts';
import { traitsOfMethods } from '../../../proto/gen/method-traits.ts';

/** The part of a method that decides whether a job can call it. */
export interface JobMethod {
  readonly name: string;
  readonly isStream: boolean;
}

/** Methods of a public API, whoever has resources of it; undefined for an API that only modules know. */
export function publicMethods(api: string): readonly JobMethod[] | undefined {
  const [namespace, family, name = ''] = api.split(':');
  const package_ = `${namespace}.${family}.${name.replaceAll('_', '')}.v1.`;
  const [, methods] = Object.entries(traitsOfMethods).find(([service]) => service.startsWith(package_)) ?? [];
  // The duration is a trait of streams only.
  return (
    methods &&
    Object.entries(methods).map(([method, traits]) => ({ name: method, isStream: traits.duration !== undefined }))
  );
}

/** Why a job cannot call a method. */
export interface MethodProblem {
  readonly code: 'job.unknown_method' | 'job.streaming_method';
  /** A sentence. */
  readonly message: string;
  /** Names of the methods that a job can call. */
  readonly allowed: readonly string[];
  readonly nearest: string | undefined;
}

/**
 * Problem with a method that a job names; undefined if it can be called.
 * @param what the resource, or its API, for the message
 */
export function methodProblem(methods: readonly JobMethod[], name: string, what: string): MethodProblem | undefined {
  const allowed = methods.filter(({ isStream }) => !isStream).map((method) => method.name);
  const found = methods.find((method) => method.name === name);
  if (found?.isStream === false) return undefined;
  const shown = JSON.stringify(name.slice(0, 80));
  const known = `${what} has ${allowed.join(', ') || 'no method that a job can call'}`;
  if (found !== undefined) {
    const message = `${shown} is a stream, which has no end at which a run could be over; ${known}.`;
    return { code: 'job.streaming_method', message, allowed, nearest: undefined };
  }
  const guess = nearest(name, allowed);
  const hint = guess === undefined ? '.' : `; did you mean "${guess}"?`;
  return { code: 'job.unknown_method', message: `${shown} is no method: ${known}${hint}`, allowed, nearest: guess };
}
