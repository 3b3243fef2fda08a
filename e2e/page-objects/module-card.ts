import type { Locator, Page } from '@playwright/test';

export type StrategyName =
  'Exactly this version' | 'Fixes only' | 'New features too' | 'Newest release' | 'Newest of all';

/** What Configure shows for a module: its state, version and environment. */
export class ModuleCard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** State, use and restart. */
  get card(): Locator {
    return this.page.getByRole('region', { name: 'Module', exact: true });
  }

  get restart(): Locator {
    return this.card.getByRole('button', { name: /^(Restart|Start now|Restarting|Checking what moves)$/ });
  }

  fact(label: string): Locator {
    return this.card
      .locator('dl > div')
      .filter({ has: this.page.getByText(label, { exact: true }) })
      .locator('dd');
  }

  get question(): Locator {
    return this.page.getByRole('dialog', { name: /^Restart / });
  }

  strategy(name: StrategyName): Locator {
    return this.page.getByRole('radio', { name: new RegExp(`^${name} `) });
  }

  /** The line of a strategy, with the version it would run. */
  line(name: StrategyName): Locator {
    return this.page.getByRole('group', { name: 'Version' }).locator('label').filter({ hasText: name });
  }

  get exactVersion(): Locator {
    return this.page.getByRole('combobox', { name: 'Which version' });
  }

  get environment(): Locator {
    return this.page.getByRole('region', { name: 'Environment' });
  }

  variableName(number: number): Locator {
    return this.environment.getByRole('textbox', { name: `Name of variable ${number}` });
  }

  variableValue(name: string): Locator {
    return this.environment.getByLabel(`Value of ${name}`, { exact: true });
  }
}
