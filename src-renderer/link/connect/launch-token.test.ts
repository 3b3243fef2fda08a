import { describe, expect, it } from 'vitest';
import { takeLaunchToken, tokenIn } from './launch-token.ts';

function page(href: string, kept?: string) {
  const stored = new Map<string, string>(kept === undefined ? [] : [['armature.token', kept]]);
  const addresses: string[] = [];
  return {
    stored,
    addresses,
    location: { href },
    history: { state: 's', replaceState: (_state: unknown, _unused: string, url: string) => void addresses.push(url) },
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    },
  };
}

describe('takeLaunchToken', () => {
  it.each([
    ['http://localhost:8080/#token=abc_-1', 'http://localhost:8080/'],
    ['http://localhost:8080/logs?a=1#token=abc_-1', 'http://localhost:8080/logs?a=1'],
    ['http://localhost:8080/?token=abc_-1', 'http://localhost:8080/'],
    ['http://localhost:8080/?a=1&token=abc_-1#part', 'http://localhost:8080/?a=1#part'],
  ])('%s: taken, kept, and removed from the address', (href, address) => {
    const surroundings = page(href);
    expect(takeLaunchToken(surroundings)).toBe('abc_-1');
    expect(surroundings.stored.get('armature.token')).toBe('abc_-1');
    expect(surroundings.addresses).toEqual([address]);
  });

  it('if the address has none, the one kept earlier is used and the address stays', () => {
    const surroundings = page('http://localhost:8080/logs#part', 'kept');
    expect(takeLaunchToken(surroundings)).toBe('kept');
    expect(surroundings.addresses).toEqual([]);
    expect(takeLaunchToken(page('http://localhost:8080/'))).toBeUndefined();
  });

  it('is taken even if the browser has no storage', () => {
    const surroundings = Object.defineProperty(page('http://localhost:8080/#token=abc'), 'sessionStorage', {
      get: () => {
        throw new Error('forbidden');
      },
    });
    expect(takeLaunchToken(surroundings)).toBe('abc');
    expect(surroundings.addresses).toEqual(['http://localhost:8080/']);
  });

  it('in the address replaces the one kept earlier', () => {
    expect(takeLaunchToken(page('http://localhost:8080/#token=new', 'old'))).toBe('new');
  });
});

describe('tokenIn', () => {
  const token = 'Zm9vYmFyYmF6cXV4-_0123456789abcdefghijklmno';

  it.each([
    [`open http://localhost:8080/#token=${token}`, token],
    [`  http://localhost:8080/#token=${token}\n`, token],
    [`http://localhost:8080/?token=${token}&view=json`, token],
    [token, token],
    ['http://localhost:8080/', undefined],
    ['open http://localhost:8080/#token=', undefined],
    ['http://localhost:8080/#token=%zz', undefined],
    ['what is a key', undefined],
    ['', undefined],
  ])('%j: %s', (text, found) => {
    expect(tokenIn(text)).toBe(found);
  });
});
