import { visit, type JSONVisitor } from 'jsonc-parser';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { isSecretKey, isSecretPointer } from '../../../../proto/config/secrets.ts';

/*
 * A draft that is kept outlives the window, and lies in the browser's files for everybody who may read those. So it is
 * kept without its secrets: where the machine has one, with a mark that says where; one that was typed is left out.
 */

const MARK = /armature-kept-secret:([^;"\\]*);/g;
const markOf = (pointer: string): string => `armature-kept-secret:${encodeURIComponent(pointer)};`;

/** The texts of a draft: what it began with, and what it is. */
export interface DraftTexts {
  readonly baseText: string;
  readonly text: string;
}

/** A text in quotes, as it is written between them. */
interface Secret {
  readonly from: number;
  readonly written: string;
  readonly pointer: string;
}

/** Takes the secrets out of a draft and of the text it began with. */
export function sealSecrets({ baseText, text }: DraftTexts): DraftTexts {
  const own = secretsIn(baseText);
  const pointers = new Map(own.map(({ written, pointer }) => [written, pointer]));
  let sealed = replaced(text, ({ written }) => markOf(pointers.get(written) ?? ''));
  // Where the text is half typed, a secret may stand where none would be looked for.
  for (const [written, pointer] of pointers) {
    if (written.length >= SHORTEST_FOUND_ANYWHERE) sealed = sealed.replaceAll(written, () => markOf(pointer));
  }
  return { baseText: replaced(baseText, ({ pointer }) => markOf(pointer)), text: sealed };
}

/**
 * Puts the secrets back that the machine has.
 * @param machineText the text that the draft began with, as the machine has it; '' where it has another one by now.
 *   Then secrets are empty: those of the machine's text are found again where both are merged.
 */
export function unsealSecrets({ baseText, text }: DraftTexts, machineText: string): DraftTexts {
  const values = new Map(secretsIn(machineText).map(({ written, pointer }) => [pointer, written]));
  const open = (sealed: string): string => {
    return sealed.replace(MARK, (_mark, pointer: string) => values.get(decodeURIComponent(pointer)) ?? '');
  };
  return { baseText: open(baseText), text: open(text) };
}

/** Shorter ones are words that stand elsewhere too. */
const SHORTEST_FOUND_ANYWHERE = 6;

function replaced(text: string, by: (secret: Secret) => string): string {
  let result = '';
  let at = 0;
  for (const secret of secretsIn(text)) {
    result += text.slice(at, secret.from) + by(secret);
    at = secret.from + secret.written.length;
  }
  return result + text.slice(at);
}

/** Texts that are secret by their place, or by a key above them; in the order in which they stand. */
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
