/**
 * Acts as a page without a browser, to be killed: opens the message channel, turns the motor `left` and sets pin 8
 * without a session, or stops all. Prints `done` and keeps running.
 *
 *   node channel-client.ts URL TOKEN drive|stopAll
 */
import { WebSocket } from 'ws';
import { SetGPIORequest } from '../../proto/gen/core/component/board/v1/board.ts';
import { SetPowerRequest } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { StopAllRequest } from '../../proto/gen/core/robot/v1/robot.ts';
import { Request, Response } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';

const [url = '', token = '', command] = process.argv.slice(2);
const socket = new WebSocket(`${url.replace('http', 'ws')}/channel`, ['armature.v1', `armature.token.${token}`]);
const calls: [method: string, data: Uint8Array][] =
  command === 'stopAll'
    ? [['/core.robot.v1.RobotService/StopAll', StopAllRequest.encode({ extra: [] }).finish()]]
    : [
        [
          '/core.component.board.v1.BoardService/SetGPIO',
          SetGPIORequest.encode({ name: 'bench', pin: '8', high: true }).finish(),
        ],
        [
          '/core.component.motor.v1.MotorService/SetPower',
          SetPowerRequest.encode({ name: 'left', powerPct: 0.4 }).finish(),
        ],
      ];
let ended = 0;

socket.on('open', () => {
  calls.forEach(([method, data], index) => {
    const stream = { id: BigInt(index + 1) };
    const headers = { method, metadata: undefined, timeout: undefined };
    const message = { hasMessage: true, packetMessage: { data, eom: true }, eos: true };
    socket.send(Request.encode({ stream, type: { $case: 'headers', value: headers } }).finish());
    socket.send(Request.encode({ stream, type: { $case: 'message', value: message } }).finish());
  });
});
socket.on('message', (bytes: Buffer) => {
  const { type } = Response.decode(bytes);
  if (type?.$case !== 'trailers') return;
  const { code = 0, message = '' } = type.value.status ?? {};
  if (code !== 0) process.stdout.write(`${message}\n`);
  else if (++ended === calls.length) process.stdout.write('done\n');
});
