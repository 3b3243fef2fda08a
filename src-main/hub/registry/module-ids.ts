import { ArmatureError } from '../../base/errors.ts';
import { notFound } from '../places/fleet-errors.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,199}$/;

/** The parts of a module's id. */
export interface ModuleId {
  /** Public namespace of the organization when the module was created, or else the organization's id. */
  readonly namespace: string;
  readonly name: string;
}

/** `namespace:name`. */
export function moduleIdOf({ namespace, name }: ModuleId): string {
  return `${namespace}:${name}`;
}

/** @throws {ArmatureError} `call.not_found` if the id is malformed */
export function readModuleId(text: string): ModuleId {
  const [namespace = '', name = '', more] = text.split(':');
  if (namespace === '' || name === '' || more !== undefined) throw noModule(text);
  return { namespace, name };
}

/** The same error for a missing module and one that the caller may not use. */
export function noModule(id: string): ArmatureError {
  return notFound('module', id);
}

/** @throws {ArmatureError} `call.bad_argument` */
export function checkModuleName(name: string): string {
  if (NAME.test(name)) return name;
  throw new ArmatureError(
    'call.bad_argument',
    `The name "${name.slice(0, 120)}" of the module is not allowed: it has 1 to 200 small letters, digits, "_" and "-", and begins with a letter or digit.`,
  );
}
