import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { _electron, expect, test } from '@playwright/test';
import { electronProgram } from '../../../build/electron-program.mjs';
import { windowBench } from '../../fixtures/window-bench.ts';

const repository = path.resolve(import.meta.dirname, '../../..');

const program = electronProgram();

test.describe('the desktop window', () => {
  test.skip(program === undefined, "Electron's program is not on this computer (npx install-electron fetches it).");

  test('opens on the machine over its message port, and quits in order', async () => {
    const home = await mkdtemp(path.join(os.tmpdir(), 'armature-desktop-'));
    const config = path.join(home, 'machine.json');
    await writeFile(config, windowBench);
    const desktop = await _electron.launch({
      executablePath: program ?? '',
      args: [repository, '-config', config],
      env: { ...process.env, SVC_HOME: home },
    });
    const page = await desktop.firstWindow();
    expect(page.url()).toMatch(/^armature:\/\/app\//);
    await expect(page.getByRole('banner')).toContainText('5 of 5 ready');
    const exit = new Promise<number | null>((resolve) => desktop.process().once('exit', resolve));
    await desktop.close();
    expect(await exit).toBe(0);
    await rm(home, { recursive: true, force: true });
  });
});
