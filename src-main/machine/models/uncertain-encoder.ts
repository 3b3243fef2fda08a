import type { Encoder } from '../../apis/encoder.ts';

/** How far an encoder's position may be off because of edges lost since its last reset. */
export interface PositionUncertainty {
  /** Ticks by which the position may be off; 0 if it is certain, Infinity if edges went uncounted. */
  readonly ticks: number;
  /** Edges that were lost and could not be repaired. */
  readonly edges: number;
}

/** An encoder that detects lost edges. */
export interface UncertainEncoder extends Encoder {
  /** Can be read at any time. Increases with each loss that is not repaired; a reset clears it. */
  readonly uncertainty: PositionUncertainty;
}

/** The uncertainty of an encoder; zero if it does not detect losses. */
export function uncertaintyOf(encoder: Encoder): PositionUncertainty {
  return hasUncertainty(encoder) ? encoder.uncertainty : { ticks: 0, edges: 0 };
}

function hasUncertainty(encoder: Encoder): encoder is UncertainEncoder {
  return 'uncertainty' in encoder && typeof encoder.uncertainty === 'object';
}
