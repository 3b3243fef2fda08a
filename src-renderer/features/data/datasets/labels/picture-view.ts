import type { Size } from './box-geometry.ts';

/** A rectangle in pixels of a picture. */
export interface Frame extends Size {
  readonly x: number;
  readonly y: number;
}

const MAX_ZOOM = 32;
/** Margin around a shown rectangle, as a share of the visible part. */
const margin = 0.05;

/** The visible part of a picture, never larger than the picture. */
export class PictureView {
  readonly frame: Frame;
  readonly #size: Size;

  constructor(size: Size, frame: Frame = { x: 0, y: 0, ...size }) {
    this.#size = size;
    this.frame = frame;
  }

  get isZoomed(): boolean {
    return this.frame.width < this.#size.width;
  }

  /** Screen pixels per pixel of the picture, in an element of this size; 1 while the size is not known. */
  scaleIn({ width, height }: Size): number {
    const scale = Math.min(width / this.frame.width, height / this.frame.height);
    return scale > 0 && Number.isFinite(scale) ? scale : 1;
  }

  /** Zooms by a factor; `point` stays in place, by default the middle. */
  zoomed(by: number, point = this.#middle()): PictureView {
    const { x, y, width, height } = this.frame;
    const zoom = Math.min(MAX_ZOOM, Math.max(1, (this.#size.width / width) * by));
    const next = { width: this.#size.width / zoom, height: this.#size.height / zoom };
    const [shareX, shareY] = [(point.x - x) / width, (point.y - y) / height];
    return this.#at({ ...next, x: point.x - next.width * shareX, y: point.y - next.height * shareY });
  }

  moved(dx: number, dy: number): PictureView {
    return this.#at({ ...this.frame, x: this.frame.x + dx, y: this.frame.y + dy });
  }

  /** Moves as little as needed to show a rectangle; its top left corner, where it is larger than the visible part. */
  showing({ x, y, width, height }: Frame): PictureView {
    const { frame } = this;
    const place = (from: number, length: number, at: number, seen: number): number => {
      const room = seen * margin;
      if (from < at + room) return from - room;
      return Math.min(from - room, Math.max(at, from + length + room - seen));
    };
    return this.#at({
      ...frame,
      x: place(x, width, frame.x, frame.width),
      y: place(y, height, frame.y, frame.height),
    });
  }

  #middle(): { readonly x: number; readonly y: number } {
    const { x, y, width, height } = this.frame;
    return { x: x + width / 2, y: y + height / 2 };
  }

  #at({ x, y, width, height }: Frame): PictureView {
    const within = (value: number, most: number): number => Math.min(Math.max(0, value), Math.max(0, most));
    const place = { x: within(x, this.#size.width - width), y: within(y, this.#size.height - height) };
    return new PictureView(this.#size, { ...place, width, height });
  }
}
