import type { Locator, Page } from '@playwright/test';
import { ControlPage } from './control.ts';
import { Shell } from './shell.ts';

/** The panel of the Control screen that drives with the keyboard or a gamepad. */
export class DrivePanel {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get button(): Locator {
    return this.page.getByRole('button', { name: 'Drive', exact: true });
  }

  get panel(): Locator {
    return this.page.getByRole('region', { name: 'Drive', exact: true });
  }

  /** Whether it drives, and if not, why. */
  get said(): Locator {
    return this.panel.getByRole('status').first();
  }

  get area(): Locator {
    return this.panel.getByRole('application', { name: 'Drive area' });
  }

  get sticks(): Locator {
    return this.panel.getByRole('list', { name: 'Sticks' });
  }

  field(label: string): Locator {
    return this.panel.getByLabel(label, { exact: true });
  }

  /** A list of which one is chosen. */
  choice(name: string): Locator {
    return this.panel.getByRole('combobox', { name, exact: true });
  }

  press(button: string): Promise<void> {
    return this.panel.getByRole('button', { name: button, exact: true }).click();
  }

  /** Opens the screen and the panel, and chooses both wheels of the bench. */
  async openOnWheels(): Promise<ControlPage> {
    await new Shell(this.page).open('Control');
    await this.button.click();
    await this.choice('Left motor').selectOption('left');
    await this.choice('Right motor').selectOption('right');
    return new ControlPage(this.page);
  }
}
