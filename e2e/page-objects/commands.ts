import type { Locator } from '@playwright/test';

/** The DoCommand panel, and what it has in common with the methods of an unknown API. */
export class CommandPanel {
  readonly card: Locator;

  constructor(card: Locator) {
    this.card = card;
  }

  /** The foldable section on a card that mainly shows something else. */
  get fold(): Locator {
    return this.card.getByText('DoCommand', { exact: true });
  }

  get editor(): Locator {
    return this.card.getByRole('textbox', { name: 'Command', exact: true });
  }

  get send(): Locator {
    return this.card.getByRole('button', { name: 'Send', exact: true });
  }

  get cancel(): Locator {
    return this.card.getByRole('button', { name: 'Cancel', exact: true });
  }

  get history(): Locator {
    return this.card.getByRole('button', { name: /^History/ });
  }

  get past(): Locator {
    return this.card.getByRole('list', { name: 'Commands sent from this browser, newest first' }).getByRole('button');
  }

  /** Why a request was not sent. */
  get refusal(): Locator {
    return this.card.getByRole('alert');
  }

  get result(): Locator {
    return this.card.getByRole('region', { name: 'Result' });
  }

  /** The result of the call: sent, answered in 10 ms, failed. */
  get outcome(): Locator {
    return this.result.getByRole('status').first();
  }

  get response(): Locator {
    return this.result.getByLabel('Response');
  }

  async write(text: string): Promise<void> {
    await this.editor.fill(text);
  }
}

/** A card made from the descriptors of its API. */
export class ServiceCard extends CommandPanel {
  get methods(): Locator {
    return this.card.getByRole('group', { name: 'Methods' }).getByRole('button');
  }

  async choose(method: string): Promise<void> {
    await this.card.getByRole('group', { name: 'Methods' }).getByRole('button', { name: method }).click();
  }

  async view(name: 'Form' | 'JSON'): Promise<void> {
    await this.card.getByRole('group', { name: 'Request as' }).getByRole('button', { name }).click();
  }

  get request(): Locator {
    return this.card.getByRole('textbox', { name: 'Request', exact: true });
  }

  /** One line of the form, by the name of its field. */
  field(name: string): Locator {
    return this.card.getByRole('group', { name, exact: true });
  }

  input(name: string): Locator {
    return this.card.getByRole('textbox', { name, exact: true });
  }

  choice(name: string): Locator {
    return this.card.getByRole('combobox', { name, exact: true });
  }

  check(name: string): Locator {
    return this.card.getByRole('checkbox', { name, exact: true });
  }

  async add(name: string): Promise<void> {
    await this.card.getByRole('button', { name: `Add to ${name}`, exact: true }).click();
  }

  get answers(): Locator {
    return this.card.getByRole('list', { name: 'Answers, newest first' }).getByRole('listitem');
  }
}
