import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownSecrets, secretTextMask } from './secret-text.ts';

const config = JSON.stringify({
  auth: { handlers: [{ type: 'api-key', config: { 'id-1': 'payload-of-a-key', keys: ['id-1'] } }] },
  remotes: [{ name: 'r', auth: { credentials: { type: 'api-key', payload: 'payload-of-a-remote' } } }],
  modules: [{ name: 'm', env: { WORDS: 'any text', API_TOKEN: 'token-of-a-module' } }],
  components: [{ name: 'c', attributes: { password: 'quote"d', short: 'abc' } }],
});

describe('secrets that are known', () => {
  it('are those that a configuration hides, and variables that are named like one', () => {
    const environment = {
      SVC_LAUNCH_TOKEN: 'launch-token',
      SVC_API_KEY_ID: 'id-1',
      HOME: '/home/pat',
      AWS_KEY: 'aws-key',
    };
    expect(knownSecrets([config, 'no JSON'], environment)).toEqual([
      'payload-of-a-key',
      'payload-of-a-remote',
      'token-of-a-module',
      'quote"d',
      'launch-token',
      'aws-key',
    ]);
  });

  it('are gone from any text, also as JSON has them; the rest of it stays', () => {
    const secret = fc.string({ minLength: 6, unit: fc.constantFrom(...'abcXYZ019"\\/é') });
    const words = fc.stringMatching(/^[d-w ]{0,20}$/);
    fc.assert(
      fc.property(secret, words, words, (value, before, after) => {
        const mask = secretTextMask([value]);
        expect(mask(`${before}<${value}>${after}`)).toBe(`${before}<***>${after}`);
        expect(mask(`${before}<${JSON.stringify(value)}>${after}`)).toBe(`${before}<"***">${after}`);
      }),
    );
  });
});

describe('what looks like a secret', () => {
  const mask = secretTextMask([]);
  const jwt = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;

  it.each([
    ['rtsp://admin:hunter2@10.0.0.7/stream', 'rtsp://***@10.0.0.7/stream'],
    ['authorization: Bearer abcdefgh12345678', 'authorization: Bearer ***'],
    [`the token ${jwt} expired`, 'the token *** expired'],
    ['{"password": "hunter2", "user": "pat"}', '{"password": "***", "user": "pat"}'],
    ['open http://localhost:8080/#token=abcDEF_123', 'open http://localhost:8080/#token=***'],
    ['API_KEY=abcd1234 python main.py', 'API_KEY=*** python main.py'],
    [
      '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE+/=\n-----END EC PRIVATE KEY-----',
      '-----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY-----',
    ],
  ])('is hidden: %s', (text, seen) => {
    expect(mask(text)).toBe(seen);
  });

  it.each([
    'http://localhost:8080/path?since=1h',
    'motor left: 12.5 V at 10:20:30',
    'a session token is kept for 30 days',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  ])('and nothing else: %s', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('takes time with the length of a text, whatever a module wrote', () => {
    const pieces = ['token', 'secret_', 'eyJ-', '://a', 'bearer ', '-----BEGIN PRIVATE KEY-----', 'a.', ' ', ':'];
    const timeOf = (text: string): number => {
      const from = performance.now();
      mask(text);
      return performance.now() - from;
    };
    for (const piece of pieces) {
      const short = piece.repeat(2_000);
      const long = short.repeat(16);
      timeOf(short);
      // Four times the usual cost a character is noise; a cost that grows with the square would be sixteen.
      expect(timeOf(long), piece).toBeLessThan(64 * Math.max(1, timeOf(short)));
    }
  });
});
