import { createHash } from 'node:crypto';

/**
 * Revision of a configuration text: the first 12 hexadecimal digits of its
 * SHA-256, as UTF-8. Machine and hub compare theirs, so both take it from here.
 * No text has no revision.
 */
export function revisionOf(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 12);
}
