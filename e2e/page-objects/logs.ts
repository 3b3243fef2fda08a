import { expect, type Locator, type Page } from '@playwright/test';

/** The Logs screen. */
export class LogsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The list; only lines near the visible part are in the page. */
  get list(): Locator {
    return this.page.getByRole('grid', { name: 'Log lines' });
  }

  /** The line with this text. */
  line(text: string | RegExp): Locator {
    return this.list.getByRole('row').filter({ hasText: text });
  }

  get pauseButton(): Locator {
    return this.page.getByRole('button', { name: /^(Pause|Resume)$/ });
  }

  get jumpButton(): Locator {
    return this.page.getByRole('button', { name: /jump to the end$/i });
  }

  get textField(): Locator {
    return this.page.getByRole('textbox', { name: 'Text in the message or its fields' });
  }

  get loggerField(): Locator {
    return this.page.getByRole('textbox', { name: 'Part of the logger’s name' });
  }

  get resourceField(): Locator {
    return this.page.getByRole('combobox', { name: 'Resource' });
  }

  /** Whether the lines are live, paused or old. */
  state(words: string | RegExp): Locator {
    return this.page.getByRole('status').filter({ hasText: words });
  }

  async showLevel(level: 'debug' | 'info' | 'warn' | 'error'): Promise<void> {
    await this.page
      .getByRole('group', { name: 'Level and above' })
      .getByRole('button', { name: level, exact: true })
      .click();
  }

  async chooseExport(name: 'Copy the lines shown' | 'Download as text' | 'Download as JSON lines'): Promise<void> {
    await this.page.getByRole('button', { name: 'Copy and download' }).click();
    await this.page.getByRole('menuitem', { name }).click();
  }

  /** Scrolls with the wheel, as a person does. */
  async wheel(byPx: number): Promise<void> {
    await this.list.hover();
    await this.page.mouse.wheel(0, byPx);
  }

  /** The number of lines that the page says it has. */
  async shownCount(): Promise<number> {
    const words = await this.page.getByText(/^\d+ lines?$/).innerText();
    return Number.parseInt(words, 10);
  }

  /** How far the end of the list is below the visible part, in pixels. */
  distanceFromEnd(): Promise<number> {
    return this.page.evaluate<number>(`{
      const list = document.querySelector('[role=grid]');
      list.scrollHeight - list.scrollTop - list.clientHeight;
    }`);
  }

  async expectAtEnd(): Promise<void> {
    await expect.poll(() => this.distanceFromEnd()).toBeLessThan(24);
  }
}
