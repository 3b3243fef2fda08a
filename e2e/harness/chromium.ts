import { chromium, type Browser } from 'playwright';
import { chromiumProgram } from '../../build/chromium-program.mjs';

/** Path of Chromium on this computer; undefined if there is none. */
export const chromiumPath = chromiumProgram();

/** Added to the title of tests that are skipped without a browser. */
export const browserNote = chromiumPath === undefined ? ' (skipped: no Chromium here; set ARMATURE_BROWSER)' : '';

/** Options for a browser that makes no requests outside this computer. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts a separate browser for a test. */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [...chromiumArguments, ...args],
  });
}
