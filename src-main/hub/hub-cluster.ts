import { randomUUID } from 'node:crypto';
import type { Emitter } from '../base/async/emitter.ts';
import type { Clock } from '../base/clock.ts';
import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { parseServerAddress } from '../base/server-address.ts';
import type { ServerCall } from '../rpc/call.ts';
import { openGrpcCaller, type GrpcCaller } from '../rpc/peer/grpc-caller.ts';
import type { Authority } from './access/certificates/authority.ts';
import type { Feature } from './access/feature.ts';
import type { AccessTokens } from './access/keys/access-tokens.ts';
import type { Credentials } from './access/keys/credentials.ts';
import { standaloneCluster, type Cluster } from './cluster/cluster.ts';
import { Forwarding } from './cluster/forwarding.ts';
import { HUB_PROOF_HEADER, HubProof } from './cluster/hub-proof.ts';
import { SharedCluster } from './cluster/shared-cluster.ts';
import { forwardedCalls, type ForwardedCallsOptions } from './forwarded-calls.ts';
import type { JoinedService } from './joined-services.ts';
import { isPostgresAddress } from './storage/open-store.ts';
import { lockStore, type StoreLock } from './storage/store-lock.ts';
import type { Store } from './storage/store.ts';

/** The membership of a hub in a cluster that serves one PostgreSQL database. */
export interface ClusterPlace {
  /** Where the other hubs reach this one: `https://10.0.0.1:8090`. */
  readonly address: string;
  /** Version of this program; all hubs must have the same. */
  readonly version: string;
}

interface Places {
  /** Address of the store: `postgres://...`, or a folder. */
  readonly address: string;
  readonly folder: string;
  readonly filesAddress?: string | undefined;
  readonly cluster?: ClusterPlace | undefined;
  readonly onStoreLost: (reason: string) => void;
}

/**
 * Locks what only one hub may use: the store, or, in a cluster, the folder of this hub.
 * @throws {ArmatureError} `store.in_use`, `store.unavailable`; `call.bad_argument` for a store or folder that hubs
 *   cannot share
 */
export async function lockPlaces({ address, folder, filesAddress, cluster, onStoreLost }: Places): Promise<StoreLock> {
  if (cluster === undefined) return lockStore(address, { onLost: onStoreLost });
  if (!isPostgresAddress(address)) {
    throw new ArmatureError(
      'call.bad_argument',
      `Several hubs share a PostgreSQL database, and ${address} is a folder: name one with --database, or leave out --cluster.`,
    );
  }
  if (filesAddress === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `The files of this hub would be in ${folder}, where the other hubs cannot read them: name a bucket with --files, or leave out --cluster.`,
    );
  }
  // Uploads are received in this folder, and a hub that starts removes leftovers there.
  const ofFolder = await lockStore(folder, { onLost: onStoreLost });
  try {
    const ofStore = await lockStore(address, { onLost: onStoreLost, isShared: true });
    return {
      ...ofStore,
      release: async () => {
        await ofStore.release();
        await ofFolder.release();
      },
    };
  } catch (thrown) {
    await ofFolder.release();
    throw thrown;
  }
}

export interface JoinOptions extends Places {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @throws {ArmatureError} `store.unavailable`; `call.failed_precondition` if a hub of another version is running */
export async function joinCluster(options: JoinOptions, store: Store): Promise<Cluster> {
  const { address: database, cluster, clock, logger, onStoreLost: onLost } = options;
  const hubId = randomUUID();
  if (cluster === undefined) return standaloneCluster(hubId);
  return SharedCluster.join({ ...cluster, store, database, hubId, clock, logger, onLost });
}

/** Sends changes of the fleet to the other hubs, and emits theirs here. */
export function followFleet(changes: Emitter, { notices }: Cluster): Feature {
  let isRemoteChange = false;
  const emitRemoteChange = (): void => {
    isRemoteChange = true;
    changes.emit();
    isRemoteChange = false;
  };
  const unsubscribes = [
    changes.on(() => {
      if (!isRemoteChange) notices.tell({ kind: 'fleet' });
    }),
    notices.on(({ kind }) => {
      if (kind === 'fleet') emitRemoteChange();
    }),
    notices.onLost(emitRemoteChange),
  ];
  return {
    services: [],
    close: () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
}

export interface LeadingOptions {
  readonly cluster: Cluster;
  /** Starts the work that the leader does for all hubs. */
  readonly start: () => Promise<void>;
  /** Takes over what dead hubs were responsible for. */
  readonly takeOver: () => Promise<void>;
  readonly logger: Logger;
  readonly onLost: (reason: string) => void;
}

/**
 * Starts the leader's work when this hub leads. Without a cluster, it waits for `start` and rejects as it does; in a
 * cluster, it resolves at once.
 */
export async function startLeading({ cluster, start, takeOver, logger, onLost }: LeadingOptions): Promise<void> {
  const { members, isShared } = cluster;
  if (!isShared) {
    await start();
    return;
  }
  const takeOverSafely = (): void => {
    takeOver().catch((thrown: unknown) => {
      logger.warn(`The work of another hub is not taken over yet: ${toArmatureError(thrown).message}`);
    });
  };
  members.whenLeading(() => {
    takeOverSafely();
    start().catch((thrown: unknown) => {
      // While this hub holds the lease, no other hub can lead and do the work, so it has to end.
      onLost(`This hub became the leader but could not start: ${toArmatureError(thrown).message}`);
    });
  });
  members.onDeath(() => {
    if (members.isLeading) takeOverSafely();
  });
}

/** The hub where a channel to a part has to be opened. */
export interface ChannelHome {
  /** Address of the hub that the part is connected to. */
  readonly address: string;
  /** Headers that identify this hub to that one. */
  readonly headers: Readonly<Record<string, string>>;
  /** The authority of its certificate, PEM. */
  readonly authority: string;
}

export interface SharedServicesOptions extends ForwardedCallsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly authority: Authority;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
}

/** The services of a cluster: callers may use any hub, and calls are forwarded where necessary. */
export class SharedServices {
  readonly #options: SharedServicesOptions;
  readonly #proof: HubProof;
  readonly #forwarding: Forwarding;

  private constructor(options: SharedServicesOptions, proof: HubProof) {
    this.#options = options;
    this.#proof = proof;
    const { cluster, clock } = options;
    this.#forwarding = new Forwarding({
      ...cluster,
      clock,
      proof,
      open: (address) => this.#open(address),
      tokenFor: (call) => this.#tokenFor(call),
    });
  }

  /** Throws if the store cannot be read. */
  static async open(options: SharedServicesOptions): Promise<SharedServices> {
    const { store, cluster, clock } = options;
    return new SharedServices(options, await HubProof.open(store, cluster.hubId, clock));
  }

  /** Wraps services, some of whose calls another hub may answer. */
  wrap(services: readonly JoinedService[]): JoinedService[] {
    const rules = forwardedCalls(this.#options);
    return services.map(([definition, handlers]) => [
      definition,
      this.#forwarding.wrap(definition, handlers, rules.get(definition) ?? {}),
    ]);
  }

  /**
   * The hub where a channel to a part has to be opened; undefined for this one.
   * @param headers of the request; a request that a hub has forwarded is not forwarded again
   */
  async channelHome(
    partId: string,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<ChannelHome | undefined> {
    const { presence, authority } = this.#options;
    const hub = this.#forwarding.isForwarded(headers)
      ? undefined
      : this.#forwarding.otherHub(await presence.homeOf(partId));
    if (hub === undefined) return undefined;
    return {
      address: hub.address,
      headers: { [HUB_PROOF_HEADER]: this.#proof.for(hub.id) },
      authority: authority.certificate,
    };
  }

  close(): void {
    this.#forwarding.close();
  }

  #open(text: string): GrpcCaller {
    const address = parseServerAddress(text);
    if (address === undefined)
      throw new ArmatureError('hub.unreachable', `Another hub has the invalid address "${text}".`);
    return openGrpcCaller(address, { authority: this.#options.authority.certificate });
  }

  /** Issues a token for the caller of a channel, who authenticated only once. */
  async #tokenFor({ principal }: ServerCall): Promise<string> {
    const { credentials, tokens } = this.#options;
    const { kind, entity: id } = principal;
    if (kind === 'api-key' || kind === 'module-key' || kind === 'part-secret') {
      const version = credentials.newestVersion({ kind, id });
      if (version !== undefined) return tokens.issue({ holder: { kind, id }, version });
    }
    throw new ArmatureError('access.unauthenticated', 'This call needs an API key: authenticate first.');
  }
}
