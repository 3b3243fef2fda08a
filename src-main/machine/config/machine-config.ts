import type { JsonObject } from '../../apis/resource.ts';
import type { LogLevel } from '../../base/logger.ts';
import type { HostAndPort, ServerAddress } from '../../base/server-address.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { JobConfig } from '../jobs/job-config.ts';
import type { LogPattern } from '../logging/log-settings.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';

export interface ModuleConfig {
  readonly name: string;
  readonly type: 'local' | 'registry';
  readonly moduleId: string;
  readonly version: string;
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logLevel: LogLevel | undefined;
  readonly isDisabled: boolean;
  readonly notes: string;
  /** The entry as written, placeholders replaced. */
  readonly raw: JsonObject;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

/** An entry of `packages`: files that the machine downloads. */
export interface PackageConfig {
  /** As placeholders name it. */
  readonly name: string;
  /** `organization id/name`. */
  readonly package: string;
  readonly type: string;
  /** Exact, or a channel. */
  readonly version: string;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

/** An entry of `remotes`: another machine, whose resources are here too. */
export interface RemoteConfig {
  readonly name: string;
  readonly address: ServerAddress;
  /** Prefix of the names of its resources. */
  readonly prefix: string;
  /** Credentials of this machine; undefined for a machine that asks for none. */
  readonly credentials: { readonly type: string; readonly entity: string; readonly payload: string } | undefined;
  /** How often its resources are listed again. */
  readonly checkMs: number;
  /** Delay before a retry after a failure. */
  readonly reconnectMs: number;
  readonly isDisabled: boolean;
  readonly pointer: string;
  readonly problems: readonly Problem[];
}

export interface ApiKey {
  readonly id: string;
  readonly key: string;
}

export interface NetworkConfig {
  readonly fqdn: string;
  /** `host:port`; port 0 takes a free one. Default `localhost:8080`. */
  readonly bindAddress: string;
  readonly tlsCertFile: string;
  readonly tlsKeyFile: string;
  readonly noTls: boolean;
  readonly heartbeatWindowMs: number;
  readonly stopOnDisconnect: boolean;
  readonly allowedOrigins: readonly string[];
  readonly tunnels: readonly { readonly port: number; readonly connectionTimeoutMs: number }[];
  /** Undefined if the document names no targets. */
  readonly check: NetworkCheckTargets | undefined;
}

/** Targets of `-network-check` besides the hub and the remotes; invalid ones are left out. */
export interface NetworkCheckTargets {
  /** `host` is an IP address. */
  readonly dnsServers: readonly HostAndPort[];
  readonly hosts: readonly string[];
  readonly addresses: readonly ServerAddress[];
  readonly stunServers: readonly HostAndPort[];
  readonly stunTcpServers: readonly HostAndPort[];
}

/** Where spans are sent; nowhere if none of the three is given. */
export interface TracingConfig {
  readonly console: boolean;
  readonly disk: boolean;
  readonly otlp: OtlpEndpoint | undefined;
}

/** An OpenTelemetry collector (OTLP 1.x). */
export type OtlpEndpoint =
  | { readonly protocol: 'grpc'; readonly address: ServerAddress }
  /** Spans are posted to exactly this URL. */
  | { readonly protocol: 'http'; readonly url: string };

export interface AuthConfig {
  /** True if the document has an `auth` block with handlers: then every caller needs a key. */
  readonly isEnabled: boolean;
  readonly apiKeys: readonly ApiKey[];
}

/**
 * A whole machine, from one document. Invalid entries are included, with their problems. Not included, and only among
 * the problems of the document: an entry without a usable name or API, and the second of two with one name.
 */
export interface MachineConfig {
  /** In the order of the document, components first; `fullName` is unique. */
  readonly resources: readonly ResourceConfig[];
  /** `name` is unique. */
  readonly modules: readonly ModuleConfig[];
  /** `name` is unique. */
  readonly packages: readonly PackageConfig[];
  /** `name` is unique. */
  readonly remotes: readonly RemoteConfig[];
  /** `name` is unique. */
  readonly jobs: readonly JobConfig[];
  readonly network: NetworkConfig;
  readonly auth: AuthConfig;
  readonly log: readonly LogPattern[];
  readonly debug: boolean;
  readonly disableLogDeduplication: boolean;
  readonly enableWebProfile: boolean;
  readonly tracing: TracingConfig;
  readonly maintenance: { readonly sensorName: string; readonly allowedKey: string } | undefined;
  /** As written: the hub fires them, and the machine only says that they changed. */
  readonly triggers: readonly JsonValue[];
  /** The `revision` field of the document, else the revision of its text (`revisionOf`). Never part of a plan. */
  readonly revision: string;
}

/**
 * The result of parsing a text. `config` is undefined only if the text is not a JSON object or a machine-wide block is
 * wrong.
 */
export interface ParsedConfig {
  readonly text: string;
  readonly config: MachineConfig | undefined;
  /** All problems, including those of entries, by line and column. */
  readonly problems: readonly Problem[];
}
