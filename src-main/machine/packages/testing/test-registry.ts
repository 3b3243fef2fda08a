import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import {
  PackageStatement,
  RegistryServiceDefinition,
  type DownloadRequest,
  type DownloadResponse,
  type KeyEndorsement,
  type ModuleWant,
  type PackageDescription,
  type ResolveResponse,
} from '../../../../proto/gen/core/hub/v1/registry.ts';
import { chooseVersion, type PublishedVersion } from '../../../../proto/config/module-versions.ts';
import { onAbort } from '../../../base/async/abort.ts';
import { AsyncQueue } from '../../../base/async/async-queue.ts';
import { systemClock } from '../../../base/clock.ts';
import { endorsementOf, STATEMENT_PURPOSE } from '../../../base/ed25519.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../rpc/routing/call-router.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import { callerInProcess, hubCodes } from '../../cloud/hub-caller.ts';
import type { HubState } from '../../cloud/hub-link.ts';
import { streamFromPeer, type PeerCaller } from '../../../rpc/peer/outbound-call.ts';
import type { RegistryLink } from '../registry/download.ts';
import { archiveOf, moduleEntries, type TestEntry } from './test-archive.ts';

/** A key that signs packages. */
export interface TestKey {
  readonly name: string;
  readonly raw: Uint8Array;
  readonly secret: KeyObject;
}

export function testKey(name: string): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { name, raw: publicKey.export({ format: 'der', type: 'spki' }).subarray(12), secret: privateKey };
}

export function endorsement(by: TestKey, endorsed: TestKey): KeyEndorsement {
  const bytes = endorsementOf(endorsed.raw);
  return { byKey: by.raw, endorsedKey: endorsed.raw, signature: sign(null, bytes, by.secret) };
}

interface Published {
  readonly moduleId: string;
  readonly version: string;
  readonly platform: string;
  bytes: Buffer;
  description: PackageDescription;
  yanked: string;
}

export interface PublishOptions {
  readonly platform?: string;
  readonly key?: TestKey;
  readonly endorsements?: readonly KeyEndorsement[];
  readonly entries?: readonly TestEntry[];
  readonly bytes?: Buffer;
  /** Fields that replace the true ones in the statement. */
  readonly statement?: Partial<PackageStatement>;
}

/** A registry in memory, on a router of its own: for tests that make it misbehave. */
export class TestRegistry {
  readonly key = testKey('release');
  readonly downloads: DownloadRequest[] = [];
  /** The requests of each stream that was opened. */
  readonly watches: (readonly ModuleWant[])[] = [];
  /** A download ends without an error after so many bytes of its package. */
  cutAt: number | undefined;
  /** Bytes of one message. */
  chunkBytes = 16 * 1024;
  /** Called before each part is sent; a promise delays it. */
  beforePiece: (moduleId: string, offset: number) => Promise<void> | undefined = () => undefined;
  readonly #published: Published[] = [];
  readonly #watching = new Set<{
    readonly wants: readonly ModuleWant[];
    readonly queue: AsyncQueue<ResolveResponse>;
  }>();
  #waiting: (() => void)[] = [];

  async publish(moduleId: string, version: string, options: PublishOptions = {}): Promise<void> {
    const { platform = 'linux/any', key = this.key, endorsements = [], statement = {} } = options;
    const bytes = options.bytes ?? (await archiveOf(options.entries ?? moduleEntries(moduleId, version)));
    const sha256 = createHash('sha256').update(bytes).digest();
    const said = { purpose: STATEMENT_PURPOSE, moduleId, version, platform, sha256, ...statement };
    const encoded = PackageStatement.encode(said).finish();
    const description: PackageDescription = {
      bytes: BigInt(bytes.length),
      sha256,
      signature: sign(null, encoded, key.secret),
      publicKey: key.raw,
      signedBy: key.name,
      endorsements: [...endorsements],
      statement: encoded,
    };
    const before = this.#published.findIndex((one) => one.moduleId === moduleId && one.version === version);
    if (before >= 0) this.#published.splice(before, 1);
    this.#published.push({ moduleId, version, platform, bytes, description, yanked: '' });
    this.#push();
  }

  yank(moduleId: string, version: string): void {
    this.published(moduleId, version).yanked = 'broken';
    this.#push();
  }

  published(moduleId: string, version: string): Published {
    const found = this.#published.find((one) => one.moduleId === moduleId && one.version === version);
    if (found === undefined) throw new ArmatureError('call.not_found', `no ${moduleId} ${version}`);
    return found;
  }

  router(): CallRouter {
    const router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    router.addService(RegistryServiceDefinition, {
      watchResolutions: ({ wants }, call) => this.#watch(wants, call),
      download: (request, call) => this.#download(request, call),
    });
    return router;
  }

  /** Settles when something was requested and `holds`. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async *#watch(wants: readonly ModuleWant[], call: ServerCall): AsyncGenerator<ResolveResponse> {
    const watching = { wants, queue: new AsyncQueue<ResolveResponse>() };
    this.#watching.add(watching);
    this.watches.push(wants);
    this.#asked();
    const unsubscribe = onAbort(call.signal, () => watching.queue.end());
    try {
      yield this.#answer(wants);
      yield* watching.queue;
    } finally {
      unsubscribe();
      this.#watching.delete(watching);
    }
  }

  async *#download(request: DownloadRequest, call: ServerCall): AsyncGenerator<DownloadResponse> {
    this.downloads.push(request);
    this.#asked();
    const { description, bytes } = this.published(request.moduleId, request.version);
    yield { part: { $case: 'description', value: description } };
    for (let at = Number(request.offset); at < bytes.length; at += this.chunkBytes) {
      await this.beforePiece(request.moduleId, at);
      if (call.signal.aborted) return;
      const end = Math.min(at + this.chunkBytes, this.cutAt ?? Infinity);
      if (end > at) yield { part: { $case: 'bytes', value: bytes.subarray(at, end) } };
      if (end === this.cutAt) throw new ArmatureError('hub.unreachable', 'the connection was cut');
    }
  }

  #answer(wants: readonly ModuleWant[]): ResolveResponse {
    return {
      resolutions: wants.map((want) => {
        const versions: PublishedVersion[] = this.#published
          .filter(({ moduleId }) => moduleId === want.moduleId)
          .map(({ version, yanked, platform }) => ({ version, yanked, files: [{ platform, tags: [] }] }));
        const machine = { platform: want.platform, tags: want.platformTags };
        return { want, ...chooseVersion(want.moduleId, want.version, versions, machine) };
      }),
    };
  }

  #push(): void {
    for (const { wants, queue } of this.#watching) queue.push(this.#answer(wants));
  }

  #asked(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A machine's connection to a registry, which a test takes away and restores. */
export class TestLink implements RegistryLink {
  readonly hubName = 'hub.test';
  state: HubState = { kind: 'online', since: 0, message: '' };
  readonly #connect: () => PeerCaller;
  readonly #changed = new Emitter();
  #caller: PeerCaller;

  /** @param connect makes a new connection each time */
  constructor(connect: () => PeerCaller) {
    this.#connect = connect;
    this.#caller = connect();
  }

  static to(registry: TestRegistry): TestLink {
    const router = registry.router();
    return new TestLink(() => callerInProcess(router));
  }

  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** Ends all calls, and sets the state of the connection. */
  become(kind: 'online' | 'offline' | 'connecting', message = kind === 'offline' ? 'connection refused' : ''): void {
    this.#caller.close();
    this.#caller = this.#connect();
    this.state = { kind, since: 0, message } as HubState;
    this.#changed.emit();
  }

  readonly stream: RegistryLink['stream'] = (service, method, request, signal) => {
    if (this.state.kind !== 'online')
      throw new ArmatureError('hub.unreachable', `no connection: ${this.state.message}`);
    return streamFromPeer(this.#caller.start, service, method, request, {
      timeoutMs: undefined,
      codes: hubCodes,
      signal,
    });
  };
}
