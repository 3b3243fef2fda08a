import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright';
import { windowBench } from '../../fixtures/window-bench.ts';
import { startServer } from '../../harness/server-process.ts';
import type { Measure } from '../measure.ts';
import { withBrowser } from '../page/browser.ts';
import { installNodeRed, makeUserFolder, msToFlow, startNodeRed } from '../servers/node-red.ts';
import { rowOf } from '../statistics.ts';

/** Kilobytes of code that a page loaded, compressed here in the same way, regardless of its server. */
interface Loaded {
  readonly script: number;
  readonly style: number;
  readonly files: number;
}

/** Loads a page and adds up its scripts and styles until `isThere` resolves because it can be used. */
async function load(page: Page, url: string, isThere: () => Promise<void>): Promise<Loaded> {
  const sizes: Promise<{ readonly type: string; readonly size: number }>[] = [];
  const sizeOf = async (response: Response, type: string): Promise<{ type: string; size: number }> => ({
    type,
    size: gzipSync(await response.body()).length / 1000,
  });
  page.on('response', (response) => {
    const type = response.request().resourceType();
    if ((type === 'script' || type === 'stylesheet') && response.ok()) sizes.push(sizeOf(response, type));
  });
  await page.goto(url);
  await isThere();
  const found = await Promise.all(sizes);
  const sum = (type: string): number =>
    found.filter((file) => file.type === type).reduce((total, { size }) => total + size, 0);
  return { script: sum('script'), style: sum('stylesheet'), files: found.length };
}

/** The code that a browser loads until the configuration can be edited, compared with Node-RED's editor. */
export const pageSize: Measure = {
  name: 'page-size',
  isDefault: true,
  async run({ scratchFolder, note }) {
    await installNodeRed(note);
    const machine = await startServer({ config: windowBench });
    const nodeRed = await startNodeRed(await makeUserFolder(scratchFolder), {});
    try {
      await msToFlow(nodeRed);
      return await withBrowser(async (_browser, open) => {
        const page = await open();
        const own = await load(page, machine.pageUrl, () => page.getByText('5 of 5 ready').waitFor());
        const other = await open();
        const peer = await load(other, `http://127.0.0.1:${nodeRed.port}/`, () =>
          other.locator('#red-ui-header-button-deploy').waitFor({ timeout: 60_000 }),
        );
        const row = (kind: 'script' | 'style'): ReturnType<typeof rowOf> =>
          rowOf(
            {
              name: `page size, ${kind}`,
              what: 'gzip, until Configure can be used / Node-RED until its editor can be used',
              unit: 'kB',
              target: undefined,
            },
            { ours: [own[kind]], peer: [peer[kind]] },
            { 'files of ours': own.files, 'files of the peer': peer.files },
          );
        return [row('script'), row('style')];
      });
    } finally {
      await machine.stop();
      await nodeRed.end();
    }
  },
};
