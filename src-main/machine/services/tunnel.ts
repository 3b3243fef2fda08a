import net from 'node:net';
import { once } from 'node:events';
import { onAbort } from '../../base/async/abort.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { TunnelRequest, TunnelResponse } from '../../../proto/gen/core/robot/v1/robot.ts';

/** Ports of this computer that the configuration opens (`network.traffic_tunnel_endpoints`). */
export interface TunnelEndpoint {
  readonly port: number;
  readonly connectionTimeoutMs: number;
}

/** Largest chunk sent at once. */
const CHUNK_BYTES = 32 * 1024;

function portsOf(endpoints: readonly TunnelEndpoint[]): string {
  return endpoints.length === 0 ? 'none are' : endpoints.map(({ port }) => port).join(', ');
}

async function connect(endpoint: TunnelEndpoint, signal: AbortSignal): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: endpoint.port });
  const timeout = AbortSignal.timeout(endpoint.connectionTimeoutMs);
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, timeout]) });
    return socket;
  } catch (cause) {
    socket.destroy();
    const why = timeout.aborted ? `no answer within ${endpoint.connectionTimeoutMs} ms` : String(cause);
    throw new ArmatureError('hardware.unavailable', `Nothing could be reached on port ${endpoint.port}: ${why}.`, {
      cause,
    });
  }
}

async function feed(socket: net.Socket, requests: AsyncIterator<TunnelRequest>, first: Uint8Array): Promise<void> {
  if (first.length > 0) socket.write(first);
  for (;;) {
    const next = await requests.next();
    if (next.done === true) break;
    if (!socket.write(next.value.data)) await once(socket, 'drain');
  }
  socket.end();
}

/** RobotService/Tunnel: bytes to and from a local port that the configuration lists. */
export async function* openTunnel(
  requests: AsyncIterable<TunnelRequest>,
  call: ServerCall,
  endpoints: readonly TunnelEndpoint[],
): AsyncGenerator<TunnelResponse> {
  const incoming = requests[Symbol.asyncIterator]();
  const first = await incoming.next();
  if (first.done === true) return;
  const port = first.value.destinationPort;
  const endpoint = endpoints.find((candidate) => candidate.port === port);
  if (endpoint === undefined) {
    throw new ArmatureError(
      'access.denied',
      `Port ${port} is not open for tunnels; ${portsOf(endpoints)} (network.traffic_tunnel_endpoints).`,
    );
  }
  const socket = await connect(endpoint, call.signal);
  const destroy = (): void => void socket.destroy();
  const forgetAbort = onAbort(call.signal, destroy);
  // The reader below sees the end of the socket; a failed sender must end it too.
  feed(socket, incoming, first.value.data).catch(destroy);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += CHUNK_BYTES) yield { data: chunk.subarray(at, at + CHUNK_BYTES) };
    }
  } finally {
    forgetAbort();
    socket.destroy();
  }
}
