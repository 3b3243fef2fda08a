import type { CDPSession, Page } from '@playwright/test';

interface AxValue {
  readonly value?: unknown;
}

interface AxNode {
  readonly role?: AxValue;
  readonly name?: AxValue;
  readonly description?: AxValue;
  readonly properties?: readonly { readonly name: string; readonly value: AxValue }[];
}

/** States that screen readers say, if they have these values. */
const states: Readonly<Record<string, readonly unknown[]>> = {
  invalid: ['true'],
  required: [true],
  checked: ['true', 'false', 'mixed'],
  pressed: ['true', 'false'],
  expanded: [true, false],
  selected: [true],
  disabled: [true],
};

/**
 * What a screen reader gets of a page: the element that has the focus, from the accessibility tree of the browser, and
 * what live regions say.
 */
export class ScreenReader {
  readonly page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  /** From now on, what live regions say is kept. Call it before the page is opened. */
  static async of(page: Page): Promise<ScreenReader> {
    await page.addInitScript(`
      window.heard = [];
      const live = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]';
      const said = new WeakMap();
      const hear = (region, isNew) => {
        const text = region.textContent.replace(/\\s+/g, ' ').trim();
        const isHidden = region.closest('[aria-hidden="true"], [hidden], [inert]') !== null;
        // Readers say what changes in a region, and not what it had when it appeared; an alert is said at once.
        const isSaid = !isNew || region.getAttribute('role') === 'alert';
        if (text !== '' && text !== said.get(region) && !isHidden && isSaid) window.heard.push(text);
        said.set(region, text);
      };
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
          for (const node of addedNodes) {
            if (!(node instanceof Element)) continue;
            if (node.matches(live)) hear(node, true);
            node.querySelectorAll(live).forEach((region) => hear(region, true));
          }
        }
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          const region = element?.closest(live);
          if (region) hear(region, false);
        }
      }).observe(document, { subtree: true, childList: true, characterData: true });
    `);
    const session = await page.context().newCDPSession(page);
    await session.send('Accessibility.enable');
    return new ScreenReader(page, session);
  }

  /** The element that has the focus: `spinbutton "Max speed", invalid: enter the speed`. */
  async focused(): Promise<string> {
    const { result } = await this.#session.send('Runtime.evaluate', {
      expression: `(() => {
        let element = document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        return element;
      })()`,
    });
    const { nodes } = (await this.#session.send('Accessibility.getPartialAXTree', {
      ...(result.objectId === undefined ? {} : { objectId: result.objectId }),
      fetchRelatives: false,
    })) as { nodes: readonly AxNode[] };
    return nodes[0] === undefined ? '' : spoken(nodes[0]);
  }

  /** What live regions have said so far, in order. */
  heard(): Promise<readonly string[]> {
    return this.page.evaluate('window.heard');
  }
}

function spoken({ role, name, description, properties = [] }: AxNode): string {
  const said = properties.flatMap(({ name: state, value: { value } }) => {
    if (states[state]?.includes(value) !== true) return [];
    return value === true || value === 'true' ? [state] : [`not ${state}`];
  });
  const text = (value: AxValue | undefined): string => (typeof value?.value === 'string' ? value.value.trim() : '');
  const what = [`${text(role)} "${text(name)}"`, ...said].join(', ');
  return text(description) === '' ? what : `${what}: ${text(description)}`;
}
