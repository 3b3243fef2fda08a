import type { TrainingSettings } from '../../../proto/gen/core/hub/v1/training.ts';

/** The settings of training as they are typed. */
export type TypedSettings = { -readonly [Key in keyof TrainingSettings]: string };

/** A whole number from 1 on; undefined for everything else. Which are too large, the hub says. */
export function wholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[1-9]\d{0,8}$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** What is typed, where all of it makes sense. */
export function settingsOf(typed: TypedSettings): TrainingSettings | undefined {
  const [jobsAtOnce, cpus, memoryMb, diskMb, timeLimitMinutes] = [
    wholeNumber(typed.jobsAtOnce),
    wholeNumber(typed.cpus),
    wholeNumber(typed.memoryMb),
    wholeNumber(typed.diskMb),
    wholeNumber(typed.timeLimitMinutes),
  ];
  const python = typed.python.trim();
  if (jobsAtOnce === undefined || cpus === undefined || memoryMb === undefined) return undefined;
  if (diskMb === undefined || timeLimitMinutes === undefined || !python.startsWith('/')) return undefined;
  return { jobsAtOnce, python, cpus, memoryMb, diskMb, timeLimitMinutes };
}
