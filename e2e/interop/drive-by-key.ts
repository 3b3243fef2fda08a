/**
 * The public TypeScript SDK as a client in Node: drives a motor over TLS with an API key, and prints the results as
 * JSON. It dials directly only if the address contains "local", so the computer's name is used, not its number.
 *
 *   node drive-by-key.ts NAME:PORT all KEY_ID KEY ADDRESS_OF_NAME
 */
import dns from 'node:dns';
import * as sdk from '@viamrobotics/sdk';
import { useGrpcTransport } from './sdk-transport.ts';

const [target = '', , authEntity = '', payload = '', address = ''] = process.argv.slice(2);
// Resolves the name as multicast DNS would on a network that has it.
const lookup = (_: string, options: { all?: boolean }, done: (...answer: unknown[]) => void): void =>
  options.all === true ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
Object.assign(dns, { lookup });
useGrpcTransport();
const robot = new sdk.RobotClient();
await robot.dial({
  host: `https://${target}`,
  credentials: { type: 'api-key', authEntity, payload },
  noReconnect: true,
  disableSessions: true,
});
const motor = new sdk.MotorClient(robot, 'turntable');
await motor.setPower(0.4);
const powered = await motor.isPowered();
await motor.stop();
process.stdout.write(JSON.stringify({ powered }));
await robot.disconnect();
process.exit(0);
