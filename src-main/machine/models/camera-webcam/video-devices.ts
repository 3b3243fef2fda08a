import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/** A Video4Linux device. A camera has several, one of which delivers pictures. */
export interface VideoDevice {
  /** `/dev/video0`; may change when it is plugged in again. */
  readonly path: string;
  /** The driver's name for it: `HD Pro Webcam C920`. */
  readonly name: string;
  /** Where it is attached, and which of the devices there it is: stays the same as long as it is plugged in there. */
  readonly place: string;
  /** Whether it delivers pictures; undefined if only the device itself can tell. */
  readonly isCapture: boolean | undefined;
}

const inOrder = new Intl.Collator('en', { numeric: true });

/**
 * The devices, sorted by where they are attached. Unlike their numbers, that does not depend on the order of plugging
 * in.
 * @param root the folder that contains `sys` and `run`
 */
export async function videoDevices(root = '/'): Promise<readonly VideoDevice[]> {
  const folder = path.join(root, 'sys/class/video4linux');
  // Without a driver the folder does not exist.
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^video\d+$/.test(name)).map((name) => deviceAt(root, folder, name)),
  );
  return found
    .filter((device) => device !== undefined)
    .toSorted((one, other) => inOrder.compare(one.place, other.place) || inOrder.compare(one.path, other.path));
}

/** Undefined if the device has been removed meanwhile. */
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

/** What udev detected when the device was plugged in (its program v4l_id). */
async function isCaptureBy(record: string): Promise<boolean | undefined> {
  const text = await readFile(record, 'utf8').catch(() => '');
  const [, abilities] = /^E:ID_V4L_CAPABILITIES=(.*)$/m.exec(text) ?? [];
  return abilities?.split(':').includes('capture');
}

/** A sentence that lists the available cameras, for an error about a missing one. */
export function listOf(devices: readonly VideoDevice[]): string {
  const cameras = devices.filter(({ isCapture }) => isCapture !== false);
  if (cameras.length === 0) return 'This computer has no camera: plug one in.';
  return `This computer has ${cameras.map((device) => `${device.path} (${device.name})`).join(', ')}.`;
}
