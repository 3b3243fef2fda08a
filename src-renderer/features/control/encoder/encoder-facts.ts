import { PositionType, type GetPositionResponse } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import type { AppliedEntry } from '../../../shared/stores/applied-config.ts';

/** A motor that counts with an encoder. */
export interface EncoderUser {
  readonly name: string;
  /** Undefined where its configuration does not say. */
  readonly ticksPerRotation: number | undefined;
}

/** Who names the encoder in its configuration. */
export function usersOf(encoder: string, components: readonly AppliedEntry[]): readonly EncoderUser[] {
  return components
    .filter(({ attributes }) => attributes['encoder'] === encoder)
    .map(({ name, attributes }) => {
      const ticks = attributes['ticks_per_rotation'];
      return { name, ticksPerRotation: typeof ticks === 'number' && ticks > 0 ? ticks : undefined };
    });
}

/**
 * The angle in degrees: as the encoder says it; else from its ticks, where what
 * turns with it says how many make a rotation.
 */
export function degreesOf(
  own: GetPositionResponse | undefined,
  asked: number | undefined,
  users: readonly EncoderUser[],
): { readonly value: number; readonly isComputed: boolean } | undefined {
  if (asked !== undefined) return { value: asked, isComputed: false };
  if (own === undefined) return undefined;
  if (own.positionType === PositionType.ANGLE_DEGREES) return { value: own.value, isComputed: false };
  const ticksPerRotation = users.find((user) => user.ticksPerRotation !== undefined)?.ticksPerRotation;
  if (ticksPerRotation === undefined) return undefined;
  return { value: (own.value / ticksPerRotation) * 360, isComputed: true };
}
