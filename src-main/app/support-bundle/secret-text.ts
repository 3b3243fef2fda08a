import { secretValues } from '../../../proto/config/secret-split.ts';
import { MASK, valueMask } from '../../../proto/config/secrets.ts';
import { isSecretName } from '../../machine/logging/safe-fields.ts';

/**
 * Patterns of secrets anywhere in a text. Every repetition is bounded, or cannot backtrack: modules write the log, and
 * a line that is slow to match must not block the program.
 */
const looks: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // The user and the password of an address.
  [/(?<=:\/\/)[^\s/@:"']{1,200}:[^\s/@"']{1,200}(?=@)/g, MASK],
  // RFC 6750 and RFC 7617.
  [/\b(bearer|basic) {1,5}[\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  // A JSON Web Token (RFC 7519).
  [/\beyJ[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]*/g, MASK],
  // A private key as RFC 7468 writes it, also where its lines became \n.
  [/(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[A-Za-z\d+/=\s\\]*/g, `$1${MASK}`],
  [
    /((?:secret|password|passwd|passphrase|token|api[-_]?key|credential|private[-_]?key)[\w-]{0,40}["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"',;&}]{4,}/gi,
    `$1${MASK}`,
  ],
];

/**
 * Values that are secrets: those that a configuration hides, and of variables of the environment with names like those of
 * secrets.
 * @param texts configurations, as text
 */
export function knownSecrets(
  texts: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const ofEnvironment = Object.entries(environment).flatMap(([name, value]) =>
    isSecretVariable(name) && value !== undefined ? [value] : [],
  );
  return [...texts.flatMap(secretValues), ...ofEnvironment];
}

/** The code of a window is good for the launch token. */
function isSecretVariable(name: string): boolean {
  return (isSecretName(name) && !name.endsWith('API_KEY_ID')) || name === 'SVC_WINDOW_CODE';
}

/** Hides secrets in texts that are shared: known ones, and what looks like one. */
export function secretTextMask(secrets: readonly string[]): (text: string) => string {
  // Fields of the log are JSON.
  const hideKnown = valueMask(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  return (text) => {
    let masked = hideKnown(text);
    for (const [pattern, replacement] of looks) masked = masked.replace(pattern, replacement);
    return masked;
  };
}
