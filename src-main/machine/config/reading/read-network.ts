import { networkSchema, sessionsSchema, tunnelSchema } from '../../../../proto/config/schema/document-schema.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import type { NetworkConfig } from '../machine-config.ts';
import { ObjectReader } from './object-reader.ts';
import { readDuration, type ParseContext } from './parse-context.ts';
import type { ProblemSink } from '../problem-list.ts';
import { readNetworkCheck } from './read-network-check.ts';

/** Default listening address. */
export const defaultNetwork: NetworkConfig = {
  fqdn: '',
  bindAddress: 'localhost:8080',
  tlsCertFile: '',
  tlsKeyFile: '',
  noTls: false,
  heartbeatWindowMs: 2_000,
  stopOnDisconnect: true,
  allowedOrigins: [],
  tunnels: [],
  check: undefined,
};

const HEARTBEAT_MIN_MS = 30;
const HEARTBEAT_MAX_MS = 60_000;
const TUNNEL_TIMEOUT_MS = 10_000;

/** Reads `network`. Errors go to `sink`; if there are any, the caller ignores the result. */
export function readNetwork(node: JsonNode, pointer: string, sink: ProblemSink, context: ParseContext): NetworkConfig {
  const reader = new ObjectReader(node, pointer, 'network', networkSchema, sink, context.unsupported);
  const bindAddress = reader.text('bind_address') || defaultNetwork.bindAddress;
  if (!isBindAddress(bindAddress)) {
    reader.report(
      'bind_address',
      'error',
      'network.bad_address',
      `"${bindAddress.slice(0, 80)}" is not an address to listen on; write host:port with a port from 0 to 65535, for example localhost:8080.`,
      { allowed: ['host:port', '[address]:port', ':port'] },
    );
  }
  const tlsCertFile = reader.text('tls_cert_file') ?? '';
  const tlsKeyFile = reader.text('tls_key_file') ?? '';
  if ((tlsCertFile === '') !== (tlsKeyFile === '')) {
    const [given, missing] = tlsKeyFile === '' ? ['tls_cert_file', 'tls_key_file'] : ['tls_key_file', 'tls_cert_file'];
    reader.report(given, 'error', 'network.half_tls', `"${given}" needs "${missing}" beside it.`);
  }
  const sessionsNode = reader.object('sessions');
  return {
    fqdn: reader.text('fqdn') ?? '',
    bindAddress,
    tlsCertFile,
    tlsKeyFile,
    noTls: reader.flag('no_tls') ?? false,
    ...readSessions(sessionsNode, reader.pointerOf('sessions'), sink, context),
    allowedOrigins: readOrigins(reader, sink),
    tunnels: (reader.list('traffic_tunnel_endpoints') ?? []).flatMap((item, index) =>
      readTunnel(item, joinPointer(reader.pointerOf('traffic_tunnel_endpoints'), index), sink, context),
    ),
    check: readNetworkCheck(reader.object('check', 'warning'), reader.pointerOf('check'), context),
  };
}

function readSessions(
  node: JsonNode | undefined,
  pointer: string,
  sink: ProblemSink,
  context: ParseContext,
): Pick<NetworkConfig, 'heartbeatWindowMs' | 'stopOnDisconnect'> {
  const { heartbeatWindowMs, stopOnDisconnect } = defaultNetwork;
  if (node === undefined) return { heartbeatWindowMs, stopOnDisconnect };
  const reader = new ObjectReader(node, pointer, 'network.sessions', sessionsSchema, sink, context.unsupported);
  const windowMs = readDuration(reader, 'heartbeat_window') ?? heartbeatWindowMs;
  if (windowMs < HEARTBEAT_MIN_MS || windowMs > HEARTBEAT_MAX_MS) {
    reader.report(
      'heartbeat_window',
      'error',
      'network.out_of_range',
      `"heartbeat_window" is ${windowMs} ms; it must be from 30ms to 1m.`,
      { allowed: ['30ms to 1m'] },
    );
  }
  return { heartbeatWindowMs: windowMs, stopOnDisconnect: reader.flag('stop_on_disconnect') ?? stopOnDisconnect };
}

function readTunnel(
  node: JsonNode,
  pointer: string,
  sink: ProblemSink,
  context: ParseContext,
): NetworkConfig['tunnels'] {
  const label = 'network.traffic_tunnel_endpoints';
  const port = node.properties?.get('port')?.value;
  if (node.properties === undefined) {
    sink.report({
      pointer,
      severity: 'error',
      code: 'config.wrong_type',
      message: `${label}: an entry is an object in { } with a port.`,
      found: node.value,
    });
    return [];
  }
  const reader = new ObjectReader(node, pointer, label, tunnelSchema, sink, context.unsupported);
  const connectionTimeoutMs = readDuration(reader, 'connection_timeout') ?? TUNNEL_TIMEOUT_MS;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) {
    reader.report('port', 'error', 'network.out_of_range', '"port" takes a whole number from 1 to 65535.', {
      allowed: ['1 to 65535'],
    });
    return [];
  }
  return [{ port, connectionTimeoutMs }];
}

function readOrigins(reader: ObjectReader, sink: ProblemSink): readonly string[] {
  const origins = reader.texts('allowed_origins') ?? [];
  origins.forEach((origin, index) => {
    if (isOrigin(origin)) return;
    sink.report({
      pointer: joinPointer(reader.pointerOf('allowed_origins'), index),
      severity: 'error',
      code: 'network.bad_origin',
      message: `network: "${origin.slice(0, 80)}" is not an origin; write scheme and host, for example https://bench.example.`,
      found: origin,
    });
  });
  return origins;
}

/** Exactly scheme, host and port, so that a wildcard or a path is never misread as allowing more. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

function isBindAddress(text: string): boolean {
  const match = /^(?:\[([0-9a-fA-F:.%\w]*)\]|([^:\s[\]/]*)):(\d{1,5})$/.exec(text);
  return match !== null && Number(match[3]) <= 65_535;
}
