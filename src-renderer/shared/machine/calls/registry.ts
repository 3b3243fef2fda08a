import { RegistryServiceDefinition } from '../../../../proto/gen/core/hub/v1/registry.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { RegistryCalls } from '../registry-view.ts';
import { quick } from './call-options.ts';

/** Modules in a page of a list. */
const pageSize = 50;

export function registryCalls(channel: Channel): RegistryCalls {
  const client = createClient(RegistryServiceDefinition, channel);
  return {
    async search(text, token, signal) {
      const request = { text, namespaces: [], api: '', limit: pageSize, pageToken: token };
      const { modules, nextPageToken, total } = await client.search(request, { ...quick, signal });
      return { modules, nextToken: nextPageToken, total };
    },
    async describe(moduleId) {
      const { module, versions, readme } = await client.describe({ moduleId }, quick);
      if (module === undefined) throw new Error(`The hub did not say what ${moduleId} is.`);
      return { module, versions, readme };
    },
    async *watchResolutions(wants, signal) {
      const request = { wants: wants.map((want) => ({ ...want, platformTags: [], type: '' })) };
      for await (const { resolutions } of client.watchResolutions(request, { signal })) yield resolutions;
    },
    async yank(moduleId, version, reason) {
      await client.yank({ moduleId, version, reason, isUndone: false }, quick);
    },
    async unyank(moduleId, version) {
      await client.yank({ moduleId, version, reason: '', isUndone: true }, quick);
    },
    async *watchChanges(signal) {
      for await (const { moduleId } of client.watchChanges({}, { signal })) yield moduleId;
    },
  };
}
