import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/** A device of Video4Linux: a camera has several, one of which gives pictures. */
export interface VideoDevice {
  /** `/dev/video0`: another one after it was unplugged, perhaps. */
  readonly path: string;
  /** What its driver calls it: `HD Pro Webcam C920`. */
  readonly name: string;
  /** Where it is attached, and which device of what is there: the same as long as it stays plugged in there. */
  readonly place: string;
  /** Whether it gives pictures; undefined where only it can say. */
  readonly isCapture: boolean | undefined;
}

const inOrder = new Intl.Collator('en', { numeric: true });

/**
 * The devices in the order of where they are attached, which does not depend on what was plugged in first as their
 * numbers do.
 * @param root what has `sys` and `run`
 */
export async function videoDevices(root = '/'): Promise<readonly VideoDevice[]> {
  const folder = path.join(root, 'sys/class/video4linux');
  // Without a driver the kernel has no such folder.
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^video\d+$/.test(name)).map((name) => deviceAt(root, folder, name)),
  );
  return found
    .filter((device) => device !== undefined)
    .toSorted((one, other) => inOrder.compare(one.place, other.place) || inOrder.compare(one.path, other.path));
}

/** Undefined for one that is gone meanwhile. */
async function deviceAt(root: string, folder: string, name: string): Promise<VideoDevice | undefined> {
  const read = async (file: string): Promise<string> => (await readFile(path.join(folder, name, file), 'utf8')).trim();
  try {
    const [title, index, number, attached] = await Promise.all([
      read('name'),
      read('index').catch(() => '0'),
      read('dev'),
      realpath(path.join(folder, name)),
    ]);
    return {
      path: `/dev/${name}`,
      name: title,
      place: `${path.dirname(path.dirname(attached))} ${index}`,
      isCapture: await isCaptureBy(path.join(root, 'run/udev/data', `c${number}`)),
    };
  } catch {
    return undefined;
  }
}

/** What udev found out when the device was plugged in (its program v4l_id). */
async function isCaptureBy(record: string): Promise<boolean | undefined> {
  const text = await readFile(record, 'utf8').catch(() => '');
  const [, abilities] = /^E:ID_V4L_CAPABILITIES=(.*)$/m.exec(text) ?? [];
  return abilities?.split(':').includes('capture');
}

/** A sentence about the existing cameras, for an error about a missing one. */
export function listOf(devices: readonly VideoDevice[]): string {
  const cameras = devices.filter(({ isCapture }) => isCapture !== false);
  if (cameras.length === 0) return 'This computer has no camera: plug one in.';
  return `This computer has ${cameras.map((device) => `${device.path} (${device.name})`).join(', ')}.`;
}
