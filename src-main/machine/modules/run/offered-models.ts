import { namespaceIn, protoNameIn, tripletIn } from '../../../base/dialect.ts';
import { canonicalApi, canonicalModel } from '../../../../proto/config/names.ts';
import type { HandlerMap } from '../../../../proto/gen/core/module/v1/module.ts';
import type { OfferedModel } from './running-module.ts';

/** The models that a module reports, and a sentence for each entry that is invalid. */
export interface ReadHandlers {
  readonly models: readonly OfferedModel[];
  readonly problems: readonly string[];
}

/** Converts the answer of Ready to our spelling. Entries that cannot be used are left out and reported. */
export function readHandlers(map: HandlerMap | undefined): ReadHandlers {
  const models = new Map<string, OfferedModel>();
  const problems: string[] = [];
  for (const { subtype, models: names } of map?.handlers ?? []) {
    const { namespace = '', type = '', subtype: name = '' } = subtype?.subtype ?? {};
    const written = `${namespaceIn(namespace, 'core')}:${type}:${name}`;
    const api = canonicalApi(written);
    if (api === undefined) {
      problems.push(`"${written}" is no API: write namespace:component:name or namespace:service:name`);
      continue;
    }
    const service = protoNameIn(subtype?.protoService ?? '', 'core');
    if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$/.test(service)) {
      problems.push(`the API ${api} names "${service}" as its gRPC service, which is no full name of one`);
      continue;
    }
    for (const text of names) {
      const model = text.includes(':') ? canonicalModel(tripletIn(text, 'core')) : undefined;
      if (model === undefined) problems.push(`"${text}" of ${api} is no model: write namespace:module:name`);
      else models.set(`${api}\n${model}`, { api, model, service });
    }
  }
  return { models: [...models.values()], problems };
}
