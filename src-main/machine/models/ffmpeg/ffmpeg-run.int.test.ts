import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'ffmpeg-run-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it.runIf(process.platform === 'linux')(
  'is gone when its program was killed, also where it writes nothing',
  async () => {
    const pidFile = path.join(folder, 'pid');
    const ffmpeg = path.join(folder, 'ffmpeg');
    writeFileSync(ffmpeg, `#!/bin/sh\necho $$ > ${pidFile}\nexec tail -f /dev/null\n`);
    chmodSync(ffmpeg, 0o755);
    const program = `
    const { FfmpegRun } = await import(${JSON.stringify(new URL('./ffmpeg-run.ts', import.meta.url).href)});
    const run = await FfmpegRun.start([], ${JSON.stringify(ffmpeg)});
    await run.next();
  `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await vi.waitFor(() => expect(existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toContain('\n'), 10_000);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(process.kill(pid, 0)).toBe(true);
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 5_000);
  },
);
