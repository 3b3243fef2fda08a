import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Inflation } from './gzip.ts';

const MEBIBYTE = 1024 * 1024;
const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE));

describe('inflation of compressed messages', () => {
  it('gives back what was compressed, whatever it is, and counts it until it is released', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300_000 }), async (bytes) => {
        const inflation = new Inflation({ parallel: 2, bytes: MEBIBYTE });
        const message = inflation.start(gzipSync(bytes), 300_000, inflation.share());
        expect(Buffer.compare(await message.bytes, bytes)).toBe(0);
        expect(inflation.heldBytes).toBe(bytes.length);
        message.release();
        expect(inflation.heldBytes).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it('inflates few at a time; one that waits and is not wanted any more never begins', async () => {
    const inflation = new Inflation({ parallel: 2, bytes: 64 * MEBIBYTE });
    const share = inflation.share();
    const messages = Array.from({ length: 10 }, () => inflation.start(bomb, 32 * MEBIBYTE, share));
    expect([inflation.running, inflation.waiting]).toEqual([2, 8]);
    const waiting = messages.slice(2);
    for (const message of waiting) message.release();
    expect([inflation.running, inflation.waiting]).toEqual([2, 0]);
    for (const message of waiting) await expect(message.bytes).rejects.toMatchObject({ code: 'call.cancelled' });
    const [first, second] = messages;
    expect((await first?.bytes)?.length).toBe(8 * MEBIBYTE);
    expect((await second?.bytes)?.length).toBe(8 * MEBIBYTE);
    expect(inflation.heldBytes).toBe(16 * MEBIBYTE);
    for (const message of messages) message.release();
    expect(inflation.heldBytes).toBe(0);
  });

  it('ends one that is under way when it is not wanted any more, and begins the next', async () => {
    const inflation = new Inflation({ parallel: 1, bytes: 64 * MEBIBYTE });
    const share = inflation.share();
    const first = inflation.start(bomb, 32 * MEBIBYTE, share);
    const next = inflation.start(gzipSync('next'), 32 * MEBIBYTE, share);
    first.release();
    await expect(first.bytes).rejects.toMatchObject({ code: 'call.cancelled' });
    expect((await next.bytes).toString()).toBe('next');
    expect(inflation.heldBytes).toBe(4);
  });

  it('refuses beyond the share of a connection, and beyond that of the process', async () => {
    const inflation = new Inflation({ parallel: 4, bytes: 20 * MEBIBYTE });
    const narrow = inflation.share(4 * MEBIBYTE);
    const tooMuch = inflation.start(bomb, 32 * MEBIBYTE, narrow);
    await expect(tooMuch.bytes).rejects.toMatchObject({ code: 'call.overloaded' });
    expect(inflation.heldBytes).toBe(0);
    const others = Array.from({ length: 3 }, () => inflation.start(bomb, 32 * MEBIBYTE, inflation.share()));
    const ended = await Promise.allSettled(others.map(({ bytes }) => bytes));
    expect(ended.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(ended.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
    expect(inflation.heldBytes).toBeLessThanOrEqual(20 * MEBIBYTE);
    for (const other of others) other.release();
    expect(inflation.heldBytes).toBe(0);
  });

  it.each([8_192, MEBIBYTE])('refuses more than %d bytes, and what is no gzip', async (maxBytes) => {
    const inflation = new Inflation();
    const large = inflation.start(bomb, maxBytes, inflation.share());
    await expect(large.bytes).rejects.toMatchObject({ code: 'call.too_large' });
    const garbage = inflation.start(Buffer.from('no gzip'), maxBytes, inflation.share());
    await expect(garbage.bytes).rejects.toMatchObject({ code: 'call.bad_argument' });
    const cut = inflation.start(gzipSync('whole').subarray(0, 15), maxBytes, inflation.share());
    await expect(cut.bytes).rejects.toMatchObject({ code: 'call.bad_argument' });
    expect(inflation.heldBytes).toBe(0);
  });
});
