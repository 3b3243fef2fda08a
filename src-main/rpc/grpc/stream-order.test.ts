import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameOrderError, StreamOrder } from './stream-order.ts';

const DATA = 0;
const HEADERS = 1;
const CONTINUATION = 9;
const END_HEADERS = 0x4;
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

function frame(type: number, stream: number, payload = '', flags = END_HEADERS): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(stream, 5);
  bytes.write(payload, 9);
  return bytes;
}
const opens = (stream: number): Buffer => frame(HEADERS, stream, `headers of ${stream}`);
const says = (stream: number): Buffer => frame(DATA, stream, `message on ${stream}`);
const settings = frame(4, 0);

/** All that goes on of what was written, in pieces as they came. */
function through(order: StreamOrder, ...pieces: Buffer[]): Buffer {
  return Buffer.concat(pieces.flatMap((piece) => order.push(piece)));
}
/** An order of which the preface is over. */
function begun(): StreamOrder {
  const order = new StreamOrder();
  order.push(preface);
  return order;
}

describe('the order of streams', () => {
  it('lets through at once what is in order', () => {
    const order = new StreamOrder();
    const bytes = Buffer.concat([preface, settings, opens(1), says(1), opens(3), opens(5), says(3)]);
    expect(through(order, bytes)).toEqual(bytes);
    expect(order.isHolding).toBe(false);
  });

  it('lets the part of a large message through before the rest is there', () => {
    const order = begun();
    const message = frame(DATA, 1, 'x'.repeat(100));
    expect(through(order, opens(1), message.subarray(0, 50))).toEqual(
      Buffer.concat([opens(1), message.subarray(0, 50)]),
    );
    expect(through(order, message.subarray(50))).toEqual(message.subarray(50));
  });

  it('keeps a stream back that comes before an earlier one, with all that follows', () => {
    const order = begun();
    expect(through(order, opens(1), opens(5), says(5), says(1))).toEqual(opens(1));
    expect(order.isHolding).toBe(true);
    expect(through(order, opens(3), says(3))).toEqual(Buffer.concat([opens(3), opens(5), says(5), says(1), says(3)]));
    expect(order.isHolding).toBe(false);
  });

  it('keeps headers together with what continues them', () => {
    const order = begun();
    const first = frame(HEADERS, 1, 'some headers', 0);
    const more = frame(CONTINUATION, 1, 'more', 0);
    const last = frame(CONTINUATION, 1, 'last');
    expect(through(order, opens(3), first, more)).toEqual(Buffer.alloc(0));
    expect(through(order, last, says(1))).toEqual(Buffer.concat([first, more, last, opens(3), says(1)]));
  });

  it('given up on, the missing stream is not waited for again', () => {
    const order = begun();
    expect(through(order, opens(3), says(3))).toEqual(Buffer.alloc(0));
    expect(Buffer.concat(order.giveUp())).toEqual(Buffer.concat([opens(3), says(3)]));
    expect(through(order, opens(5))).toEqual(opens(5));
    expect(order.giveUp()).toEqual([]);
  });

  it('waits again for another one that is missing', () => {
    const order = begun();
    expect(through(order, opens(3), opens(7))).toEqual(Buffer.alloc(0));
    expect(Buffer.concat(order.giveUp())).toEqual(opens(3));
    expect(through(order, opens(5))).toEqual(Buffer.concat([opens(5), opens(7)]));
  });

  it('keeps no more than a MiB back', () => {
    const order = begun();
    expect(through(order, opens(3))).toEqual(Buffer.alloc(0));
    const message = frame(DATA, 3, 'x'.repeat(1024 * 1024));
    expect(through(order, message).equals(Buffer.concat([opens(3), message]))).toBe(true);
  });

  it.each([
    ['that was given up on', [opens(3)], opens(1)],
    ['that is there already', [opens(1), opens(3)], opens(1)],
  ])('refuses a stream %s', (_, before, late) => {
    const order = begun();
    through(order, ...before);
    order.giveUp();
    expect(() => order.push(late)).toThrow(FrameOrderError);
  });

  it('refuses one that is there already also while it keeps others back', () => {
    const order = begun();
    through(order, opens(1), opens(5));
    expect(() => order.push(opens(1))).toThrow(new FrameOrderError('stream 1 was opened after stream 1'));
  });

  it('brings what several threads wrote into order, however it is cut', () => {
    const calls = fc.array(fc.array(fc.boolean(), { maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        calls,
        fc.array(fc.nat()),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (threads, turns, cuts) => {
          // Each stream belongs to one thread, which writes its headers before its messages; which thread writes next is chance.
          let next = 1;
          const waiting = threads.map((talkative) =>
            talkative.flatMap((talks) => {
              const stream = next;
              next += 2;
              return talks ? [opens(stream), says(stream)] : [opens(stream)];
            }),
          );
          const written: Buffer[] = [preface];
          for (let turn = 0; waiting.some((frames) => frames.length > 0); turn++) {
            const busy = waiting.filter((frames) => frames.length > 0);
            written.push(busy[(turns[turn % Math.max(turns.length, 1)] ?? 0) % busy.length]?.shift() ?? preface);
          }
          const bytes = Buffer.concat(written);
          const order = new StreamOrder();
          const passed: Buffer[] = [];
          for (let at = 0, cut = 0; at < bytes.length; cut++) {
            const size = cuts[cut % cuts.length] ?? 1;
            passed.push(...order.push(bytes.subarray(at, at + size)));
            at += size;
          }
          const text = Buffer.concat(passed).toString('latin1');
          expect(order.isHolding).toBe(false);
          expect(text.length).toBe(bytes.length);
          const streams = [...text.matchAll(/headers of (\d+)/g)].map(([, stream]) => Number(stream));
          expect(streams).toEqual(Array.from({ length: (next - 1) / 2 }, (_, index) => 2 * index + 1));
          for (const [, stream] of text.matchAll(/message on (\d+)/g)) {
            expect(text.indexOf(`headers of ${stream}`)).toBeLessThan(text.indexOf(`message on ${stream}`));
          }
        },
      ),
    );
  });
});
