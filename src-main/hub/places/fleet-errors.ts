import { ArmatureError } from '../../base/errors.ts';

/** The same message whether something does not exist or the caller may not see it. */
export function notFound(what: string, id: string): ArmatureError {
  return new ArmatureError(
    'call.not_found',
    `There is no ${what} "${id.slice(0, 120)}" here, or it may not be seen with this key.`,
    { details: { what, id: id.slice(0, 120) } },
  );
}

export function nameTaken(what: string, name: string, where: string): ArmatureError {
  return new ArmatureError('fleet.name_taken', `${where} has a ${what} "${name}" already. Choose another name.`, {
    details: { what, name },
  });
}

export function hasChildren(what: string, name: string, children: string): ArmatureError {
  return new ArmatureError(
    'fleet.has_children',
    `The ${what} "${name}" has ${children}. Delete or move what it has first.`,
    { details: { what, children } },
  );
}

/** `1 machine`, `3 machines`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
