/** Pixels. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** A format in which a device delivers pictures. */
export interface DeviceFormat {
  /** The name in ffmpeg: `mjpeg`, `yuyv422`. */
  readonly name: string;
  /** Its sizes; empty if the driver does not list them. */
  readonly sizes: readonly FrameSize[];
  /** Set if every size between two limits is possible, in steps. */
  readonly range?: { readonly least: FrameSize; readonly most: FrameSize; readonly step: FrameSize };
}

/** What is requested from a device; undefined or 0 means any. */
export interface WantedMode {
  readonly format?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** How a device is set to deliver its pictures. */
export interface DeviceMode {
  readonly name: string;
  /** Undefined keeps the size that the device is set to. */
  readonly size: FrameSize | undefined;
}

const MJPEG = 'mjpeg';
/** Format names in configurations, and their names in ffmpeg. */
const configured: Readonly<Record<string, string>> = {
  MJPEG,
  YUY2: 'yuyv422',
  UYVY: 'uyvy422',
  I420: 'yuv420p',
  I444: 'yuv444p',
  NV12: 'nv12',
  NV21: 'nv21',
  RGBA: 'rgba',
};
/** The defaults of the public server. */
const usual: FrameSize = { width: 640, height: 480 };
/** Messages list at most this many entries. */
const MAX_LISTED = 12;

const line = /^\[video4linux2.*?\] *(Raw|Compressed) *: *(\S+) *: .* :(( +\d+x\d+)*| *\{.*\})\s*$/;
const range = /\{(\d+)-(\d+), *(\d+)\}x\{(\d+)-(\d+), *(\d+)\}/;

/**
 * The formats in the output of ffmpeg's `-list_formats all` (FFmpeg: libavdevice/v4l2.c), without those it cannot read.
 */
export function formatsIn(text: string): readonly DeviceFormat[] {
  const found = new Map<string, DeviceFormat>();
  for (const one of text.split('\n')) {
    const [, kind, name = '', sizes = ''] = line.exec(one) ?? [];
    // A stream such as H.264 would have to be decoded from its beginning.
    const isRead = kind === 'Raw' ? name !== 'Unsupported' : name === MJPEG;
    if (isRead && !found.has(name)) found.set(name, { name, ...sizesIn(sizes) });
  }
  return [...found.values()];
}

function sizesIn(text: string): Pick<DeviceFormat, 'sizes' | 'range'> {
  const [, ...sides] = (range.exec(text) ?? []).map(Number);
  const [minWidth, maxWidth, stepX, minHeight, maxHeight, stepY] = sides;
  if (minWidth === undefined || maxWidth === undefined || stepX === undefined) {
    const sizes = [...text.matchAll(/(\d+)x(\d+)/g)].map(([, width, height]) => ({
      width: Number(width),
      height: Number(height),
    }));
    return { sizes };
  }
  return {
    sizes: [],
    range: {
      least: { width: minWidth, height: minHeight ?? 0 },
      most: { width: maxWidth, height: maxHeight ?? 0 },
      step: { width: stepX, height: stepY ?? 1 },
    },
  };
}

/**
 * The mode to set a device to. MJPEG is preferred over formats that have to be encoded. If the size is left open, the
 * one nearest to 640 × 480 is used.
 * @throws {Error} with what the device offers instead, worded to follow its name
 */
export function chooseMode(formats: readonly DeviceFormat[], wanted: WantedMode): DeviceMode {
  const name = wanted.format === undefined ? undefined : (configured[wanted.format] ?? wanted.format);
  const inOrder = formats.toSorted((one, other) => Number(other.name === MJPEG) - Number(one.name === MJPEG));
  const possible = inOrder.filter((format) => name === undefined || format.name === name);
  if (possible.length === 0) {
    const offered = listed(inOrder.map((format) => shown(format.name)));
    throw new Error(`does not offer "format" ${wanted.format ?? ''}; it offers ${offered}`);
  }
  for (const format of possible) {
    const size = sizeFor(format, wanted);
    if (size !== 'none') return { name: format.name, size };
  }
  const size = `"width_px" ${wanted.width || 'any'} with "height_px" ${wanted.height || 'any'}`;
  const offered = possible.map((format) => `${describeSizes(format)} (${shown(format.name)})`);
  throw new Error(`does not offer ${size}; it offers ${listed([...new Set(offered)])}`);
}

/** `none` if it does not support what is wanted. */
function sizeFor(
  { sizes, range: bounds }: DeviceFormat,
  { width, height }: WantedMode,
): FrameSize | undefined | 'none' {
  if (bounds !== undefined) {
    const size = { width: width || within(bounds, 'width'), height: height || within(bounds, 'height') };
    return fits(bounds, size, 'width') && fits(bounds, size, 'height') ? size : 'none';
  }
  if (sizes.length === 0) return width && height ? { width, height } : undefined;
  const distance = (size: FrameSize): number =>
    Math.abs(size.width - usual.width) + Math.abs(size.height - usual.height);
  const [nearest] = sizes
    .filter((size) => (!width || size.width === width) && (!height || size.height === height))
    .toSorted((one, other) => distance(one) - distance(other));
  return nearest ?? 'none';
}

type Range = NonNullable<DeviceFormat['range']>;
type Side = keyof FrameSize;

/** The length nearest to the usual one. */
function within({ least, most, step }: Range, side: Side): number {
  const inside = Math.min(Math.max(usual[side], least[side]), most[side]);
  return inside - ((inside - least[side]) % Math.max(step[side], 1));
}

function fits({ least, most, step }: Range, size: FrameSize, side: Side): boolean {
  const beyond = size[side] - least[side];
  return beyond >= 0 && size[side] <= most[side] && beyond % Math.max(step[side], 1) === 0;
}

function describeSizes({ sizes, range: bounds }: DeviceFormat): string {
  if (bounds === undefined) return listed(sizes.map(({ width, height }) => `${width} × ${height}`));
  const { least, most } = bounds;
  return `${least.width} × ${least.height} to ${most.width} × ${most.height}`;
}

/** The format's name in configurations, if it has one. */
function shown(name: string): string {
  return Object.entries(configured).find(([, own]) => own === name)?.[0] ?? name;
}

function listed(words: readonly string[]): string {
  const more = words.length > MAX_LISTED ? ` and ${words.length - MAX_LISTED} more` : '';
  return words.slice(0, MAX_LISTED).join(', ') + more;
}
