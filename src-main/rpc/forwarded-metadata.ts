import type { ServerCall } from './call.ts';
import { metadataValue } from './grpc/grpc-answer.ts';
import { isTransportHeader } from './grpc/grpc-headers.ts';
import type { MetadataRecord } from './metadata.ts';

/**
 * The metadata of a call that is passed on to another server: without the headers of the transport and those that a
 * browser adds about itself (`sec-`).
 * @param notForwarded names, in lower case, of what the caller says to this server alone
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
