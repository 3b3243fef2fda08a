import type { CDPSession, Page } from '@playwright/test';

/** A finger on the screen; the browser scrolls with it where it may. */
export class Finger {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<Finger> {
    return new Finger(await page.context().newCDPSession(page));
  }

  /** Puts it onto the middle of a box. */
  async press({ x, y, width, height }: { x: number; y: number; width: number; height: number }): Promise<void> {
    await this.#touch('touchStart', [{ x: x + width / 2, y: y + height / 2 }]);
  }

  async moveTo(x: number, y: number): Promise<void> {
    await this.#touch('touchMove', [{ x, y }]);
  }

  async lift(): Promise<void> {
    await this.#touch('touchEnd', []);
  }

  async #touch(type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]): Promise<void> {
    await this.#session.send('Input.dispatchTouchEvent', { type, touchPoints });
  }
}
