import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusCode } from '../../base/status.ts';
import { addMetadata, encodeGrpcMessage, isGrpcContentType, parseGrpcTimeout, statusTrailers } from './grpc-headers.ts';

describe('grpc-timeout', () => {
  it.each([
    ['1H', 3_600_000],
    ['2M', 120_000],
    ['3S', 3_000],
    ['99999999m', 99_999_999],
    ['1500u', 1.5],
    ['2000000n', 2],
    ['0m', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseGrpcTimeout(text)).toBeCloseTo(ms, 9);
  });

  it('may be absent, and is refused when malformed', () => {
    expect(parseGrpcTimeout(undefined)).toBeUndefined();
    for (const text of ['', '5', 'S', '-1S', '1.5S', '123456789S', '1 S', '1s', '1S, 2S']) {
      expect(() => parseGrpcTimeout(text)).toThrow(/grpc-timeout/);
    }
  });
});

describe('grpc-message', () => {
  it('is read back as it was, and is printable ASCII on the way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (message) => {
        const encoded = encodeGrpcMessage(message);
        expect(encoded).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeURIComponent(encoded)).toBe(message);
      }),
    );
  });

  it.each(['the reason: ', ' the reason', ' '])('keeps the space at the edge of "%s"', (text) => {
    const { 'grpc-message': message } = statusTrailers({ code: StatusCode.INTERNAL, message: text }, {});
    expect(message).toMatch(/^\S.*\S$/);
    expect(decodeURIComponent(String(message))).toBe(text);
  });

  it('is cut to what clients accept, never within an escape', () => {
    const { 'grpc-message': message } = statusTrailers({ code: StatusCode.INTERNAL, message: 'ä'.repeat(9_000) }, {});
    expect(message?.length).toBeLessThanOrEqual(8 * 1024);
    expect(message).toMatch(/^(%[0-9A-F]{2})+$/);
  });
});

describe('metadata of ours', () => {
  it('cannot replace what belongs to the transport', () => {
    const headers: Record<string, string | string[]> = { 'grpc-status': '0' };
    addMetadata(headers, { 'grpc-status': '13', ':status': '500', connection: 'close', 'x-a': ['1', '2'] });
    expect(headers).toEqual({ 'grpc-status': '0', 'x-a': ['1', '2'] });
  });
});

describe('a content type', () => {
  it.each([
    ['application/grpc', true],
    ['application/grpc+proto', true],
    ['Application/gRPC; charset=utf-8', true],
    ['application/grpc-web', false],
    ['application/grpc+json', false],
    ['application/grpcx', false],
    ['text/html', false],
  ])('%s: gRPC %s', (type, isGrpc) => {
    expect(isGrpcContentType(type)).toBe(isGrpc);
  });
});
