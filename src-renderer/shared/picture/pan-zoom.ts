/** The shown part of a picture: its corner in the picture's own pixels, and the screen pixels for one of those. */
export interface PictureView {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const MIN_SCALE = 0.2;
export const MAX_SCALE = 2;
/** The first view is not scaled below this, so that names stay legible. */
const legibleScale = 0.65;

/** The first view is not scaled above this. */
export const MAX_FITTED_SCALE = 1.1;

/** The picture in the middle of the frame, as large as fits; not scaled below `least`. */
export function fitted(picture: Size, frame: Size, least = legibleScale): PictureView {
  const fit = Math.min(frame.width / picture.width, frame.height / picture.height, MAX_FITTED_SCALE);
  const scale = Math.max(Number.isFinite(fit) ? fit : 1, least);
  return {
    scale,
    x: picture.width * scale > frame.width ? 0 : (picture.width - frame.width / scale) / 2,
    y: picture.height * scale > frame.height ? 0 : (picture.height - frame.height / scale) / 2,
  };
}

/** Zooms by a factor; the point `at` (screen pixels from the frame's corner) stays in place. */
export function zoomed(view: PictureView, factor: number, at: { readonly x: number; readonly y: number }): PictureView {
  const scale = Math.min(Math.max(view.scale * factor, MIN_SCALE), MAX_SCALE);
  return { scale, x: view.x + at.x / view.scale - at.x / scale, y: view.y + at.y / view.scale - at.y / scale };
}

/** Moves the view by screen pixels. */
export function moved(view: PictureView, dx: number, dy: number): PictureView {
  return { ...view, x: view.x + dx / view.scale, y: view.y + dy / view.scale };
}

/** Moves the view as little as needed to show a whole box. */
export function showing(
  view: PictureView,
  box: Size & { readonly x: number; readonly y: number },
  frame: Size,
): PictureView {
  const margin = 20;
  const along = (start: number, from: number, length: number, visible: number): number => {
    if (from - margin < start) return from - margin;
    return from + length + margin > start + visible ? from + length + margin - visible : start;
  };
  return {
    ...view,
    x: along(view.x, box.x, box.width, frame.width / view.scale),
    y: along(view.y, box.y, box.height, frame.height / view.scale),
  };
}

/** Whether a box is in the frame or near it. */
export function isInView(
  view: PictureView,
  box: Size & { readonly x: number; readonly y: number },
  frame: Size,
): boolean {
  const margin = 60;
  return (
    box.x + box.width > view.x - margin &&
    box.x < view.x + frame.width / view.scale + margin &&
    box.y + box.height > view.y - margin &&
    box.y < view.y + frame.height / view.scale + margin
  );
}
