import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { HubAccess } from '../../hub/access/hub-access.ts';
import type { OperatePermission } from '../../hub/access/operate-permission.ts';
import type { PartChannelOptions } from '../../hub/channels/part-channel.ts';
import type { PackageFiles } from '../../hub/registry/models/package-files.ts';
import { callerInProcess } from '../../machine/cloud/hub-caller.ts';
import type { RefusalLog } from '../../rpc/access/refusals.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import type { ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import { machineNameOf } from '../computer-names.ts';
import type { PeerCaller } from '../../rpc/peer/outbound-call.ts';

export interface EmbeddedHubOptions {
  /** Of its data. */
  readonly folder: string;
  /** The configuration of the machine in the same program. */
  readonly configPath: string;
  readonly hostName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly allowsInsecureCreds: boolean;
  /** `-untrusted-env`: it starts no programs of others. */
  readonly isEnvironmentUntrusted: boolean;
  /** Callers that the machine's own access guard refused; reported with those that the hub refused. */
  readonly refusals: RefusalLog;
}

/** An open hub in the same program as its machine. */
export interface OpenHub {
  readonly access: HubAccess;
  /** Who may call machines themselves. */
  readonly operating: OperatePermission;
  /** What leads to other parts of the fleet. */
  readonly channels: PartChannelOptions;
  /** The part that the machine of this program is. */
  readonly partId: string;
  /** For calls of this program itself, which are trusted. */
  readonly router: CallRouter;
  /** `Authenticate`, for credentials of the hub. */
  readonly authenticate: Authenticate;
  /** What a service of the hub is answered with. */
  readonly handlers: <D extends ServiceDefinition>(definition: D) => ServiceHandlers<D>;
  /** Answers requests for the bytes of packages. */
  readonly files: PackageFiles;
  readonly close: () => Promise<void>;
}

type Authenticate = Required<ServiceHandlers<typeof AuthServiceDefinition>>['authenticate'];

export type EmbeddedHubState =
  /** Opens the hub at once if it is not open yet. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly opened: OpenHub }
  /** `message` says why, and what to do. */
  | { readonly kind: 'failed'; readonly message: string; readonly at: number }
  | { readonly kind: 'closed' };

/** The machine's own start has priority for this long, milliseconds: opening a hub takes 100 ms of processor time. */
const MACHINE_FIRST_MS = 1_000;
/** When the machine has started, callers who waited for it have priority for this long, milliseconds. */
const CALLERS_FIRST_MS = 200;
/** Reasons why the data cannot be opened may pass: another program ends, a disk has room again. */
const RETRY_MS = 10_000;

/**
 * The hub of this computer, in the program of its machine. It never delays the machine: it opens when the resources of
 * the machine are built, and if it cannot be opened, the machine runs without History.
 */
export class EmbeddedHub {
  readonly #options: EmbeddedHubOptions;
  #state: EmbeddedHubState = { kind: 'opening' };
  #opening: Promise<void> | undefined;
  readonly #turn = Promise.withResolvers<void>();
  #isClosed = false;
  /** Whether it was open in this run: then an empty folder means lost data, not a first start. */
  #hadData = false;

  constructor(options: EmbeddedHubOptions) {
    this.#options = options;
  }

  get state(): EmbeddedHubState {
    return this.#state;
  }

  /** The hub, if it is open now. */
  get current(): OpenHub | undefined {
    return this.#state.kind === 'open' ? this.#state.opened : undefined;
  }

  /** Opens it shortly after `machine` has started or failed, or its time is over; at once if it is needed sooner. */
  startAfter(machine: Promise<void>): void {
    const { clock } = this.#options;
    const onTurn = (): void => this.#turn.resolve();
    let timer = clock.after(MACHINE_FIRST_MS, onTurn);
    const onMachine = (): void => {
      timer.cancel();
      timer = clock.after(CALLERS_FIRST_MS, onTurn);
    };
    machine.then(onMachine, onMachine);
    void this.#turn.promise.then(() => {
      timer.cancel();
      this.#start();
    });
  }

  /**
   * The hub, as soon as it is open.
   * @throws {ArmatureError} `hub.unreachable` where it cannot be opened
   */
  async opened(): Promise<OpenHub> {
    if (this.#state.kind === 'failed' && this.#options.clock.monotonic() - this.#state.at >= RETRY_MS) {
      this.#opening = this.#open();
    }
    this.#start();
    await this.#opening;
    const { current } = this;
    if (current !== undefined) return current;
    const why = this.#state.kind === 'failed' ? this.#state.message : 'it is stopping.';
    throw new ArmatureError('hub.unreachable', `The hub in this program is not running: ${why}`);
  }

  /** A connection of the machine to it, as soon as the machine has started. Throws as {@link opened} does. */
  async connect(): Promise<PeerCaller> {
    await this.#turn.promise;
    return callerInProcess((await this.opened()).router);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turn.resolve();
    await this.#opening;
    await this.#shut();
  }

  #start(): void {
    this.#opening ??= this.#open();
  }

  async #open(): Promise<void> {
    if (this.#isClosed) return;
    const { clock, logger, folder } = this.#options;
    const before = this.#state;
    this.#state = { kind: 'opening' };
    try {
      this.#state = { kind: 'open', opened: await this.#openHub() };
    } catch (thrown) {
      const { message } = toArmatureError(thrown);
      // Retried many times, but logged once.
      if (before.kind !== 'failed' || before.message !== message) {
        logger.error(
          `The hub in this program does not start, and the machine runs without History and fleet: ${message}`,
          { folder },
        );
      }
      this.#state = { kind: 'failed', message, at: clock.monotonic() };
    }
  }

  async #openHub(): Promise<OpenHub> {
    // Programs with another hub or none need not load this.
    const [{ Hub }, { HubAccess }, { hubAuthService }, { PackageFiles }, { DATABASE_FILE }] = await Promise.all([
      import('../../hub/hub.ts'),
      import('../../hub/access/hub-access.ts'),
      import('../../hub/access/authenticate.ts'),
      import('../../hub/registry/models/package-files.ts'),
      import('../../hub/storage/open-store.ts'),
    ]);
    const { folder, configPath, hostName, clock, logger, allowsInsecureCreds } = this.#options;
    if (this.#hadData && !existsSync(path.join(folder, DATABASE_FILE))) {
      throw new ArmatureError(
        'store.unavailable',
        `its data in ${folder} is gone. Put the folder back, or restart the server to begin with an empty hub.`,
      );
    }
    const machineName = machineNameOf(hostName);
    const file = nameOfFile(configPath);
    const fileName = machineNameOf(path.basename(file, path.extname(file)));
    const hub = await Hub.open({
      address: folder,
      folder,
      clock,
      logger,
      machineName,
      onStoreLost: (reason) => void this.#lost(reason),
      isEnvironmentUntrusted: this.#options.isEnvironmentUntrusted,
      beside: { configPath: file, machineName, fileName, refusals: this.#options.refusals },
    });
    this.#hadData = true;
    const { credentials, tokens, refusals, operating, store, live, registry, ownPartId: partId = '' } = hub.parts;
    const access = new HubAccess({ credentials, tokens, clock, refusals, allowsInsecureCreds });
    const router = new CallRouter({ clock, logger, maxMessageBytes: MAX_MESSAGE_BYTES });
    const handlers = new Map<string, unknown>();
    hub.mount((definition, service) => {
      handlers.set(definition.fullName, service);
      router.addService(definition, service);
    });
    const { authenticate } = hubAuthService({ access, credentials, tokens, clock }) as { authenticate: Authenticate };
    return {
      access,
      authenticate,
      operating,
      channels: { store, live, operating, mount: hub.mount, clock, logger },
      partId,
      router,
      handlers: ({ fullName }) => handlers.get(fullName) ?? {},
      files: new PackageFiles({ packages: registry.others, store, credentials, access, clock, logger }),
      close: () => hub.close(),
    };
  }

  /** Its data is gone, or was replaced by another hub's. */
  async #lost(reason: string): Promise<void> {
    const { logger, clock } = this.#options;
    if (this.#isClosed) return;
    logger.error(`The hub in this program has lost its data, and the machine runs without it: ${reason}`);
    const opened = this.current;
    this.#state = { kind: 'failed', message: reason, at: clock.monotonic() };
    try {
      await opened?.close();
    } catch (thrown) {
      logger.debug(`The lost hub did not close: ${toArmatureError(thrown).message}`);
    }
  }

  async #shut(): Promise<void> {
    const opened = this.current;
    this.#state = { kind: 'closed' };
    if (opened === undefined) return;
    opened.access.close();
    await opened.router.drain(0);
    await opened.close();
  }
}

/** The real path of the file on the command line; unchanged for a file that does not exist yet. */
function nameOfFile(configPath: string): string {
  try {
    return realpathSync(configPath);
  } catch {
    return path.resolve(configPath);
  }
}
