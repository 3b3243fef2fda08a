import { canonicalApi } from '../names.ts';

/** Which captured data a trigger is about. */
export interface CaptureMethod {
  /** Short type (`sensor`), or an API in our spelling (`core:component:sensor`). */
  readonly type: string;
  readonly component: string;
  /** `Readings`, `ReadImage`, ... */
  readonly method: string;
}

/**
 * Reads `<component-type>:<component-name>:<method>`. The type may be an API with colons of its own, so only the last
 * two colons separate. Undefined where the text has another form.
 */
export function parseCaptureMethod(text: string): CaptureMethod | undefined {
  const match = /^(.+):([^:]+):([^:]+)$/.exec(text);
  if (match === null) return undefined;
  const [, written = '', component = '', method = ''] = match;
  const type = /^[\w-]+$/.test(written) ? written : canonicalApi(written);
  return type === undefined ? undefined : { type, component, method };
}

/** `sensor` for `core:component:sensor`; a short type stays as it is. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf(':') + 1);
}

/** Whether a type as a trigger names it means this API. */
export function isOfType({ type }: CaptureMethod, api: string): boolean {
  return type.includes(':') ? type === api : type === shortType(api);
}
