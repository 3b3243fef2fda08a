const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Lengths of time that a person may choose with one press, each until now; ms. */
export const timePresets = { minutes5: 5 * minuteMs, hour: hourMs, day: dayMs, week: 7 * dayMs } as const;
export type TimePreset = keyof typeof timePresets;
