/**
 * The value of a stick without its dead zone: 0 inside of it, and from its edge on evenly to 1 or -1.
 * @param raw what the gamepad reports; anything that is not a number counts as the middle
 * @param deadZone 0 to less than 1
 */
export function withDeadZone(raw: number, deadZone: number): number {
  if (!Number.isFinite(raw) || Math.abs(raw) <= deadZone) return 0;
  return (Math.sign(raw) * (Math.min(Math.abs(raw), 1) - deadZone)) / (1 - deadZone);
}
