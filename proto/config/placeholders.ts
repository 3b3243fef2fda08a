/** Placeholders that texts of a configuration may hold. Only inside text values. */
const PLACEHOLDER = /\$\{([^}]*)\}/g;
const ENVIRONMENT = /^environment\.([\w:/-]+)$/;
const PACKAGE = /^packages\.(?:([\w-]+)\.)?([\w-]+)$/;

/** `NAME`, `NAME-default`, `NAME:-default`, as in a shell (POSIX.1-2017, Shell Command Language 2.6.2). */
const VARIABLE = /^([A-Za-z_]\w*)(?:(:?)-([^]*))?$/;

/** One `${...}` of a text. `unknown` is not ours and stays as it is; `malformed` begins like ours but is not. */
export type Placeholder =
  | { readonly kind: 'environment'; readonly text: string; readonly name: string }
  | { readonly kind: 'package'; readonly text: string; readonly type: string; readonly name: string }
  | {
      readonly kind: 'variable';
      readonly text: string;
      readonly name: string;
      /** Undefined where it has none. */
      readonly fallback: string | undefined;
      /** Whether the fallback stands for an empty variable too. */
      readonly isForEmpty: boolean;
    }
  | { readonly kind: 'malformed' | 'unknown'; readonly text: string };

/** Type of a package whose placeholder has no type, `${packages.NAME}`. */
export const DEFAULT_PACKAGE_TYPE = 'ml_model';

function parsePlaceholder(text: string, inner: string): Placeholder {
  const environment = ENVIRONMENT.exec(inner);
  if (environment !== null) return { kind: 'environment', text, name: environment[1] ?? '' };
  const packaged = PACKAGE.exec(inner);
  if (packaged !== null) {
    return { kind: 'package', text, type: packaged[1] ?? DEFAULT_PACKAGE_TYPE, name: packaged[2] ?? '' };
  }
  const variable = VARIABLE.exec(inner);
  if (variable !== null) {
    const [, name = '', colon, fallback] = variable;
    return { kind: 'variable', text, name, fallback, isForEmpty: colon === ':' };
  }
  return { kind: /^(environment|packages)\b/.test(inner) ? 'malformed' : 'unknown', text };
}

/**
 * Replaces the placeholders of a text. `resolve` answers the replacement, or
 * undefined to leave the placeholder as it is. Placeholders in the replacement are not replaced.
 */
export function replacePlaceholders(text: string, resolve: (found: Placeholder) => string | undefined): string {
  if (!text.includes('${')) return text;
  return text.replace(PLACEHOLDER, (whole, inner: string) => resolve(parsePlaceholder(whole, inner)) ?? whole);
}
