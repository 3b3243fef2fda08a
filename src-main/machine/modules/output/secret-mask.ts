import { isSecretKey, MASK } from '../../../../proto/config/secrets.ts';

/** Shorter values are words that appear anywhere. */
const SHORTEST_SECRET = 6;

/**
 * Hides in a text what a process was given as a secret: values of variables
 * that are named like one.
 */
export function secretMask(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = new Set(
    Object.entries(environment).flatMap(([name, value]) =>
      isSecretKey(name) && !name.endsWith('API_KEY_ID') && value.length >= SHORTEST_SECRET ? [value] : [],
    ),
  );
  // Of two that begin alike the longer one first.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of longestFirst) if (masked.includes(secret)) masked = masked.replaceAll(secret, MASK);
    return masked;
  };
}
