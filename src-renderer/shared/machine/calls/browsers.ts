import { PageServiceDefinition, type Browser } from '../../../../proto/gen/core/page/v1/page.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { BrowserCalls } from '../../signing.ts';
import { quick } from './call-options.ts';

export function browserCalls(link: Channel): BrowserCalls & { remember(name: string): Promise<string> } {
  const client = createClient(PageServiceDefinition, link);
  return {
    async list() {
      return (await client.listBrowsers({}, quick)).browsers.map(viewOf);
    },
    async forget(id) {
      await client.forgetBrowser({ id }, quick);
    },
    async remember(name) {
      return (await client.rememberBrowser({ name }, quick)).key;
    },
  };
}

function viewOf({ id, name, created, lastUsed }: Browser) {
  return { id, name, createdAt: created?.getTime() ?? 0, usedAt: lastUsed?.getTime() ?? 0 };
}
