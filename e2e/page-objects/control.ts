import { expect, type Locator, type Page } from '@playwright/test';
import { Plot } from './plot.ts';
import { Shell } from './shell.ts';
import { TunePanel } from './tune-panel.ts';

/** The Control screen. */
export class ControlPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get enableSwitch(): Locator {
    return this.page.getByRole('switch', { name: /control/i });
  }

  async enable(): Promise<void> {
    await this.enableSwitch.click();
  }

  /** Opens the screen and enables control, once this motor is known to stand still. */
  async openWith(name: string): Promise<MotorCard> {
    await new Shell(this.page).open('Control');
    const motor = this.motor(name);
    await expect(motor.state).toHaveText('still');
    await this.enable();
    return motor;
  }

  motor(name: string): MotorCard {
    return new MotorCard(this.page.getByRole('article', { name, exact: true }));
  }

  board(name: string): BoardCard {
    return new BoardCard(this.page.getByRole('article', { name, exact: true }));
  }

  servo(name: string): ServoCard {
    return new ServoCard(this.page.getByRole('article', { name, exact: true }));
  }

  card(name: string): Locator {
    return this.page.getByRole('article', { name, exact: true });
  }

  plot(name: string): Plot {
    return new Plot(this.card(name).getByRole('figure'));
  }

  async show(kind: 'All' | 'Motors' | 'Boards' | 'Sensors' | 'Others'): Promise<void> {
    await this.page.getByRole('group', { name: 'Show' }).getByRole('button', { name: kind, exact: true }).click();
  }
}

export class MotorCard {
  readonly card: Locator;

  constructor(card: Locator) {
    this.card = card;
  }

  get tuning(): TunePanel {
    return new TunePanel(this.card);
  }

  get forward(): Locator {
    return this.card.getByRole('button', { name: 'Hold: forward' });
  }

  get back(): Locator {
    return this.card.getByRole('button', { name: 'Hold: back' });
  }

  get stop(): Locator {
    return this.card.getByRole('button', { name: 'Stop', exact: true });
  }

  get go(): Locator {
    return this.card.getByRole('button', { name: 'Go', exact: true });
  }

  get revolutions(): Locator {
    return this.card.getByRole('textbox', { name: 'Distance' });
  }

  get rpm(): Locator {
    return this.card.getByRole('textbox', { name: 'Speed' });
  }

  get state(): Locator {
    return this.card.getByText(/^(moving|still)$/);
  }

  /** Where the motor is going, or that somebody else moves it. */
  get goal(): Locator {
    return this.card.locator('header');
  }

  get zero(): Locator {
    return this.card.getByRole('button', { name: 'Zero here' });
  }

  get position(): Locator {
    return this.card.getByRole('textbox', { name: 'Position' });
  }

  /** The thumb of the power slider, and the track along which it is dragged. */
  get thumb(): Locator {
    return this.card.locator('.thumb');
  }

  get track(): Locator {
    return this.card.locator('.track');
  }

  async choose(kind: 'Go for' | 'Go to' | 'Turn'): Promise<void> {
    await this.card.getByRole('group', { name: 'Move' }).getByRole('button', { name: kind, exact: true }).click();
  }

  get estimatedMark(): Locator {
    return this.card.getByText('estimated');
  }

  get command(): Locator {
    return this.card.getByRole('status').last();
  }

  /** The number of a shown value. */
  async value(name: 'position' | 'speed' | 'power'): Promise<number> {
    const shown = await this.card
      .locator('dl > div')
      .filter({ has: this.card.page().getByRole('term').filter({ hasText: name }) })
      .getByRole('definition')
      .innerText();
    return Number.parseFloat(shown.replace('−', '-').replace('≈', '').replace(',', ''));
  }
}

export class ServoCard {
  readonly card: Locator;

  constructor(card: Locator) {
    this.card = card;
  }

  get angle(): Locator {
    return this.card.getByRole('textbox', { name: 'Angle' });
  }

  get go(): Locator {
    return this.card.getByRole('button', { name: 'Go', exact: true });
  }

  get stop(): Locator {
    return this.card.getByRole('button', { name: 'Stop', exact: true });
  }

  /** The thumb of the slider, and the track along which it is dragged. */
  get thumb(): Locator {
    return this.card.locator('.thumb');
  }

  get track(): Locator {
    return this.card.locator('.track');
  }

  get command(): Locator {
    return this.card.getByRole('status').last();
  }
}

export class BoardCard {
  readonly card: Locator;

  constructor(card: Locator) {
    this.card = card;
  }

  async addPin(pin: string): Promise<void> {
    await this.card.getByRole('textbox', { name: 'Pin', exact: true }).fill(pin);
    await this.card.getByRole('button', { name: 'Add pin' }).click();
  }

  /** What the board reported about a pin. */
  pinValue(pin: string): Locator {
    return this.row(`Pin ${pin}`).getByRole('cell').nth(2);
  }

  /** The row of a pin such as `Pin 37`, or of an interrupt by its name. */
  row(name: string): Locator {
    return this.card.getByRole('row', { name, exact: true });
  }

  async readPin(pin: string): Promise<void> {
    await this.card.getByRole('button', { name: `Read pin ${pin}`, exact: true }).click();
  }

  async setPin(pin: string, level: 'high' | 'low'): Promise<void> {
    await this.card.getByRole('button', { name: `Set pin ${pin} ${level}`, exact: true }).click();
  }

  async setDuty(pin: string, percent: string): Promise<void> {
    await this.card.getByRole('textbox', { name: `Duty of pin ${pin}`, exact: true }).fill(percent);
    await this.card.getByRole('button', { name: `Set the duty of pin ${pin}`, exact: true }).click();
  }

  /** The row of an analog input. */
  analog(name: string): Locator {
    return this.card.getByRole('listitem', { name, exact: true });
  }
}
