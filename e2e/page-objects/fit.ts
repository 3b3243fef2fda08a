import { expect, type Page } from '@playwright/test';

/** Up to this width a screen is used with a finger. The same figure is in `touch.css`. */
const touchWidth = 600;

/** In the page: text, since the tests know no DOM types. */
const measure = `(() => {
  const lowest = 40;
  const dialogs = [...document.querySelectorAll('dialog[open]')];
  const root = dialogs.at(-1) ?? document.body;
  const nameOf = (element) => {
    const words = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().replace(/\\s+/g, ' ');
    const kind = element.tagName.toLowerCase() + (element.classList[0] ? '.' + element.classList[0] : '');
    return kind + ' "' + words.slice(0, 40) + '"';
  };
  const isSeen = (element) =>
    element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) &&
    !element.closest('[aria-hidden="true"], .visually-hidden, svg');
  const targets = [
    ...root.querySelectorAll(
      'button, a[href], select, summary, input, textarea, [role="option"], [role^="menuitem"], [role="row"] [tabindex]',
    ),
  ].filter((element) => isSeen(element) && element.getBoundingClientRect().width > 1);

  /* Words and controls that the window or an ancestor cuts off at the side. What scrolls by itself is reached. */
  const cut = [];
  for (const element of [...targets, ...root.querySelectorAll('h1, h2, h3, p, td, th, dt, dd, label')]) {
    const box = element.getBoundingClientRect();
    if (!isSeen(element) || box.width <= 1 || box.height <= 1) continue;
    let left = 0;
    let right = innerWidth;
    let isReached = false;
    for (let at = element.parentElement; at && at !== document.documentElement; at = at.parentElement) {
      const { overflowX, position, clipPath } = getComputedStyle(at);
      /* Only for screen readers. */
      if (clipPath === 'inset(50%)') isReached = true;
      if (overflowX === 'auto' || overflowX === 'scroll') {
        if (at.scrollWidth > at.clientWidth + 1) isReached = true;
        break;
      }
      if (overflowX !== 'visible') {
        const around = at.getBoundingClientRect();
        left = Math.max(left, around.left);
        right = Math.min(right, around.right);
      }
      if (position === 'fixed') break;
    }
    if (!isReached && (box.left < left - 1 || box.right > right + 1)) cut.push(nameOf(element));
  }

  /* What scrolls sideways: only tables, texts and code that the keyboard can scroll too, which have a tabindex. */
  const sideways = [...root.querySelectorAll('*')]
    .filter((element) => {
      const { overflowX } = getComputedStyle(element);
      return (
        (overflowX === 'auto' || overflowX === 'scroll') &&
        element.scrollWidth > element.clientWidth + 1 &&
        !element.closest('[tabindex="0"], pre') &&
        isSeen(element)
      );
    })
    .map(nameOf);
  const wider = document.documentElement.scrollWidth - innerWidth;

  /* A link inside of a line of text is as high as that line. */
  const isInSentence = (element) =>
    getComputedStyle(element).display.startsWith('inline') &&
    element.tagName === 'A' &&
    element.parentElement.textContent.trim() !== element.textContent.trim();
  const heightOf = (element) => {
    const own = element.getBoundingClientRect();
    const around = element.closest('.field-box, label')?.getBoundingClientRect();
    const height = Math.max(own.height, around?.height ?? 0);
    if (height >= lowest) return height;
    /* A target may reach beyond its box. */
    const x = own.left + own.width / 2;
    const y = own.top + own.height / 2;
    const isHit = (at) => element.contains(document.elementFromPoint(x, at));
    /* What is under another target, on purpose, is pressed as that one. */
    const over = document.elementFromPoint(x, y)?.closest('button, a');
    if (over && over !== element && targets.includes(over)) return lowest;
    if (!isHit(y)) return height;
    let top = y;
    let bottom = y;
    while (y - top < lowest && isHit(top - 1)) top -= 1;
    while (bottom - y < lowest && isHit(bottom + 1)) bottom += 1;
    return Math.max(height, bottom - top);
  };
  const low = targets
    .filter((element) => !isInSentence(element))
    .map((element) => [element, heightOf(element)])
    .filter(([, height]) => height < lowest - 0.5)
    .map(([element, height]) => nameOf(element) + ' ' + Math.round(height));

  const stop = [...document.querySelectorAll('.stop')].find(isSeen);
  const stopBox = stop?.getBoundingClientRect();
  const isStopReached =
    stopBox === undefined ||
    stop.contains(document.elementFromPoint(stopBox.left + stopBox.width / 2, stopBox.top + stopBox.height / 2));
  return { wider, cut: [...new Set(cut)], sideways, low: [...new Set(low)], isStopReached };
})()`;

interface Fit {
  readonly wider: number;
  readonly cut: readonly string[];
  readonly sideways: readonly string[];
  readonly low: readonly string[];
  readonly isStopReached: boolean;
}

/**
 * Checks that a screen, or its open dialog, fits the window: nothing is cut off at the side, the page does not scroll
 * sideways, Stop can be pressed, and in a narrow window everything that is pressed is high enough for a finger.
 */
export async function checkFit(page: Page, name: string): Promise<void> {
  const { low, ...fit } = await page.evaluate<Fit>(measure);
  expect.soft(fit, name).toEqual({ wider: 0, cut: [], sideways: [], isStopReached: true });
  if ((page.viewportSize()?.width ?? 0) <= touchWidth) expect.soft(low, `${name}: too low for a finger`).toEqual([]);
}
