import type { Locator, Page } from '@playwright/test';

/** The Configure screen: resources, text, problems, bar, plan. */
export class ConfigurePage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get editor(): Locator {
    return this.page.getByRole('textbox', { name: 'Configuration text' });
  }

  get problems(): Locator {
    return this.page.getByRole('region', { name: 'Problems' });
  }

  problem(text: string | RegExp): Locator {
    return this.problems.getByRole('button', { name: text });
  }

  /** Marks in the gutter, beside the lines that have problems. */
  get gutterMarks(): Locator {
    return this.page.locator('.cm-lint-marker-error');
  }

  /** The words in the text that are marked as wrong. */
  get underlined(): Locator {
    return this.page.locator('.cm-lintRange-error');
  }

  get bar(): Locator {
    return this.page.getByRole('region', { name: 'Changes that are not applied' });
  }

  get reviewButton(): Locator {
    return this.bar.getByRole('button', { name: 'Review', exact: true });
  }

  get plan(): Locator {
    return this.page.getByRole('dialog', { name: 'What applying will do' });
  }

  get conflict(): Locator {
    return this.page.getByText('The configuration was changed elsewhere while you were editing.');
  }

  resource(name: string): Locator {
    return this.page
      .getByRole('complementary', { name: 'Resources' })
      .getByRole('button', { name: new RegExp(`^${name}\\b`) });
  }

  /** Replaces the whole text, as pasting does. */
  async replaceText(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(text);
  }

  async review(): Promise<void> {
    await this.reviewButton.click();
  }

  async applyPlan(): Promise<void> {
    await this.plan.getByRole('button', { name: /^(Apply|Stop and apply)$/ }).click();
  }
}
