import type { Locator, Page } from '@playwright/test';
import { Shell } from './shell.ts';

/** The Overview screen: picture of the machine, pinned values, changes. */
export class OverviewPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await new Shell(this.page).open('Overview');
  }

  get resources(): Locator {
    return this.page.getByRole('region', { name: 'Resources' });
  }

  get picture(): Locator {
    return this.page.getByRole('group', { name: 'All resources, what they need, and what they do now' });
  }

  /** A box of the picture; its name has state and value. */
  node(name: string): Locator {
    return this.picture.getByRole('link', { name: new RegExp(`^${name}, `) });
  }

  /** The button of a box that pins its value. @param value `speed of left` */
  pinOf(value: string): Locator {
    return this.picture.getByRole('button', { name: `Pin ${value} to overview` });
  }

  get pinned(): Locator {
    return this.page.getByRole('region', { name: 'Pinned' });
  }

  /** The pinned values in their order. */
  get pins(): Locator {
    return this.pinned.getByRole('listitem');
  }

  /** @param label `speed of left` */
  pin(label: string): Locator {
    return this.pinned.getByRole('listitem', { name: label });
  }

  get changes(): Locator {
    return this.page.getByRole('region', { name: 'Since yesterday' });
  }
}

/** A notification that a page showed through the stub. */
export interface ShownNotification {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
}

/** Stands in for the notifications of the browser, and for whether the page is seen. */
export class NotificationStub {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Takes the place of the browser's notifications in every document that the page opens from now on. */
  static async install(
    page: Page,
    permission: 'default' | 'granted' | 'denied',
    answer = permission,
  ): Promise<NotificationStub> {
    await page.addInitScript(`
      globalThis.shownNotifications = [];
      globalThis.isPageHidden = false;
      let permission = sessionStorage.getItem('stub-permission') ?? '${permission}';
      globalThis.Notification = class {
        static get permission() { return permission; }
        static requestPermission() {
          permission = '${answer}';
          sessionStorage.setItem('stub-permission', permission);
          return Promise.resolve(permission);
        }
        constructor(title, { body = '', tag = '' } = {}) {
          this.title = title;
          globalThis.shownNotifications.push({ title, body, tag, click: () => this.onclick?.() });
        }
        close() {}
      };
      Object.defineProperty(document, 'hidden', { get: () => globalThis.isPageHidden });
      Object.defineProperty(document, 'visibilityState', {
        get: () => (globalThis.isPageHidden ? 'hidden' : 'visible'),
      });
    `);
    return new NotificationStub(page);
  }

  async hidePage(isHidden: boolean): Promise<void> {
    await this.page.evaluate(
      `globalThis.isPageHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`,
    );
  }

  /** All that were shown, the oldest first; with the same tag, a later one replaces the one before. */
  shown(): Promise<readonly ShownNotification[]> {
    return this.page.evaluate('shownNotifications.map(({ title, body, tag }) => ({ title, body, tag }))');
  }

  /** Clicks the newest. */
  async click(): Promise<void> {
    await this.page.evaluate('shownNotifications.at(-1).click()');
  }
}
