import type { HardwareArea, HardwareProblem } from './description.ts';
import type { DeviceFiles, Refusal } from './device-files.ts';

type Area = Extract<HardwareArea, 'gpio' | 'pwm' | 'spi' | 'i2c'>;

/**
 * Groups as Raspberry Pi OS and Debian name them, and the rule for udev that gives a device to its group. Exporting a
 * PWM channel is a "change" of its chip and makes files that are root's again.
 */
const rules: Readonly<Record<Area, { readonly group: string; readonly subsystem: string; readonly rule: string }>> = {
  gpio: { group: 'gpio', subsystem: 'gpio', rule: `SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660"` },
  pwm: {
    group: 'gpio',
    subsystem: 'pwm',
    rule: `SUBSYSTEM=="pwm", ACTION!="remove", PROGRAM="/bin/sh -c 'chgrp -R gpio /sys%p && chmod -R g=u /sys%p'"`,
  },
  spi: { group: 'spi', subsystem: 'spidev', rule: `SUBSYSTEM=="spidev", GROUP="spi", MODE="0660"` },
  i2c: { group: 'i2c', subsystem: 'i2c-dev', rule: `SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"` },
};

/** Why a device may not be used, and how it may be. */
export function permissionProblem(area: Area, device: string, refusal: Refusal, files: DeviceFiles): HardwareProblem {
  const problem = (message: string, command: string): HardwareProblem => ({
    area,
    device,
    severity: 'error',
    message: `${device}: ${message}`,
    command,
  });
  const { user } = files;
  const { group, isMember } = refusal;
  if (group !== '' && isMember) {
    return problem(
      `not permitted yet: ${user} is in the group ${group}, but was not when this program was started: sign out and in again, and start it again.`,
      '',
    );
  }
  if (group !== '') {
    const command = `sudo usermod -aG ${group} ${user}`;
    return problem(`not permitted: add the user to the group ${group} (${command}), then sign in again.`, command);
  }
  const { group: own, subsystem, rule } = rules[area];
  const file = `/etc/udev/rules.d/60-armature-${area}.rules`;
  const command = [
    `echo ${quoted(rule)} | sudo tee ${file}`,
    `sudo groupadd -f ${own}`,
    `sudo usermod -aG ${own} ${user}`,
    'sudo udevadm control --reload',
    `sudo udevadm trigger --subsystem-match=${subsystem}`,
  ].join(' && ');
  return problem(
    `not permitted: it belongs to root alone: give it to the group ${own} with a rule in ${file}, then sign in again.`,
    command,
  );
}

/** For a POSIX shell: a single quote ends the quotes, stands escaped, and begins them again. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
