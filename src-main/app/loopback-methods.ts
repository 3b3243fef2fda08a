import type { Method } from '../rpc/router.ts';

/** What drives and reads resources, and what tells a client what there is to call. */
const openServices: ReadonlySet<string> = new Set([
  'core.component.board.v1.BoardService',
  'core.component.encoder.v1.EncoderService',
  'core.component.generic.v1.GenericService',
  'core.component.motor.v1.MotorService',
  'core.component.sensor.v1.SensorService',
  'core.component.servo.v1.ServoService',
  'core.service.generic.v1.GenericService',
  // Repeats what only reads of those.
  'core.watch.v1.WatchService',
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'proto.rpc.v1.AuthService',
]);

/**
 * Of the public RobotService all but what shows more than the state of the machine or reaches further than it: Tunnel
 * leads into the network of this computer, UploadDataFromPath would read its files.
 */
const openRobotMethods: ReadonlySet<string> = new Set([
  ...['BlockForOperation', 'CancelOperation', 'GetOperations', 'StopAll', 'Shutdown', 'RestartModule', 'Log'],
  ...['StartSession', 'SendSessionHeartbeat', 'GetSessions'],
  ...['GetMachineStatus', 'GetStatus', 'StreamStatus', 'GetVersion', 'GetCloudMetadata'],
  ...['ResourceNames', 'ResourceRPCSubtypes', 'GetModelsFromModules', 'ListTunnels'],
  ...['FrameSystemConfig', 'GetPose', 'TransformPose', 'TransformPCD'],
]);

/** APIs of the public ecosystem that run programs as whoever serves them: a module may. */
const closedForeignServices: ReadonlySet<string> = new Set(['core.service.shell.v1.ShellService']);

/**
 * Whether any program of this computer may call it without proof, where the configuration has no `auth` block: what a
 * machine of the public ecosystem leaves open there. All that is not named is closed, for it may show secrets
 * (configurations, logs, keys) or run programs (a configuration names them).
 */
export function isOpenMethod({ service, name, requestType }: Method): boolean {
  // What a module serves for its resources, and what nobody serves: its caller is told so.
  if (requestType === undefined) return !closedForeignServices.has(service);
  return service === 'core.robot.v1.RobotService' ? openRobotMethods.has(name) : openServices.has(service);
}
