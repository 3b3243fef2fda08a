import { describe, expect, it } from 'vitest';
import { StatusCode } from '../../base/status.ts';
import {
  codeOfHttpStatus,
  codeOfReset,
  decodeGrpcMessage,
  nameOfReset,
  readStatus,
  receivedMetadata,
} from './grpc-answer.ts';
import { encodeGrpcMessage, encodeGrpcTimeout, parseGrpcTimeout } from './grpc-headers.ts';

describe('the end of an answer', () => {
  it('is read from its headers', () => {
    expect(readStatus({ 'content-type': 'application/grpc' })).toBeUndefined();
    expect(readStatus({ 'grpc-status': '0', 'grpc-message': 'OK' })).toEqual({ code: StatusCode.OK, message: '' });
    expect(readStatus({ 'grpc-status': '9', 'grpc-message': 'not%20now' })).toEqual({
      code: StatusCode.FAILED_PRECONDITION,
      message: 'not now',
    });
    expect(readStatus({ 'grpc-status': '5' })).toEqual({ code: StatusCode.NOT_FOUND, message: '' });
  });

  it.each(['17', '-1', 'x', '1.5'])('is unknown where the status is "%s"', (status) => {
    expect(readStatus({ 'grpc-status': status })).toEqual({
      code: StatusCode.UNKNOWN,
      message: `The answer ended with the unknown status "${status}".`,
    });
  });

  it.each(['plain', 'Drähte: 100 % ab\n→ neu', ''])('has the message that was sent: %j', (message) => {
    expect(decodeGrpcMessage(encodeGrpcMessage(message))).toBe(message);
  });

  it('has a message even where its sender escaped nothing, or wrongly', () => {
    expect(decodeGrpcMessage('100 % of %zz and %4')).toBe('100 % of %zz and %4');
    expect(decodeGrpcMessage(Buffer.from('Drähte', 'utf8').toString('latin1'))).toBe('Drähte');
  });

  it('keeps metadata, and takes joined binary values apart', () => {
    const headers = {
      ':path': '/',
      'content-type': 'application/grpc',
      'grpc-status': '0',
      'grpc-encoding': 'gzip',
      date: 'today',
      'x-text': 'a, b',
      'x-bytes-bin': 'AAEC, /w==',
      'grpc-status-details-bin': 'CAk',
    };
    expect(receivedMetadata(headers)).toEqual({
      'x-text': 'a, b',
      'x-bytes-bin': ['AAEC', '/w=='],
      'grpc-status-details-bin': 'CAk',
    });
  });
});

describe('codes of HTTP', () => {
  it.each([
    [400, StatusCode.INTERNAL],
    [401, StatusCode.UNAUTHENTICATED],
    [403, StatusCode.PERMISSION_DENIED],
    [404, StatusCode.UNIMPLEMENTED],
    [429, StatusCode.UNAVAILABLE],
    [503, StatusCode.UNAVAILABLE],
    [500, StatusCode.UNKNOWN],
    [undefined, StatusCode.UNKNOWN],
  ])('status %s is code %i', (status, code) => {
    expect(codeOfHttpStatus(status)).toBe(code);
  });

  it.each([
    [0, StatusCode.INTERNAL, 'NO_ERROR'],
    [2, StatusCode.INTERNAL, 'INTERNAL_ERROR'],
    [7, StatusCode.UNAVAILABLE, 'REFUSED_STREAM'],
    [8, StatusCode.CANCELLED, 'CANCEL'],
    [11, StatusCode.RESOURCE_EXHAUSTED, 'ENHANCE_YOUR_CALM'],
    [12, StatusCode.PERMISSION_DENIED, 'INADEQUATE_SECURITY'],
    [99, StatusCode.INTERNAL, 'HTTP/2 error 99'],
  ])('reset %i is code %i, %s', (reset, code, name) => {
    expect([codeOfReset(reset), nameOfReset(reset)]).toEqual([code, name]);
  });
});

describe('a time limit on the wire', () => {
  it.each([
    [0, '1u'],
    [0.25, '250u'],
    [9.9996, '9999u'],
    [10.9, '10m'],
    [600_000, '600000m'],
    [99_999_999, '99999999m'],
    [200_000_000, '200000S'],
    [1e15, '99999999S'],
  ])('%d ms is %s', (timeoutMs, text) => {
    expect(encodeGrpcTimeout(timeoutMs)).toBe(text);
    // Never longer than it is, but for nothing, which cannot be said.
    expect(parseGrpcTimeout(text)).toBeLessThanOrEqual(Math.max(timeoutMs, 0.001));
  });
});
