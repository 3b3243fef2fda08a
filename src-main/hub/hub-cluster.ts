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

/** The place of a hub among several that serve one PostgreSQL database. */
export interface ClusterPlace {
  /** Where the others reach this one: `https://10.0.0.1:8090`. */
  readonly address: string;
  /** Of this program: all of them have the same. */
  readonly version: string;
}

interface Places {
  /** Of the data: `postgres://...`, or a folder. */
  readonly address: string;
  readonly folder: string;
  readonly filesAddress?: string | undefined;
  readonly cluster?: ClusterPlace | undefined;
  readonly onStoreLost: (reason: string) => void;
}

/**
 * Takes what belongs to one hub alone: the store, or, of several that share it, its folder.
 * @throws {ArmatureError} `store.in_use`, `store.unavailable`; `call.bad_argument` for places that hubs cannot share
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
      `Files of this hub would lie in ${folder}, where the others do not see them: name a bucket with --files, or leave out --cluster.`,
    );
  }
  // What is being received lies there, and a hub that starts removes what an earlier one left of it.
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

/** @throws {ArmatureError} `store.unavailable`; `call.failed_precondition` where a hub of another version is there */
export async function joinCluster(options: JoinOptions, store: Store): Promise<Cluster> {
  const { address: database, cluster, clock, logger, onStoreLost: onLost } = options;
  const hubId = randomUUID();
  if (cluster === undefined) return standaloneCluster(hubId);
  return SharedCluster.join({ ...cluster, store, database, hubId, clock, logger, onLost });
}

/** Has every hub know of what one of them changes in the fleet. */
export function followFleet(changes: Emitter, { notices }: Cluster): Feature {
  let isOthers = false;
  const othersChanged = (): void => {
    isOthers = true;
    changes.emit();
    isOthers = false;
  };
  const unsubscribes = [
    changes.on(() => {
      if (!isOthers) notices.tell({ kind: 'fleet' });
    }),
    notices.on(({ kind }) => {
      if (kind === 'fleet') othersChanged();
    }),
    notices.onLost(othersChanged),
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
  /** Begins what is done for all hubs. */
  readonly start: () => Promise<void>;
  /** Takes over what hubs had that are not there any more. */
  readonly takeOver: () => Promise<void>;
  readonly logger: Logger;
  readonly onLost: (reason: string) => void;
}

/** Settles where nobody else can lead as soon as that has begun, else at once. Rejects as `start` does. */
export async function startLeading({ cluster, start, takeOver, logger, onLost }: LeadingOptions): Promise<void> {
  const { members, isShared } = cluster;
  if (!isShared) {
    await start();
    return;
  }
  const takeOverSafely = (): void => {
    takeOver().catch((thrown: unknown) => {
      logger.warn(`What another hub had is not taken over yet: ${toArmatureError(thrown).message}`);
    });
  };
  members.whenLeading(() => {
    takeOverSafely();
    start().catch((thrown: unknown) => {
      // The others go on waiting for one that leads: as long as this one holds on to it, nobody does the work.
      onLost(`This hub was to lead and could not begin: ${toArmatureError(thrown).message}`);
    });
  });
  members.onDeath(() => {
    if (members.isLeading) takeOverSafely();
  });
}

/** Where a channel to a part has to be opened. */
export interface ChannelHome {
  /** Of the hub that the part is connected to. */
  readonly address: string;
  /** By which that one knows a hub. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the authority that signed its certificate. */
  readonly authority: string;
}

export interface SharedServicesOptions extends ForwardedCallsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly authority: Authority;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
}

/** What callers find at any hub of several, whichever of them has to answer. */
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

  /** Throws where the store cannot be read. */
  static async open(options: SharedServicesOptions): Promise<SharedServices> {
    const { store, cluster, clock } = options;
    return new SharedServices(options, await HubProof.open(store, cluster.hubId, clock));
  }

  /** The same services, some of whose calls another hub may answer. */
  wrap(services: readonly JoinedService[]): JoinedService[] {
    const rules = forwardedCalls(this.#options);
    return services.map(([definition, handlers]) => [
      definition,
      this.#forwarding.wrap(definition, handlers, rules.get(definition) ?? {}),
    ]);
  }

  /**
   * The hub that a channel to a part has to be opened at; undefined for this one.
   * @param headers of who asks: what a hub has passed on is not passed on again
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
      throw new ArmatureError('hub.unreachable', `A hub has the address "${text}", which is none.`);
    return openGrpcCaller(address, { authority: this.#options.authority.certificate });
  }

  /** For a channel, whose caller has shown a token once. */
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
