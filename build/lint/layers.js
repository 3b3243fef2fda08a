/**
 * ESLint rule: which folder may import which (ARCHITECTURE.md, "Direction"). A file belongs to the layer with the
 * longest matching folder, except the schemas of models; importing one of our files from a layer that is not listed is
 * an error.
 */
import path from 'node:path';
import { importRule } from './import-rule.js';

/** Layer -> layers it may import besides itself. Ordered from the leaf up. */
export const layers = {
  proto: [],
  native: [],
  'src-main/base': ['proto'],
  'src-main/rpc': ['proto', 'src-main/base'],
  'src-main/hardware': ['proto', 'src-main/base', 'native'],
  'src-main/inference': ['proto', 'src-main/base'],
  'src-main/apis': ['proto', 'src-main/base', 'src-main/rpc', 'src-main/hardware', 'src-main/inference'],
  /** The descriptions of the built-in models: see `modelSchemas`. */
  'model schemas': ['proto'],
  'src-main/machine': [
    'proto',
    'src-main/base',
    'src-main/rpc',
    'src-main/hardware',
    'src-main/inference',
    'src-main/apis',
    'model schemas',
  ],
  'src-main/hub': ['proto', 'src-main/base', 'src-main/rpc', 'src-main/inference'],
  'src-main/module-sdk': ['proto', 'src-main/base', 'src-main/rpc', 'src-main/apis'],
  'src-main/app': [
    'proto',
    'src-main/base',
    'src-main/rpc',
    'src-main/hardware',
    'src-main/apis',
    'src-main/machine',
    'src-main/hub',
  ],
  /** The entry files: index.ts, server.ts, hub.ts, cli.ts. */
  'src-main': [
    'proto',
    'src-main/base',
    'src-main/rpc',
    'src-main/hardware',
    'src-main/machine',
    'src-main/hub',
    'src-main/app',
  ],
  'src-renderer': ['proto', 'model schemas'],
  e2e: [
    'proto',
    'native',
    'src-main',
    'src-main/base',
    'src-main/rpc',
    'src-main/hardware',
    'src-main/inference',
    'src-main/apis',
    'src-main/machine',
    'src-main/hub',
    'src-main/module-sdk',
    'src-main/app',
    'model schemas',
  ],
};

/** Files of the machine that contain only data and rules, so that the window may import them too. */
const modelSchemas = /^src-main\/machine\/models\/(?:[^/]+\/(?:attributes|schema|rules)|wiring\/[^/.]+)\.ts$/;

/** Packages that only some folders may import. */
const restricted = {
  electron: ['src-main/app/desktop', 'src-main/index.ts'],
  '@grpc/grpc-js': ['src-main/rpc/peer', 'src-main/module-sdk', 'src-main/cli.ts', 'e2e'],
  vue: ['src-renderer'],
  pinia: ['src-renderer'],
};

function layerOf(file) {
  if (modelSchemas.test(file)) return 'model schemas';
  let found;
  for (const layer of Object.keys(layers)) {
    const inside = file === layer || file.startsWith(`${layer}/`);
    if (inside && (found === undefined || layer.length > found.length)) found = layer;
  }
  return found;
}

function isTest(file) {
  return /\.(test|spec)\.ts$/.test(file);
}

/** The problem with `from` importing `specifier`, or undefined. Paths are relative to the repository. */
export function problemOf(from, specifier) {
  const layer = layerOf(from);
  if (layer === undefined) return undefined;
  if (!specifier.startsWith('.')) {
    const name = Object.keys(restricted).find((key) => specifier === key || specifier.startsWith(`${key}/`));
    if (name === undefined || isTest(from)) return undefined;
    if (restricted[name].some((place) => from === place || from.startsWith(`${place}/`))) return undefined;
    return `${from} may not import ${name}: only ${restricted[name].join(', ')} may`;
  }
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
  const targetLayer = layerOf(target);
  if (targetLayer === undefined || targetLayer === layer || layers[layer].includes(targetLayer)) return undefined;
  return `${layer} may not import ${targetLayer} (${target})`;
}

export default importRule('keep the direction of imports', problemOf);
