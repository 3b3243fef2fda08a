import { canonicalApi } from '../names.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject } from '../text/text-entries.ts';

/** A resource of a configuration, with the methods whose results are captured. */
export interface CapturedResource {
  /** In our spelling. */
  readonly api: string;
  readonly name: string;
  readonly methods: readonly string[];
}

/** What a configuration captures. What has another form than it should is passed over: others report that. */
export function capturedResources(document: JsonValue): readonly CapturedResource[] {
  if (!isJsonObject(document)) return [];
  return (['component', 'service'] as const).flatMap((family) =>
    objects(document[`${family}s`]).flatMap((entry) => {
      const { name, service_configs } = entry;
      const api = apiOf(entry, family);
      if (typeof name !== 'string' || api === undefined) return [];
      const methods = objects(service_configs)
        .flatMap(({ attributes }) => (isJsonObject(attributes) ? objects(attributes['capture_methods']) : []))
        .flatMap(({ method, disabled }) => (typeof method === 'string' && disabled !== true ? [method] : []));
      return [{ api, name, methods }];
    }),
  );
}

function apiOf(
  { api, type, namespace }: Readonly<Record<string, JsonValue>>,
  family: 'component' | 'service',
): string | undefined {
  if (typeof api === 'string') return canonicalApi(api);
  if (isJsonObject(api)) {
    const { namespace: space = 'core', type: of = family, subtype } = api;
    return typeof space === 'string' && typeof of === 'string' && typeof subtype === 'string'
      ? canonicalApi(`${space}:${of}:${subtype}`)
      : undefined;
  }
  if (typeof type !== 'string') return undefined;
  return canonicalApi(`${typeof namespace === 'string' && namespace !== '' ? namespace : 'core'}:${family}:${type}`);
}

function objects(value: JsonValue | undefined): readonly { [key: string]: JsonValue }[] {
  return Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : [];
}
