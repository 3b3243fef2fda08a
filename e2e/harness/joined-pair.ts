import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigServiceDefinition, type Version } from '../../proto/gen/core/config/v1/config.ts';
import { GrpcClient } from './grpc-client.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from './hub-process.ts';
import { runArmature, startServer, type ServerProcess } from './server-process.ts';
import { until } from './until.ts';

/** A hub and a machine that joined it over TLS, each with its own data, for tests of the machine's page. */
export class JoinedPair {
  readonly hub: HubProcess;
  readonly machine: ServerProcess;
  readonly partId: string;
  readonly #config: GrpcClient;
  readonly #owner: HubClient;
  readonly #removeHub: () => Promise<void>;

  private constructor(
    hub: HubProcess,
    machine: ServerProcess,
    owner: HubClient,
    partId: string,
    removeHub: () => Promise<void>,
  ) {
    this.hub = hub;
    this.machine = machine;
    this.partId = partId;
    this.#owner = owner;
    this.#config = new GrpcClient(machine);
    this.#removeHub = removeHub;
  }

  /** @param prepare changes the hub's store before the machine joins, while the hub is stopped */
  static async start(prepare?: (data: string, partId: string) => Promise<void>): Promise<JoinedPair> {
    const { data, remove } = await hubFolder();
    const first = await startHub({ data });
    const key = first.ownerKey ?? { id: '', secret: '' };
    const authority = (await runArmature(['hub', 'ca', ...first.place])).stdout;
    const authorityFile = path.join(data, 'authority.pem');
    await writeFile(authorityFile, authority);
    const owner = await HubClient.logIn(first.url, key, authority);
    const { robots } = await owner.call('listRobotsForOrg', { orgId: first.organizationId ?? '' });
    const { parts } = await owner.call('getRobotParts', { robotId: robots[0]?.id ?? '' });
    const partId = parts[0]?.id ?? '';
    const { part } = await owner.call('createRobotPartSecret', { partId });
    let hub = first;
    if (prepare !== undefined) {
      await first.stop();
      await prepare(data, partId);
      hub = await startHub({ data, args: ['--bind', `localhost:${new URL(first.url).port}`] });
    }
    const secret = part?.secrets.at(-1)?.secret ?? '';
    const cloud = { id: partId, secret, app_address: hub.url, ca: authorityFile };
    const config = JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } });
    return new JoinedPair(hub, await startServer({ config }), owner, partId, remove);
  }

  /** Stores a text as the next version at the machine, as a program on its computer does. */
  async apply(text: string, words: { readonly note?: string } = {}): Promise<void> {
    const { revision } = await this.#config.call(ConfigServiceDefinition, 'get', { partId: '' });
    const { note = '' } = words;
    const request = { partId: '', text, baseRevision: revision, author: '', note };
    const { outcome } = await this.#config.call(ConfigServiceDefinition, 'apply', request);
    if (outcome?.$case !== 'applied') throw new Error(`the text was not applied: ${JSON.stringify(outcome)}`);
  }

  /** Stores texts one after the other; waits each time until the history has the result of the previous one. */
  async applyAll(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      await this.apply(text);
      await this.settled();
    }
  }

  /** Stores a text at the hub, as a program of its owner does, even if the machine will reject it. */
  async push(text: string): Promise<void> {
    await this.#owner.call('updateRobotPart', {
      id: this.partId,
      name: '',
      robotConfig: undefined,
      robotConfigJson: text,
    });
  }

  /** Waits until the history has the machine's result for the newest version. */
  async settled(): Promise<void> {
    await until(
      'the newest version has its result',
      async () => (await this.versions(1))[0]?.result !== undefined,
      15_000,
    );
  }

  /** The versions, newest first. */
  async versions(limit: number): Promise<readonly Version[]> {
    const request = { partId: '', limit, pageToken: '', text: '', tagged: false, resource: '' };
    return (await this.#config.call(ConfigServiceDefinition, 'history', request)).versions;
  }

  async text(number: number): Promise<string> {
    return (await this.#config.call(ConfigServiceDefinition, 'getVersion', { partId: '', number: BigInt(number) }))
      .text;
  }

  async annotate(number: number, tag: string, note = ''): Promise<void> {
    await this.#config.call(ConfigServiceDefinition, 'annotate', { partId: '', number: BigInt(number), tag, note });
  }

  async stop(): Promise<void> {
    this.#config.close();
    this.#owner.close();
    await this.machine.stop();
    await this.hub.stop();
    await this.#removeHub();
  }
}
