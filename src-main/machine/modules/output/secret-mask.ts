import { isSecretKey, valueMask } from '../../../../proto/config/secrets.ts';

/** Masks the secrets of a process in a text: the values of variables whose names suggest a secret. */
export function secretMask(environment: Readonly<Record<string, string>>): (text: string) => string {
  return valueMask(
    Object.entries(environment).flatMap(([name, value]) =>
      isSecretKey(name) && !name.endsWith('API_KEY_ID') ? [value] : [],
    ),
  );
}
