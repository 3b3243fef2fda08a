import type { Encoder } from '../../apis/encoder.ts';

/** How far the position of an encoder may be off since its last reset, as edges were lost. */
export interface PositionUncertainty {
  /** Ticks by which the position may be off; 0 where it is certain, Infinity where edges were not counted. */
  readonly ticks: number;
  /** Edges that were lost and could not be repaired. */
  readonly edges: number;
}

/** An encoder that notices lost edges. */
export interface UncertainEncoder extends Encoder {
  /** May be read at any time. It grows with each loss that is not repaired; a reset clears it. */
  readonly uncertainty: PositionUncertainty;
}

/** The uncertainty of an encoder; zero for one that does not notice losses. */
export function uncertaintyOf(encoder: Encoder): PositionUncertainty {
  return hasUncertainty(encoder) ? encoder.uncertainty : { ticks: 0, edges: 0 };
}

function hasUncertainty(encoder: Encoder): encoder is UncertainEncoder {
  return 'uncertainty' in encoder && typeof encoder.uncertainty === 'object';
}
