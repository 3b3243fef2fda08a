import { existsSync } from 'node:fs';

const candidates = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * Path of Chromium, or a similar browser, on this computer; undefined where there is none. `ARMATURE_BROWSER` overrides
 * it.
 */
export function chromiumProgram() {
  return [process.env.ARMATURE_BROWSER, ...candidates].find((file) => file !== undefined && existsSync(file));
}
