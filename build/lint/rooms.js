/**
 * ESLint rule: which room of `src-main/hub` and of `src-main/machine` may import which (ARCHITECTURE.md), types
 * included. Files next to the rooms combine them and may import all of them; so may tests and test helpers.
 */
import path from 'node:path';
import { importRule } from './import-rule.js';

/**
 * Room -> rooms it may import besides itself. Ordered from the leaf up: no room comes before one that it may import.
 */
export const rooms = {
  'src-main/hub/': {
    storage: [],
    cluster: ['storage'],
    places: ['storage'],
    events: ['storage', 'cluster'],
    blobs: ['storage', 'cluster'],
    access: ['storage', 'places'],
    about: ['storage', 'places', 'access'],
    fleet: ['storage', 'places', 'access'],
    presence: ['storage', 'cluster', 'events', 'places', 'access', 'fleet'],
    history: ['storage', 'events', 'places', 'access', 'fleet', 'presence'],
    'robot-config': ['storage', 'places', 'access', 'presence', 'history'],
    dashboards: ['storage', 'places', 'access', 'presence'],
    logs: ['storage', 'access'],
    registry: ['storage', 'events', 'blobs', 'places', 'access', 'fleet'],
    datasets: ['storage', 'places', 'access'],
    data: ['storage', 'events', 'blobs', 'places', 'access', 'datasets'],
    labelling: ['storage', 'blobs', 'places', 'access', 'datasets', 'data'],
    channels: ['storage', 'places', 'access', 'presence'],
    signaling: ['storage', 'cluster', 'places', 'access', 'presence'],
    triggers: ['storage', 'events', 'places', 'access', 'presence'],
    training: ['storage', 'blobs', 'places', 'access', 'registry', 'datasets', 'data', 'labelling'],
    inference: ['storage', 'blobs', 'places', 'access', 'fleet', 'registry', 'datasets', 'data', 'labelling'],
  },
  'src-main/machine/': {
    catalog: [],
    logging: [],
    sessions: [],
    operations: ['sessions'],
    watch: [],
    outbox: [],
    models: ['catalog'],
    options: ['catalog'],
    jobs: ['logging'],
    config: ['catalog', 'logging', 'models', 'jobs'],
    telemetry: ['config'],
    capture: ['catalog', 'outbox'],
    graph: ['catalog', 'config', 'telemetry'],
    maintenance: ['config', 'graph'],
    apply: ['config', 'graph', 'maintenance'],
    modules: ['config', 'graph', 'logging', 'maintenance'],
    foreign: [],
    modular: ['catalog', 'config', 'graph', 'modules', 'foreign'],
    diagnostics: ['graph', 'modules'],
    dashboards: [],
    remotes: ['catalog', 'config', 'graph', 'foreign'],
    services: [
      'config',
      'graph',
      'logging',
      'sessions',
      'operations',
      'watch',
      'apply',
      'modules',
      'jobs',
      'diagnostics',
      'dashboards',
      'remotes',
    ],
    cloud: ['config', 'logging', 'outbox', 'apply', 'services'],
    packages: ['config', 'logging', 'modules', 'cloud'],
  },
};

/** The position of a file: the folder with the rooms, and its room; undefined where it is in none. */
function placeOf(file) {
  const base = Object.keys(rooms).find((folder) => file.startsWith(folder));
  if (base === undefined) return undefined;
  const [room, inside] = file.slice(base.length).split('/');
  return { base, room: inside === undefined ? undefined : room };
}

function isForTests(file) {
  return /\.(test|fixture)\.ts$/.test(file) || file.includes('/testing/');
}

/** The problem with `from` importing `specifier`, or undefined. Paths are relative to the repository. */
export function problemOf(from, specifier) {
  const { base, room } = placeOf(from) ?? {};
  if (room === undefined || isForTests(from) || !specifier.startsWith('.')) return undefined;
  const allowed = rooms[base][room];
  if (allowed === undefined) return `${base}${room} is no room of build/lint/rooms.js: say there what it may import`;
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
  const found = placeOf(target);
  if (found?.base !== base || found.room === room || allowed.includes(found.room)) return undefined;
  return `${base}${room} may not import ${found.room === undefined ? target : `${base}${found.room}`}`;
}

export default importRule('keep the rooms of a folder apart', problemOf);
