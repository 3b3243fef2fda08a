import assert from 'node:assert/strict';
import { execFile, type ExecFileOptions } from 'node:child_process';
import { readFileSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { DoctorReport } from '../../../src-main/app/doctor/doctor-report.ts';
import { chipPath, hold, lines, plug, unplug } from '../bench.ts';

const armature = path.join(import.meta.dirname, '../../../build/armature.js');
/** A user without any permissions here. */
const nobody = 65_534;

interface Run {
  readonly code: number;
  readonly report: DoctorReport;
}

/** The command as users run it. */
function doctor(options: ExecFileOptions = {}): Promise<Run> {
  const env = { ...process.env, SVC_HOME: '/tmp/armature-doctor' };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [armature, 'doctor', '--json'],
      { env, timeout: 120_000, ...options },
      (error, stdout) => {
        const code = error === null ? 0 : error.code;
        if (typeof code !== 'number' || code > 1) reject(error ?? new Error(`exit code ${String(code)}`));
        else resolve({ code, report: JSON.parse(String(stdout)) as DoctorReport });
      },
    );
  });
}

const devices = (folder: string, form: RegExp): string[] =>
  readdirSync(folder)
    .filter((name) => form.test(name))
    .map((name) => path.join(folder, name))
    .sort();
const pathsOf = (found: readonly { readonly path: string }[]): string[] => found.map((one) => one.path).sort();

test('armature doctor says what the kernel says, and holds nothing', async () => {
  const letGo = await hold('bench', 'LED', true);
  const { code, report } = await doctor();
  assert.equal(code, 0, JSON.stringify(report.problems));
  assert.equal(report.backend, 'linux');
  assert.deepEqual(pathsOf(report.gpioChips), devices('/dev', /^gpiochip\d+$/));
  for (const [name, label] of [
    ['bench', 'armature-bench'],
    ['expansion', 'armature-expansion'],
  ] as const) {
    const chip = report.gpioChips.find((one) => one.path === chipPath(name));
    assert.equal(chip?.label, label);
    assert.deepEqual(
      chip?.lines.map((line) => ({
        offset: line.offset,
        name: line.name,
        isOutput: line.isOutput,
        isUsed: line.isUsed,
        consumer: line.holder,
      })),
      await lines(name),
    );
  }
  const led = report.gpioChips.flatMap((chip) => chip.lines).find((line) => line.name === 'LED');
  assert.equal(led?.holder, 'probe');
  await letGo();

  assert.deepEqual(pathsOf(report.pwmChips), devices('/sys/class/pwm', /^pwmchip\d+$/));
  for (const { path: chip, channels, id } of report.pwmChips) {
    assert.equal(channels, Number(readFileSync(path.join(chip, 'npwm'), 'utf8')));
    assert.equal(id, realpathSync(path.join(chip, 'device')));
    assert.deepEqual(devices(chip, /^pwm\d+$/), [], 'a channel was exported');
  }
  assert.deepEqual(pathsOf(report.spiDevices), devices('/dev', /^spidev\d+\.\d+$/));
  assert.deepEqual(pathsOf(report.i2cBuses), devices('/dev', /^i2c-\d+$/));
  for (const { path: bus, label } of report.i2cBuses) {
    assert.equal(label, readFileSync(`/sys/class/i2c-dev/${path.basename(bus)}/name`, 'utf8').trim());
  }
  assert.ok((report.limits?.pwmHz ?? 0) > 0);
  assert.ok((await lines('bench')).every(({ isUsed }) => !isUsed));
});

test('a chip that is unplugged is not listed, and has its id again when it is back', async () => {
  const idOf = ({ report }: Run): string | undefined =>
    report.gpioChips.find(({ label }) => label === 'armature-expansion')?.id;
  const before = idOf(await doctor());
  assert.ok(before);
  unplug('expansion');
  try {
    assert.equal(idOf(await doctor()), undefined);
  } finally {
    plug('expansion');
  }
  assert.equal(idOf(await doctor()), before);
});

test('who may not use the devices has them listed, each with its reason and the next step', async () => {
  const { code, report } = await doctor({ uid: nobody, gid: nobody });
  assert.equal(code, 1);
  assert.deepEqual(pathsOf(report.gpioChips), devices('/dev', /^gpiochip\d+$/));
  const all = [...report.gpioChips, ...report.pwmChips, ...report.spiDevices, ...report.i2cBuses];
  for (const { path: device, isUsable } of all) {
    assert.equal(isUsable, false, device);
    const problem = report.problems.find((one) => one.device === device);
    assert.match(problem?.message ?? '', /not permitted: it belongs to root alone/, device);
    assert.match(problem?.command ?? '', /^echo 'SUBSYSTEM==/, device);
  }
});
