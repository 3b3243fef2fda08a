import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { filesOf } from './device-files.fixture.ts';
import { permissionProblem } from './permission.ts';

it.each(['gpio', 'pwm', 'spi', 'i2c'] as const)('the rule for %s survives a shell as udev wants it', (area) => {
  const { command } = permissionProblem(area, '/dev/x', { group: '', isMember: false }, filesOf({}));
  const [echo = ''] = command.split(' | sudo ');
  const rule = execFileSync('sh', ['-c', echo], { encoding: 'utf8' });
  expect(rule).toMatch(/^SUBSYSTEM=="[\w-]+", /);
  expect(rule).toContain(area === 'pwm' ? `PROGRAM="/bin/sh -c 'chgrp -R gpio /sys%p && ` : 'MODE="0660"');
});
