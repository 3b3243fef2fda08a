/** A recording that the browser keeps until it is saved or discarded. */
export interface KeptRecording {
  readonly id: string;
  readonly machine: string;
  /** By the clock of the window, ms. */
  readonly startedAt: number;
  readonly lengthMs: number;
  readonly bytes: number;
  /** Whether a file was made of it. */
  readonly isSaved: boolean;
}

/** Keeps recordings in parts, as they are made. */
export interface Shelf {
  /** Whether they are still there after a reload or a crash. */
  readonly isLasting: boolean;
  /** The most bytes of one recording. */
  readonly limitBytes: number;
  /** Sorted by their start, the latest first. */
  list(): Promise<readonly KeptRecording[]>;
  /** Keeps a description, with a part if there is one; both or nothing. Rejects if there is no room. */
  keep(recording: KeptRecording, part?: KeptPart): Promise<void>;
  /** The parts of a recording, joined. */
  read(id: string): Promise<Blob>;
  remove(id: string): Promise<void>;
}

export interface KeptPart {
  /** From 0, without a hole. */
  readonly index: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** About five hours of 20 values, ten times a second. */
const LASTING_LIMIT_BYTES = 200_000_000;
/** Of a browser that keeps nothing: it is all in the memory of the page. */
const MEMORY_LIMIT_BYTES = 64_000_000;

const databaseName = 'armature-recordings';
const latestFirst = (one: KeptRecording, other: KeptRecording): number => other.startedAt - one.startedAt;

/** The shelf in the browser's database, or in memory if the browser forbids one. */
export async function openShelf(): Promise<Shelf> {
  try {
    return databaseShelf(await openDatabase());
  } catch {
    // Recording works without it; the page says that nothing outlasts it.
    return memoryShelf();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('recordings', { keyPath: 'id' });
    // Its key is the id and the index of the part.
    opening.result.createObjectStore('parts');
  };
  return answerOf(opening);
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser gave no reason'));
  });
}

function databaseShelf(database: IDBDatabase): Shelf {
  /** Resolves when what `change` does is stored. */
  function changed(change: (transaction: IDBTransaction) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(['recordings', 'parts'], 'readwrite');
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser gave no reason'));
      change(transaction);
    });
  }
  const partsOf = (id: string): IDBKeyRange => IDBKeyRange.bound([id, 0], [id, Number.POSITIVE_INFINITY]);
  return {
    isLasting: true,
    limitBytes: LASTING_LIMIT_BYTES,
    async list() {
      const all = database.transaction('recordings').objectStore('recordings').getAll();
      return ((await answerOf(all)) as KeptRecording[]).sort(latestFirst);
    },
    keep: (recording, part) =>
      changed((transaction) => {
        transaction.objectStore('recordings').put(recording);
        if (part !== undefined) transaction.objectStore('parts').put(part.bytes, [recording.id, part.index]);
      }),
    read: (id) =>
      new Promise((resolve, reject) => {
        // Blobs one by one: a browser may keep them on its disk.
        const parts: Blob[] = [];
        const cursor = database.transaction('parts').objectStore('parts').openCursor(partsOf(id));
        cursor.onerror = () => reject(cursor.error ?? new Error('the browser gave no reason'));
        cursor.onsuccess = () => {
          if (cursor.result === null) return resolve(new Blob(parts));
          parts.push(new Blob([cursor.result.value as Uint8Array<ArrayBuffer>]));
          cursor.result.continue();
        };
      }),
    remove: (id) =>
      changed((transaction) => {
        transaction.objectStore('recordings').delete(id);
        transaction.objectStore('parts').delete(partsOf(id));
      }),
  };
}

export function memoryShelf(limitBytes = MEMORY_LIMIT_BYTES): Shelf {
  const recordings = new Map<string, KeptRecording>();
  const parts = new Map<string, Blob[]>();
  return {
    isLasting: false,
    limitBytes,
    list: () => Promise.resolve([...recordings.values()].sort(latestFirst)),
    keep(recording, part) {
      recordings.set(recording.id, recording);
      const kept = parts.get(recording.id) ?? [];
      if (part !== undefined) kept.push(new Blob([part.bytes]));
      parts.set(recording.id, kept);
      return Promise.resolve();
    },
    read: (id) => Promise.resolve(new Blob(parts.get(id) ?? [])),
    remove(id) {
      recordings.delete(id);
      parts.delete(id);
      return Promise.resolve();
    },
  };
}
