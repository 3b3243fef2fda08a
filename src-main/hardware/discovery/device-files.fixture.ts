import type { DeviceFiles, Refusal } from './device-files.ts';

/** Files in memory: path to text. A path in `refused` may not be read and written. */
export function filesOf(
  texts: Readonly<Record<string, string>>,
  refused: Readonly<Record<string, Refusal>> = {},
  platform: NodeJS.Platform = 'linux',
): DeviceFiles {
  const paths = Object.keys(texts);
  return {
    platform,
    user: 'pat',
    names: (folder) => [
      ...new Set(
        paths.flatMap((path) =>
          path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1).split('/')[0] ?? ''] : [],
        ),
      ),
    ],
    exists: (path) => paths.some((one) => one === path || one.startsWith(`${path}/`)),
    text: (path) => texts[path] ?? '',
    target: (path) => texts[path] ?? '',
    refusal: (path) => refused[path],
  };
}
