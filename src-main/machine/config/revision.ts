import { createHash } from 'node:crypto';

/** Revision of a configuration text: the first 12 hexadecimal digits of its SHA-256, as UTF-8. */
export function revisionOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 12);
}
