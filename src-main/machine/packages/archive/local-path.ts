import path from 'node:path';

/** A path as a person wrote it, with `~/` replaced. */
export function expandHome(written: string, userHome: string): string {
  return written.startsWith('~/') ? path.join(userHome, written.slice(2)) : written;
}
