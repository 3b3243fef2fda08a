import { downloadBlob } from './download.ts';

/** A table as text or in columns, or one JSON object a line. */
export type ExportFormat = 'csv' | 'parquet' | 'jsonl';

/** Where a file is written to, piece by piece. */
export interface FileSink {
  /** Bytes that it can hold; undefined where that is the disk's to say. */
  readonly limitBytes: number | undefined;
  /** Settles when there is room for more. */
  write(piece: string | Uint8Array<ArrayBuffer>): Promise<void>;
  /** Begins anew: what was written is gone. */
  restart(): Promise<void>;
  /** The file is whole. */
  finish(): Promise<void>;
  /** Nothing of it is kept. */
  abort(): Promise<void>;
}

/** A browser without a way to write to a file holds a download in memory until it is whole. */
export const memoryLimitBytes = 256 * 1024 * 1024;

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
 * A file that the person chooses, where the browser can write to one; else a download, which is held in memory first.
 * Only right after a press: a browser opens no dialog otherwise. Rejects with an AbortError where no file was chosen.
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
  // Blobs, which a browser may keep on its disk, and no text.
  let pieces: Blob[] = [];
  return {
    limitBytes: memoryLimitBytes,
    write: async (piece) => void pieces.push(new Blob([piece])),
    restart: async () => void (pieces = []),
    finish: async () => {
      downloadBlob(name, new Blob(pieces, { type }));
      pieces = [];
    },
    abort: async () => void (pieces = []),
  };
}
