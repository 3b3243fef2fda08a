import type { Page, WebSocketRoute } from '@playwright/test';
import { openPage } from './open-page.ts';

/** The connection between a page and its machine, which can be cut for a while. */
export class Cable {
  #isCut = false;
  #channel: WebSocketRoute | undefined;

  /** Opens the page anew, over a connection that can be cut. */
  static async open(page: Page, pageUrl: string): Promise<Cable> {
    const cable = new Cable();
    await page.routeWebSocket(/\/channel$/, async (socket) => {
      if (cable.#isCut) {
        await socket.close({ code: 4000, reason: 'cut' });
        return;
      }
      cable.#channel = socket;
      socket.connectToServer();
    });
    await page.goto('about:blank');
    await openPage(page, pageUrl);
    return cable;
  }

  async cut(): Promise<void> {
    this.#isCut = true;
    await this.#channel?.close({ code: 4000, reason: 'cut' });
  }

  mend(): void {
    this.#isCut = false;
  }
}
