import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { environmentVariable } from '../../../base/dialect.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { parseServerAddress, type ServerAddress } from '../../../base/server-address.ts';
import { openGrpcCaller } from '../../../rpc/peer/grpc-caller.ts';
import { hubCodes } from '../../../machine/cloud/hub-caller.ts';
import { HubToken } from '../../../machine/cloud/hub-token.ts';
import { callPeer, streamFromPeer, type StartCall, type PeerCaller } from '../../../rpc/peer/outbound-call.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../../rpc/service.ts';
import { isLoopbackHost } from '../../../rpc/tracked-connection.ts';
import { homeFolder } from '../../home.ts';
import { findUserSocket } from '../../user-socket/user-socket-folder.ts';
import { badArgument, UsageError, type CommandLine, type ModuleIo } from '../module-io.ts';

/** Options of every command that calls a hub. */
export const hubOptions = {
  hub: 'string',
  'hub-ca': 'string',
  'key-id': 'string',
  key: 'string',
  organization: 'string',
} as const;

const ANSWER_MS = 30_000;
/** Where a machine with its hub listens on this computer. */
export const LOCAL_ADDRESS = 'http://localhost:8080';

/** A hub or a machine, called from the command line with the user's credentials. */
export class RemoteCaller {
  /** As it was written. */
  readonly address: string;
  readonly #metadata: Readonly<Record<string, string>>;
  #caller: PeerCaller;
  /** Looks for the socket of a server of this computer; undefined where none is wanted, or it was found. */
  #findSocket: (() => Promise<string | undefined>) | undefined;

  private constructor(address: string, caller: PeerCaller, metadata: Readonly<Record<string, string>>) {
    this.address = address;
    this.#caller = caller;
    this.#metadata = metadata;
  }

  /**
   * Connects, and shows the key where there is one. Without a key a server of this computer is called over the socket
   * of its user, where this user may open that: it is the proof then.
   * @param address undefined takes the one of this computer
   * @throws {ArmatureError} `call.bad_argument`, `hub.unreachable`, `hub.refused`
   */
  static async connect(address: string | undefined, line: CommandLine, io: ModuleIo): Promise<RemoteCaller> {
    const text = address ?? LOCAL_ADDRESS;
    const place = placeOf(text);
    const credentials = credentialsIn(line, io);
    const isHere = isLoopbackHost(place.host);
    if (credentials !== undefined && !place.isEncrypted && !isHere) {
      throw badArgument(`A key is not sent to ${text} in clear text: write https://.`);
    }
    const caller = openGrpcCaller(place, { authority: await authorityIn(line, io) });
    try {
      const metadata = await new HubToken(credentials, ANSWER_MS).metadata(caller);
      const remote = new RemoteCaller(text, caller, metadata);
      if (isHere && credentials === undefined)
        remote.#findSocket = () => findUserSocket(homeFolder(io.env), place.port);
      await remote.#preferSocket();
      return remote;
    } catch (thrown) {
      caller.close();
      throw inWords(thrown, text);
    }
  }

  /** The hub of the command line or the environment. */
  static hub(line: CommandLine, io: ModuleIo): Promise<RemoteCaller> {
    return RemoteCaller.connect(line.text('hub') ?? environmentVariable('HUB', io.env), line, io);
  }

  /** Starts a call of any shape, authorised. */
  readonly start: StartCall = (method, metadata, timeoutMs, responder) =>
    this.#caller.start(method, { ...this.#metadata, ...metadata }, timeoutMs, responder);

  async call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
  ): Promise<ResponseOf<D['methods'][K]>> {
    await this.#preferSocket();
    try {
      return await callPeer(this.start, service, method, request, { timeoutMs: ANSWER_MS, codes: hubCodes });
    } catch (thrown) {
      throw inWords(thrown, this.address);
    }
  }

  async *stream<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
  ): AsyncGenerator<ResponseOf<D['methods'][K]>> {
    await this.#preferSocket();
    yield* streamFromPeer(this.start, service, method, request, { timeoutMs: undefined, codes: hubCodes });
  }

  close(): void {
    this.#caller.close();
  }

  /** Switches to the socket as soon as it exists: the server may be started after the command. */
  async #preferSocket(): Promise<void> {
    const socket = await this.#findSocket?.();
    if (socket === undefined) return;
    this.#findSocket = undefined;
    this.#caller.close();
    this.#caller = openGrpcCaller({ socket });
  }
}

/** Runs with a hub and closes the connection after. */
export async function withHub<T>(line: CommandLine, io: ModuleIo, work: (hub: RemoteCaller) => Promise<T>): Promise<T> {
  const hub = await RemoteCaller.hub(line, io);
  try {
    return await work(hub);
  } finally {
    hub.close();
  }
}

/** An error of a call; names the address if there is no answer. */
export function inWords(thrown: unknown, address: string): ArmatureError {
  const error = toArmatureError(thrown);
  if (error.code !== 'hub.unreachable') return error;
  return new ArmatureError('hub.unreachable', `${address} does not answer: ${error.message}`, { cause: thrown });
}

/** `localhost:8080` is this computer, in clear text; other places without a scheme are encrypted. */
function placeOf(text: string): ServerAddress {
  const bare = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(text);
  const place = parseServerAddress(bare ? `http://${text}` : text);
  if (place === undefined) throw badArgument(`"${text}" is no address; write https://HOST:PORT.`);
  return place;
}

function credentialsIn(line: CommandLine, io: ModuleIo): ConstructorParameters<typeof HubToken>[0] {
  const entity = line.text('key-id') ?? environmentVariable('API_KEY_ID', io.env);
  const payload = line.text('key') ?? environmentVariable('API_KEY', io.env);
  if (entity === undefined && payload === undefined) return undefined;
  if (entity === undefined || payload === undefined) {
    throw new UsageError(`${entity === undefined ? '--key-id' : '--key'} is missing: an API key is an id and a key.`);
  }
  return { type: 'api-key', entity, payload };
}

async function authorityIn(line: CommandLine, io: ModuleIo): Promise<string> {
  const file = line.text('hub-ca');
  if (file === undefined) return '';
  try {
    return await readFile(path.resolve(io.cwd, file), 'utf8');
  } catch (cause) {
    throw badArgument(
      `--hub-ca ${file} cannot be read (${toArmatureError(cause).message}); "armature hub ca" writes it.`,
    );
  }
}
