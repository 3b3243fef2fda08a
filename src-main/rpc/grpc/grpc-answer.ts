import { constants, type IncomingHttpHeaders } from 'node:http2';
import { OK, StatusCode, type Status } from '../../base/status.ts';
import { isTransportHeader } from './grpc-headers.ts';
import type { MetadataRecord } from '../metadata.ts';

/** The code for an answer that has none because a proxy, or no gRPC server, gave it (grpc/grpc: doc/http-grpc-status-mapping.md). */
export function codeOfHttpStatus(status: number | undefined): StatusCode {
  switch (status) {
    case 400:
      return StatusCode.INTERNAL;
    case 401:
      return StatusCode.UNAUTHENTICATED;
    case 403:
      return StatusCode.PERMISSION_DENIED;
    case 404:
      return StatusCode.UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
      return StatusCode.UNAVAILABLE;
    default:
      return StatusCode.UNKNOWN;
  }
}

/** The code for a stream that its server reset (grpc/grpc: doc/PROTOCOL-HTTP2.md, "Errors"). */
export function codeOfReset(http2Error: number): StatusCode {
  switch (http2Error) {
    case constants.NGHTTP2_REFUSED_STREAM:
      return StatusCode.UNAVAILABLE;
    case constants.NGHTTP2_CANCEL:
      return StatusCode.CANCELLED;
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
      return StatusCode.RESOURCE_EXHAUSTED;
    case constants.NGHTTP2_INADEQUATE_SECURITY:
      return StatusCode.PERMISSION_DENIED;
    default:
      return StatusCode.INTERNAL;
  }
}

/** Errors of HTTP/2 by their numbers (RFC 9113, 7). */
const RESETS =
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'.split(
    ' ',
  );

/** The name of an HTTP/2 error for messages. */
export function nameOfReset(http2Error: number): string {
  return RESETS[http2Error] ?? `HTTP/2 error ${http2Error}`;
}

/** The status in headers or trailers; undefined if there is none. */
export function readStatus(headers: IncomingHttpHeaders): Status | undefined {
  const text = headers['grpc-status'];
  if (typeof text !== 'string') return undefined;
  // Some servers also send "OK" as text.
  if (text === '0') return OK;
  const message = headers['grpc-message'];
  const code = Number(text);
  if (!Number.isInteger(code) || code < 0 || code > StatusCode.UNAUTHENTICATED) {
    return { code: StatusCode.UNKNOWN, message: `The answer ended with the unknown status "${text.slice(0, 40)}".` };
  }
  return { code: code as StatusCode, message: typeof message === 'string' ? decodeGrpcMessage(message) : '' };
}

/** Decodes a `grpc-message`. Invalid escapes stay unchanged; UTF-8 bytes that were not escaped are also accepted. */
export function decodeGrpcMessage(encoded: string): string {
  if (!/[%\x80-\xff]/.test(encoded)) return encoded;
  const bytes = encoded.replace(/%([0-9A-Fa-f]{2})/g, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The metadata in headers or trailers, without the transport's own; splits binary values that a server joined. */
export function receivedMetadata(headers: IncomingHttpHeaders): MetadataRecord {
  const metadata: MetadataRecord = {};
  for (const key in headers) {
    const value = headers[key];
    if (value !== undefined && !isTransportHeader(key)) metadata[key] = metadataValue(key, value);
  }
  return metadata;
}

/**
 * A header's value as metadata. Values of one name may arrive joined by commas. For text that means the same; binary
 * ones cannot be split by every reader (grpc/grpc: doc/PROTOCOL-HTTP2.md, "Requests").
 */
export function metadataValue(key: string, value: string | string[]): string | string[] {
  if (typeof value !== 'string' || !key.endsWith('-bin') || !value.includes(',')) return value;
  return value.split(',').map((part) => part.trim());
}
