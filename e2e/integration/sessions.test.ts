import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const script = path.join(import.meta.dirname, 'driving-client.ts');
/** Short, for quick tests; long enough for a busy computer to send five heartbeats. */
const WINDOW = '500ms';

/**
 * The bench with these settings under `network.sessions`; pin "held" of its board goes to its safe level when a client
 * leaves.
 */
async function benchWith(sessions: object): Promise<string> {
  const document = JSON.parse(await readFile(benchConfig, 'utf8')) as {
    network: object;
    components: { name: string; attributes: object }[];
  };
  const pins = [{ name: 'held', pin: '7', hold: 'session' }];
  const components = document.components.map((one) =>
    one.name === 'bench' ? { ...one, attributes: { ...one.attributes, pins } } : one,
  );
  return JSON.stringify({ ...document, components, network: { ...document.network, sessions } });
}

let server: ServerProcess;
/** Observes, and drives `right` without a session. */
let bystander: MachineClient;
const children: ChildProcess[] = [];
const clients: MachineClient[] = [];

beforeEach(async () => {
  server = await startServer({ config: await benchWith({ heartbeat_window: WINDOW }) });
  bystander = connect();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const client of clients.splice(0)) client.close();
  expect(await server.stop()).toBe(0);
});

function connect(): MachineClient {
  const client = new MachineClient(server.url);
  clients.push(client);
  return client;
}

/** A client in a separate process that is already driving. */
async function drive(motor: string, command: string, session = ''): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, server.url, motor, command, session], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

/** A page without a browser that has carried out its command. */
async function openPage(command: 'drive' | 'stopAll'): Promise<ChildProcess> {
  const client = path.join(import.meta.dirname, 'channel-client.ts');
  const page = spawn(process.execPath, [client, server.url, server.token, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(page);
  expect(String((await once(page.stdout, 'data'))[0])).toBe('done\n');
  return page;
}

async function stands(motor: string): Promise<void> {
  await until(`${motor} stands`, async () => !(await bystander.isMoving(motor)), 10_000);
}

describe('a client that goes away', () => {
  it.each([
    ['setPower', 'no session'],
    ['goFor', 'no session'],
    ['setPower', 'session'],
    ['goFor', 'session'],
  ])('in the middle of %s with %s leaves its motor standing and every other one turning', async (command, session) => {
    await bystander.setPower('right', 0.3);
    const child = await drive('turntable', command, session);
    expect(await bystander.isMoving('turntable')).toBe(true);
    child.kill('SIGKILL');
    await stands('turntable');
    expect(await bystander.power('right')).toBe(0.3);
  });

  it.each(['no session', 'session'])(
    'with %s leaves a relay as it was set, and low what is held or belongs to a motor',
    async (session) => {
      const ofMotor = '15'; // PWM of the motor "turntable"
      const child = await drive(`7 8 ${ofMotor}`, 'pins', session);
      for (const pin of ['7', '8', ofMotor]) expect(await bystander.gpio(pin)).toBe(true);
      child.kill('SIGKILL');
      await until('the held pin is low', async () => !(await bystander.gpio('7')), 10_000);
      await until("the motor's pin is low", async () => !(await bystander.gpio(ofMotor)), 10_000);
      expect(await bystander.gpio('8')).toBe(true);
    },
  );

  it('over gRPC with a session stops in milliseconds, not after its window', async () => {
    await server.writeConfig(await benchWith({ heartbeat_window: '1m' }));
    await until('the window is in force', async () => (await connect().startSession()).windowMs === 60_000, 10_000);
    const child = await drive('turntable', 'setPower', 'session');
    child.kill('SIGKILL');
    await stands('turntable');
    await until('the log says why', () => /last connection of its session closed/.test(server.stderr()), 5_000);
  });

  it('leaves its motor standing and its pin low when it drove over the message channel, as a page does', async () => {
    const page = await openPage('drive');
    expect(await bystander.power('left')).toBe(0.4);
    expect(await bystander.gpio('8')).toBe(true);
    page.kill('SIGKILL');
    await stands('left');
    await until('the pin is low', async () => !(await bystander.gpio('8')), 10_000);
  });

  it('whose deadline passes in the middle of GoFor gets DeadlineExceeded and leaves its motor standing', async () => {
    const request = { name: 'turntable', rpm: 60, revolutions: 1_000 };
    const call = bystander.grpc.call(MotorServiceDefinition, 'goFor', request, { timeoutMs: 500 });
    await expect(call).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await stands('turntable');
  });

  it('keeps its motor turning where stop_on_disconnect is off', async () => {
    const text = await benchWith({ heartbeat_window: WINDOW, stop_on_disconnect: false });
    await server.writeConfig(text);
    await until('the edit is in force', () => server.stderr().match(/is in force/g)?.length === 2, 10_000);
    const child = await drive('left', 'setPower');
    const inSession = await drive('turntable', 'setPower', 'session');
    child.kill('SIGKILL');
    inSession.kill('SIGKILL');
    // Both are gone; the one with a session shows that the machine has noticed.
    await stands('turntable');
    expect(await bystander.power('left')).toBe(0.4);
    await bystander.stop('left');
  });
});

describe('a client that is frozen', () => {
  it('loses its session, and its motor stands', async () => {
    const child = await drive('turntable', 'setPower', 'session');
    expect(await bystander.isMoving('turntable')).toBe(true);
    child.kill('SIGSTOP');
    await stands('turntable');
    const why =
      /Session expired: its client sent no heartbeat[^]*Stopping core:component:motor\/turntable: session expired/;
    await until('the log says why', () => why.test(server.stderr()), 5_000);
    child.kill('SIGCONT');
  });

  it('takes down only what it moved itself: the motor of a client that beats on goes on', async () => {
    const frozen = await drive('turntable', 'setPower', 'session');
    const beating = await drive('left', 'setPower', 'session');
    await bystander.setPower('right', 0.2);
    frozen.kill('SIGSTOP');
    await stands('turntable');
    expect(await bystander.power('left')).toBe(0.4);
    expect(await bystander.power('right')).toBe(0.2);
    frozen.kill('SIGCONT');
    beating.kill('SIGKILL');
    await stands('left');
    expect(await bystander.power('right')).toBe(0.2);
  });

  it('does not take back a motor that somebody else has taken over since', async () => {
    const frozen = await drive('turntable', 'setPower', 'session');
    await bystander.setPower('turntable', 0.2);
    const other = await drive('left', 'setPower', 'session');
    frozen.kill('SIGSTOP');
    other.kill('SIGSTOP');
    await stands('left');
    await until('both sessions are over', () => server.stderr().match(/Session expired/g)?.length === 2, 5_000);
    expect(await bystander.power('turntable')).toBe(0.2);
    frozen.kill('SIGCONT');
    other.kill('SIGCONT');
  });
});

describe('sessions', () => {
  it('have the window of the configuration, and its edits hold for the next one', async () => {
    expect((await connect().startSession()).windowMs).toBe(500);
    await server.writeConfig(await benchWith({ heartbeat_window: '3s' }));
    await until('the new window is in force', async () => (await connect().startSession()).windowMs === 3_000, 10_000);
  });

  it('that are over are refused by the words clients look for, and drive nothing', async () => {
    const over = connect();
    const { id } = await over.startSession();
    await until('the silent session is over', () => server.stderr().includes(id), 10_000);
    await expect(over.heartbeat(id)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'SESSION_EXPIRED',
    });
    await expect(over.setPower('left', 0.3)).rejects.toMatchObject({ details: 'SESSION_EXPIRED' });
    expect(await bystander.power('left')).toBe(0);
  });

  it('are listed while they live', async () => {
    const client = connect();
    const { id } = await client.startSession();
    const list = async () =>
      (await bystander.grpc.call(RobotServiceDefinition, 'getSessions', {})).sessions.map((session) => session.id);
    expect(await list()).toContain(id);
    await until('it is gone', async () => !(await list()).includes(id), 10_000);
  });
});

describe('StopAll', () => {
  it('of a page makes safe what anybody drove directly; of other clients it leaves relays alone', async () => {
    const gone = connect();
    await gone.setGpio('8', true);
    gone.close();
    await connect().stopAll();
    expect(await bystander.gpio('8')).toBe(true);
    await bystander.setPwm('9', 0.5);
    await openPage('stopAll');
    expect(await bystander.gpio('8')).toBe(false);
    expect(await bystander.pwm('9')).toBe(0);
  });

  it('ends a GoFor, which is no failure for its caller, and stops every motor', async () => {
    const driver = connect();
    const going = driver.goFor('turntable', 60, 10_000).then(
      () => status.OK,
      (error: { code: status }) => error.code,
    );
    await until('the motor turns', () => bystander.isMoving('turntable'), 5_000);
    await bystander.setPower('left', 0.5);
    await connect().stopAll();
    for (const motor of ['left', 'right', 'turntable']) expect(await bystander.power(motor)).toBe(0);
    await expect(going).resolves.toBe(status.OK);
    await stands('turntable');
    await driver.setPower('turntable', 0.2);
    expect(await driver.power('turntable')).toBe(0.2);
  });
});
