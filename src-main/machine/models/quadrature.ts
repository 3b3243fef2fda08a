/**
 * Two-channel (quadrature) encoding, shared by the encoder that decodes it and the simulated motor that produces it.
 * Forward, channel A leads channel B: 00, 10, 11, 01 (A then B), 00, ... Every edge is one *half-tick*; a *tick* is
 * two, so a full period of both channels counts two ticks. Wherever a configuration says `ticks_per_rotation`, it means
 * these ticks.
 */
export const EDGES_PER_TICK = 2;

export interface Levels {
  readonly a: boolean;
  readonly b: boolean;
}

const FORWARD: readonly Levels[] = [
  { a: false, b: false },
  { a: true, b: false },
  { a: true, b: true },
  { a: false, b: true },
];

/** Levels of both channels at a half-tick count. */
export function levelsAt(halfTicks: number): Levels {
  return FORWARD[((halfTicks % 4) + 4) % 4] as Levels;
}

function phaseOf(levels: Levels): number {
  if (levels.a) return levels.b ? 2 : 1;
  return levels.b ? 3 : 0;
}

/** Half-ticks from one pair of levels to the next: -1, 0, 1, or undefined where an edge was missed. */
export function halfTicksBetween(from: Levels, to: Levels): -1 | 0 | 1 | undefined {
  const difference = (phaseOf(to) - phaseOf(from) + 4) % 4;
  if (difference === 2) return undefined;
  return difference === 3 ? -1 : (difference as 0 | 1);
}
