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

/** What the addon throws, as an {@link ArmatureError} with `errno`, `syscall` and `device` in its details. */
export function hardwareError(thrown: unknown): ArmatureError {
  const code = thrown instanceof Error && 'code' in thrown ? codes.get(thrown.code) : undefined;
  if (code === undefined || thrown instanceof ArmatureError) return toArmatureError(thrown);
  const { message, errno, syscall, device } = thrown as AddonError;
  return new ArmatureError(code, message, { cause: thrown, details: { errno, syscall, device } });
}

/**
 * Does something with the addon.
 * @param who what it is for, put in front of the message (`Board "b", pin "12"`); nothing where empty
 * @throws {ArmatureError} whatever the addon throws
 */
export function withHardware<T>(who: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const error = hardwareError(thrown);
    if (who === '') throw error;
    throw new ArmatureError(error.code, `${who}: ${error.message}`, { cause: thrown, details: error.details });
  }
}
