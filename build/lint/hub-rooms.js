/**
 * ESLint rule: which room of `src-main/hub` may import which (ARCHITECTURE.md,
 * "The hub"), types included. Files beside the rooms put them together and may
 * import all of them; so may tests and what is for tests.
 */
import path from 'node:path';
import { importRule } from './import-rule.js';

const HUB = 'src-main/hub/';

/** Room -> rooms it may import, itself apart. Order is from the leaf up: no room stands before one that it may import. */
export const rooms = {
  storage: [],
  places: ['storage'],
  events: ['storage'],
  access: ['storage', 'places'],
  about: ['storage', 'places', 'access'],
  fleet: ['storage', 'places', 'access'],
  presence: ['storage', 'events', 'places', 'access', 'fleet'],
  history: ['storage', 'events', 'places', 'access', 'fleet', 'presence'],
  'robot-config': ['storage', 'places', 'access', 'presence', 'history'],
  logs: ['storage', 'access'],
  registry: ['storage', 'events', 'places', 'access', 'fleet'],
  channels: ['storage', 'places', 'access', 'presence'],
};

/** The room of a file; undefined where it is in none. */
function roomOf(file) {
  if (!file.startsWith(HUB)) return undefined;
  const [room, inside] = file.slice(HUB.length).split('/');
  return inside === undefined ? undefined : room;
}

function isForTests(file) {
  return /\.test\.ts$/.test(file) || file.includes('/testing/');
}

/** What is wrong with `from` importing `specifier`, or undefined. Paths are relative to the repository. */
export function problemOf(from, specifier) {
  const room = roomOf(from);
  if (room === undefined || isForTests(from) || !specifier.startsWith('.')) return undefined;
  const allowed = rooms[room];
  if (allowed === undefined) return `${HUB}${room} is no room of build/lint/hub-rooms.js: say there what it may import`;
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
  if (!target.startsWith(HUB)) return undefined;
  const targetRoom = roomOf(target);
  if (targetRoom === room || allowed.includes(targetRoom)) return undefined;
  return `${HUB}${room} may not import ${targetRoom === undefined ? target : `${HUB}${targetRoom}`}`;
}

export default importRule('keep the rooms of the hub apart', problemOf);
