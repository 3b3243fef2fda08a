import { expect, test } from '@playwright/test';
import { startServer } from '../../harness/server-process.ts';
import { ConfigurePage } from '../../page-objects/configure.ts';
import { ControlPage } from '../../page-objects/control.ts';
import { Hands } from '../../page-objects/hands.ts';
import { ResourceForm } from '../../page-objects/resource-form.ts';
import { ScreenReader } from '../../page-objects/screen-reader.ts';

/** What a screen reader says on the way from an empty machine to the first turn, where the eye sees the same. */
test('by ear: each stop says what it is and what it is for, and each outcome is heard', async ({ page }) => {
  const machine = await startServer({ config: '{ "network": { "bind_address": "localhost:0" } }\n' });
  try {
    const reader = await ScreenReader.of(page);
    await page.goto(machine.pageUrl);
    const hands = await Hands.of(page);
    const configure = new ConfigurePage(page);
    const form = new ResourceForm(page);

    await expect(page.getByRole('button', { name: 'Add the first one' })).toBeFocused();
    expect(await reader.focused()).toBe(
      'button "Add the first one": Start with the board, then add what is wired to it.',
    );
    await hands.press('Enter');
    await expect(configure.addDialog.search).toBeFocused();
    expect(await reader.focused()).toBe('combobox "Find a model or a module: motor, gpio, sensor", expanded');
    await hands.type('motor');
    await hands.tabTo(page.getByRole('button', { name: 'Add one board first' }));
    expect(await reader.focused()).toBe('button "Add one board first"');
    await hands.press('Enter');
    await expect(configure.addDialog.chosen).toContainText('A board without hardware');
    await hands.press('Enter');
    await expect.poll(() => reader.heard()).toContain('Added board-1.');
    await hands.press('Enter');

    await expect(configure.maxSpeed).toBeFocused();
    expect(await reader.focused()).toMatch(/^textbox "Max speed, no load": required Estimated speed at full power/);
    await expect.poll(() => reader.heard()).toContain('2 values still needed');
    await hands.type('120');
    await hands.tabTo(form.driver('PWM / DIR'));
    expect(await reader.focused()).toBe('radio "PWM / DIR one speed pin, one direction pin", not checked');
    await hands.press('Space');
    await hands.tabTo(form.field('Speed (pwm)'));
    expect(await reader.focused()).toMatch(/^textbox "Speed \(pwm\)": Board pin that sets the speed/);
    await hands.type('15');
    await hands.tabTo(form.field('Direction (dir)'));
    expect(await reader.focused()).toMatch(/^textbox "Direction \(dir\)":/);
    await hands.type('16');
    await hands.press('Control+s');
    await expect.poll(async () => (await reader.heard()).join('\n')).toMatch(/Applied\. All 2 ready in/);

    await hands.press('Control+2');
    const control = new ControlPage(page);
    const motor = control.motor('motor-1');
    await hands.tabTo(control.enableSwitch);
    expect(await reader.focused()).toBe('switch "Enable control", not checked');
    await hands.press('Space');
    await expect(control.enableSwitch).toBeChecked();
    expect(await reader.focused()).toBe('switch "Control enabled", checked');
    await expect.poll(async () => (await reader.heard()).join('\n')).toContain('Turns off when you leave this page');
    await hands.tabTo(motor.forward, 25);
    expect(await reader.focused()).toMatch(/^button "Hold: forward/);
    await page.keyboard.down('Space');
    await expect.poll(() => reader.heard()).toContain('Running at 0.30 while held');
    await page.keyboard.up('Space');
    await expect.poll(() => reader.heard()).toContain('Released: stopped');
  } finally {
    await machine.stop();
  }
});
