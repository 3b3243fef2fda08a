import { appendFile, chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { Mutex } from '../../../base/async/mutex.ts';
import { toArmatureError } from '../../../base/errors.ts';

const NAME = 'traces';
/** A file of this size is rotated. */
const LARGEST_FILE_BYTES = 32 * 1_024 * 1_024;
/** Number of files, including the current one. */
const MAX_FILES = 4;

/**
 * Stores spans in files: `traces`, and earlier ones in `traces.1` to `traces.3`. Each contains messages
 * `opentelemetry.proto.trace.v1.ResourceSpans`, each after its length as a varint.
 */
export class SpanFiles implements SpanExporter {
  readonly #folder: string;
  readonly #largestBytes: number;
  readonly #turns = new Mutex();

  /** @param folder created when there is something to store; readable by its owner only */
  constructor(folder: string, largestBytes = LARGEST_FILE_BYTES) {
    this.#folder = folder;
    this.#largestBytes = largestBytes;
  }

  export(spans: ReadableSpan[], settle: (result: ExportResult) => void): void {
    const bytes = delimited(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array());
    this.#turns
      .run(() => this.#append(bytes))
      .then(
        () => settle({ code: ExportResultCode.SUCCESS }),
        (thrown: unknown) => settle({ code: ExportResultCode.FAILED, error: toArmatureError(thrown) }),
      );
  }

  async shutdown(): Promise<void> {
    await this.#turns.idle();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, NAME);
    const size = await stat(file).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      // An existing folder keeps its mode.
      await chmod(this.#folder, 0o700);
    } else if (size > 0 && size + bytes.length > this.#largestBytes) await this.#rotate(file);
    await appendFile(file, bytes, { mode: 0o600 });
  }

  async #rotate(file: string): Promise<void> {
    await rm(`${file}.${MAX_FILES - 1}`, { force: true });
    for (let number = MAX_FILES - 2; number >= 0; number--) {
      const from = number === 0 ? file : `${file}.${number}`;
      await rename(from, `${file}.${number + 1}`).catch((thrown: unknown) => {
        // There are fewer files so far.
        if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      });
    }
  }
}

/** The messages of an ExportTraceServiceRequest (field 1), each after its length. */
function delimited(request: Uint8Array): Uint8Array {
  const reader = new BinaryReader(request);
  const writer = new BinaryWriter();
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) writer.bytes(reader.bytes());
    else reader.skip(wireType, field);
  }
  return writer.finish();
}
