import { visit, type JSONVisitor } from 'jsonc-parser';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { isSecretKey, isSecretPointer } from '../../../../proto/config/secrets.ts';

/*
 * A stored draft outlives the window, and anybody who can read the browser's files can read it. So it is stored without
 * its secrets: a secret that the machine has is replaced by a mark with its place, a typed one is removed.
 */

const MARK = /armature-kept-secret:([^;"\\]*);/g;
const markOf = (pointer: string): string => `armature-kept-secret:${encodeURIComponent(pointer)};`;

/** The texts of a draft: the applied text it was made from, and its own. */
export interface DraftTexts {
  readonly baseText: string;
  readonly text: string;
}

/** A secret string; `written` is what stands between the quotes. */
interface Secret {
  readonly from: number;
  readonly written: string;
  readonly pointer: string;
}

/** Takes the secrets out of a draft and of the text it was made from. */
export function sealSecrets({ baseText, text }: DraftTexts): DraftTexts {
  const own = secretsOfBase(baseText);
  const pointers = new Map(own.map(({ written, pointer }) => [written, pointer]));
  let sealed = replaced(text, secretsIn(text), ({ written }) => markOf(pointers.get(written) ?? ''));
  // In a half-typed text a secret may stand at a place that does not look like one of a secret.
  for (const [written, pointer] of pointers) {
    if (written.length >= MIN_REPLACED_ANYWHERE) sealed = sealed.replaceAll(written, () => markOf(pointer));
  }
  return { baseText: replaced(baseText, own, ({ pointer }) => markOf(pointer)), text: sealed };
}

/**
 * Puts back the secrets that the machine has.
 * @param machineText the text that the draft was made from, as the machine has it; '' if the machine has another text
 *   by now. Then the secrets stay empty, and the merge with the machine's text brings them back.
 */
export function unsealSecrets({ baseText, text }: DraftTexts, machineText: string): DraftTexts {
  const values = new Map(secretsIn(machineText).map(({ written, pointer }) => [pointer, written]));
  const open = (sealed: string): string => {
    return sealed.replace(MARK, (_mark, pointer: string) => values.get(decodeURIComponent(pointer)) ?? '');
  };
  return { baseText: open(baseText), text: open(text) };
}

/** Whether a text has a secret in it. */
export function hasSecrets(text: string): boolean {
  return secretsIn(text).length > 0;
}

/** Shorter secrets may be ordinary words that appear elsewhere too. */
const MIN_REPLACED_ANYWHERE = 6;

let lastBase = { text: '', secrets: [] as readonly Secret[] };

/** A draft is stored after each pause in typing, and its base stays the same: a long one is searched once. */
function secretsOfBase(text: string): readonly Secret[] {
  if (text !== lastBase.text) lastBase = { text, secrets: secretsIn(text) };
  return lastBase.secrets;
}

function replaced(text: string, secrets: readonly Secret[], by: (secret: Secret) => string): string {
  let result = '';
  let at = 0;
  for (const secret of secrets) {
    result += text.slice(at, secret.from) + by(secret);
    at = secret.from + secret.written.length;
  }
  return result + text.slice(at);
}

/** Strings that are secret by their place or by a key above them, in text order. */
function secretsIn(text: string): readonly Secret[] {
  const found: Secret[] = [];
  const onLiteralValue: JSONVisitor['onLiteralValue'] = (value, offset, length, _line, _column, pathOf) => {
    if (typeof value !== 'string' || value === '') return;
    const path = pathOf();
    const pointer = path.reduce<string>(joinPointer, '');
    if (!isSecretPointer(pointer) && !path.some((step) => isSecretKey(String(step)))) return;
    const isClosed = text[offset + length - 1] === '"' && length > 1;
    found.push({ from: offset + 1, written: text.slice(offset + 1, offset + length - (isClosed ? 1 : 0)), pointer });
  };
  visit(text, { onLiteralValue }, { allowTrailingComma: true });
  return found;
}
