import { PositionType, type GetPositionResponse } from '../../../../proto/gen/core/component/encoder/v1/encoder.ts';
import type { AppliedEntry } from '../../../shared/stores/applied-config.ts';

/** A component that uses an encoder, such as a motor. */
export interface EncoderUser {
  readonly name: string;
  /** Undefined where its configuration does not say. */
  readonly ticksPerRotation: number | undefined;
}

/** The components that name the encoder in their configuration. */
export function usersOf(encoder: string, components: readonly AppliedEntry[]): readonly EncoderUser[] {
  return components
    .filter(({ attributes }) => attributes['encoder'] === encoder)
    .map(({ name, attributes }) => {
      const ticks = attributes['ticks_per_rotation'];
      return { name, ticksPerRotation: typeof ticks === 'number' && ticks > 0 ? ticks : undefined };
    });
}

/**
 * The angle in degrees: as the encoder reports it, else computed from its ticks where a component that uses it has
 * `ticks_per_rotation`. Undefined where neither is known.
 * @param own the encoder's default kind of position
 * @param asked the position that was requested in degrees
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
