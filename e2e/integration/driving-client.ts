/**
 * A client in a separate process, to be killed or frozen while it drives. Prints `driving` when its command has taken
 * effect, and keeps running.
 *
 *   node driving-client.ts URL MOTOR setPower|goFor [session]
 *   node driving-client.ts URL 'PIN PIN' pins [session]
 *   node driving-client.ts URL PIN gpio-low [session]
 */
import { MachineClient } from '../harness/machine-client.ts';

const [url = '', motor = '', command = '', session] = process.argv.slice(2);
const client = new MachineClient(url);

if (session === 'session') {
  const { id, windowMs } = await client.startSession();
  setInterval(() => void client.heartbeat(id).catch(() => undefined), windowMs / 5);
}
switch (command) {
  case 'setPower':
    await client.setPower(motor, 0.4);
    break;
  case 'goFor':
    client.goFor(motor, 60, 10_000).catch(() => undefined);
    while (!(await client.isMoving(motor))) await new Promise(setImmediate);
    break;
  case 'pins':
    for (const pin of motor.split(' ')) await client.setGpio(pin, true);
    break;
  case 'gpio-low':
    await client.setGpio(motor, false);
    break;
  default:
    throw new Error(`${command} is no command`);
}
process.stdout.write('driving\n');
setInterval(() => undefined, 60_000);
