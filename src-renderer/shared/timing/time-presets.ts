const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Lengths of the time ranges until now that can be chosen with one click, ms. */
export const timePresets = { minutes5: 5 * minuteMs, hour: hourMs, day: dayMs, week: 7 * dayMs } as const;
export type TimePreset = keyof typeof timePresets;
