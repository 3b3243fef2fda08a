import {
  Client,
  connectivityState,
  credentials,
  Metadata,
  type ClientDuplexStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';
import { showHostAndPort, type ServerAddress } from '../../base/server-address.ts';
import { StatusCode } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';
import { applyTcpUserTimeout, enableKeepalive, type SetTcpUserTimeout } from '../port/tcp-timeouts.ts';
import type { RequestSink, Responder } from '../router.ts';
import type { PeerCaller } from './outbound-call.ts';

/** The kernel detects a hub whose network is silent; a hub that hangs, or is behind a proxy, is detected by pings. */
const KEEPALIVE = { intervalMs: 240_000, timeoutMs: 10_000 };

export interface GrpcCallerOptions {
  /** Certificates in PEM to trust besides the usual ones. */
  readonly authority?: string;
  /** For long connections: closes those whose network is silent. */
  readonly setTcpUserTimeout?: SetTcpUserTimeout;
}

/** A peer reached over gRPC. */
export interface GrpcCaller extends PeerCaller {
  /** Whether there is a connection, or the first attempt succeeds within this time. */
  isReady(withinMs: number): Promise<boolean>;
}

let setTimeoutOfSockets: SetTcpUserTimeout | undefined;

/** grpc-js makes its sockets itself and has no option for this. */
function applyTcpTimeouts(setTcpUserTimeout: SetTcpUserTimeout): void {
  if (setTimeoutOfSockets === undefined) {
    subscribe('net.client.socket', (message) => {
      const { socket } = message as { readonly socket: Socket };
      enableKeepalive(socket);
      socket.once('connect', () => applyTcpUserTimeout(socket, setTimeoutOfSockets ?? setTcpUserTimeout));
    });
  }
  setTimeoutOfSockets = setTcpUserTimeout;
}

/**
 * Connects to another server over gRPC. Never throws: where it does not answer, the first call fails.
 * @param address or the path of a socket of this computer, which is never encrypted
 */
export function openGrpcCaller(
  address: ServerAddress | { readonly socket: string },
  { authority = '', setTcpUserTimeout }: GrpcCallerOptions = {},
): GrpcCaller {
  if (setTcpUserTimeout !== undefined) applyTcpTimeouts(setTcpUserTimeout);
  const isEncrypted = 'host' in address && address.isEncrypted;
  const channel = isEncrypted ? credentials.createSsl(rootsWith(authority)) : credentials.createInsecure();
  const client = new Client(targetOf(address), channel, {
    // The owner of this caller decides when to try again, with a new one.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.keepalive_time_ms': KEEPALIVE.intervalMs,
    'grpc.keepalive_timeout_ms': KEEPALIVE.timeoutMs,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
  });
  const calls = new Set<ClientDuplexStream<Uint8Array, Buffer>>();
  return {
    start(path, metadata, timeoutMs, responder) {
      const call = client.makeBidiStreamRequest<Uint8Array, Buffer>(
        path,
        (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        (bytes) => bytes,
        toMetadata(metadata),
        timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
      );
      calls.add(call);
      call.once('close', () => calls.delete(call));
      return connectCall(call, responder);
    },
    isReady: (withinMs) => isReady(client, Date.now() + withinMs),
    close() {
      for (const call of [...calls]) call.cancel();
      client.close();
    },
  };
}

async function isReady(client: Client, deadline: number): Promise<boolean> {
  const channel = client.getChannel();
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return true;
    if (state === connectivityState.TRANSIENT_FAILURE || state === connectivityState.SHUTDOWN) return false;
    const isLate = await new Promise<boolean>((resolve) =>
      channel.watchConnectivityState(state, deadline, (error) => resolve(error !== undefined)),
    );
    if (isLate) return false;
  }
}

function targetOf(address: ServerAddress | { readonly socket: string }): string {
  if ('socket' in address) return `unix:${address.socket}`;
  return showHostAndPort(address);
}

function rootsWith(authority: string): Buffer | null {
  return authority === '' ? null : Buffer.from([...rootCertificates, authority].join('\n'));
}

function connectCall(call: ClientDuplexStream<Uint8Array, Buffer>, responder: Responder): RequestSink {
  let isOver = false;
  const end = (code: StatusCode, message: string, trailers: MetadataRecord): void => {
    if (isOver) return;
    isOver = true;
    responder.end({ code, message }, trailers);
  };
  call.on('metadata', (metadata: Metadata) => responder.headers(fromMetadata(metadata)));
  call.on('data', (bytes: Buffer) => {
    if (isOver) return;
    const pressure = responder.message(bytes, false);
    if (pressure === undefined) return;
    call.pause();
    void pressure.then(() => call.resume());
  });
  call.on('error', ({ code, details, metadata }: ServiceError) =>
    end(code as StatusCode, readableMessage(details), fromMetadata(metadata)),
  );
  // The status may arrive before the last message was read.
  let trailers: MetadataRecord = {};
  call.on('status', ({ metadata }) => (trailers = fromMetadata(metadata)));
  call.on('end', () => setImmediate(() => end(StatusCode.OK, '', trailers)));
  return {
    message(bytes) {
      if (isOver || call.write(bytes)) return undefined;
      return new Promise((resolve) => {
        const settle = (): void => {
          call.off('drain', settle);
          call.off('close', settle);
          resolve();
        };
        call.once('drain', settle);
        call.once('close', settle);
      });
    },
    halfClose: () => void call.end(),
    cancel: () => call.cancel(),
  };
}

/** The message of grpc-js without its empty phrases, and with the next step if a clock is wrong. */
function readableMessage(details: string): string {
  const text = details.replace(/ ?Resolution note: $/, '');
  // For a failed handshake, grpc-js keeps only the text of OpenSSL (X509_V_ERR_CERT_NOT_YET_VALID and _HAS_EXPIRED).
  if (!/certificate is not yet valid|certificate has expired/.test(text)) return text;
  return `${text.replace(/\.$/, '')}. The clock of this computer says ${new Date().toISOString()}: if that is wrong, set it; else look at the clock of the hub.`;
}

function toMetadata(record: Readonly<MetadataRecord>): Metadata {
  const metadata = new Metadata();
  for (const [key, values] of Object.entries(record)) {
    for (const value of [values].flat()) metadata.add(key, key.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

function fromMetadata(metadata: Metadata): MetadataRecord {
  return Object.fromEntries(
    Object.entries(metadata.getMap()).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : Buffer.from(value).toString('base64'),
    ]),
  );
}
