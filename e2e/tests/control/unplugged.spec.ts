import { missingReason } from '../../../native/index.js';
import { BoardServiceDefinition } from '../../../proto/gen/core/component/board/v1/board.ts';
import { HardwareServiceDefinition } from '../../../proto/gen/core/hardware/v1/hardware.ts';
import { expect, test } from '../../fixtures/machine-test.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { LogsPage } from '../../page-objects/logs.ts';
import { Shell } from '../../page-objects/shell.ts';

const reason = missingReason();
test.skip(reason !== undefined, reason ?? '');
test.use({
  config: `{
  "network": { "bind_address": "localhost:0" },
  "components": [
    { "name": "bench", "api": "core:component:board", "model": "linux", "attributes": { "chip": "sim-0" } },
    {
      "name": "left",
      "api": "core:component:motor",
      "model": "gpio",
      "attributes": { "board": "bench", "pins": { "a": "1", "b": "2" }, "max_rpm": 100 }
    }
  ]
}
`,
  serverArgs: ['-simulate-hardware'],
});

test('a board whose chip is unplugged says so, waits quietly, takes no other chip, and goes on with its own', async ({
  page,
  machine,
}) => {
  const client = new MachineClient(machine);
  const simulate = (command: object): Promise<unknown> =>
    client.grpc.call(BoardServiceDefinition, 'doCommand', { name: 'bench', command: { simulate: command } });
  /** Lines of each chip that somebody holds, by the path of the chip. */
  const held = async (): Promise<Record<string, number>> => {
    const { gpioChips } = await client.grpc.call(HardwareServiceDefinition, 'discover', {});
    return Object.fromEntries(gpioChips.map((chip) => [chip.path, chip.lines.filter(({ isUsed }) => isUsed).length]));
  };
  const shell = new Shell(page);
  const control = new ControlPage(page);
  const bench = control.board('bench');
  const motor = await control.openWith('left');
  await bench.addPin('9');
  await bench.setPin('9', 'high');
  await expect(bench.pinValue('9')).toContainText('high');
  await motor.forward.hover();
  await page.mouse.down();
  await expect(motor.state).toHaveText('moving');

  await simulate({ unplug: '/dev/gpiochip0' });
  await expect(motor.state).toHaveText('still');
  await page.mouse.up();
  await bench.readPin('9');
  await expect(bench.card).toContainText('/dev/gpiochip0 (sim-0) was unplugged; plug it in again');
  // The other chip has lines of the same names and numbers.
  expect(await held()).toEqual({ '/dev/gpiochip1': 0 });

  await simulate({ plug: '/dev/gpiochip0' });
  await bench.readPin('9');
  await expect(bench.pinValue('9')).toContainText('low');
  await expect(motor.state).toHaveText('still');
  await motor.forward.hover();
  await page.mouse.down();
  await expect(motor.state).toHaveText('moving');
  await page.mouse.up();
  await expect(motor.state).toHaveText('still');
  const { '/dev/gpiochip0': own, '/dev/gpiochip1': other } = await held();
  expect(own).toBeGreaterThan(0);
  expect(other).toBe(0);

  // Said once that it went and once that it came, however long it was away.
  await shell.open('Logs');
  const logs = new LogsPage(page);
  await logs.textField.fill('/dev/gpiochip0');
  await expect(logs.line('is back')).toHaveCount(1);
  await expect(logs.line('was unplugged; plug it in again. What it drove is off')).toHaveCount(1);
  client.close();
});
