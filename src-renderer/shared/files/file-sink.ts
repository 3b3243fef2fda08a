import { downloadBlob } from './download.ts';

/** CSV, Parquet, or one JSON object per line. */
export type ExportFormat = 'csv' | 'parquet' | 'jsonl';

/** Takes a file piece by piece. */
export interface FileSink {
  /** Bytes that it can hold; undefined if only the disk limits it. */
  readonly limitBytes: number | undefined;
  /** Resolves when there is room for more. */
  write(piece: string | Uint8Array<ArrayBuffer>): Promise<void>;
  /** Starts the file again; discards what was written. */
  restart(): Promise<void>;
  /** Ends the file. */
  finish(): Promise<void>;
  /** Discards the file. */
  abort(): Promise<void>;
}

/** A browser that cannot write to a file keeps the whole download in memory. */
export const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

interface SavePicker {
  showSaveFilePicker?: (options: {
    readonly suggestedName: string;
    readonly types: readonly {
      readonly description: string;
      readonly accept: Readonly<Record<string, readonly string[]>>;
    }[];
  }) => Promise<FileSystemFileHandle>;
}

const types: Readonly<Record<ExportFormat | 'gz', string>> = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  jsonl: 'application/jsonl',
  gz: 'application/gzip',
};

/**
 * Opens a file that the person chooses, if the browser can write to one; otherwise a download, which is first kept in
 * memory. Call it right after a click, or the browser opens no dialog. Rejects with an AbortError if none was chosen.
 */
export async function openFile(name: string, format: ExportFormat | 'gz', description: string): Promise<FileSink> {
  const { showSaveFilePicker } = globalThis as SavePicker;
  if (showSaveFilePicker === undefined) return memoryFile(name, types[format]);
  const accept = { [types[format]]: [`.${format}`] };
  const handle = await showSaveFilePicker({ suggestedName: name, types: [{ description, accept }] });
  return diskFile(await handle.createWritable());
}

function diskFile(stream: FileSystemWritableFileStream): FileSink {
  return {
    limitBytes: undefined,
    write: (piece) => stream.write(piece),
    restart: async () => {
      await stream.truncate(0);
      await stream.seek(0);
    },
    finish: () => stream.close(),
    abort: () => stream.abort(),
  };
}

function memoryFile(name: string, type: string): FileSink {
  // Blobs instead of strings, because a browser may keep blobs on its disk.
  let pieces: Blob[] = [];
  return {
    limitBytes: MAX_MEMORY_BYTES,
    write: async (piece) => void pieces.push(new Blob([piece])),
    restart: async () => void (pieces = []),
    finish: async () => {
      downloadBlob(name, new Blob(pieces, { type }));
      pieces = [];
    },
    abort: async () => void (pieces = []),
  };
}
