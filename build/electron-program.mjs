import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Path of Electron's program, or undefined where its package has not downloaded it. Looked up by hand, because
 * importing the package would try to download it.
 */
export function electronProgram() {
  const folder = fileURLToPath(new URL('../node_modules/electron', import.meta.url));
  const pathFile = path.join(folder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const program = path.join(folder, 'dist', readFileSync(pathFile, 'utf8'));
  return existsSync(program) ? program : undefined;
}
