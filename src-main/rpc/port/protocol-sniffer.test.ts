import { describe, expect, it } from 'vitest';
import { protocolOf } from './protocol-sniffer.ts';

describe('the first bytes of a connection', () => {
  it.each([
    ['PRI * HTTP/2.0', 'http2'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'http2'],
    ['P', undefined],
    ['PRI * HTTP/2', undefined],
    ['PO', 'http1'],
    ['PROPFIND / HTTP/1.1', 'http1'],
    ['GET / HTTP/1.1', 'http1'],
    ['\x16\x03\x01', 'tls'],
    ['PRI * HTTP/1.1', 'http1'],
  ])('%j: %s', (text, protocol) => {
    expect(protocolOf(Buffer.from(text, 'latin1'))).toBe(protocol);
  });
});
