import type { Locator, Page } from '@playwright/test';

/** The screens of a machine with its hub, in the order of the rail. */
export const screenNames = [
  'Overview',
  'Configure',
  'Control',
  'Logs',
  'History',
  'Triggers',
  'Diagnostics',
  'Data',
  'Train',
  'Machines',
  'Registry',
  'Settings',
] as const;
export type ScreenName = (typeof screenNames)[number];
export type ThemeName = 'Light' | 'Dark' | 'System';

/** Header and navigation rail, which every screen has. */
export class Shell {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Name, state and readiness of the machine. */
  get machine(): Locator {
    return this.page.getByRole('group', { name: 'Machine' });
  }

  /** The notice that an update waits for its maintenance window. */
  get waitingUpdate(): Locator {
    return this.machine.getByRole('link', { name: /^Update waiting for / });
  }

  get stopAll(): Locator {
    return this.page.getByRole('button', { name: /Stop all|Stopping/ });
  }

  /** The result of pressing Stop all. */
  get stopOutcome(): Locator {
    // It is beside the button. A failure can be copied, and the copy button has another status.
    return this.stopAll.locator('..').getByRole('status').first();
  }

  /** Closes the notice of a failed stop, which otherwise stays. */
  async closeStopFailure(): Promise<void> {
    await this.stopAll.locator('..').getByRole('button', { name: 'Close', exact: true }).click();
  }

  /** The list of resources that are not ready, behind the count of ready ones. */
  get notReady(): Locator {
    return this.page.getByRole('banner').getByRole('listitem');
  }

  get rail(): Locator {
    return this.page.getByRole('navigation', { name: 'Pages' });
  }

  async open(screen: ScreenName): Promise<void> {
    await this.rail.getByRole('link', { name: screen }).click();
  }

  async chooseTheme(theme: ThemeName): Promise<void> {
    await this.rail.getByRole('button', { name: theme, exact: true }).click();
  }

  async chooseDensity(density: 'Comfortable' | 'Compact'): Promise<void> {
    await this.rail.getByRole('button', { name: density }).click();
  }

  get shownTheme(): Promise<string | null> {
    return this.page.locator('html').getAttribute('data-theme');
  }
}
