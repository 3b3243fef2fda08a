import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerText } from '../rpc/port/http-routes.ts';
import { isLoopbackAddress } from '../rpc/tracked-connection.ts';
import type { RestartGate } from '../machine/apply/restart-gate.ts';

export const RESTART_STATUS_PATH = '/restart_status';

/**
 * Answers whether this program may be restarted, for a supervisor on this computer
 * that updates it. Others must not learn when a machine is unattended.
 */
export async function answerRestartStatus(
  restarts: RestartGate,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLoopbackAddress(request.socket.remoteAddress ?? '')) {
    answerText(request, response, 403, 'Only programs on this computer may ask this.\n');
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    answerText(request, response, 405, 'Ask this by GET.\n');
    return;
  }
  const permission = await restarts.permission();
  const status = {
    restart_allowed: permission.isAllowed,
    // The caller also handles restarts that the hub requests through the public ecosystem's RobotService.
    does_not_handle_needs_restart: true,
    // No server for modules is open on TCP.
    module_server_tcp_addr: '',
    ...(permission.isAllowed ? {} : { waiting_for: permission.reason }),
  };
  const text = `${JSON.stringify(status)}\n`;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
