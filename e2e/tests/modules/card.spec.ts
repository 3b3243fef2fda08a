import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { expect, test } from '../../fixtures/modules-test.ts';
import { GrpcClient } from '../../harness/grpc-client.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { checkLook } from '../../page-objects/look.ts';
import { ModuleCard } from '../../page-objects/module-card.ts';
import { Shell } from '../../page-objects/shell.ts';

test(
  'a module that is killed says why, and it and what lives in it return by themselves',
  { tag: '@smoke' },
  async ({ page, machine }) => {
    const configure = new ConfigurePage(page);
    const card = new ModuleCard(page);
    await configure.open('acme_test');
    await expect(card.card).toContainText('Ready');
    const pid = Number(await card.fact('Process').innerText());
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, 'SIGKILL');
    await expect(card.fact('Unexpected exits')).toHaveText('once');
    await expect(card.card).toContainText('Ready', { timeout: 20_000 });
    await expect(card.fact('Last exit')).toContainText('SIGKILL');
    await expect(card.fact('Process')).not.toHaveText(String(pid));
    await expect(configure.beside.getByRole('listitem').filter({ hasText: 'hoist' })).toContainText('ready');
    expect(machine.process.exitCode).toBeNull();
  },
);

test.describe('a module that does not start', () => {
  test.use({ startsBroken: true });

  test('it says so everywhere with the reason and the next try, and is started at once when it is mended', async ({
    page,
    module,
  }) => {
    const configure = new ConfigurePage(page);
    const card = new ModuleCard(page);
    await expect(configure.resource('acme_test')).toContainText('no such port: /dev/ttyUSB9');
    await configure.open('hoist');
    await expect(configure.condition).toContainText('acme_test');
    await configure.open('acme_test');
    await expect(card.card).toContainText(/Failed · .* · next try in \d+ s/);
    await expect(card.card).toContainText('exit code 3');
    await new Shell(page).open('Overview');
    await expect(page.getByRole('region', { name: 'Modules' })).toContainText('no such port: /dev/ttyUSB9');
    await new Shell(page).open('Configure');
    await configure.open('acme_test');
    await module.mend();
    await card.restart.focus();
    await page.keyboard.press('Enter');
    await expect(card.card).toContainText('Ready', { timeout: 20_000 });
    await expect(configure.resource('hoist')).toContainText('ready');
  });
});

test('a restart asks where something moves, and only there', async ({ page, machine }) => {
  test.slow();
  const configure = new ConfigurePage(page);
  const card = new ModuleCard(page);
  await configure.open('acme_test');
  await expect(card.card).toContainText('While it restarts, hoist and probe stop.');
  const pid = await card.fact('Process').innerText();
  await card.restart.click();
  await expect(card.fact('Process')).not.toHaveText(pid);
  await expect(card.card).toContainText('Ready', { timeout: 20_000 });
  await expect(card.question).toBeHidden();

  const again = await card.fact('Process').innerText();
  // Somebody else moves it: what this page moved would stop when Control is left.
  const other = new GrpcClient(machine);
  await other.call(MotorServiceDefinition, 'setPower', { name: 'hoist', powerPct: 0.4, extra: undefined });
  await card.restart.click();
  await expect(card.question).toContainText('hoist is moving and will stop.');
  await checkLook(page, 'module-restart');
  await page.keyboard.press('Escape');
  await expect(card.question).toBeHidden();
  await expect(card.fact('Process')).toHaveText(again);
  await card.restart.click();
  await card.question.getByRole('button', { name: 'Stop and restart' }).click();
  await expect(card.fact('Process')).not.toHaveText(again);
  await expect(card.card).toContainText('Ready', { timeout: 20_000 });
  other.close();
});

test('the log of a module is one link away', async ({ page }) => {
  const configure = new ConfigurePage(page);
  await configure.open('acme_test');
  await new ModuleCard(page).card.getByRole('link', { name: 'Module log' }).click();
  await expect(page).toHaveURL(/#\/logs\?logger=acme_test/);
  await expect(page.getByText('built probe').first()).toBeVisible();
});
