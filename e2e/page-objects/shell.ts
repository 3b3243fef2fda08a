import type { Locator, Page } from '@playwright/test';

export type ScreenName =
  | 'Overview'
  | 'Configure'
  | 'Control'
  | 'Logs'
  | 'History'
  | 'Triggers'
  | 'Diagnostics'
  | 'Data'
  | 'Train'
  | 'Machines'
  | 'Registry'
  | 'Settings';
export type ThemeName = 'Light' | 'Dark' | 'System';

/** Header and rail: what every screen has. */
export class Shell {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Name, state and readiness of the machine. */
  get machine(): Locator {
    return this.page.getByRole('group', { name: 'Machine' });
  }

  /** That an update waits for its maintenance window. */
  get waitingUpdate(): Locator {
    return this.machine.getByRole('link', { name: /^Update waiting for / });
  }

  get stopAll(): Locator {
    return this.page.getByRole('button', { name: /Stop all|Stopping/ });
  }

  /** What pressing Stop all led to. */
  get stopOutcome(): Locator {
    // Beside the button; what failed can be copied, which has a status of its own.
    return this.stopAll.locator('..').getByRole('status').first();
  }

  /** Puts the notice of a failed stop aside, which stays until then. */
  async closeStopFailure(): Promise<void> {
    await this.stopAll.locator('..').getByRole('button', { name: 'Close', exact: true }).click();
  }

  /** What is shown of a resource that is not ready, behind the count of those that are. */
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
