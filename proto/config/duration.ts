/** Go duration syntax, as the field writes times: `300ms`, `2s`, `1m30s`, `1.5h`. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Milliseconds of a Go duration, or undefined where the text is not one. */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return 0;
  if (rest === '') return undefined;
  let total = 0;
  while (rest !== '') {
    PART.lastIndex = 0;
    const match = PART.exec(rest);
    if (match === null) return undefined;
    const [whole, amount = '', unit = ''] = match;
    total += Number(amount) * (UNITS[unit] ?? Number.NaN);
    rest = rest.slice(whole.length);
  }
  return sign * total;
}

/** Milliseconds as Go would print them: `1m30s`, `250ms`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (Math.abs(ms) < 1_000) return `${ms}ms`;
  const hours = Math.trunc(ms / 3_600_000);
  const minutes = Math.trunc((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1_000;
  return `${hours === 0 ? '' : `${hours}h`}${hours === 0 && minutes === 0 ? '' : `${minutes}m`}${seconds}s`;
}
