import { ArmatureError } from '../../base/errors.ts';

/**
 * The phase of a resource's instance.
 *
 * - `empty`: there is none and nothing is under way.
 * - `building`: its constructor runs.
 * - `withdrawn`: its constructor runs but was told to give up; what it returns is closed.
 * - `overdue`: its constructor still runs after its time limit, and is no longer waited for.
 * - `live`: there is one.
 * - `changing`: there is one and it takes new attributes.
 * - `renewing`: there is one, and the constructor of its successor runs.
 * - `recalled`: there is one; the constructor of its successor runs but was told to give up.
 * - `closing`: it is being closed.
 */
export const phases = [
  'empty',
  'building',
  'withdrawn',
  'overdue',
  'live',
  'changing',
  'renewing',
  'recalled',
  'closing',
] as const;
export type Phase = (typeof phases)[number];

/** What can happen to an instance. `closed` also covers a close that timed out. */
export const lifecycleEvents = [
  'build',
  'renew',
  'recall',
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
 * Every allowed transition; all others are impossible. Nothing leads from `withdrawn` or `overdue` to `building`, nor
 * from `recalled` to `renewing`: so each resource has at most one build in flight.
 */
const transitions: Readonly<Record<Phase, Readonly<Partial<Record<LifecycleEvent, Phase>>>>> = {
  empty: { build: 'building' },
  building: { withdraw: 'withdrawn', deadline: 'overdue', built: 'live', 'build-failed': 'empty' },
  withdrawn: { deadline: 'overdue', built: 'closing', 'build-failed': 'empty' },
  overdue: { built: 'closing', 'build-failed': 'empty' },
  live: { change: 'changing', renew: 'renewing', close: 'closing' },
  changing: { 'change-ended': 'live', renew: 'renewing', close: 'closing' },
  renewing: { recall: 'recalled', withdraw: 'withdrawn', deadline: 'overdue', built: 'live', 'build-failed': 'empty' },
  recalled: { withdraw: 'withdrawn', deadline: 'overdue', built: 'live', 'build-failed': 'live' },
  closing: { closed: 'empty' },
};

/** The phase after an event. Throws `internal.bug` if the event is impossible in that phase. */
export function nextPhase(phase: Phase, event: LifecycleEvent): Phase {
  const next = transitions[phase][event];
  if (next === undefined) throw new ArmatureError('internal.bug', `A resource that is ${phase} cannot ${event}.`);
  return next;
}
