import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { ArmatureError } from '../../base/errors.ts';
import type { ModuleIo } from '../module-commands/module-io.ts';

/** Where a command writes to, at the pace of that. */
export interface Output<Content = string> {
  write(content: Content): Promise<void>;
  end(): Promise<void>;
}

export function standardOutput(io: ModuleIo): Output {
  return { write: (text) => Promise.resolve(io.stdout(text)), end: () => Promise.resolve() };
}

/** A file for this user alone. @throws {ArmatureError} `file.unwritable`, at once */
export async function fileOutput(file: string): Promise<Output<string | Uint8Array>> {
  const stream = createWriteStream(file, { mode: 0o600 });
  const failed = (thrown: unknown): ArmatureError => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new ArmatureError('file.unwritable', `${file} cannot be written: ${reason}. Name another file.`, {
      cause: thrown,
    });
  };
  // Each failure is reported by the call that caused it.
  stream.on('error', () => undefined);
  await once(stream, 'open').catch((thrown: unknown) => Promise.reject(failed(thrown)));
  return {
    async write(content) {
      await new Promise<void>((resolve, reject) => {
        stream.write(content, (error) => (error ? reject(failed(error)) : resolve()));
      });
    },
    async end() {
      stream.end();
      await finished(stream).catch((thrown: unknown) => Promise.reject(failed(thrown)));
    },
  };
}
