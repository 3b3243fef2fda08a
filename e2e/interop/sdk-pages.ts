import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type * as Sdk from '@viamrobotics/sdk';
import type { Browser, Page } from 'playwright';
import { build } from 'vite';
import { launchChromium } from '../harness/chromium.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

/** The globals of such a page: see browser-page/main.ts. */
export interface PageGlobals {
  sdk: typeof Sdk;
  robot: Sdk.RobotClient;
}

/** Pages with the public SDK, bundled for browsers, in Debian's Chromium: each on a machine that serves it itself. */
export class SdkPages {
  readonly #folder: string;
  readonly #browser: Browser;

  private constructor(folder: string, browser: Browser) {
    this.#folder = folder;
    this.#browser = browser;
  }

  static async open(): Promise<SdkPages> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-sdk-page-'));
    await build({
      configFile: false,
      root: path.join(import.meta.dirname, 'browser-page'),
      logLevel: 'warn',
      build: { outDir: folder, emptyOutDir: true, chunkSizeWarningLimit: 10_000 },
    });
    return new SdkPages(folder, await launchChromium());
  }

  /** A page on a machine with this configuration. The caller ends that machine. */
  async on(config: string): Promise<{ readonly server: ServerProcess; readonly page: Page }> {
    const server = await startServer({ config, args: this.args });
    return { server, page: await this.at(server) };
  }

  /** Options for starting a server that serves such pages. */
  get args(): readonly string[] {
    return ['-shareddir', this.#folder];
  }

  /** A page on a server that was started with {@link args}. */
  async at({ pageUrl }: ServerProcess): Promise<Page> {
    const page = await this.#browser.newPage();
    await page.goto(pageUrl);
    await page.waitForFunction(() => 'sdk' in globalThis);
    return page;
  }

  /** Closes all pages. */
  async closePages(): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close();
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
