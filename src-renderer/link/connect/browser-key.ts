import { keepText, keptText } from '../../shared/kept-text.ts';

const STORAGE_KEY = 'armature.browser-key';

/** The key of this browser for the server at this origin, over starts of both; undefined if there is none. */
export function keptBrowserKey(storage: () => Pick<Storage, 'getItem'>): string | undefined {
  return keptText(storage, STORAGE_KEY) ?? undefined;
}

/** Keeps the key; undefined forgets it. Returns whether the browser's storage took it. */
export function keepBrowserKey(
  key: string | undefined,
  storage: () => Pick<Storage, 'setItem' | 'removeItem'>,
): boolean {
  return keepText(storage, STORAGE_KEY, key ?? null);
}

/** The id in a key, by which the server lists it. */
export function idOfBrowserKey(key: string): string {
  return key.split('.')[1] ?? '';
}

const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  // The first match counts: they all call themselves "Chrome" and "Safari" too.
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biP(?:hone|ad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A name for a list of browsers: "Firefox on Linux", from `navigator.userAgent`. */
export function browserName(userAgent: string): string {
  const first = (list: typeof PROGRAMS): string | undefined => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = first(SYSTEMS);
  return `${first(PROGRAMS) ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}
