/**
 * How long each streaming method may take whose caller sets no deadline, by canonical path. `lasting` has no end of its
 * own: it ends with its caller, its connection or its handler. `bounded` has the default deadline of a unary call. Each
 * streaming method of our files is listed: a new one needs a decision.
 */
export const streamDurations: Readonly<Record<string, 'lasting' | 'bounded'>> = {
  // What happens, as it happens.
  '/core.component.board.v1.BoardService/StreamTicks': 'lasting',
  '/core.component.inputcontroller.v1.InputControllerService/StreamEvents': 'lasting',
  '/core.robot.v1.RobotService/StreamStatus': 'lasting',
  '/core.status.v1.StatusService/Watch': 'lasting',
  '/core.watch.v1.WatchService/Watch': 'lasting',
  '/core.config.v1.ConfigService/Watch': 'lasting',
  '/core.log.v1.LogService/Tail': 'lasting',
  '/core.app.v1.AppService/TailRobotPartLogs': 'lasting',
  '/core.hub.v1.PresenceService/Watch': 'lasting',
  '/core.hub.v1.RegistryService/WatchChanges': 'lasting',
  '/core.hub.v1.RegistryService/WatchResolutions': 'lasting',
  '/grpc.health.v1.Health/Watch': 'lasting',
  // Conversations that last while both sides want them to.
  '/core.hub.v1.PartService/Connect': 'lasting',
  '/core.robot.v1.RobotService/Tunnel': 'lasting',
  '/core.service.shell.v1.ShellService/Shell': 'lasting',
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo': 'lasting',
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': 'lasting',
  '/proto.rpc.webrtc.v1.SignalingService/Answer': 'lasting',
  // As long as the files or the path are.
  '/core.app.v1.AppService/UploadModuleFile': 'lasting',
  '/core.hub.v1.RegistryService/Download': 'lasting',
  '/core.service.shell.v1.ShellService/CopyFilesFromMachine': 'lasting',
  '/core.service.shell.v1.ShellService/CopyFilesToMachine': 'lasting',
  '/core.component.arm.v1.ArmService/MoveThroughJointPositionsStreamed': 'lasting',
  // Ends with the answer to one offer.
  '/proto.rpc.webrtc.v1.SignalingService/Call': 'bounded',
};
