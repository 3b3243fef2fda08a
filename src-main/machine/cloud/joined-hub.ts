import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import { DashboardServiceDefinition } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import type { Accepted, AcceptedKey } from '../../../proto/gen/core/hub/v1/part.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../rpc/access/access-policy.ts';
import { ChannelServer } from '../../rpc/channel/channel-server.ts';
import { PACKET_BYTES, type MessagePipe } from '../../rpc/channel/pipe.ts';
import type { Certificate } from '../../rpc/port/listener.ts';
import type { Router } from '../../rpc/router.ts';
import { TrackedConnection } from '../../rpc/tracked-connection.ts';
import type { Configuration } from '../apply/configuration.ts';
import type { LogRegistry } from '../logging/log-registry.ts';
import { platformName } from '../../base/platform.ts';
import type { PartHistory } from '../services/config-service.ts';
import type { PartDashboards } from '../services/dashboard-service.ts';
import type { StatusSource } from '../services/status-service.ts';
import type { HubCredentials } from './cloud-settings.ts';
import { ConfigCache, keyRole, type Membership } from './config-cache.ts';
import { ConfigReporter } from './config-report.ts';
import { HubCertificate } from './hub-certificate.ts';
import { HubLink } from './hub-link.ts';
import { HubSource } from './hub-source.ts';
import { LogUploader } from './log-upload.ts';
import { StatusReporter } from './status-report.ts';
import type { PeerCaller } from '../../rpc/peer/outbound-call.ts';

/** The hub of a machine, and how the machine belongs to it. */
export interface HubMembership {
  /** Id of this part; '' where the hub is in this process and is not open yet. */
  readonly partId: () => string;
  /** For messages: the address as it was written, or `in this program`. */
  readonly hubName: string;
  /** Undefined for a hub in this process, which needs none. */
  readonly credentials: HubCredentials | undefined;
  /** Makes a new connection each time. */
  readonly connect: () => Promise<PeerCaller>;
  /** Address and encryption of the hub, as its calls to this machine show them. */
  readonly remoteAddress: string;
  readonly isEncrypted: boolean;
  /** A file owns the configuration: the hub stores its history and sends none. */
  readonly ownsConfig: boolean;
  /** Cache of the hub's data, created when needed. */
  readonly cacheFolder: string;
  /** Where reports for the hub wait over restarts; undefined for a hub in this process, which ends with it. */
  readonly outboxFolder: string | undefined;
  /** Accepts calls of the hub over a connection that this machine has opened. */
  readonly trust: (connection: TrackedConnection) => void;
  /** The hub's description of this part; the keys in it may be used from now on. */
  readonly onMembership: (membership: Membership) => void;
  /** The hub has signed a certificate for this machine's port. */
  readonly onCertificate: (certificate: Certificate) => void;
  /** Somebody asked the hub to restart this program. */
  readonly onRestart: () => void;
}

/** A key to authenticate with. */
interface Secret {
  readonly id: string;
  readonly key: string;
}

export interface JoinedHubOptions extends HubMembership {
  readonly clock: Clock;
  readonly logs: LogRegistry;
  readonly version: string;
  readonly hostName: string;
  readonly isUsable: (text: string) => boolean;
  /** The key with which modules authenticate, also at the hub, which gets its hash. Read at each connection. */
  readonly moduleKey?: (() => Secret | undefined) | undefined;
}

/** The machine's side of its hub: the connection, the configuration where the hub owns it, and the reports. */
export class JoinedHub {
  readonly link: HubLink;
  /** Undefined where a file owns the configuration. */
  readonly source: HubSource | undefined;
  readonly #options: JoinedHubOptions;
  readonly #cache: ConfigCache;
  readonly #startedAt: Date;
  #configuration: Configuration | undefined;
  #router: Router | undefined;
  #membership: Membership | undefined;
  #reporters: readonly { close(): void | Promise<void> }[] = [];

  constructor(options: JoinedHubOptions) {
    const { partId, clock, logs, isUsable, ownsConfig, cacheFolder } = options;
    const logger = logs.logger('core.hub');
    this.#options = options;
    this.#startedAt = new Date(clock.now());
    this.#cache = new ConfigCache(cacheFolder, logger);
    this.link = new HubLink({
      ...options,
      logger,
      random: Math.random,
      hello: () => ({
        revision: (this.source === undefined ? this.#configuration?.state.revision : this.source.revision) ?? '',
        ownsConfig,
        version: options.version,
        platform: platformName(),
        host: options.hostName,
        startedAt: this.#startedAt,
        moduleKey: acceptedKey(options.moduleKey?.()),
      }),
      serve: (pipe) => this.#serve(pipe),
      onAccepted: (accepted) => this.#join(accepted),
      onUpdate: (update) => this.source?.receive(update),
      onRestart: () => options.onRestart(),
    });
    const { link } = this;
    this.source = ownsConfig
      ? undefined
      : new HubSource({ partId: partId(), link, cache: this.#cache, clock, logger, isUsable });
  }

  /** Id of this part; '' where a hub in this process is not open yet. */
  get partId(): string {
    return this.#options.partId();
  }

  /** Whether a file of this computer has the configuration. */
  get ownsConfig(): boolean {
    return this.#options.ownsConfig;
  }

  /** The hub's description of this part, perhaps from an earlier start. */
  get membership(): Membership | undefined {
    return this.#membership ?? this.source?.membership;
  }

  /** Earlier texts of this part; each call asks the hub. */
  get history(): PartHistory {
    const { link } = this;
    const service = ConfigServiceDefinition;
    return {
      history: async (request) => link.call(service, 'history', await this.#ours(request)),
      getVersion: async (request) => link.call(service, 'getVersion', await this.#ours(request)),
      annotate: async (request) => link.call(service, 'annotate', await this.#ours(request)),
    };
  }

  /** Dashboards of this part; each call asks the hub. */
  get dashboards(): PartDashboards {
    const { link } = this;
    const service = DashboardServiceDefinition;
    const ours = <T>(request: T) => this.#ours(request);
    return {
      async *watch(signal) {
        yield* link.stream(service, 'watch', await ours({}), signal);
      },
      put: async (request) => link.call(service, 'put', await ours(request)),
      delete: async (request) => link.call(service, 'delete', await ours(request)),
    };
  }

  /** Starts reporting; call it before the configuration is applied, so that nothing is missed. */
  follow(configuration: Configuration, status: StatusSource): void {
    const { partId, ownsConfig, logs, clock, cacheFolder, outboxFolder: folder, onCertificate } = this.#options;
    const { link } = this;
    const logger = logs.logger('core.hub');
    this.#configuration = configuration;
    this.#reporters = [
      new ConfigReporter({ partId, configuration, link, ownsConfig, folder, clock, logger }),
      new StatusReporter(status, link, clock),
      new LogUploader({ partId, logs, link, clock, logger }),
      new HubCertificate({ partId, link, folder: cacheFolder, clock, logger, onCertificate }),
    ];
  }

  /** Target of the hub's calls. */
  mount(router: Router): void {
    this.#router = router;
  }

  async close(): Promise<void> {
    const closing = this.#reporters.map(async (reporter) => reporter.close());
    this.link.close();
    await Promise.all(closing);
    await this.#cache.drained();
  }

  /** A request about this part. A page may be opened before a hub in this program is open. */
  async #ours<T>(request: T): Promise<T & { readonly partId: string }> {
    await this.link.tried();
    return { ...request, partId: this.partId };
  }

  #serve(pipe: MessagePipe): void {
    const { clock, logs, remoteAddress, isEncrypted, trust } = this.#options;
    if (this.#router === undefined) return;
    const connection = new TrackedConnection({ remoteAddress }, 'channel', isEncrypted, true);
    trust(connection);
    const logger = logs.logger('core.hub');
    new ChannelServer(pipe, connection, { router: this.#router, clock, logger, packetBytes: PACKET_BYTES });
  }

  #join(accepted: Accepted): void {
    const { organizationId, locationId, machineId, machineName, partName, fqdn } = accepted;
    const keys = accepted.keys.map(({ id, digest, role }) => ({
      id,
      sha256: Buffer.from(digest).toString('hex'),
      role: keyRole(role),
    }));
    this.#membership = { organizationId, locationId, machineId, machineName, partName, fqdn, keys };
    this.source?.setMembership(this.#membership);
    this.#options.onMembership(this.#membership);
  }
}

function acceptedKey(key: Secret | undefined): AcceptedKey | undefined {
  return key && { id: key.id, digest: sha256(key.key), role: '' };
}
