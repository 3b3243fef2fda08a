import type { Clock } from '../base/clock.ts';
import type { CloudSettings } from '../machine/cloud/cloud-settings.ts';
import type { ComputerHardware } from '../hardware/computer-hardware.ts';
import type { LogRegistry } from '../machine/logging/log-registry.ts';
import type { ModelCatalog } from '../machine/catalog/catalog-type.ts';

export interface StationOptions {
  readonly configPath: string;
  /** The `cloud` block of that file: then a hub has the configuration. */
  readonly cloud?: CloudSettings | undefined;
  /** Without a `cloud` block: have a hub in this program. */
  readonly runsHub: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Models that need no module. */
  readonly catalog: ModelCatalog;
  /** What those models drive; closed with the machine. */
  readonly hardware: ComputerHardware;
  readonly clock: Clock;
  readonly logs: LogRegistry;
  /** Folder of the page; undefined serves none. */
  readonly pageFolder: string | undefined;
  readonly resourceTimeoutMs: number;
  /** Time for a module to get ready, all steps together. */
  readonly moduleStartupMs: number;
  /** A module that answers nothing for this long is started again. */
  readonly moduleHangMs: number;
  /** `-untrusted-env`: no process that a configuration steers is started. */
  readonly isEnvironmentUntrusted: boolean;
  /** Calls under way for one resource (`SVC_RESOURCE_REQUESTS_LIMIT`). */
  readonly requestsLimit: number;
  readonly revealsDiffs: boolean;
  readonly allowsInsecureCreds: boolean;
  /** `-webrtc`: other machines are connected to over WebRTC where they can. */
  readonly usesWebRtc: boolean;
  /** `-output-telemetry` */
  readonly printsTelemetry: boolean;
  readonly noTls: boolean;
  /** Answer queries for the machine's name in the local network, and find others there. */
  readonly answersMulticast: boolean;
  /** `-webprofile` or `enable_web_profile`: serve the profiler below /debug. */
  readonly servesProfiler: boolean;
  /** `-ftdc`: record diagnostics all the time. */
  readonly recordsDiagnostics: boolean;
  /** Given when the program is restarted and an open page is to reconnect; else a new one each start. */
  readonly launchToken: string | undefined;
  /** A code for the window of this start, used instead of the launch token. */
  readonly windowCode: string | undefined;
  /** RobotService/Shutdown was called. */
  readonly onShutdownRequest: () => void;
}
