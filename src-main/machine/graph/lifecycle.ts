import { ArmatureError } from '../../base/errors.ts';

/**
 * What is going on with the instance of one resource.
 *
 * - `empty`: there is none and nothing is under way.
 * - `building`: its constructor runs.
 * - `withdrawn`: its constructor runs but was told to give up; what it returns is closed.
 * - `overdue`: its constructor still runs after its time; nobody waits for it any more.
 * - `live`: there is one.
 * - `changing`: there is one and it takes new attributes.
 * - `closing`: it is being closed.
 */
export const phases = ['empty', 'building', 'withdrawn', 'overdue', 'live', 'changing', 'closing'] as const;
export type Phase = (typeof phases)[number];

/** What can happen to an instance. `closed` also stands for a close that was given up on. */
export const lifecycleEvents = [
  'build',
  'withdraw',
  'deadline',
  'built',
  'build-failed',
  'change',
  'change-ended',
  'close',
  'closed',
] as const;
export type LifecycleEvent = (typeof lifecycleEvents)[number];

/**
 * Every allowed transition; what is not listed cannot happen. There is no way
 * from `withdrawn` or `overdue` to `building`: that keeps one build in flight
 * per resource (B2.3).
 */
const transitions: Readonly<Record<Phase, Readonly<Partial<Record<LifecycleEvent, Phase>>>>> = {
  empty: { build: 'building' },
  building: { withdraw: 'withdrawn', deadline: 'overdue', built: 'live', 'build-failed': 'empty' },
  withdrawn: { deadline: 'overdue', built: 'closing', 'build-failed': 'empty' },
  overdue: { built: 'closing', 'build-failed': 'empty' },
  live: { change: 'changing', close: 'closing' },
  changing: { 'change-ended': 'live', close: 'closing' },
  closing: { closed: 'empty' },
};

/** The phase after an event. Throws `internal.bug` where the event is impossible in the phase. */
export function nextPhase(phase: Phase, event: LifecycleEvent): Phase {
  const next = transitions[phase][event];
  if (next === undefined) throw new ArmatureError('internal.bug', `A resource that is ${phase} cannot ${event}.`);
  return next;
}
