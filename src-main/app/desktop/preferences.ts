import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface WindowBounds {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
}

/** What the desktop window remembers between starts. */
export interface Preferences {
  /** Closing the window leaves the machine running in the tray. Only ever true by the user's choice. */
  readonly keepRunningInTray: boolean;
  readonly bounds: WindowBounds;
}

export const defaultPreferences: Preferences = { keepRunningInTray: false, bounds: { width: 1440, height: 900 } };

function isBounds(value: unknown): value is WindowBounds {
  const bounds = value as WindowBounds | null | undefined;
  return typeof bounds?.width === 'number' && typeof bounds.height === 'number';
}

/** Reads the file; a missing or damaged one gives the defaults, since a lost window size does no harm. */
export function readPreferences(file: string): Preferences {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<Preferences>;
    return {
      keepRunningInTray: found.keepRunningInTray === true,
      bounds: isBounds(found.bounds) ? found.bounds : defaultPreferences.bounds,
    };
  } catch {
    return defaultPreferences;
  }
}

/** Writes beside the file, then renames, so that a crash leaves the old or the new one. */
export async function writePreferences(file: string, preferences: Preferences): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.new`;
  await writeFile(fresh, `${JSON.stringify(preferences, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}
