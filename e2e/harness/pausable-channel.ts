import type { Page } from '@playwright/test';

/** A relay between a page and its machine that can hold back what the machine sends. */
export class PausableChannel {
  #isPaused = false;
  #waiting: (() => void)[] = [];

  /** Starts to relay. Call it before the page is opened. */
  static async on(page: Page): Promise<PausableChannel> {
    const channel = new PausableChannel();
    await page.routeWebSocket(/\/channel$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => server.send(message));
      server.onMessage((message) => {
        const deliver = (): void => socket.send(message);
        if (channel.#isPaused) channel.#waiting.push(deliver);
        else deliver();
      });
    });
    return channel;
  }

  /** From now on, the page receives nothing; what it sends is still delivered. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Delivers everything that was held back, in order. */
  resume(): void {
    this.#isPaused = false;
    for (const deliver of this.#waiting.splice(0)) deliver();
  }
}
