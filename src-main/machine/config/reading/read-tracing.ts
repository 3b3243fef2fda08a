import { tracingSchema } from '../../../../proto/config/schema/document-schema.ts';
import { parseServerAddress } from '../../../base/server-address.ts';
import { isLoopbackHost } from '../../../rpc/tracked-connection.ts';
import type { OtlpEndpoint, TracingConfig } from '../machine-config.ts';
import { ObjectReader } from './object-reader.ts';
import type { ProblemSink } from '../problem-list.ts';
import type { ParseContext } from './parse-context.ts';

export const noTracing: TracingConfig = { console: false, disk: false, otlp: undefined };

const OTLP_GRPC_PORT = 4_317;
const FORMS = 'HOST:PORT, https://HOST:PORT or http://HOST:PORT/v1/traces';

/** Reads `tracing` of a document. Problems are warnings: monitoring must never keep a machine from running. */
export function readTracing(document: ObjectReader, { problems, unsupported }: ParseContext): TracingConfig {
  const node = document.object('tracing', 'warning');
  if (node === undefined) return noTracing;
  const reader = new ObjectReader(node, document.pointerOf('tracing'), 'tracing', tracingSchema, problems, unsupported);
  const sinks: TracingConfig = {
    console: reader.flag('console', 'warning') ?? false,
    disk: reader.flag('disk', 'warning') ?? false,
    otlp: readEndpoint(reader, problems),
  };
  if (reader.flag('enabled', 'warning') !== true) return noTracing;
  if (!sinks.console && !sinks.disk && sinks.otlp === undefined) {
    const message = 'it is enabled, and its spans would go nowhere: set "console", "disk" or "otlpendpoint" too.';
    reader.report('enabled', 'warning', 'tracing.no_sink', message);
  }
  return sinks;
}

function readEndpoint(reader: ObjectReader, problems: ProblemSink): OtlpEndpoint | undefined {
  const text = reader.text('otlpendpoint', 'warning') ?? '';
  if (text === '') return undefined;
  const endpoint = parseOtlpEndpoint(text);
  if (endpoint === undefined) {
    // Never shows the value: it may contain a password.
    problems.report({
      pointer: reader.pointerOf('otlpendpoint'),
      severity: 'warning',
      code: 'tracing.bad_endpoint',
      message: `tracing: "otlpendpoint" is no address of a collector, and left out: write ${FORMS}, without user or password.`,
      allowed: [FORMS],
    });
  }
  return endpoint;
}

/**
 * A URL with a path is for OTLP over HTTP. Anything else is for gRPC, with TLS unless it starts with `http://` or is on
 * this computer, as in the public ecosystem.
 */
function parseOtlpEndpoint(text: string): OtlpEndpoint | undefined {
  const hasScheme = /^https?:\/\//i.test(text);
  if (text.includes('@')) return undefined;
  const address = parseServerAddress(text);
  if (address === undefined) {
    if (!hasScheme || !URL.canParse(text)) return undefined;
    return { protocol: 'http', url: new URL(text).href };
  }
  if (hasScheme) return { protocol: 'grpc', address };
  const port = /:\d+$/.test(text) ? address.port : OTLP_GRPC_PORT;
  return { protocol: 'grpc', address: { ...address, port, isEncrypted: !isLoopbackHost(address.host) } };
}
