/**
 * A page without a browser, to be killed: opens the message channel, turns the
 * motor `left` without a session, prints `driving` and stays.
 *
 *   node channel-client.ts URL TOKEN
 */
import { WebSocket } from 'ws';
import { SetPowerRequest } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { Request, Response } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';

const [url = '', token = ''] = process.argv.slice(2);
const socket = new WebSocket(`${url.replace('http', 'ws')}/channel`, ['armature.v1', `armature.token.${token}`]);
const stream = { id: 1n };
const data = SetPowerRequest.encode({ name: 'left', powerPct: 0.4 }).finish();

socket.on('open', () => {
  const method = '/core.component.motor.v1.MotorService/SetPower';
  const headers = { method, metadata: undefined, timeout: undefined };
  const message = { hasMessage: true, packetMessage: { data, eom: true }, eos: true };
  socket.send(Request.encode({ stream, type: { $case: 'headers', value: headers } }).finish());
  socket.send(Request.encode({ stream, type: { $case: 'message', value: message } }).finish());
});
socket.on('message', (bytes: Buffer) => {
  const { type } = Response.decode(bytes);
  if (type?.$case !== 'trailers') return;
  const { code = 0, message = '' } = type.value.status ?? {};
  process.stdout.write(code === 0 ? 'driving\n' : `${message}\n`);
});
