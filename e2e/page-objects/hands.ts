import { expect, type Locator, type Page } from '@playwright/test';

/** How often a person has pressed a key and clicked, as the page has seen it. */
export interface HandCounts {
  readonly keys: number;
  readonly clicks: number;
}

/** What a person does with a keyboard and a mouse, counted by the page: a chord is one key, a click is one press. */
export class Hands {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async of(page: Page): Promise<Hands> {
    await page.evaluate(`(() => {
      window.handCounts = { keys: 0, clicks: 0 };
      const isModifier = (key) => ['Shift', 'Control', 'Alt', 'Meta'].includes(key);
      addEventListener('keydown', (event) => {
        if (event.isTrusted && !event.repeat && !isModifier(event.key)) window.handCounts.keys += 1;
      }, true);
      addEventListener('pointerdown', (event) => {
        if (event.isTrusted) window.handCounts.clicks += 1;
      }, true);
    })()`);
    return new Hands(page);
  }

  counts(): Promise<HandCounts> {
    return this.page.evaluate('window.handCounts');
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Presses Tab until an element has the focus. */
  async tabTo(target: Locator, most = 15): Promise<void> {
    const isFocused = (): Promise<boolean> =>
      target.evaluate((element) => (element as unknown as { matches(selector: string): boolean }).matches(':focus'));
    await expect(target).toBeVisible();
    for (let tabs = 0; tabs < most && !(await isFocused()); tabs += 1) await this.press('Tab');
    await expect(target).toBeFocused();
  }
}
