import { beforeEach, describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import {
  encodeRequestEnd,
  encodeRequestHeaders,
  encodeRequestPacket,
  encodeReset,
} from '../../../proto/channel/request-frames.ts';
import { ManualClock } from '../../base/clock.ts';
import { FakePipe } from '../channel/fake-pipe.ts';
import { OrderedOpening } from './ordered-opening.ts';

const header = (id: bigint): Uint8Array => encodeRequestHeaders(id, { path: '/a.B/C', metadata: {} });
const message = (id: bigint): Uint8Array => encodeRequestPacket(id, Uint8Array.of(7), true);

/** The frames of a call with one request. */
const callOf = (id: bigint): Uint8Array[] => [header(id), message(id), encodeRequestEnd(id)];

describe('the first frames of a data channel', () => {
  let clock: ManualClock;
  let pipe: FakePipe;
  let received: Uint8Array[];
  let ordered: OrderedOpening;

  beforeEach(() => {
    clock = new ManualClock();
    pipe = new FakePipe();
    received = [];
    ordered = new OrderedOpening(pipe, clock);
    ordered.onMessage = (bytes) => received.push(bytes);
    ordered.start();
  });

  const receive = (frames: readonly Uint8Array[]): void => frames.forEach((frame) => pipe.onMessage(frame));

  it('pass at once where they come as they were sent', () => {
    const frames = [...callOf(1n), ...callOf(2n), header(3n), encodeReset(3n)];
    for (const [index, frame] of frames.entries()) {
      pipe.onMessage(frame);
      expect(received).toEqual(frames.slice(0, index + 1));
    }
  });

  it('of each call come in the order in which they were sent, whichever of them was late', () => {
    const calls = fc
      .integer({ min: 1, max: 4 })
      .map((count) => Array.from({ length: count }, (_, at) => BigInt(at + 1)));
    fc.assert(
      fc.property(calls, fc.nat(), fc.nat(), (ids, which, by) => {
        const sent = ids.flatMap(callOf);
        const from = which % sent.length;
        const late = sent.toSpliced(from, 1).toSpliced(from + (by % (sent.length - from)), 0, sent[from]!);
        const came: Uint8Array[] = [];
        const other = new FakePipe();
        const opening = new OrderedOpening(other, new ManualClock());
        opening.onMessage = (bytes) => came.push(bytes);
        opening.start();
        for (const frame of late) other.onMessage(frame);
        expect(came).toHaveLength(sent.length);
        for (const id of ids) {
          const own = callOf(id).map((frame) => came.findIndex((one) => Buffer.compare(one, frame) === 0));
          expect(own).not.toContain(-1);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it('wait for a second: then they come as they came, and all later ones at once', () => {
    const end = encodeRequestEnd(1n);
    receive([header(1n), end, message(9n)]);
    expect(received).toEqual([header(1n)]);
    clock.advance(1_000);
    expect(received).toEqual([header(1n), end, message(9n)]);
    receive([message(8n)]);
    expect(received).toHaveLength(4);
    expect(clock.pending).toBe(0);
  });

  it('a cancellation before its call does not leave the call running', () => {
    receive([encodeReset(1n)]);
    expect(received).toEqual([]);
    receive([header(1n)]);
    expect(received).toEqual([header(1n), encodeReset(1n)]);
  });

  it('of which more wait than any caller sends pass as they came', () => {
    const frames = Array.from({ length: 257 }, (_, index) => message(BigInt(index)));
    receive(frames);
    expect(received).toEqual(frames);
  });

  it('that are no frames are left to the reader, who says so', () => {
    receive([Uint8Array.of(255)]);
    expect(received).toEqual([Uint8Array.of(255)]);
  });

  it('end with the pipe, and nothing waits any more', () => {
    const closed: string[] = [];
    ordered.onClose = (reason) => closed.push(reason);
    receive([message(1n)]);
    ordered.close(1_001, 'gone');
    expect([closed, clock.pending]).toEqual([['gone'], 0]);
    clock.advance(2_000);
    expect(received).toEqual([]);
  });
});
