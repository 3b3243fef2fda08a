import { onTestFinished, expect, it } from 'vitest';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer } from '../harness/server-process.ts';

/** A board with a motor of 0.1 s and its encoder, simulated in the program itself. */
const config = JSON.stringify({
  network: { bind_address: 'localhost:0' },
  components: [
    {
      name: 'bench',
      api: 'core:component:board',
      model: 'fake',
      attributes: {
        digital_interrupts: [
          { name: 'enc_a', pin: '16' },
          { name: 'enc_b', pin: '18' },
        ],
        simulated_motors: [
          {
            pins: { a: '11', b: '13', pwm: '15' },
            encoder_pins: { a: '16', b: '18' },
            ticks_per_rotation: 600,
            max_rpm: 120,
          },
        ],
      },
    },
    {
      name: 'encoder',
      api: 'core:component:encoder',
      model: 'incremental',
      attributes: { board: 'bench', pins: { a: 'enc_a', b: 'enc_b' } },
    },
    {
      name: 'wheel',
      api: 'core:component:motor',
      model: 'gpio',
      attributes: {
        board: 'bench',
        pins: { a: '11', b: '13', pwm: '15' },
        encoder: 'encoder',
        ticks_per_rotation: 600,
      },
    },
  ],
});

it('a program that a busy computer holds up for 40 of every 80 ms moves its motor to its goal', async () => {
  const server = await startServer({ config });
  const client = new MachineClient(server.url, {}, { callLimitMs: 60_000 });
  let isStopped = false;
  const holdUp = setInterval(() => {
    isStopped = !isStopped;
    server.process.kill(isStopped ? 'SIGSTOP' : 'SIGCONT');
  }, 40);
  onTestFinished(async () => {
    clearInterval(holdUp);
    server.process.kill('SIGCONT');
    client.close();
    await server.stop();
  });
  let goal = 0;
  for (const way of [2, -2, 1, -1, 0.5, -0.5]) {
    goal += way;
    await client.goFor('wheel', 60, way);
    expect(Math.abs((await client.position('wheel')) - goal)).toBeLessThan(0.1);
  }
}, 120_000);
