import { describe, expect, it } from 'vitest';
import { browserName, idOfBrowserKey, keepBrowserKey, keptBrowserKey } from './browser-key.ts';

describe('browserName', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['', 'Browser'],
  ])('%s: %s', (userAgent, name) => expect(browserName(userAgent)).toBe(name));
});

it('a key is kept over starts, and forgotten', () => {
  const stored = new Map<string, string>();
  const storage = () => ({
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  expect(keptBrowserKey(storage)).toBeUndefined();
  expect(keepBrowserKey('page.abcdefghijkl.x', storage)).toBe(true);
  expect(keptBrowserKey(storage)).toBe('page.abcdefghijkl.x');
  expect(idOfBrowserKey('page.abcdefghijkl.x')).toBe('abcdefghijkl');
  keepBrowserKey(undefined, storage);
  expect(keptBrowserKey(storage)).toBeUndefined();
});
