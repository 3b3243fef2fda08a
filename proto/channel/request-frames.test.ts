import { describe, expect, it } from 'vitest';
import { Request } from '../gen/proto/rpc/webrtc/v1/grpc.ts';
import { metadataFromWire } from './metadata.ts';
import { encodeRequestHeaders } from './request-frames.ts';

const head = (metadata: Record<string, string | string[] | undefined>, timeoutMs?: number) => {
  const frame = Request.decode(encodeRequestHeaders(7n, { path: '/a.B/C', metadata, timeoutMs }));
  return frame.type?.$case === 'headers' ? frame.type.value : undefined;
};

describe('the first frame of a call', () => {
  it('has the time that the caller gives it, to the nanosecond', () => {
    expect(head({}, 1_500.25)?.timeout).toEqual({ seconds: 1n, nanos: 500_250_000 });
    expect(head({})?.timeout).toBeUndefined();
  });

  it('has metadata in lower case, and nothing of HTTP/2', () => {
    const metadata = { 'X-Key': ['a', 'b'], one: 'c', none: undefined, ':path': '/', 'Content-Type': 'x' };
    const { md = {} } = head(metadata)?.metadata ?? {};
    expect(md).toEqual({ 'x-key': { values: ['a', 'b'] }, one: { values: ['c'] } });
    expect(metadataFromWire(md)).toEqual({ 'x-key': ['a', 'b'], one: 'c' });
  });
});
