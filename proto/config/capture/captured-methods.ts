import { canonicalApi } from '../names.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject, type JsonObject } from '../text/text-entries.ts';

/** A resource of a configuration, with the methods whose results are captured. */
export interface CapturedResource {
  /** In our spelling. */
  readonly api: string;
  readonly name: string;
  readonly methods: readonly string[];
}

/** A resource of a configuration with its entries of `capture_methods`, unchecked. */
export interface CaptureEntries {
  /** In our spelling. */
  readonly api: string;
  readonly name: string;
  readonly entries: readonly JsonObject[];
}

/** What a configuration captures. Malformed entries are skipped; other checks report them. */
export function capturedResources(document: JsonValue): readonly CapturedResource[] {
  return captureEntries(document).map(({ api, name, entries }) => ({
    api,
    name,
    methods: entries.flatMap(({ method, disabled }) =>
      typeof method === 'string' && disabled !== true ? [method] : [],
    ),
  }));
}

/** The capture settings of each resource of a configuration. Malformed entries are skipped. */
export function captureEntries(document: JsonValue): readonly CaptureEntries[] {
  if (!isJsonObject(document)) return [];
  return (['component', 'service'] as const).flatMap((family) =>
    objects(document[`${family}s`]).flatMap((resource) => {
      const { name, service_configs } = resource;
      const api = apiOf(resource, family);
      if (typeof name !== 'string' || api === undefined) return [];
      const entries = objects(service_configs).flatMap(({ attributes }) =>
        isJsonObject(attributes) ? objects(attributes['capture_methods']) : [],
      );
      return [{ api, name, entries }];
    }),
  );
}

function apiOf({ api, type, namespace }: JsonObject, family: 'component' | 'service'): string | undefined {
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

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((one) => isJsonObject(one)) : [];
}
