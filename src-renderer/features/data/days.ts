/** As many as a hub takes. */
const mostDays = 36_500;

/** A whole number of days that somebody typed; undefined for what is none. */
export function daysIn(text: string): number | undefined {
  const days = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : undefined;
  return days !== undefined && days <= mostDays ? days : undefined;
}
