/** A box, each side from the upper left of the picture: `xMin` and `xMax` to the right, `yMin` and `yMax` down. */
export interface Box {
  readonly xMin: number;
  readonly yMin: number;
  readonly xMax: number;
  readonly yMax: number;
}

/** An object in a picture, and its place. */
export interface Detection {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Whole pixels; undefined if only fractions are known. */
  readonly pixels?: Box | undefined;
  /** Fractions of the picture's width and height, 0 to 1; undefined if only pixels are known. */
  readonly shares?: Box | undefined;
}

/** What a picture shows as a whole. */
export interface Classification {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
}
