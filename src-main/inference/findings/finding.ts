/** A box, each side from the upper left of the picture: `xMin` and `xMax` to the right, `yMin` and `yMax` down. */
export interface Box {
  readonly xMin: number;
  readonly yMin: number;
  readonly xMax: number;
  readonly yMax: number;
}

/** Something that is in a picture, and where. */
export interface Detection {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** Whole pixels; undefined where only shares are known. */
  readonly pixels?: Box | undefined;
  /** Shares of the picture's width and height, 0 to 1; undefined where only pixels are known. */
  readonly shares?: Box | undefined;
}

/** What a picture shows as a whole. */
export interface Classification {
  readonly label: string;
  /** 0 to 1. */
  readonly confidence: number;
}
