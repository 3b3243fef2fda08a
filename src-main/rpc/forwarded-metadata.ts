import type { ServerCall } from './call.ts';
import { metadataValue } from './grpc/grpc-answer.ts';
import { isTransportHeader } from './grpc/grpc-headers.ts';
import type { MetadataRecord } from './metadata.ts';

/**
 * The metadata of a call that is forwarded to another server: without headers of the transport and those that a browser
 * adds about itself (`sec-`).
 * @param notForwarded names, in lower case, of headers that are for this server only
 */
export function forwardedMetadata(metadata: ServerCall['metadata'], notForwarded: ReadonlySet<string>): MetadataRecord {
  const forwarded: MetadataRecord = {};
  for (const key in metadata) {
    const value = metadata[key];
    if (value === undefined || isTransportHeader(key) || key.startsWith('sec-') || notForwarded.has(key)) continue;
    forwarded[key] = metadataValue(key, value);
  }
  return forwarded;
}
