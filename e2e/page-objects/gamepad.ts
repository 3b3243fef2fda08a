import type { Page } from '@playwright/test';

/** Places in a gamepad of the standard layout. */
export const padButtons = { a: 0, leftBumper: 4, rightBumper: 5 } as const;
export const padAxes = { leftX: 0, leftY: 1, rightX: 2, rightY: 3 } as const;

interface PadFacts {
  /** As the browser names it. */
  readonly id?: string;
  /** '' for one that the browser does not know. */
  readonly mapping?: 'standard' | '';
  /** How many axes it has. */
  readonly axes?: number;
  /** Buttons that are down from the beginning. */
  readonly down?: readonly number[];
}

/** In the page: text, since the tests know no DOM types. */
const script = `(() => {
  window.fakePads = [null, null, null, null];
  const copy = (pad) => pad && { ...pad, axes: [...pad.axes], buttons: pad.buttons.map((each) => ({ ...each })) };
  navigator.getGamepads = () => window.fakePads.map(copy);
})()`;

/** A gamepad that the page has instead of those of the computer. */
export class FakeGamepad {
  readonly page: Page;
  readonly #index: number;

  private constructor(page: Page, index: number) {
    this.page = page;
    this.#index = index;
  }

  /** Loads the page again, with no gamepad at first. */
  static async of(page: Page, index = 0): Promise<FakeGamepad> {
    await page.addInitScript(script);
    await page.reload();
    return new FakeGamepad(page, index);
  }

  async plugIn(own: PadFacts = {}): Promise<void> {
    const { id = 'Xbox 360 Controller (XInput STANDARD GAMEPAD)', mapping = 'standard', axes = 4, down = [] } = own;
    await this.#run(`
      const isDown = (button) => ${JSON.stringify(down)}.includes(button);
      const buttons = Array.from({ length: 17 }, (_, button) => ({ pressed: isDown(button), value: isDown(button) ? 1 : 0 }));
      pads[at] = { index: at, id: ${JSON.stringify(id)}, mapping: '${mapping}', connected: true, axes: Array(${axes}).fill(0), buttons };
      tell('gamepadconnected', pads[at]);`);
  }

  async unplug(): Promise<void> {
    await this.#run(
      `const gone = { ...pads[at], connected: false }; pads[at] = null; tell('gamepaddisconnected', gone);`,
    );
  }

  async press(button: number): Promise<void> {
    await this.#run(`Object.assign(pads[at].buttons[${button}], { pressed: true, value: 1 });`);
  }

  async release(button: number): Promise<void> {
    await this.#run(`Object.assign(pads[at].buttons[${button}], { pressed: false, value: 0 });`);
  }

  /** @param value -1 to 1; up is negative */
  async tilt(axis: number, value: number): Promise<void> {
    await this.#run(`pads[at].axes[${axis}] = ${value};`);
  }

  async #run(body: string): Promise<void> {
    await this.page.evaluate(`(() => {
      const [pads, at] = [window.fakePads, ${this.#index}];
      const tell = (name, gamepad) => window.dispatchEvent(Object.assign(new Event(name), { gamepad }));
      ${body}
    })()`);
  }
}
