import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { GrpcClient } from './grpc-client.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { windowBench } from '../fixtures/window-bench.ts';

type Methods = (typeof AppServiceDefinition)['methods'];
type RequestOfMethod<K extends keyof Methods> = Parameters<Methods[K]['requestType']['encode']>[0];
type ResponseOfMethod<K extends keyof Methods> = ReturnType<Methods[K]['responseType']['decode']>;

/** A machine of the fleet that runs as a separate process. */
export interface JoinedServer {
  readonly server: ServerProcess;
  readonly machineId: string;
  readonly partId: string;
}

/** A machine with its hub, whose page the tests use, and other machines of that hub. */
export class WindowFleet {
  readonly station: ServerProcess;
  readonly #client: GrpcClient;
  readonly #joined = new Set<ServerProcess>();

  private constructor(station: ServerProcess) {
    this.station = station;
    // Native calls from this computer have the owner's rights.
    this.#client = new GrpcClient(station);
  }

  /** @param args options of the machine with the hub */
  static async start(config = windowBench, args: readonly string[] = []): Promise<WindowFleet> {
    return new WindowFleet(await startServer({ config, args }));
  }

  call<K extends keyof Methods>(method: K, request: RequestOfMethod<K>): Promise<ResponseOfMethod<K>> {
    return this.#client.call(AppServiceDefinition, method, request as never) as Promise<ResponseOfMethod<K>>;
  }

  async organizationId(): Promise<string> {
    return (await this.call('listOrganizations', {})).organizations[0]?.id ?? '';
  }

  /** Name of the machine whose page the tests use. */
  async ownName(): Promise<string> {
    return (await this.call('listRobotsForOrg', { orgId: await this.organizationId() })).robots[0]?.name ?? '';
  }

  /** Adds a location at the top level. @returns its id */
  async addLocation(name: string): Promise<string> {
    const organizationId = await this.organizationId();
    const { location } = await this.call('createLocation', { organizationId, name, parentLocationId: undefined });
    return location?.id ?? '';
  }

  /** Adds a machine that has not been started. */
  async addMachine(name: string, location: string): Promise<{ readonly machineId: string; readonly partId: string }> {
    const { id } = await this.call('newRobot', { name, location });
    const { parts } = await this.call('getRobotParts', { robotId: id });
    return { machineId: id, partId: parts[0]?.id ?? '' };
  }

  /** Stores a configuration for a part. */
  async configure(partId: string, text: string): Promise<void> {
    const update = { id: partId, name: '', robotConfig: undefined, lastKnownUpdate: undefined };
    await this.call('updateRobotPart', { ...update, robotConfigJson: text });
  }

  /** Starts the program of a machine, which joins with its own secret. */
  async join(name: string, location: string, config = windowBench): Promise<JoinedServer> {
    const made = await this.addMachine(name, location);
    await this.configure(made.partId, config);
    return { ...made, server: await this.startPart(made.partId) };
  }

  async startPart(partId: string): Promise<ServerProcess> {
    const { part } = await this.call('createRobotPartSecret', { partId });
    const secret = part?.secrets.at(-1)?.secret ?? '';
    const cloud = { id: partId, secret, app_address: this.station.url };
    const server = await startServer({
      config: JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } }),
    });
    this.#joined.add(server);
    return server;
  }

  async stop(): Promise<void> {
    this.#client.close();
    await Promise.all([...this.#joined].map((server) => server.stop()));
    await this.station.stop();
  }
}
