/**
 * Pairs of keys that move something forward and back, by their places on the keyboard (`KeyboardEvent.code`): a key is
 * released as the key that was pressed, whatever Shift or the layout make of it.
 */
export const keyPairs = {
  ws: { forward: 'KeyW', back: 'KeyS' },
  da: { forward: 'KeyD', back: 'KeyA' },
  upDown: { forward: 'ArrowUp', back: 'ArrowDown' },
  rightLeft: { forward: 'ArrowRight', back: 'ArrowLeft' },
  eq: { forward: 'KeyE', back: 'KeyQ' },
  rf: { forward: 'KeyR', back: 'KeyF' },
} as const;

export type KeyPair = keyof typeof keyPairs;

export const keyPairNames = Object.keys(keyPairs) as readonly KeyPair[];

/** The key that is held to drive. */
export const HOLD_KEY = 'Space';

/** Every key that the drive area uses. */
export const driveKeys: ReadonlySet<string> = new Set([
  HOLD_KEY,
  ...Object.values(keyPairs).flatMap(({ forward, back }) => [forward, back]),
]);
