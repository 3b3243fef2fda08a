import { ArmatureError } from '../../../base/errors.ts';

const MAX_TAG_CHARS = 200;
const MAX_TAGS = 100;
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** A box in a picture or, without edges, a class of the whole picture. */
export interface Label {
  readonly label: string;
  readonly confidence: number | null;
  /** Edges as fractions of width and height: left, top, right, bottom. */
  readonly edges: readonly [number, number, number, number] | undefined;
}

/** @returns the text @throws {ArmatureError} `call.bad_argument` for one that is too long or has control characters */
export function checkText(what: string, text: string, maxChars: number): string {
  if (text.length <= maxChars && !CONTROL_CHARACTERS.test(text)) return text;
  throw new ArmatureError(
    'call.bad_argument',
    `The ${what} "${text.slice(0, 80)}" is not allowed: it has ${text.length} characters; at most ${maxChars} are kept, and no control characters.`,
  );
}

/** Checks tags. @returns them sorted and unique @throws {ArmatureError} `call.bad_argument` */
export function checkTags(tags: readonly string[]): string[] {
  const each = [...new Set(tags)].sort();
  if (each.length > MAX_TAGS) {
    throw new ArmatureError('call.bad_argument', `There are ${each.length} tags; at most ${MAX_TAGS} are allowed.`);
  }
  for (const tag of each) {
    if (tag === '') throw new ArmatureError('call.bad_argument', 'A tag is empty: write a word, or leave it out.');
    checkText('tag', tag, MAX_TAG_CHARS);
  }
  return each;
}

/** @throws {ArmatureError} `call.bad_argument` */
export function checkLabel({ label, confidence, edges }: Label): Label {
  if (label === '') throw new ArmatureError('call.bad_argument', 'The label is empty: say what it shows.');
  checkText('label', label, MAX_TAG_CHARS);
  if (confidence !== null) requireFraction('confidence', confidence);
  if (edges === undefined) return { label, confidence, edges };
  const [left, top, right, bottom] = edges;
  for (const edge of edges) requireFraction('edge of the box', edge);
  if (left >= right || top >= bottom) {
    throw new ArmatureError(
      'call.bad_argument',
      `The box from (${left}, ${top}) to (${right}, ${bottom}) has no area: its minimum is to be left of and above its maximum.`,
    );
  }
  return { label, confidence, edges };
}

function requireFraction(what: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new ArmatureError('call.bad_argument', `The ${what} is ${value}; allowed is 0 to 1.`);
}
