import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../machine/machine-view.ts';
import type { AppliedEntry } from '../stores/applied-config.ts';
import { boardFacts, type UsedPin } from './board-facts.ts';

/** At most this many pins of a board are read. */
const MAX_BOARD_PINS = 16;

/** The pins of a board that are counted as high or low: those with a level, which a component uses. */
export function countedPins(board: string, components: readonly AppliedEntry[]): readonly string[] {
  return pinsInUse(board, components).map(({ pin }) => pin);
}

/**
 * Those of them that may be read now: while the components that use them are ready, because reading a pin that nothing
 * holds would claim it.
 * @param all every resource of the machine
 */
export function readablePins(
  board: string,
  all: readonly Resource[],
  components: readonly AppliedEntry[],
): readonly string[] {
  const ready = new Set(all.filter(({ state }) => state === Resource_State.READY).map(({ name }) => shortName(name)));
  return pinsInUse(board, components)
    .filter(({ owners }) => owners.every((owner) => ready.has(owner)))
    .map(({ pin }) => pin);
}

function pinsInUse(board: string, components: readonly AppliedEntry[]): readonly UsedPin[] {
  const { pins } = boardFacts(board, components);
  return pins.filter(({ use, owners }) => use !== 'pwm' && owners.length > 0).slice(0, MAX_BOARD_PINS);
}
