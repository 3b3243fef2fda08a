import { isSecretKey, valueMask } from '../../../../proto/config/secrets.ts';

/**
 * Hides in a text what a process was given as a secret: values of variables
 * that are named like one.
 */
export function secretMask(environment: Readonly<Record<string, string>>): (text: string) => string {
  return valueMask(
    Object.entries(environment).flatMap(([name, value]) =>
      isSecretKey(name) && !name.endsWith('API_KEY_ID') ? [value] : [],
    ),
  );
}
