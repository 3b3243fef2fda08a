import type { VersionView } from '../../shared/machine/history-view.ts';

/** A version as the hub reports it. */
export function versionOf(number: number, more: Partial<VersionView> = {}): VersionView {
  return {
    number,
    revision: `r${number}`,
    at: Date.UTC(2026, 10, 21, 9, 0, number % 60),
    author: 'key lab-2',
    summary: `left: max_rpm ${number} to ${number + 1}`,
    note: '',
    tag: '',
    base: number - 1,
    restoredFrom: 0,
    result: undefined,
    subjects: ['core:component:motor/left'],
    ...more,
  };
}
