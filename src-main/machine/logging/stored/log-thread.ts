/**
 * Runs in a thread of its own: node:sqlite is synchronous, a batch of lines takes up to 10 ms and a checkpoint as long as
 * the disk needs, during which the outputs of a motor would not be renewed.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { toArmatureError } from '../../../base/errors.ts';
import { importLegacyLog } from './legacy-log.ts';
import { DATABASE_FILE, isCorruption, quarantineFile } from './log-corruption.ts';
import { LogDatabase } from './log-database.ts';
import { NUMBERS_FILE } from './sequence-numbers.ts';
import type { LogReply, LogRequest, LogThreadOptions } from './log-protocol.ts';
import { charsBehind, readRange, searchLog } from './log-search.ts';
import { takeTail } from './log-tail.ts';

const { folder, limits } = workerData as LogThreadOptions;
const file = path.join(folder, DATABASE_FILE);
const reply = (message: LogReply): void => parentPort?.postMessage(message);
const notice = (message: string): void => reply({ kind: 'notice', message });

let opened: LogDatabase | undefined;
/** Whether early deletion of lines was reported. */
let hasToldOfSize = false;
let isClosing = false;
/** Forward reads of the log: they wait for the import of an earlier version's log. */
let postponed: LogRequest[] | undefined = [];

/** Opening is retried with the next request: the disk may have room by then. */
function database(): LogDatabase {
  if (opened !== undefined) return opened;
  try {
    opened = new LogDatabase(file, limits);
  } catch (thrown) {
    if (!isCorruption(thrown)) throw thrown;
    notice(quarantineFile(file, thrown));
    opened = new LogDatabase(file, limits);
  }
  return opened;
}

function insert(text: string): void {
  let hasLostYoung;
  try {
    hasLostYoung = database().insert(text);
  } catch (thrown) {
    if (!isCorruption(thrown)) throw thrown;
    opened?.close();
    opened = undefined;
    notice(quarantineFile(file, thrown));
    hasLostYoung = database().insert(text);
  }
  if (!hasLostYoung || hasToldOfSize) return;
  hasToldOfSize = true;
  const [size, days] = [Math.round(limits.maxBytes / 1024 / 1024), Math.round(limits.keepMs / 86_400_000)];
  notice(
    `The stored log ${folder} has reached ${size} MiB, so its oldest lines go before they are ${days} days old. ` +
      'Look for what logs so much, or raise its level in the log configuration.',
  );
}

function answer(request: LogRequest): (LogReply & { readonly kind: 'done' })['answer'] {
  switch (request.kind) {
    case 'write':
      insert(request.ask);
      return undefined;
    case 'search': {
      const result = searchLog(database().sqlite, file, request.ask);
      if (postponed === undefined) return result;
      const message = `What an earlier version logged is still being read in from ${folder}: look again in a minute.`;
      return { ...result, unreadable: [...result.unreadable, message] };
    }
    case 'range':
      return readRange(database().sqlite, request.ask);
    case 'charsBehind':
      return charsBehind(database().sqlite, request.ask);
  }
}

function serve(request: LogRequest): void {
  const { id } = request;
  try {
    reply({ kind: 'done', id, answer: answer(request) });
  } catch (thrown) {
    reply({ kind: 'failed', id, message: toArmatureError(thrown).message });
  }
}

const target = { insert, sync: () => database().sync() };
const steps = importLegacyLog(folder, () => target, notice);

/** Imports entries from before this thread started. If they cannot be read, the next start tries again. */
function takeNewest(): void {
  try {
    takeTail(folder, target);
  } catch (thrown) {
    const why = toArmatureError(thrown).message;
    notice(`The newest lines of the stored log ${folder} are not in its database yet (${why}).`);
  }
}

/** One step per turn of the event loop, so that requests are served in between. */
function stepOn(): void {
  if (isClosing) return;
  try {
    if (steps.next().done !== true) {
      setImmediate(stepOn);
      return;
    }
  } catch (thrown) {
    notice(`What an earlier version logged in ${folder} could not be looked for: ${toArmatureError(thrown).message}`);
  }
  const waiting = postponed ?? [];
  postponed = undefined;
  for (const request of waiting) serve(request);
}

/** Flushes the reserved numbers to the disk: a loss of power must not bring a number back. */
function syncNumbers(): void {
  try {
    const descriptor = openSync(path.join(folder, NUMBERS_FILE), 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // Best effort: surviving a kill does not need it.
  }
}

parentPort?.on('message', (request: LogRequest | null) => {
  if (request === null) {
    isClosing = true;
    opened?.close();
    parentPort?.close();
  } else if (postponed !== undefined && (request.kind === 'range' || request.kind === 'charsBehind')) {
    postponed.push(request);
  } else serve(request);
});
syncNumbers();
// Done before the first request, which may ask for these lines.
takeNewest();
stepOn();
