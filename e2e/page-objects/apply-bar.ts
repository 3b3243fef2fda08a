import type { Locator, Page } from '@playwright/test';

/** The bar at the foot of the Configure screen: changes, progress of an apply, and the rollback. */
export class ApplyBar {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get bar(): Locator {
    return this.page.getByRole('region', { name: 'Changes that are not applied' });
  }

  get applyButton(): Locator {
    return this.bar.getByRole('button', { name: /^Apply(ing)?$/ });
  }

  get plan(): Locator {
    return this.page.getByRole('dialog', { name: 'What applying will do' });
  }

  get progress(): Locator {
    return this.page.getByRole('region', { name: 'Progress of the apply' });
  }

  /** A line of the progress. */
  progressOf(name: string): Locator {
    return this.progress.getByRole('listitem').filter({ has: this.page.getByText(name, { exact: true }) });
  }

  get keepAnyway(): Locator {
    return this.progress.getByRole('button', { name: 'Keep anyway' });
  }

  get goBackNow(): Locator {
    return this.progress.getByRole('button', { name: 'Go back now' });
  }

  /** The notice that the machine rolled back. */
  get returned(): Locator {
    return this.page.getByRole('region', { name: 'Went back to the previous configuration' });
  }

  /** The notice that a stored text waits for its maintenance window. */
  get waiting(): Locator {
    return this.page.getByRole('region', { name: 'Waiting for maintenance' });
  }

  get applyNow(): Locator {
    return this.waiting.getByRole('button', { name: 'Apply now', exact: true });
  }

  get discardWaiting(): Locator {
    return this.waiting.getByRole('button', { name: 'Discard', exact: true });
  }

  /** The confirmation before the waiting text is applied or discarded. */
  get waitingQuestion(): Locator {
    return this.page.getByRole('dialog', { name: /^(Apply now, without waiting|Discard the waiting changes)\?$/ });
  }

  /** Opens the list of what waits. */
  async openWaiting(): Promise<Locator> {
    await this.waiting.locator('summary').click();
    return this.waiting.getByRole('group', { name: 'Waiting changes' });
  }

  get takeAsDraft(): Locator {
    return this.returned.getByRole('button', { name: 'Use it as draft' });
  }

  /** Chooses the time after which the machine rolls back: `10 s`, `30 s`, `1 min`, `5 min`, `never`. */
  async returnAfter(time: string): Promise<void> {
    await this.bar
      .getByRole('combobox', { name: 'Time until the machine goes back to the previous configuration' })
      .selectOption({ label: time });
  }
}
