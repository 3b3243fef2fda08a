import { expect, type Locator } from '@playwright/test';

/** What a browser that forces colours drew of an element. Ratios are those of WCAG, from 1 to 21. */
export interface Drawn {
  /** The best of its fill, border and outline against what is behind it. */
  readonly edge: number;
  /** Its text against what is behind the text. */
  readonly text: number;
  readonly fill: string;
}

/** In the page: text, since the tests know no DOM types. */
const measure = `(element, pseudo) => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const isOpaque = (colour) => (parts(colour)[3] ?? 1) > 0.5;
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((left, right) => left - right);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (from) => {
    for (let at = from; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (isOpaque(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const style = getComputedStyle(element, pseudo || null);
  const under = behind(pseudo ? element : element.parentElement);
  const seen = [
    ...(isOpaque(style.backgroundColor) ? [style.backgroundColor] : []),
    ...(parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== 'none' ? [style.borderTopColor] : []),
    ...(parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none' ? [style.outlineColor] : []),
  ].filter(isOpaque);
  return {
    edge: Math.max(1, ...seen.map((colour) => ratio(colour, under))),
    text: ratio(style.color, behind(element)),
    fill: behind(element),
  };
}`;

/** Calls a function of the page, which is text, since the tests know no DOM types, with an element and a word. */
async function inPage<Result>(locator: Locator, callee: string, word = ''): Promise<Result> {
  await locator.first().evaluate((element: unknown) => void ((element as { measured: boolean }).measured = true));
  return locator.page().evaluate<Result>(`(() => {
    const element = [...document.querySelectorAll('*')].find((each) => each.measured);
    element.measured = undefined;
    return (${callee})(element, '${word}');
  })()`);
}

/** What is on the screen of an element, or of its pseudo element. */
export function drawn(locator: Locator, pseudo = ''): Promise<Drawn> {
  return inPage(locator, measure, pseudo);
}

/** In the page: the lines of a plot, or its axes, against what is behind them. The strongest pixel of each canvas. */
const measureCanvas = `(figure) => {
  const luminance = (pixel) => {
    const [r, g, b] = pixel.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const ratioTo = (pixel) => {
    const [low, high] = [luminance(pixel), luminance(behind)].sort((left, right) => left - right);
    return (high + 0.05) / (low + 0.05);
  };
  return Math.min(
    ...[...figure.querySelectorAll('canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let best = 1;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 200) best = Math.max(best, ratioTo([data[at], data[at + 1], data[at + 2]]));
      }
      return best;
    }),
  );
}`;

/** The contrast of what is drawn in the canvases of a plot, of the one that has least. */
export function drawnLines(figure: Locator): Promise<number> {
  return inPage(figure, measureCanvas);
}

/** Gives something the focus with the keyboard. @returns the width of the ring around it, px, and its contrast */
export async function focusRing(target: Locator): Promise<{ readonly widthPx: number; readonly ratio: number }> {
  await target.focus();
  // A focus that no key has moved has no ring.
  for (const key of ['Tab', 'Shift+Tab']) await target.page().keyboard.press(key);
  await expect(target).toBeFocused();
  const widthPx = await inPage<number>(
    target,
    `(element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle === 'none' ? 0 : parseFloat(outlineWidth);
  }`,
  );
  const { edge: ratio } = await drawn(target);
  return { widthPx, ratio };
}
