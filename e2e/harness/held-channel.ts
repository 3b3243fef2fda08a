import type { Page } from '@playwright/test';

/** Stands between a page and its machine, and holds back what the machine says. */
export class HeldChannel {
  #isHeld = false;
  #waiting: (() => void)[] = [];

  /** Before the page is opened. */
  static async on(page: Page): Promise<HeldChannel> {
    const channel = new HeldChannel();
    await page.routeWebSocket(/\/channel$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => server.send(message));
      server.onMessage((message) => {
        const deliver = (): void => socket.send(message);
        if (channel.#isHeld) channel.#waiting.push(deliver);
        else deliver();
      });
    });
    return channel;
  }

  /** The page hears nothing from now on; what it says still goes out. */
  hold(): void {
    this.#isHeld = true;
  }

  /** All that was held back comes, in its order. */
  release(): void {
    this.#isHeld = false;
    for (const deliver of this.#waiting.splice(0)) deliver();
  }
}
