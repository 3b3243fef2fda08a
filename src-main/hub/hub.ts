import path from 'node:path';
import { Emitter } from '../base/async/emitter.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { RefusalLog } from '../rpc/access/refusals.ts';
import type { ServerCall } from '../rpc/call.ts';
import type { MountService } from '../rpc/router.ts';
import { aboutFeature } from './about/about-feature.ts';
import { accessFeature } from './access/access-feature.ts';
import { AccessTokens } from './access/keys/access-tokens.ts';
import { ApiKeys } from './access/keys/api-keys.ts';
import { Authority } from './access/certificates/authority.ts';
import { callerOf, type Caller } from './access/caller.ts';
import { Credentials } from './access/keys/credentials.ts';
import type { Feature } from './access/feature.ts';
import { ModuleKeys } from './access/keys/module-keys.ts';
import { OperatePermission } from './access/operate-permission.ts';
import { PartSecrets } from './access/keys/part-secrets.ts';
import { DEFAULT_QUOTAS, type Quotas } from './access/quotas.ts';
import { BlobStore } from './blobs/blob-store.ts';
import type { UploadLimits } from './blobs/blob-uploads.ts';
import type { Cluster } from './cluster/cluster.ts';
import { CapturedData } from './data/captured-data.ts';
import { openDataBlobs } from './data/data-blobs.ts';
import { dashboardsFeature } from './dashboards/dashboards-feature.ts';
import { dataFeature } from './data/data-feature.ts';
import { Datasets } from './datasets/datasets.ts';
import { datasetsFeature } from './datasets/datasets-feature.ts';
import { SnapshotUses } from './datasets/snapshot-uses.ts';
import { EventLog } from './events/event-log.ts';
import { firstStart, readHubId, type FirstStart } from './first-start.ts';
import { fleetFeature } from './fleet/fleet-feature.ts';
import { Fleet } from './fleet/fleet.ts';
import {
  followFleet,
  joinCluster,
  lockPlaces,
  SharedServices,
  startLeading,
  type ClusterPlace,
} from './hub-cluster.ts';
import { historyFeature } from './history/history-feature.ts';
import { PartConfigs } from './history/part-configs.ts';
import { PartVersions, storedMessage } from './history/part-versions.ts';
import { joinServices, type JoinedService } from './joined-services.ts';
import { Inference } from './inference/inference-feature.ts';
import { labellingFeature } from './labelling/labelling-feature.ts';
import { DatasetSnapshots } from './labelling/snapshots.ts';
import { LogTime } from './logs/log-time.ts';
import { logsFeature } from './logs/logs-feature.ts';
import { PartLogs } from './logs/part-log.ts';
import { claimOwnPart, type OwnPart } from './own-part.ts';
import { LiveParts } from './presence/live-parts.ts';
import { presenceFeature } from './presence/presence-feature.ts';
import { Models } from './registry/models/models.ts';
import { registryFeature } from './registry/registry-feature.ts';
import { Registry } from './registry/registry.ts';
import { robotConfigFeature } from './robot-config/robot-config-feature.ts';
import { signalingFeature } from './signaling/signaling-feature.ts';
import { WaitingPlaces } from './signaling/waiting-places.ts';
import { openStore } from './storage/open-store.ts';
import type { StoreLock } from './storage/store-lock.ts';
import type { Store } from './storage/store.ts';
import { TrainingDatasets } from './training/datasets/training-datasets.ts';
import { PackagedModels } from './training/models/packaged-models.ts';
import { RegistryScripts } from './training/registry-scripts/registry-scripts.ts';
import type { TrainingRunner } from './training/runner/training-runner.ts';
import { Training } from './training/training-feature.ts';
import { Triggers } from './triggers/triggers-feature.ts';

export interface HubOptions {
  /** Address of the store: `postgres://...`, or a folder. */
  readonly address: string;
  /** For files that are too large for the store: packages of modules in `registry/`, captured pictures in `data/`. */
  readonly folder: string;
  /** Where complete files are kept instead: `s3://bucket/prefix?endpoint=...`. */
  readonly filesAddress?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the machine that the first start creates. */
  readonly machineName: string;
  /** Called when the store is lost, or another hub may start to use it at any time: this hub has to end. */
  readonly onStoreLost: (reason: string) => void;
  /** Undefined if no other hub serves the store. */
  readonly cluster?: ClusterPlace | undefined;
  /** The machine whose program the hub runs in; undefined for a standalone hub. */
  readonly beside?: BesideMachine;
  /** `-untrusted-env`: the hub does not run programs of others, so it cannot train models. */
  readonly isEnvironmentUntrusted?: boolean;
  /** Where models are trained; this computer by default. */
  readonly trainingRunner?: TrainingRunner;
  /** Limits for uploads of packages; defaults if left out. */
  readonly uploadLimits?: UploadLimits;
  /** Limits for streams of captured data; defaults if left out. */
  readonly dataLimits?: UploadLimits;
  /** Limits for what keys may create; defaults if left out. */
  readonly quotas?: Partial<Quotas>;
}

/** The machine whose program a hub runs in. */
export interface BesideMachine extends OwnPart {
  /** Refused calls at the port that they share. */
  readonly refusals: RefusalLog;
}

/** Components of a hub, for its features and for the program that runs it. */
export interface HubParts {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly keys: ApiKeys;
  /** The credentials that are currently accepted. */
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  /** Signs the certificates of the hub's port and of its parts. */
  readonly authority: Authority;
  /** Refused calls. */
  readonly refusals: RefusalLog;
  /** Decides who may call machines. */
  readonly operating: OperatePermission;
  /** The connected parts, and the presence of all parts. */
  readonly live: LiveParts;
  /** Current and earlier configurations of parts. */
  readonly configs: PartConfigs;
  readonly logs: PartLogs;
  /** Modules and their versions. */
  readonly registry: Registry;
  /** Captured data of machines. */
  readonly data: CapturedData;
  /** Snapshots of datasets; `snapshotUses` tracks who uses one. */
  readonly snapshots: DatasetSnapshots;
  readonly snapshotUses: SnapshotUses;
  /** What this start created, if it was the first; to be shown once. */
  readonly firstStart: FirstStart | undefined;
  /** The part that this program runs; undefined for a standalone hub. */
  readonly ownPartId: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The server of a fleet: its organizations, machines, keys and all configurations. It has no port of its own: it is
 * mounted on a router, standalone or beside a machine's services, and relies on that router's access rules to identify
 * callers.
 */
export class Hub {
  readonly parts: HubParts;
  /** The services of a cluster; undefined for a hub that does not share its store. */
  readonly shared: SharedServices | undefined;
  readonly #features: readonly Feature[];
  readonly #services: readonly JoinedService[];
  readonly #cluster: Cluster;
  readonly #lock: StoreLock;

  private constructor({ parts, features, services, shared }: Opened, cluster: Cluster, lock: StoreLock) {
    this.parts = parts;
    this.shared = shared;
    this.#features = features;
    this.#services = services;
    this.#cluster = cluster;
    this.#lock = lock;
  }

  /**
   * Opens the store, and creates what a new hub needs.
   * @throws {ArmatureError} `store.in_use`, `store.newer`, `store.corrupt`, `store.unavailable`, `file.unwritable`;
   *   `call.failed_precondition` if the fleet has no location for the machine beside it, or a hub of another version
   *   serves the store; `call.bad_argument` for a store or folder that a cluster cannot share
   */
  static async open(options: HubOptions): Promise<Hub> {
    const { address, logger, onStoreLost } = options;
    // Undo steps, last step first.
    const undo: (() => Promise<void>)[] = [];
    try {
      const lock = await lockPlaces(options);
      undo.unshift(() => lock.release());
      const store = await openStore(address, logger, { onBroken: onStoreLost, beforeSteps: () => lock.requireAlone() });
      undo.unshift(() => store.close());
      const cluster = await joinCluster(options, store);
      undo.unshift(() => cluster.close());
      const hub = new Hub(await open(options, store, cluster), cluster, lock);
      await lock.opened();
      return hub;
    } catch (thrown) {
      for (const step of undo) await step();
      throw thrown;
    }
  }

  /** Mounts the hub's services; access rules must be mounted before. May be called several times. */
  readonly mount = (mount: MountService): void => {
    for (const [definition, handlers] of this.#services) mount(definition, handlers);
  };

  async close(): Promise<void> {
    this.shared?.close();
    for (const { close } of this.#features.toReversed()) await close?.();
    await this.#cluster.close();
    await this.parts.store.close();
    await this.#lock.release();
  }
}

interface Opened {
  readonly parts: HubParts;
  readonly features: readonly Feature[];
  readonly services: readonly JoinedService[];
  readonly shared: SharedServices | undefined;
}

async function open(options: HubOptions, store: Store, cluster: Cluster): Promise<Opened> {
  const { clock, logger, machineName, folder, filesAddress, uploadLimits: limits, dataLimits, beside } = options;
  const fleet = new Fleet(store, clock);
  const keys = new ApiKeys(store, clock);
  const made = await firstStart({ store, fleet, keys, clock, machineName });
  const hubId = await readHubId(store);
  const tokens = await AccessTokens.open(store, clock, hubId);
  const authority = await Authority.open(store, clock, hubId);
  const events = await EventLog.open(store, clock, logger, cluster.notices);
  const blobStore = await BlobStore.open({ address: filesAddress, folder, hubId, store, cluster, clock, logger });
  const registry = await Registry.open({ store, events, clock, logger, blobs: blobStore, limits });
  const time = await LogTime.open(store, clock);
  const age = (): number => time.now();
  const snapshotUses = new SnapshotUses();
  const datasets = new Datasets(store, clock, snapshotUses);
  const blobs = await openDataBlobs(blobStore, store);
  const snapshots = new DatasetSnapshots({ store, datasets, blobs, uses: snapshotUses, clock });
  const data = new CapturedData({ store, events, blobs, datasets, clock, age });
  const ownPartId = beside && (await claimOwnPart(store, fleet, beside));

  const quotas = { ...DEFAULT_QUOTAS, ...options.quotas };
  const refusals = new RefusalLog(logger, clock);
  const identify = ({ principal, connection, method }: ServerCall): Promise<Caller> =>
    callerOf(principal, store.db, (message) =>
      refusals.record('not-permitted', connection.remoteAddress, method.path, message),
    );
  const credentials = new Credentials(store, clock, logger);
  const moduleKeys = new ModuleKeys({ store, credentials, isShared: cluster.isShared, clock, logger });
  const operating = new OperatePermission({ store, credentials, clock, identify });
  const partSecrets = new PartSecrets(store, clock);
  const changes = new Emitter();
  const versions = new PartVersions(store, clock, fleet.parts, events);
  const currentConfig = async (partId: string) => {
    const version = await versions.current(partId);
    return version && storedMessage(version);
  };
  const live = new LiveParts({ store, events, cluster, currentConfig, clock, logger });
  const { presence } = live;
  const configs = new PartConfigs({ store, parts: fleet.parts, versions, live, clock });
  const logs = new PartLogs(store, () => clock.monotonic(), age);
  const hostOf = async (partId: string) => (await presence.read([partId])).get(partId)?.host ?? '';
  const refusalLogs = beside === undefined ? [refusals] : [refusals, beside.refusals];
  const facts = { fleet, partSecrets, presence, clock, versions };

  const triggers = await Triggers.open({
    store,
    events,
    readingsOf: (uploadId) => data.readingsOf(uploadId),
    isEmbedded: beside !== undefined,
    clock,
    age,
    logger,
  });

  const training = new Training({
    store,
    datasets: new TrainingDatasets({ store, datasets, snapshots }),
    snapshotUses,
    models: new PackagedModels(new Models(registry.others, clock)),
    scripts: new RegistryScripts(registry.others, store),
    folder: path.join(folder, 'training'),
    isUntrusted: options.isEnvironmentUntrusted ?? false,
    clock,
    logger,
    ...(options.trainingRunner === undefined ? {} : { runner: options.trainingRunner }),
  });

  const inference = new Inference({
    store,
    packages: registry.others,
    organizations: fleet.organizations,
    datasets,
    blobs,
    folder: path.join(folder, 'inference'),
    clock,
  });

  const places = new WaitingPlaces(store, cluster);
  const features: Feature[] = [
    { services: [], close: () => events.close() },
    aboutFeature({ store, authority, refusals: refusalLogs, ownPartId }),
    fleetFeature({ ...facts, store, changes, keys, credentials, quotas, configs }),
    presenceFeature({ store, live, moduleKeys, fleetChanges: changes, clock, logger }),
    historyFeature({ ...facts, store, configs, live }),
    robotConfigFeature({ store, versions, presence }),
    registryFeature({ registry, store, organizations: fleet.organizations, clock, logger }),
    dashboardsFeature({ store, live }),
    logsFeature({ store, logs, time, hostOf, clock, logger }),
    datasetsFeature(store, datasets),
    dataFeature({ store, data, datasets, clock, logger, age, limits: dataLimits }),
    labellingFeature({ store, data, datasets, snapshots, clock, logger }),
    accessFeature({ store, keys, credentials, quotas, authority }),
    triggers.feature,
    training.feature,
    inference.feature,
    signalingFeature({ store, live, places, clock }),
    followFleet(changes, cluster),
  ];
  const shared = cluster.isShared
    ? await SharedServices.open({ store, cluster, presence, places, authority, credentials, tokens, clock })
    : undefined;
  const own = joinServices(features, identify);
  const services = shared === undefined ? own : shared.wrap(own);
  const whole = {
    store,
    fleet,
    keys,
    credentials,
    tokens,
    authority,
    refusals,
    operating,
    live,
    configs,
    logs,
    registry,
    data,
    snapshots,
    snapshotUses,
  };
  const parts: HubParts = { ...whole, firstStart: made, ownPartId, clock, logger };

  try {
    events.start();
    await credentials.start();
    await live.start();
    await inference.start();
    await startLeading({
      cluster,
      start: async () => {
        await triggers.start();
        await training.start();
      },
      takeOver: async () => {
        await presence.adopt();
        await blobStore.removeLeftovers();
      },
      logger,
      onLost: options.onStoreLost,
    });
    if (ownPartId !== undefined) await presence.noteGap(ownPartId);
    return { parts, features, services, shared };
  } catch (thrown) {
    for (const { close } of features.toReversed()) await close?.();
    throw thrown;
  }
}
