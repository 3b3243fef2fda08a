/**
 * A client in a separate process, to be killed: starts a motion on the bench and keeps running. Prints one line when
 * the motor turns.
 *
 *   node drive-and-wait.ts URL goFor|setPower|session
 */
import * as sdk from '@viamrobotics/sdk';
import { useGrpcTransport } from './sdk-transport.ts';

const [url = '', mode = 'setPower'] = process.argv.slice(2);
useGrpcTransport();
const robot = new sdk.RobotClient();
await robot.dial({ host: url, noReconnect: true, disableSessions: true });
const motor = new sdk.MotorClient(robot, 'turntable');

if (mode === 'goFor') {
  motor.goFor(60, 1_000).catch(() => undefined);
} else if (mode === 'setPower') {
  await motor.setPower(0.4);
} else {
  // This version of the SDK starts no session by itself: started explicitly, as its server expects.
  const { id } = await robot.robotService.startSession({ resume: '' });
  const headers = { 'viam-sid': id };
  await motor.setPower(0.4, {}, { headers });
  setInterval(() => void robot.robotService.sendSessionHeartbeat({ id }), 400);
}
while (!(await motor.isMoving())) await new Promise(setImmediate);
process.stdout.write('moving\n');
setInterval(() => undefined, 60_000);
