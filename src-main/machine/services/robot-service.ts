import { ArmatureError } from '../../base/errors.ts';
import { namespaceIn, protoNameIn, tripletIn } from '../../base/dialect.ts';
import { fullName, parseTriplet } from '../../../proto/config/names.ts';
import { PeerConnectionType, type RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import { GetMachineStatusResponse_State } from '../../../proto/gen/core/robot/v1/status.ts';
import type { ResourceSpans } from '../../../proto/gen/opentelemetry/proto/trace/v1/trace.ts';
import type { ResourceName } from '../../../proto/gen/core/common/v1/common.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { ServedApi } from '../../apis/served-apis.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { ResourceStatus } from '../graph/state.ts';
import type { JobStatus } from '../jobs/job-history.ts';
import type { NetworkConfig } from '../config/machine-config.ts';
import type { ModuleStatus } from '../modules/module-status.ts';
import type { PackageStatus } from '../modules/package-status.ts';
import type { OperationRegistry } from '../operations/operation-registry.ts';
import { stopAll, type StoppableActuator } from '../operations/stop-all.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { isPage } from '../sessions/session.ts';
import { resourceName, toWireJobs, toWireModules, toWirePackages, toWireStatus } from './machine-status.ts';
import { readLogEntry, type ReceivedLogEntry } from './received-log-entry.ts';
import { frameHandlers } from './frames.ts';
import { openTunnel } from './tunnel.ts';

/** Version of the public API that our messages follow. */
export const API_VERSION = 'v0.1.577';

/** The place of a machine in the fleet. */
export interface CloudIds {
  readonly organizationId: string;
  readonly locationId: string;
  readonly machineId: string;
  readonly partId: string;
}

/** What the robot service needs from its machine. */
export interface RobotServiceOptions {
  readonly clock: Clock;
  readonly version: string;
  readonly operations: OperationRegistry;
  readonly sessions: SessionRegistry;
  apis(): readonly ServedApi[];
  statuses(): readonly ResourceStatus[];
  actuators(): Iterable<StoppableActuator>;
  /** Full name of the resource that a call is for. */
  resourceOf(call: ServerCall): string | undefined;
  /** Pins that calls have driven directly; stopping one makes it safe. */
  drivenPins(): Iterable<StoppableActuator>;
  isInitializing(): boolean;
  /** The running revision and when it was applied. */
  applied(): { readonly revision: string; readonly at: number };
  /** The name of the document with this revision. */
  publicRevision(revision: string): string;
  network(): NetworkConfig | undefined;
  /** The place of this machine in the fleet; undefined if its hub has not sent it yet, or there is no hub. */
  membership(): Promise<CloudIds | undefined>;
  /** @param module name of the module that sent it; undefined for anybody else */
  receiveLog(entry: ReceivedLogEntry, module: string | undefined): void;
  /** Receives spans that a module recorded. */
  receiveSpans(spans: readonly ResourceSpans[]): void;
  modules(): readonly ModuleStatus[];
  packages(): readonly PackageStatus[];
  jobs(): readonly JobStatus[];
  /** Restarts a module; settles when it is ready. Throws `module.not_found`, `module.disabled`, `module.failed`. */
  restartModule(nameOrId: string): Promise<void>;
  /** Ends the server in order, soon after the answer was sent. */
  shutDown(): void;
}

/** Resources that a client may call or will soon be able to. */
const listedStates: ReadonlySet<string> = new Set(['ready', 'configuring']);

function fullNameOf(name: ResourceName): string {
  return fullName(`${namespaceIn(name.namespace, 'core')}:${name.type}:${name.subtype}`, name.name);
}

function durationOf(ms: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.trunc(ms / 1_000)), nanos: Math.round((ms % 1_000) * 1e6) };
}

function notJoined(what: string): ArmatureError {
  return new ArmatureError(
    'call.failed_precondition',
    `${what} needs a hub: this machine is joined to none, or has not reached it yet.`,
  );
}

/** core.robot.v1.RobotService. Missing methods answer Unimplemented. */
export function robotService(options: RobotServiceOptions): ServiceHandlers<typeof RobotServiceDefinition> {
  return {
    resourceNames: (_request, call) => ({
      resources: options
        .statuses()
        .filter(({ state }) => listedStates.has(state.kind))
        .map(({ api, name }) => resourceName(api, name, call.dialect)),
    }),

    resourceRPCSubtypes: (_request, call) => ({
      resourceRpcSubtypes: options.apis().map(({ api, service }) => ({
        subtype: resourceName(api, '', call.dialect),
        protoService: protoNameIn(service, call.dialect),
      })),
    }),

    getMachineStatus(_request, call) {
      const { revision, at } = options.applied();
      return {
        resources: options
          .statuses()
          .map((status) => toWireStatus(status, options.publicRevision(status.revision), call.dialect)),
        config: { revision: options.publicRevision(revision), lastUpdated: new Date(at) },
        state: options.isInitializing()
          ? GetMachineStatusResponse_State.INITIALIZING
          : GetMachineStatusResponse_State.RUNNING,
        jobStatuses: toWireJobs(options.jobs()),
        modules: toWireModules(options.modules(), call.dialect),
        packages: toWirePackages(options.packages(), call.dialect),
      };
    },

    getVersion: () => ({ platform: 'rdk', version: options.version, apiVersion: API_VERSION }),

    getOperations: (_request, call) => ({
      operations: options.operations.list(call.dialect).map((operation) => ({
        id: operation.id,
        method: operation.method,
        arguments: operation.arguments() as JsonObject,
        started: new Date(operation.startedAt),
        sessionId: operation.sessionId,
      })),
    }),

    cancelOperation(request) {
      options.operations.cancel(request.id);
      return {};
    },

    async blockForOperation(request, call) {
      await options.operations.blockFor(request.id, call);
      return {};
    },

    startSession(request, call) {
      if (call.sessionId !== undefined) {
        throw new ArmatureError(
          'call.bad_argument',
          'This call is in a session already (viam-sid); start another one without that header.',
        );
      }
      const { id, windowMs } = options.sessions.start(request.resume, call.principal, call.connection);
      return { id, heartbeatWindow: durationOf(windowMs) };
    },

    sendSessionHeartbeat(request, call) {
      options.sessions.heartbeat(request.id, call.principal, call.connection);
      return {};
    },

    getSessions: () => ({
      sessions: options.sessions.list().map(({ id, connection }) => ({
        id,
        peerConnectionInfo: {
          type: PeerConnectionType.GRPC,
          remoteAddress: connection.remoteAddress,
          localAddress: connection.localAddress,
        },
      })),
    }),

    async stopAll(request, call: ServerCall) {
      const extras = new Map<string, JsonObject>();
      for (const { name, params } of request.extra) {
        if (name !== undefined) extras.set(fullNameOf(name), (params ?? {}) as JsonObject);
      }
      // A page's button stops everything. Other clients expect StopAll to stop actuators and to leave relays alone.
      const pins = isPage(call.connection) ? options.drivenPins() : [];
      await stopAll({
        clock: options.clock,
        operations: options.operations,
        caller: call,
        actuators: [...options.actuators(), ...pins],
        resourceOf: (one) => options.resourceOf(one),
        extras,
      });
      return {};
    },

    log(request, call) {
      const [entry, ...more] = request.logs;
      if (entry === undefined || more.length > 0) {
        throw new ArmatureError(
          'call.bad_argument',
          `Log takes exactly one entry a call; this one has ${request.logs.length}. Send one call for each.`,
        );
      }
      const { kind, entity } = call.principal;
      options.receiveLog(readLogEntry(entry), kind === 'module' ? entity : undefined);
      return {};
    },

    sendTraces(request) {
      options.receiveSpans(request.resourceSpans);
      return {};
    },

    async getCloudMetadata() {
      const membership = await options.membership();
      if (membership === undefined) throw notJoined('GetCloudMetadata');
      const { organizationId, locationId, machineId, partId } = membership;
      return { primaryOrgId: organizationId, locationId, machineId, machinePartId: partId };
    },

    getModelsFromModules: (_request, call) => ({
      models: options.modules().flatMap(({ name, models, isFromRegistry }) =>
        models.map(({ api, model }) => ({
          moduleName: name,
          model: tripletIn(model, call.dialect),
          api: tripletIn(api, call.dialect),
          fromLocalModule: !isFromRegistry,
        })),
      ),
    }),

    async restartModule({ moduleId, moduleName }) {
      const nameOrId = moduleName === '' ? moduleId : moduleName;
      if (nameOrId === '') {
        throw new ArmatureError(
          'call.bad_argument',
          'RestartModule names no module. Some clients drop an id that comes with an empty name: give the name of the module as configured.',
        );
      }
      await options.restartModule(nameOrId);
      return {};
    },

    shutdown() {
      options.shutDown();
      return {};
    },

    listTunnels: () => ({
      tunnels: (options.network()?.tunnels ?? []).map(({ port, connectionTimeoutMs }) => ({
        port,
        connectionTimeout: durationOf(connectionTimeoutMs),
      })),
    }),

    tunnel: (requests, call) => openTunnel(requests, call, options.network()?.tunnels ?? []),

    ...frameHandlers(function* () {
      for (const { api, name } of options.statuses()) if (parseTriplet(api)?.family === 'component') yield name;
    }),
  };
}
