import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { RefusalLog } from '../rpc/access/refusals.ts';
import type { ServerCall } from '../rpc/call.ts';
import type { MountService } from '../rpc/router.ts';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/app/v1/robot.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { HubServiceDefinition } from '../../proto/gen/core/hub/v1/hub.ts';
import { PartServiceDefinition } from '../../proto/gen/core/hub/v1/part.ts';
import { PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { RegistryServiceDefinition } from '../../proto/gen/core/hub/v1/registry.ts';
import { AccessTokens } from './access/access-tokens.ts';
import { ApiKeys } from './access/api-keys.ts';
import { usualQuotas, type Quotas } from './access/quotas.ts';
import { Authority } from './access/authority.ts';
import { Credentials } from './access/credentials.ts';
import { OperatePermission } from './access/operate-permission.ts';
import { ModuleKeys } from './access/module-keys.ts';
import { PartSecrets } from './access/part-secrets.ts';
import { firstStart, readHubId, type FirstStart } from './first-start.ts';
import { Fleet } from './fleet/fleet.ts';
import { FleetChanges } from './fleet/fleet-changes.ts';
import { PartVersions } from './history/part-versions.ts';
import { LogKeeper } from './logs/log-keeper.ts';
import { LogTime } from './logs/log-time.ts';
import { PartLogs } from './logs/part-log.ts';
import { LiveParts } from './presence/live-parts.ts';
import { Registry } from './registry/registry.ts';
import type { UploadLimits } from './registry/uploads.ts';
import { appService } from './fleet/app-service.ts';
import { configService } from './history/config-service.ts';
import { hubService } from './about/hub-service.ts';
import { logService } from './logs/log-service.ts';
import { partService } from './presence/part-service.ts';
import { PendingAuthors } from './history/pending-authors.ts';
import { presenceService } from './presence/presence-service.ts';
import { registryService } from './registry/registry-service.ts';
import { robotService } from './robot-config/robot-service.ts';
import type { ServiceHandlers } from '../rpc/service.ts';
import { openStore } from './storage/open-store.ts';
import { lockStore, type StoreLock } from './storage/store-lock.ts';
import type { Store } from './storage/store.ts';

export interface HubOptions {
  /** Where everything is kept: `postgres://...`, or a folder. */
  readonly address: string;
  /** Where files are kept that are too large for a store: packages of modules, in `registry/`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the machine that the first start makes. */
  readonly machineName: string;
  /** The store is lost to this hub, or another may begin to use it at any time: this one has to end. */
  readonly onStoreLost: (reason: string) => void;
  /** Of packages that are uploaded; what is usual where it is left out. */
  readonly uploadLimits?: UploadLimits;
  /** Of what keys may make; what is usual where it is left out. */
  readonly quotas?: Partial<Quotas>;
}

/**
 * A fleet: its organizations, machines, keys and every configuration they had.
 * Knows no port and no machine: it is mounted on a router, alone or beside a
 * machine's services, and takes callers for what the router's access rules say they are.
 */
export class Hub {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly fleetChanges = new FleetChanges();
  readonly versions: PartVersions;
  /** The parts that are connected, and what is known of those that are not. */
  readonly live: LiveParts;
  readonly logs: PartLogs;
  readonly keys: ApiKeys;
  readonly partSecrets: PartSecrets;
  /** How much may be made with keys. */
  readonly quotas: Quotas;
  /** Of parts, for their modules. */
  readonly moduleKeys: ModuleKeys;
  /** What is accepted from callers at this moment. */
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  /** Who may call machines themselves. */
  readonly operating: OperatePermission;
  /** Signs the certificates of the hub's port and of its parts. */
  readonly authority: Authority;
  /** Modules with their versions. */
  readonly registry: Registry;
  /** Everybody who was turned away. */
  readonly refusals: RefusalLog;
  /** What this start made, where it was the first; told once. */
  readonly firstStart: FirstStart | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The part that this hub's own program is, beside which it runs; undefined for a hub alone. */
  ownPartId: string | undefined;
  /** Of the port that it shares with a machine: those who came no further. */
  doorRefusals: RefusalLog | undefined;
  readonly #lock: StoreLock;
  readonly #logKeeper: LogKeeper;
  readonly #services: Services;

  private constructor(options: HubOptions, opened: Opened) {
    this.clock = options.clock;
    this.logger = options.logger;
    this.store = opened.store;
    this.fleet = opened.fleet;
    this.versions = opened.versions;
    this.live = opened.live;
    const { logTime } = opened;
    this.logs = new PartLogs(
      this.store,
      () => this.clock.monotonic(),
      () => logTime.now(),
    );
    this.#logKeeper = new LogKeeper(this.logs, logTime, this.clock, this.logger);
    this.keys = opened.keys;
    this.quotas = { ...usualQuotas, ...options.quotas };
    this.partSecrets = opened.partSecrets;
    this.credentials = opened.credentials;
    this.moduleKeys = new ModuleKeys(this);
    this.tokens = opened.tokens;
    this.authority = opened.authority;
    this.registry = opened.registry;
    this.firstStart = opened.firstStart;
    this.refusals = new RefusalLog(options.logger, options.clock);
    this.#lock = opened.lock;
    this.operating = new OperatePermission(this);
    const authors = new PendingAuthors();
    this.#services = {
      app: appService(this),
      part: partService(this, authors),
      config: configService(this, authors),
      presence: presenceService(this),
      log: logService(this),
      robot: robotService(this),
      hub: hubService(this),
      registry: registryService(this),
    };
  }

  /**
   * Opens the store, alone, and makes what a new hub needs.
   * @throws {ArmatureError} `store.in_use`, `store.newer`, `store.corrupt`, `store.unavailable`, `file.unwritable`
   */
  static async open(options: HubOptions): Promise<Hub> {
    const lock = await lockStore(options.address, options.onStoreLost);
    try {
      return new Hub(options, await open(options, lock));
    } catch (thrown) {
      await lock.release();
      throw thrown;
    }
  }

  /** Puts the hub's services where calls come to. Access rules go before them. May be done several times. */
  mount(mount: MountService): void {
    mount(AppServiceDefinition, this.#services.app);
    mount(PartServiceDefinition, this.#services.part);
    mount(ConfigServiceDefinition, this.#services.config);
    mount(PresenceServiceDefinition, this.#services.presence);
    mount(LogServiceDefinition, this.#services.log);
    mount(RobotServiceDefinition, this.#services.robot);
    mount(HubServiceDefinition, this.#services.hub);
    mount(RegistryServiceDefinition, this.#services.registry);
  }

  /** Counts and logs a call that its caller may not make. */
  onDenied(call: ServerCall, message: string): void {
    this.refusals.record('not-permitted', call.connection.remoteAddress, call.method.path, message);
  }

  async close(): Promise<void> {
    this.credentials.stop();
    await this.#logKeeper.close();
    await this.live.close();
    await this.store.close();
    await this.#lock.release();
  }
}

interface Services {
  readonly app: ServiceHandlers<typeof AppServiceDefinition>;
  readonly part: ServiceHandlers<typeof PartServiceDefinition>;
  readonly config: ServiceHandlers<typeof ConfigServiceDefinition>;
  readonly presence: ServiceHandlers<typeof PresenceServiceDefinition>;
  readonly log: ServiceHandlers<typeof LogServiceDefinition>;
  readonly robot: ServiceHandlers<typeof RobotServiceDefinition>;
  readonly hub: ServiceHandlers<typeof HubServiceDefinition>;
  readonly registry: ServiceHandlers<typeof RegistryServiceDefinition>;
}

interface Opened {
  readonly lock: StoreLock;
  readonly store: Store;
  readonly fleet: Fleet;
  readonly versions: PartVersions;
  readonly live: LiveParts;
  readonly keys: ApiKeys;
  readonly partSecrets: PartSecrets;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly authority: Authority;
  readonly registry: Registry;
  readonly firstStart: FirstStart | undefined;
  readonly logTime: LogTime;
}

async function open(options: HubOptions, lock: StoreLock): Promise<Opened> {
  const { address, clock, logger, machineName, onStoreLost, uploadLimits: limits } = options;
  const folder = path.join(options.folder, 'registry');
  const store = await openStore(address, logger, onStoreLost);
  try {
    const fleet = new Fleet(store, clock);
    const keys = new ApiKeys(store, clock);
    const made = await firstStart({ store, fleet, keys, clock, machineName });
    const credentials = new Credentials(store, clock, logger);
    const hubId = await readHubId(store);
    const tokens = await AccessTokens.open(store, clock, hubId);
    const authority = await Authority.open(store, clock, hubId);
    const versions = new PartVersions(store, clock);
    const live = new LiveParts({ store, fleet, versions, clock, logger });
    await credentials.start();
    await live.start();
    return {
      lock,
      store,
      fleet,
      keys,
      credentials,
      tokens,
      authority,
      registry: await Registry.open({ store, clock, logger, folder, limits }),
      versions,
      live,
      partSecrets: new PartSecrets(store, clock),
      firstStart: made,
      logTime: await LogTime.open(store, clock),
    };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}
