import type { Locator } from '@playwright/test';

/** Tuning on the card of a motor. */
export class TunePanel {
  readonly card: Locator;

  constructor(card: Locator) {
    this.card = card;
  }

  get summary(): Locator {
    return this.card.locator('summary').filter({ hasText: /^Tune$/ });
  }

  async open(): Promise<void> {
    await this.summary.click();
  }

  get power(): Locator {
    return this.card.getByRole('textbox', { name: 'Step power' });
  }

  get turns(): Locator {
    return this.card.getByRole('textbox', { name: 'Maximum turns' });
  }

  get start(): Locator {
    return this.card.getByRole('button', { name: 'Start tuning' });
  }

  get stop(): Locator {
    return this.card.getByRole('button', { name: 'Stop tuning' });
  }

  get progress(): Locator {
    return this.card.getByRole('progressbar', { name: 'Progress of the measurement' });
  }

  get failure(): Locator {
    return this.card.getByRole('alert');
  }

  get result(): Locator {
    return this.card.getByRole('region', { name: /^Measurement of/ });
  }

  get plot(): Locator {
    return this.result.getByRole('figure');
  }

  get time(): Locator {
    return this.plot.getByRole('slider', { name: 'Time of the values shown' });
  }

  get use(): Locator {
    return this.result.getByRole('button', { name: 'Use these' });
  }

  /** The cells of a gain such as `P`: its proposed and its current value. */
  async gain(name: 'P' | 'I' | 'D'): Promise<readonly string[]> {
    return this.result
      .getByRole('row')
      .filter({ has: this.card.page().getByRole('rowheader', { name, exact: true }) })
      .getByRole('cell')
      .allTextContents();
  }
}
