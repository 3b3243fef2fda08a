import { chromium, type Browser } from 'playwright';
import { chromiumProgram } from '../../build/chromium-program.mjs';

/** Where Chromium is on this computer, or undefined. */
export const chromiumPath = chromiumProgram();

/** Added to the title of what is skipped without a browser. */
export const browserNote = chromiumPath === undefined ? ' (skipped: no Chromium here; set ARMATURE_BROWSER)' : '';

/** Options of a browser that looks for nothing outside of this computer. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts a browser of the test's own. */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [...chromiumArguments, ...args],
  });
}
