import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  RegistryServiceDefinition,
  type DownloadResponse,
  type PackageDescription,
} from '../../../../proto/gen/core/hub/v1/registry.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubLink } from '../../cloud/hub-link.ts';
import { checkSpace, FREE_FLOOR_BYTES, toWriteError } from '../install/file-errors.ts';
import { namesIn } from '../package-store.ts';
import { nameOf, type PackageId } from '../package-id.ts';

/** The used part of the connection to the hub. */
export type RegistryLink = Pick<HubLink, 'stream' | 'onChange' | 'state' | 'hubName'>;

export interface DownloadOptions {
  /** Type of a package that is not a module; '' for a module. */
  readonly type: string;
  readonly link: Pick<RegistryLink, 'stream' | 'hubName'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Start of the path of the download file; the rest identifies its content. */
  readonly partPath: string;
  /** Called before the first byte is requested: throws if the package must not be downloaded. */
  readonly accept: (description: PackageDescription) => Promise<void>;
  readonly onBytes: (doneBytes: number, totalBytes: number) => void;
  readonly freeFloorBytes?: number;
}

export interface Downloaded {
  /** The complete file; the caller deletes it. */
  readonly file: string;
  readonly description: PackageDescription;
}

/** More than any hub accepts. */
const LARGEST_BYTES = 4 * 1024 ** 3;
/** If the hub sends nothing for this long, the call counts as lost. */
const INACTIVITY_TIMEOUT_MS = 60_000;

/**
 * Downloads a package, continuing an earlier attempt if there is one, and checks that the bytes match the description.
 * A failed attempt keeps what it received; wrong bytes are deleted.
 * @throws {ArmatureError} errors of `accept`, `module.bad_package`, `module.no_space`, `hub.*`; else the hub's error
 */
export async function download(id: PackageId, options: DownloadOptions): Promise<Downloaded> {
  const found = await findPart(options.partPath);
  const begun = await receive(id, found, options);
  if (begun !== undefined) return begun;
  // The earlier file has other content, or is too long.
  if (found !== undefined) await rm(found.file, { force: true });
  const downloaded = await receive(id, undefined, options);
  if (downloaded === undefined) throw new ArmatureError('internal.bug', `${nameOf(id)} cannot be begun.`);
  return downloaded;
}

interface Part {
  readonly file: string;
  readonly bytes: number;
}

/** The file of an earlier attempt. */
async function findPart(partPath: string): Promise<Part | undefined> {
  const folder = path.dirname(partPath);
  const name = (await namesIn(folder)).find((one) => one.startsWith(`${path.basename(partPath)}.`));
  if (name === undefined) return undefined;
  const file = path.join(folder, name);
  return { file, bytes: (await stat(file)).size };
}

/** @returns undefined if `part` cannot be used */
async function receive(
  id: PackageId,
  part: Part | undefined,
  options: DownloadOptions,
): Promise<Downloaded | undefined> {
  const inactivity = new InactivityTimer(id, options);
  const signal = AbortSignal.any([options.signal, inactivity.signal]);
  const offset = part?.bytes ?? 0;
  try {
    const answers = options.link.stream(
      RegistryServiceDefinition,
      'download',
      { ...id, offset: BigInt(offset), type: options.type },
      signal,
    );
    const first = await answers.next();
    try {
      const description = descriptionOf(id, first.value as DownloadResponse | undefined);
      await options.accept(description);
      const total = Number(description.bytes);
      const file = `${options.partPath}.${Buffer.from(description.sha256).toString('hex').slice(0, 16)}`;
      if (part !== undefined && (part.file !== file || offset > total)) return undefined;
      await checkSpace(path.dirname(file), total, offset, options.freeFloorBytes ?? FREE_FLOOR_BYTES);
      await append(id, file, offset, total, answers, { ...options, inactivity });
      await checkBytes(id, file, description, options.signal);
      return { file, description };
    } finally {
      await answers.return(undefined);
    }
  } catch (thrown) {
    options.signal.throwIfAborted();
    throw inactivity.signal.aborted ? inactivity.signal.reason : thrown;
  } finally {
    inactivity.end();
  }
}

function descriptionOf(id: PackageId, first: DownloadResponse | undefined): PackageDescription {
  if (first?.part?.$case !== 'description') {
    throw new ArmatureError('module.bad_package', `the hub does not describe ${nameOf(id)} before it sends it`);
  }
  const { bytes, sha256 } = first.part.value;
  if (bytes < 1n || bytes > BigInt(LARGEST_BYTES) || sha256.length !== 32) {
    throw new ArmatureError(
      'module.bad_package',
      `the hub describes ${nameOf(id)} as ${bytes} bytes, which no package has`,
    );
  }
  return first.part.value;
}

async function append(
  id: PackageId,
  file: string,
  offset: number,
  total: number,
  answers: AsyncIterable<DownloadResponse>,
  { onBytes, inactivity }: DownloadOptions & { readonly inactivity: InactivityTimer },
): Promise<void> {
  let handle: FileHandle | undefined;
  let done = offset;
  try {
    handle = await open(file, 'a', 0o600);
    onBytes(done, total);
    for await (const { part } of answers) {
      inactivity.reset();
      if (part?.$case !== 'bytes') continue;
      done += part.value.length;
      if (done > total) {
        throw new ArmatureError(
          'module.bad_package',
          `the hub sends more of ${nameOf(id)} than the ${total} bytes it has`,
        );
      }
      await handle.appendFile(part.value);
      onBytes(done, total);
    }
  } catch (thrown) {
    throw toWriteError(path.dirname(file), thrown);
  } finally {
    await handle?.close();
  }
  if (done < total) {
    throw new ArmatureError(
      'hub.unreachable',
      `the hub ended the download of ${nameOf(id)} at ${done} of ${total} bytes`,
    );
  }
}

/** Reads the file again, because the bytes on the disk count. */
async function checkBytes(
  id: PackageId,
  file: string,
  { sha256 }: PackageDescription,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash, { signal });
  const found = hash.digest();
  if (found.equals(sha256)) return;
  await rm(file, { force: true });
  const message = `the bytes of ${nameOf(id)} have the SHA-256 ${found.toString('hex')}, not the one that was signed`;
  throw new ArmatureError('module.bad_package', `${message}; it is downloaded again`);
}

/** Ends a call that has received nothing for too long. */
class InactivityTimer {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #reason: ArmatureError;
  #timer: { cancel(): void };

  constructor(id: PackageId, { clock, link }: DownloadOptions) {
    this.#clock = clock;
    const message = `the hub ${link.hubName} sent nothing of ${nameOf(id)} for ${INACTIVITY_TIMEOUT_MS / 1000} s`;
    this.#reason = new ArmatureError('hub.unreachable', message);
    this.#timer = this.#begin();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  reset(): void {
    this.#timer.cancel();
    this.#timer = this.#begin();
  }

  end(): void {
    this.#timer.cancel();
  }

  #begin(): { cancel(): void } {
    return this.#clock.after(INACTIVITY_TIMEOUT_MS, () => this.#controller.abort(this.#reason));
  }
}
