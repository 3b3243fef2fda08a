import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../src-main/rpc/service.ts';
import { HubClient, hubFolder, roleAt, startHub, type HubProcess, type OwnerKey } from './hub-process.ts';
import type { HubPair } from './hub-pair.ts';
import { PageChannel } from './page-channel.ts';
import { runArmature } from './server-process.ts';
import { until } from './until.ts';

/** Where the data of a hub is, and what runs the hub, as in {@link HubProcessOptions.through}. */
export interface FleetPlace {
  readonly data?: string;
  readonly through: readonly string[];
}

/** A hub with TLS and a client of its owner. What a test starts through it is stopped at the end of the test. */
export class Fleet {
  hub: HubProcess;
  readonly authority: string;
  /** File with the certificate that machines must trust. */
  readonly authorityFile: string;
  readonly ownerKey: OwnerKey;
  readonly organizationId: string;
  owner: HubClient;

  private constructor(hub: HubProcess, authority: string, authorityFile: string, owner: HubClient) {
    this.hub = hub;
    this.authority = authority;
    this.authorityFile = authorityFile;
    this.owner = owner;
    this.ownerKey = hub.ownerKey ?? { id: '', secret: '' };
    this.organizationId = hub.organizationId ?? '';
  }

  /**
   * @param args options of `armature hub`
   * @param place where its data is, and what runs it; whoever chooses a folder for the data removes it
   */
  static async start(args: readonly string[] = [], place?: FleetPlace): Promise<Fleet> {
    const { data, remove } = await hubFolder();
    const hub = await startHub({ data: place?.data ?? data, args, through: place?.through ?? [] });
    // Registered here so that the hub is stopped even if a later step fails.
    onTestFinished(async () => {
      await hub.stop();
      await remove();
    });
    const through = place?.through ?? [];
    const authority = (await runArmature(['hub', 'ca', ...hub.place], {}, { through })).stdout;
    const authorityFile = path.join(path.dirname(data), 'authority.pem');
    await writeFile(authorityFile, authority);
    const trusted = hub.url.startsWith('https:') ? authority : undefined;
    const owner = await HubClient.logIn(hub.url, hub.ownerKey ?? { id: '', secret: '' }, trusted);
    const fleet = new Fleet(hub, authority, authorityFile, owner);
    onTestFinished(async () => {
      fleet.owner.close();
      await fleet.hub.stop();
    });
    return fleet;
  }

  get port(): number {
    return Number(new URL(this.hub.url).port);
  }

  /** Starts the hub again with the same data and address. */
  async restart(through: readonly string[] = []): Promise<void> {
    const { data } = this.hub;
    this.hub = await startHub({ data, args: ['--bind', `localhost:${this.port}`], through });
    await this.owner.grpc.connected();
  }

  /** Logs in again: tokens survive a restart of the hub, connections do not. */
  async logIn(key = this.ownerKey): Promise<HubClient> {
    const client = await HubClient.logIn(this.hub.url, key, this.authority);
    onTestFinished(() => client.close());
    return client;
  }

  /**
   * Creates a key with one role.
   * @param role `organization_operator`, `location_owner` and so on
   * @param resourceId what the role is for; by default the organization
   */
  async createKey(role: string, resourceId = this.organizationId): Promise<OwnerKey> {
    const authorization = roleAt(role, this.organizationId, resourceId);
    const { id, key } = await this.owner.call('createKey', { name: role, authorizations: [authorization] });
    return { id, secret: key };
  }

  /** Calls any service of the hub as its owner. */
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
  ): Promise<ResponseOf<D['methods'][K]>> {
    return this.owner.grpc.call(service, method, request, { headers: this.#headers });
  }

  stream<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
  ): ClientReadableStream<ResponseOf<D['methods'][K]>> {
    return this.owner.grpc.stream(service, method, request, { headers: this.#headers });
  }

  /** Id of the machine that the first start of the hub made. */
  async robotId(): Promise<string> {
    const { robots } = await this.owner.call('listRobotsForOrg', { orgId: this.organizationId });
    return robots[0]?.id ?? '';
  }

  /** Id of its part. */
  async partId(): Promise<string> {
    const { parts } = await this.owner.call('getRobotParts', { robotId: await this.robotId() });
    return parts[0]?.id ?? '';
  }

  /** The host name of a part, which callers ask for. */
  async hostOf(partId: string): Promise<string> {
    const { part } = await this.owner.call('getRobotPart', { id: partId });
    return part?.fqdn ?? '';
  }

  /** Waits until calls reach a machine that has just started, through every hub. */
  async untilReached(partId: string): Promise<void> {
    const { hub, owner, authority } = this;
    for (const { url } of 'hubs' in hub ? (hub as HubPair).hubs : [hub]) {
      const isReached = async (): Promise<boolean> => {
        const channel = await PageChannel.open(url, { token: owner.token, part: partId, authority });
        try {
          await channel.call(RobotServiceDefinition, 'resourceNames', {});
          return true;
        } catch {
          return false;
        } finally {
          channel.close();
        }
      };
      await until(`calls reach the machine through ${url}`, isReached, 15_000);
    }
  }

  /** Stores a configuration for a part, as its owner does in the window. */
  async setConfig(partId: string, text: string): Promise<void> {
    const { revision } = await this.call(ConfigServiceDefinition, 'get', { partId });
    const request = { partId, text, baseRevision: revision, author: '', note: '' };
    const { outcome } = await this.call(ConfigServiceDefinition, 'apply', request);
    if (outcome?.$case !== 'applied') throw new Error(`the text was not taken: ${JSON.stringify(outcome)}`);
  }

  /** Text of a configuration file that makes a server this part, with a new secret. */
  async configOf(partId: string): Promise<string> {
    const { part } = await this.owner.call('createRobotPartSecret', { partId });
    return this.configWith({ id: partId, secret: part?.secrets.at(-1)?.secret ?? '' });
  }

  configWith(cloud: object): string {
    return JSON.stringify({
      cloud: { ...cloud, app_address: this.hub.url, ca: this.authorityFile },
      network: { bind_address: 'localhost:0' },
    });
  }

  get #headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.owner.token}` };
  }
}
