import { gzipSync } from 'node:zlib';
import type { ModuleMeta } from '../../../../proto/config/module-meta.ts';
import { makeTar, type MadeEntry } from '../../../base/tar/testing/make-tar.ts';

/** The entries of a valid package. */
export function packageEntries(meta: Partial<ModuleMeta> = {}): MadeEntry[] {
  const whole = { module_id: 'acme:motors', entrypoint: 'bin/run.sh', visibility: 'private', ...meta };
  return [
    { name: './', type: '5', mode: 0o755 },
    { name: './meta.json', content: JSON.stringify(whole) },
    { name: './bin/', type: '5', mode: 0o755 },
    { name: './bin/run.sh', content: '#!/bin/sh\nexec true\n', mode: 0o755 },
  ];
}

/** A package of a module: valid, unless `meta` or `more` make it invalid. */
export function makePackage(meta: Partial<ModuleMeta> = {}, more: readonly MadeEntry[] = []): Buffer {
  return gzipSync(makeTar([...packageEntries(meta), ...more]));
}
