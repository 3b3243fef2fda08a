import type { DriveChoices } from './drive-choices.ts';

/** Why the chosen motors and servos cannot be driven. */
export type TargetProblem =
  | { readonly kind: 'none' | 'half' }
  /** Full name. */
  | { readonly kind: 'twice' | 'gone' | 'notReady' | 'changed'; readonly name: string };

/** What is known of a resource; undefined for one that does not exist. */
export type TargetState = 'ready' | 'notReady' | 'changed' | undefined;

/** Full names of the motors and servos that are chosen, without empty rows. */
export function chosenNames(choices: DriveChoices): {
  readonly motors: readonly string[];
  readonly servos: readonly string[];
} {
  const named = (rows: readonly { name: string }[]): readonly string[] =>
    rows.map(({ name }) => name).filter((name) => name !== '');
  return {
    motors: named(choices.layout === 'wheels' ? [choices.left, choices.right] : choices.motors),
    servos: named(choices.servos),
  };
}

/**
 * Why nothing can be driven with these choices; undefined if something can. Two wheels are driven together or not at
 * all. Of single motors and servos, those that do not exist any more do nothing.
 */
export function targetProblem(
  choices: DriveChoices,
  stateOf: (fullName: string) => TargetState,
): TargetProblem | undefined {
  const { motors, servos } = chosenNames(choices);
  const names = [...motors, ...servos];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { kind: 'twice', name: twice };
  const isWheels = choices.layout === 'wheels';
  if (isWheels && motors.length === 1) return { kind: 'half' };
  const gone = names.filter((name) => stateOf(name) === undefined);
  const missing = isWheels ? gone.find((name) => motors.includes(name)) : gone[0];
  if (missing !== undefined && (isWheels || gone.length === names.length)) return { kind: 'gone', name: missing };
  for (const name of names) {
    const state = stateOf(name);
    if (state === 'notReady' || state === 'changed') return { kind: state, name };
  }
  return names.length === gone.length ? { kind: 'none' } : undefined;
}
