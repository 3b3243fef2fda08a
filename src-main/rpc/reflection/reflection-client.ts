import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  ServerReflectionDefinition,
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '../../../proto/gen/grpc/reflection/v1/reflection.ts';
import { ServerReflectionDefinition as AlphaDefinition } from '../../../proto/gen/grpc/reflection/v1alpha/reflection.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { protoNameIn } from '../../base/dialect.ts';
import { ArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import type { StartCall } from '../peer/outbound-call.ts';
import { receivedError, type PeerCodes } from '../peer/received-error.ts';
import { ownDescriptors } from './reflection.ts';
import type { RequestSink } from '../router.ts';

export interface ReflectionOptions {
  /** Time limit for the whole conversation. */
  readonly timeoutMs: number;
  /** Error codes of calls to the peer. */
  readonly codes: PeerCodes;
}

/** Far more than an API has; a peer that sends more is refused. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 500;

type Question = NonNullable<ServerReflectionRequest['messageRequest']>;

/**
 * Asks a peer by gRPC reflection for the proto file of a service and all that it imports. Imports that the
 * peer does not have are taken from this program's files, if they are there. Import this only when there is such a
 * service, because it loads the code that reads descriptors.
 * @param service full proto name, in either spelling of ours
 * @returns a serialized `google.protobuf.FileDescriptorSet`, imports first: what `foreignService` takes
 * @throws {ArmatureError} `call.unimplemented` where the peer has no reflection, `call.not_found` where it does not know
 *   the service, `call.too_large`, `call.failed_precondition` for an answer that makes no sense, or one of `options.codes`
 */
export async function reflectService(
  start: StartCall,
  service: string,
  options: ReflectionOptions,
): Promise<Uint8Array> {
  try {
    return await converse(start, ServerReflectionDefinition.fullName, service, options);
  } catch (thrown) {
    if (!(thrown instanceof ArmatureError) || thrown.code !== 'call.unimplemented') throw thrown;
    return converse(start, AlphaDefinition.fullName, service, options);
  }
}

async function converse(
  start: StartCall,
  reflection: string,
  service: string,
  options: ReflectionOptions,
): Promise<Uint8Array> {
  const conversation = new Conversation(start, reflection, options);
  try {
    const files = new FileSet();
    const root = await askForService(conversation, service, files);
    for (let missing = files.nextMissing(); missing !== undefined; missing = files.nextMissing()) {
      const found = await conversation.ask({ $case: 'fileByFilename', value: missing });
      // A file may arrive under another name than requested: then it is still missing.
      if (found !== undefined) files.add(found);
      if (!files.has(missing)) files.add(await ownFile(missing, service));
    }
    return files.serialize(root);
  } finally {
    conversation.end();
  }
}

/** @returns name of the file that defines the service */
async function askForService(conversation: Conversation, service: string, files: FileSet): Promise<string> {
  // Modules of the public ecosystem know the `viam.*` spelling.
  for (const name of new Set([protoNameIn(service, 'viam'), service])) {
    const found = await conversation.ask({ $case: 'fileContainingSymbol', value: name });
    if (found === undefined) continue;
    files.add(found);
    const root = files.fileOfService(name);
    if (root !== undefined) return root;
  }
  throw new ArmatureError('call.not_found', `Reflection knows no service ${service}.`, { details: { service } });
}

async function ownFile(name: string, service: string): Promise<readonly Uint8Array[]> {
  const own = (await ownDescriptors()).withDependencies(name, new Set());
  if (own !== undefined) return own;
  const message = `Reflection tells of ${service}, but not of "${name}", which its files import.`;
  throw new ArmatureError('call.not_found', message, { details: { service, file: name } });
}

/** Requests to a peer and its answers, one after the other on one stream. */
class Conversation {
  readonly #sink: RequestSink;
  readonly #queue = new AsyncQueue<Uint8Array>();
  readonly #answers = this.#queue[Symbol.asyncIterator]();

  constructor(start: StartCall, reflection: string, { timeoutMs, codes }: ReflectionOptions) {
    this.#sink = start(`/${reflection}/ServerReflectionInfo`, {}, timeoutMs, {
      headers: () => undefined,
      message: (bytes) => {
        // One answer per request: unsolicited answers are ignored.
        if (this.#queue.size < 2) this.#queue.push(bytes);
        return undefined;
      },
      end: (status, trailers) => {
        if (status.code === StatusCode.OK) this.#queue.end();
        else this.#queue.fail(receivedError(status, trailers, codes));
      },
    });
  }

  /** Serialized files of the answer; undefined where the peer answers that there are none. */
  async ask(question: Question): Promise<readonly Uint8Array[] | undefined> {
    const request = { host: '', messageRequest: question };
    await this.#sink.message(ServerReflectionRequest.encode(request).finish());
    const next = await this.#answers.next();
    if (next.done === true) throw protocolError('ended before it had answered');
    const { messageResponse } = decoded(next.value);
    if (messageResponse?.$case === 'fileDescriptorResponse') return messageResponse.value.fileDescriptorProto;
    if (messageResponse?.$case !== 'errorResponse')
      throw protocolError(`answered with ${messageResponse?.$case ?? 'nothing'}`);
    const { errorCode, errorMessage } = messageResponse.value;
    if (errorCode === StatusCode.NOT_FOUND || errorCode === StatusCode.INVALID_ARGUMENT) return undefined;
    if (errorCode === StatusCode.UNIMPLEMENTED) throw new ArmatureError('call.unimplemented', errorMessage);
    throw protocolError(`failed with code ${errorCode}: ${errorMessage}`);
  }

  end(): void {
    this.#sink.cancel('nothing more is asked');
  }
}

function decoded(bytes: Uint8Array): ServerReflectionResponse {
  try {
    return ServerReflectionResponse.decode(bytes);
  } catch (thrown) {
    throw protocolError('sent an answer that cannot be read', thrown);
  }
}

function protocolError(what: string, cause?: unknown): ArmatureError {
  return new ArmatureError('call.failed_precondition', `Reflection ${what}.`, { cause });
}

/** The files of a conversation, as received. */
class FileSet {
  readonly #files = new Map<string, { readonly bytes: Uint8Array; readonly file: FileDescriptorProto }>();
  readonly #wanted: string[] = [];
  #bytes = 0;

  has(name: string): boolean {
    return this.#files.has(name);
  }

  add(serialized: readonly Uint8Array[]): void {
    for (const bytes of serialized) {
      const file = readFile(bytes);
      if (this.#files.has(file.name)) continue;
      this.#bytes += bytes.length;
      if (this.#bytes > MAX_BYTES || this.#files.size >= MAX_FILES) {
        const message = `Reflection sent more than ${MAX_FILES} files or ${MAX_BYTES} bytes for one service.`;
        throw new ArmatureError('call.too_large', message);
      }
      this.#files.set(file.name, { bytes, file });
      this.#wanted.push(...file.dependency);
    }
  }

  /** A file that some file imports and that was not received. */
  nextMissing(): string | undefined {
    while (this.#wanted.length > 0) {
      const name = this.#wanted.pop() as string;
      if (!this.#files.has(name)) return name;
    }
    return undefined;
  }

  fileOfService(fullName: string): string | undefined {
    for (const { file } of this.#files.values()) {
      const prefix = file.package === '' ? '' : `${file.package}.`;
      if (file.service.some((service) => prefix + service.name === fullName)) return file.name;
    }
    return undefined;
  }

  /** The file and its imports, imports first; other files of the answer are left out. */
  serialize(root: string): Uint8Array {
    const writer = new BinaryWriter();
    const seen = new Set<string>();
    const write = (name: string): void => {
      const found = this.#files.get(name);
      if (found === undefined || seen.has(name)) return;
      seen.add(name);
      for (const dependency of found.file.dependency) write(dependency);
      writer.uint32(10).bytes(found.bytes);
    };
    write(root);
    return writer.finish();
  }
}

function readFile(bytes: Uint8Array): FileDescriptorProto {
  try {
    return fromBinary(FileDescriptorProtoSchema, bytes);
  } catch (thrown) {
    throw protocolError('sent a file that cannot be read', thrown);
  }
}
