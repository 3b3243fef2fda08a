import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArmatureError } from '../../base/errors.ts';
import type { LogFields } from '../../base/logger.ts';
import { cutText, isSecretName, MAX_TEXT, safeFields } from './safe-fields.ts';

describe('fields of a log entry', () => {
  it.each(['key', 'KEY', 'api_key', 'apiKey', 'secret', 'payload', 'password', 'token', 'launchToken', 'x-token'])(
    'hide %s',
    (name) => {
      expect(safeFields({ outer: [{ [name]: 'hunter2' }] })).toEqual({ outer: [{ [name]: '***' }] });
    },
  );

  it.each(['monkey', 'keyboard', 'keys', 'turkey', 'payloads'])('show %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('are kept under any name that a module gives them', () => {
    const text = '{"__proto__":{"joint":2},"constructor":1}';
    expect(JSON.stringify(safeFields(JSON.parse(text) as LogFields))).toBe(text);
  });

  it('are JSON-safe, whatever was put in', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(
      safeFields({
        count: 7n,
        ratio: Number.NaN,
        at: new Date(0),
        bytes: new Uint8Array(3),
        missing: undefined,
        run: () => 1,
        map: new Map([['a', 1]]),
        circular,
        broken: Object.defineProperty({}, 'x', {
          enumerable: true,
          get: () => {
            throw new Error('no');
          },
        }),
      }),
    ).toEqual({
      count: '7',
      ratio: 'NaN',
      at: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      missing: null,
      run: '[function]',
      map: [['a', 1]],
      circular: { self: '[circular]' },
      broken: { x: '[unreadable: Error: no]' },
    });
  });

  it('keep the facts of an error and of its cause', () => {
    const error = new ArmatureError('hardware.failed', 'no pulse', { cause: new Error('wire') });
    expect(safeFields({ error })).toEqual({
      error: {
        name: 'ArmatureError',
        message: 'no pulse',
        code: 'hardware.failed',
        details: {},
        cause: { name: 'Error', message: 'wire' },
      },
    });
  });

  it('never throw, always serialize, and keep secrets out of the text', () => {
    fc.assert(
      fc.property(fc.object({ withBigInt: true, withDate: true, withMap: true, maxDepth: 8 }), (fields) => {
        const text = JSON.stringify(safeFields({ ...fields, password: 'hunter2' }));
        expect(text).not.toContain('hunter2');
      }),
    );
  });

  it('are bounded in size', () => {
    expect(cutText('x'.repeat(MAX_TEXT + 5))).toMatch(/… \(5 more characters\)$/);
    const many = safeFields({ list: Array.from({ length: 250 }, () => 1) })['list'] as unknown[];
    expect(many).toHaveLength(101);
    const wide = safeFields(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 1])));
    expect(wide['…']).toBe('50 more');
  });
});
