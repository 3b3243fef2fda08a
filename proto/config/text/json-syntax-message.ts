/**
 * A plain sentence for a fault of syntax. `name` is jsonc-parser's name of it,
 * `found` the text at the place, `openedLine` the line on which the innermost
 * object or array that ended last was opened.
 */
export function describeSyntaxError(name: string, found: string, openedLine: number): string {
  const quoted = JSON.stringify(found);
  switch (name) {
    case 'InvalidSymbol':
      return describeSymbol(found);
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return `${quoted} is not a number of JSON; write it like 12, -0.5 or 1e3.`;
    case 'PropertyNameExpected':
      return found === ''
        ? 'The text ends where a key is expected; is it complete?'
        : `A key in double quotes is expected here, found ${quoted}.`;
    case 'ValueExpected':
      return found === ''
        ? 'The text ends where a value is expected; is it complete?'
        : `A value is expected here, found ${quoted}.`;
    case 'ColonExpected':
      return `A colon is missing between the key and its value, before ${quoted}.`;
    case 'CommaExpected':
      return `A comma is missing before ${quoted}.`;
    case 'CloseBraceExpected':
      return `The object that begins on line ${openedLine} is not closed: "}" is missing.`;
    case 'CloseBracketExpected':
      return `The array that begins on line ${openedLine} is not closed: "]" is missing.`;
    case 'EndOfFileExpected':
      return `The document ends before ${quoted}; remove what follows it.`;
    case 'UnexpectedEndOfComment':
      return 'JSON has no comments; remove it.';
    case 'UnexpectedEndOfString':
      return 'The text that begins here is not closed with a double quote on its line.';
    case 'InvalidUnicode':
      return `${quoted} has a broken \\u escape; it takes four hexadecimal digits.`;
    case 'InvalidEscapeCharacter':
      return `${quoted} has a backslash before a character that needs none; write \\\\ for a backslash.`;
    case 'InvalidCharacter':
      return `${quoted} has a control character in it; write \\n, \\t or \\u escapes instead.`;
    default:
      return `The text is not JSON at ${quoted}.`;
  }
}

function describeSymbol(found: string): string {
  if (found.startsWith("'")) return `Text stands in double quotes in JSON, found ${found}.`;
  const literal = { True: 'true', False: 'false', None: 'null', undefined: 'null', NULL: 'null' }[found];
  if (literal !== undefined) return `${found} is not JSON; write ${literal}.`;
  if (/^[-+]?(NaN|Infinity|inf)$/i.test(found)) return `JSON has no ${found}; write a number.`;
  if (/^[-+.]?\d/.test(found))
    return `${JSON.stringify(found)} is not a number of JSON; write it like 12, -0.5 or 1e3.`;
  return `${JSON.stringify(found)} is not JSON; text stands in double quotes.`;
}
