import type { FoundGpioChip, FoundLine } from '../../hardware/discovery/description.ts';
import { textColumns } from '../../base/text-columns.ts';
import type { DoctorReport } from './doctor-report.ts';

const notUsable = 'not usable';

/** A report for people: the hardware in columns, then the problems with their next steps. */
export function doctorText(report: DoctorReport): string {
  const { version, node, system, computer, header, home, pwmChips, spiDevices, i2cBuses } = report;
  const facts = [
    ['Armature', `${version}, Node ${node}`],
    ['System', system],
    ['Computer', computer === '' ? 'unknown' : computer],
    ...(header === undefined ? [] : [['Header', header.title]]),
    ['Home', home],
    ['Software PWM', limitsText(report)],
  ];
  const device = ({ path, label, isUsable }: { path: string; label: string; isUsable: boolean }): string[] => [
    path,
    label,
    isUsable ? '' : notUsable,
  ];
  const pwm = pwmChips.map(({ path, channels, id, hasOneClock, isUsable }) => [
    path,
    counted(channels, 'channel'),
    id === path ? '' : id,
    [...(hasOneClock ? ['one frequency for all'] : []), ...(isUsable ? [] : [notUsable])].join(', '),
  ]);
  const sections = [
    textColumns(facts, { indent: '' }),
    ...section('GPIO', report.gpioChips.flatMap(chipLines)),
    ...section('PWM', textColumns(pwm)),
    ...section('SPI', textColumns(spiDevices.map(device))),
    ...section('I2C', textColumns(i2cBuses.map(device))),
    ...section('Problems', report.problems.flatMap(problemLines)),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function limitsText({ limits, gpioChips }: DoctorReport): string {
  if (limits === undefined) return gpioChips.length === 0 ? 'none without GPIO' : 'not known';
  return `up to ${limits.pwmHz} Hz, ${limits.isRealTime ? 'at' : 'without'} real-time priority`;
}

/** Nothing for a section without lines: the problems say what is missing. */
function section(title: string, lines: readonly string[]): (readonly string[])[] {
  return lines.length === 0 ? [] : [[title, ...lines]];
}

function chipLines({ path, label, id, lines, isUsable }: FoundGpioChip): string[] {
  const held = lines.filter((line) => line.isUsed).length;
  const state = isUsable ? `${counted(lines.length, 'line')}, ${held} in use` : notUsable;
  const title = [path, label, state, id === path ? '' : id].filter((part) => part !== '').join('  ');
  return [`  ${title}`, ...textColumns(lines.map(lineCells), { indent: '    ' })];
}

function lineCells({
  offset,
  name,
  headerPin,
  isOutput,
  isActiveLow,
  bias,
  drive,
  isUsed,
  holder,
}: FoundLine): string[] {
  const flags = [isActiveLow ? 'active-low' : '', bias === 'as-is' ? '' : bias, drive === 'push-pull' ? '' : drive];
  return [
    String(offset),
    name === '' ? '-' : name,
    headerPin === '' ? '' : `pin ${headerPin}`,
    isOutput ? 'output' : 'input',
    isUsed ? `held by ${holder === '' ? 'the kernel' : holder}` : 'free',
    flags.filter((flag) => flag !== '').join(' '),
  ];
}

function problemLines({ severity, message, command }: DoctorReport['problems'][number]): string[] {
  // A short command is in the sentence already.
  return [
    `  ${severity.padEnd(5)}  ${message}`,
    ...(command === '' || message.includes(command) ? [] : [`         ${command}`]),
  ];
}

function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
