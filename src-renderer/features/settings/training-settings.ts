import type { TrainingSettings } from '../../../proto/gen/core/hub/v1/training.ts';

/** The settings of training as text fields hold them. */
export interface TypedSettings {
  python: string;
  jobsAtOnce: string;
  cpus: string;
  memoryMb: string;
  diskMb: string;
  timeLimitMinutes: string;
  runner: string;
  sharedFolder: string;
  partition: string;
  account: string;
  /** Options of sbatch, separated by spaces. */
  options: string;
}

/** A whole number from 1 up; undefined for anything else. The hub refuses numbers that are too large. */
export function wholeNumber(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[1-9]\d{0,8}$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** The settings in the fields; undefined if any of them is not valid. */
export function settingsOf(typed: TypedSettings): TrainingSettings | undefined {
  const [jobsAtOnce, cpus, memoryMb, diskMb, timeLimitMinutes] = [
    wholeNumber(typed.jobsAtOnce),
    wholeNumber(typed.cpus),
    wholeNumber(typed.memoryMb),
    wholeNumber(typed.diskMb),
    wholeNumber(typed.timeLimitMinutes),
  ];
  const [python, sharedFolder] = [typed.python.trim(), typed.sharedFolder.trim()];
  if (jobsAtOnce === undefined || cpus === undefined || memoryMb === undefined) return undefined;
  if (diskMb === undefined || timeLimitMinutes === undefined || !python.startsWith('/')) return undefined;
  const { runner } = typed;
  if (runner === 'slurm' && !sharedFolder.startsWith('/')) return undefined;
  const [partition, account] = [typed.partition.trim(), typed.account.trim()];
  const options = typed.options.split(/\s+/).filter((option) => option !== '');
  const slurm = { sharedFolder, partition, account, options };
  return { jobsAtOnce, python, cpus, memoryMb, diskMb, timeLimitMinutes, runner, slurm };
}

/** The texts of the fields for these settings. */
export function typedOf({ python, runner, slurm, ...numbers }: TrainingSettings): TypedSettings {
  const { sharedFolder = '', partition = '', account = '', options = [] } = slurm ?? {};
  const texts = Object.entries(numbers).map(([name, value]) => [name, String(value)]);
  return {
    ...(Object.fromEntries(texts) as Record<keyof typeof numbers, string>),
    ...{ python, runner, sharedFolder, partition, account, options: options.join(' ') },
  };
}
