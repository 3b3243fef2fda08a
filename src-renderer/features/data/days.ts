/** The limit of a hub. */
const MAX_DAYS = 36_500;

/** Reads a typed whole number of days; undefined where it is invalid. */
export function daysIn(text: string): number | undefined {
  const days = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : undefined;
  return days !== undefined && days <= MAX_DAYS ? days : undefined;
}
