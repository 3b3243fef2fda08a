import type { Action } from './permissions.ts';

/**
 * What a call of a method needs: the right to do something with the machine; nothing (`anyone`); or what the hub's own
 * handler asks for, once it has read what the call is about (`hub`).
 */
export type MethodRule = Action | 'anyone' | 'hub';

const operate = 'machine.operate';

/** Services with one rule for all of their methods. */
const services: Readonly<Record<string, MethodRule>> = {
  'core.app.v1.AppService': 'hub',
  'core.app.v1.RobotService': 'hub',
  'core.hub.v1.HubService': 'hub',
  'core.hub.v1.PartService': 'hub',
  'core.hub.v1.PresenceService': 'hub',
  'core.hub.v1.RegistryService': 'hub',
  'proto.rpc.v1.AuthService': 'anyone',
  'grpc.health.v1.Health': 'anyone',
  'grpc.reflection.v1.ServerReflection': 'anyone',
  'grpc.reflection.v1alpha.ServerReflection': 'anyone',
};

/** Methods of services of a machine that are not about one resource. What is not here, whoever administers it may call. */
const methods: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  'core.config.v1.ConfigService': {
    Get: 'config.read',
    Watch: 'config.read',
    Validate: 'config.read',
    Plan: 'config.read',
    Apply: 'config.write',
    Restore: 'config.write',
    EndTrial: 'config.write',
    ApplyNow: 'maintenance.override',
    History: 'history.read',
    GetVersion: 'history.read',
    Annotate: 'history.annotate',
  },
  'core.log.v1.LogService': { Query: 'logs.read', Tail: 'logs.read' },
  'core.status.v1.StatusService': { Watch: operate },
  'core.watch.v1.WatchService': { Watch: operate },
  'core.hardware.v1.HardwareService': { Discover: operate },
  'core.robot.v1.RobotService': {
    GetOperations: operate,
    GetSessions: operate,
    ResourceNames: operate,
    ResourceRPCSubtypes: operate,
    CancelOperation: operate,
    BlockForOperation: operate,
    GetModelsFromModules: operate,
    GetStatus: operate,
    StreamStatus: operate,
    StopAll: operate,
    StartSession: operate,
    SendSessionHeartbeat: operate,
    Log: operate,
    GetCloudMetadata: operate,
    /** As AppService/MarkPartForRestart: what starts is what the configuration says. */
    RestartModule: operate,
    Shutdown: operate,
    GetMachineStatus: operate,
    GetVersion: operate,
    /** To those ports alone that the configuration opens. */
    Tunnel: operate,
    ListTunnels: operate,
    FrameSystemConfig: operate,
    GetPose: operate,
    TransformPose: operate,
    TransformPCD: operate,
    SendTraces: operate,
    /** Names a file of the computer. */
    UploadDataFromPath: 'machine.administer',
  },
  'core.service.shell.v1.ShellService': { DoCommand: operate, GetStatus: operate },
};

/** Of ours, those whose services are APIs of resources. */
const RESOURCE_API = /^core\.(component|service)\./;
const OURS = /^(core|proto|grpc)\./;

/**
 * What a call needs, whether it comes to the machine's own port or through its hub. Every other service that is not
 * ours is the API of a resource that a module brings: to use it is to operate the machine.
 * @param service full name in our spelling: `core.config.v1.ConfigService`
 */
export function methodRule(service: string, method: string): MethodRule {
  const ofService = services[service];
  if (ofService !== undefined) return ofService;
  const known = methods[service];
  if (known !== undefined) return known[method] ?? 'machine.administer';
  return RESOURCE_API.test(service) || !OURS.test(service) ? operate : 'machine.administer';
}

/** Whether the rule of a method was decided on, and is not the one for whatever nobody has thought of. */
export function hasOwnRule(service: string, method: string): boolean {
  if (services[service] !== undefined) return true;
  const known = methods[service];
  return known === undefined ? RESOURCE_API.test(service) || !OURS.test(service) : known[method] !== undefined;
}
