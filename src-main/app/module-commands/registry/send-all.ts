import { createReadStream } from 'node:fs';
import { encodeMessage, type MessageType } from '../../../../proto/message.ts';
import type { ArmatureError } from '../../../base/errors.ts';
import { StatusCode } from '../../../base/status.ts';
import { hubCodes } from '../../../machine/cloud/hub-caller.ts';
import { receivedError } from '../../../rpc/peer/received-error.ts';
import type { ModuleIo } from '../module-io.ts';
import { inWords, type RemoteCaller } from './remote-caller.ts';

/** As public tools cut it. */
const CHUNK_BYTES = 32 * 1024;
/** Progress of smaller files is over before it is read. */
const PROGRESS_FROM_BYTES = 4 * 1024 * 1024;

/**
 * Makes a call with many requests, waiting where the hub is slower than the disk. The rest is not sent if the hub
 * answers early.
 * @throws {ArmatureError} what the hub says
 */
export async function sendAll<M>(
  hub: RemoteCaller,
  path: string,
  type: Pick<MessageType<M>, 'encode'>,
  requests: AsyncIterable<M>,
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  let isOver = false;
  let settle: (error: ArmatureError | undefined) => void = () => undefined;
  const ended = new Promise<ArmatureError | undefined>((resolve) => (settle = resolve));
  const sink = hub.start(path, metadata, undefined, {
    headers: () => undefined,
    message: () => undefined,
    end: (status, trailers) => {
      isOver = true;
      settle(
        status.code === StatusCode.OK ? undefined : inWords(receivedError(status, trailers, hubCodes), hub.address),
      );
    },
  });
  for await (const request of requests) {
    if (isOver) break;
    await Promise.race([sink.message(encodeMessage(type, request)), ended]);
  }
  sink.halfClose();
  const error = await ended;
  if (error !== undefined) throw error;
}

/** The bytes of a file; reports each tenth of a large one on standard error once it was sent. */
export async function* fileInPieces(file: string, bytes: number, io: ModuleIo): AsyncGenerator<Uint8Array> {
  let sent = 0;
  let told = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    yield chunk as Buffer;
    sent += (chunk as Buffer).length;
    const tenths = Math.floor((sent / bytes) * 10);
    if (bytes < PROGRESS_FROM_BYTES || tenths === told) continue;
    told = tenths;
    io.stderr(`uploaded ${tenths * 10} % of ${bytes.toLocaleString('en')} bytes\n`);
  }
}
