/**
 * Normalizes the callers' options into the form that the addon takes: every field is present, every value is checked.
 */

const shortestExpiryMs = 150;
const longestExpiryMs = 60_000;
const most = 64;
const biases = ['as-is', 'disabled', 'pull-up', 'pull-down'];
const drives = ['push-pull', 'open-drain', 'open-source'];
const kinds = ['rising', 'falling', 'both'];

/** @throws Error `hardware.invalid` */
export function invalid(message, device = '') {
  throw Object.assign(new Error(message), { code: 'hardware.invalid', errno: 0, syscall: '', device });
}

export function number(what, value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) invalid(`${what} has to be a number, not ${value}`);
  return value;
}

export function text(what, value) {
  if (typeof value !== 'string' || value === '') invalid(`${what} has to be named, not ${value}`);
  return value;
}

function oneOf(what, allowed, value, chip) {
  if (!allowed.includes(value)) invalid(`${chip}: ${what} is one of ${allowed.join(', ')}, not ${value}`, chip);
  return value;
}

function offsetOf(chip, offset) {
  if (!Number.isInteger(offset) || offset < 0 || offset > 65_535) {
    invalid(`${chip}: the number of a line is a whole number from 0, not ${offset}`, chip);
  }
  return offset;
}

function checkCount(chip, lines) {
  if (lines.length === 0 || lines.length > most)
    invalid(`${chip}: 1 to ${most} lines at once, not ${lines.length}`, chip);
  const offsets = new Set(lines.map((line) => line.offset));
  if (offsets.size !== lines.length) invalid(`${chip}: a line is named twice`, chip);
}

export function linesForm(lines) {
  const chip = lines[0]?.chip;
  checkCount(chip, lines);
  if (lines.some((line) => line.chip !== chip)) invalid('the lines of a group are of one chip', chip);
  return lines.map((line) => {
    const { offset, isActiveLow = false, bias = 'as-is', drive = 'push-pull', safe = false, expiryMs = 500 } = line;
    if (!(expiryMs >= shortestExpiryMs && expiryMs <= longestExpiryMs)) {
      invalid(`${chip}: an expiry is ${shortestExpiryMs} to ${longestExpiryMs} ms, not ${expiryMs}`, chip);
    }
    return {
      offset: offsetOf(chip, offset),
      isActiveLow,
      bias: oneOf('the bias', biases, bias, chip),
      drive: oneOf('the drive', drives, drive, chip),
      safe,
      expiryMs,
    };
  });
}

export function edgeForm(chip, lines) {
  checkCount(chip, lines);
  return lines.map((line) => {
    const { offset, edges, debounceUs = 0, bias = 'as-is', isActiveLow = false } = line;
    if (!(Number.isInteger(debounceUs) && debounceUs >= 0 && debounceUs <= 2 ** 31)) {
      invalid(`${chip}: a time to debounce is 0 or more whole us, not ${debounceUs}`, chip);
    }
    return {
      offset: offsetOf(chip, offset),
      edges: oneOf('what is watched', kinds, edges, chip),
      debounceUs,
      bias: oneOf('the bias', biases, bias, chip),
      isActiveLow,
    };
  });
}
