import { ArmatureError, toArmatureError, type ErrorCode } from '../base/errors.ts';

/** Codes of the addon (`native/index.d.ts`), as codes of the catalogue. */
const codes = new Map<unknown, ErrorCode>([
  ['hardware.busy', 'hardware.busy'],
  ['hardware.permission', 'hardware.permission'],
  ['hardware.missing', 'hardware.missing'],
  ['hardware.gone', 'hardware.gone'],
  ['hardware.invalid', 'hardware.invalid'],
  ['hardware.unsupported', 'hardware.unavailable'],
  ['hardware.io', 'hardware.failed'],
]);

interface AddonError extends Error {
  readonly code: string;
  readonly errno: number;
  readonly syscall: string;
  readonly device: string;
}

/** An error of the addon, as an {@link ArmatureError} with `errno`, `syscall` and `device` in its details. */
export function hardwareError(thrown: unknown): ArmatureError {
  const code = thrown instanceof Error && 'code' in thrown ? codes.get(thrown.code) : undefined;
  if (code === undefined || thrown instanceof ArmatureError) return toArmatureError(thrown);
  const { message, errno, syscall, device } = thrown as AddonError;
  return new ArmatureError(code, message, { cause: thrown, details: { errno, syscall, device } });
}

/**
 * What was thrown, with who it concerns in front of its message.
 * @param who `Board "b", pin "12"`; nothing where empty
 */
export function hardwareErrorOf(who: string, thrown: unknown): ArmatureError {
  const error = hardwareError(thrown);
  if (who === '' || error.message.startsWith(who)) return error;
  return new ArmatureError(error.code, `${who}: ${error.message}`, { cause: thrown, details: error.details });
}

/**
 * Does something with the addon.
 * @param who what it is for, as with {@link hardwareErrorOf}
 * @throws {ArmatureError} whatever the addon throws
 */
export function withHardware<T>(who: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw hardwareErrorOf(who, thrown);
  }
}
