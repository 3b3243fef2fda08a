import type { Encoder } from '../../apis/encoder.ts';

/** What an encoder lost and could not make good since its last reset. */
export interface EncoderDoubt {
  /** Ticks by which its position may be off; 0 where it is certain, Infinity where nobody knows: edges were not counted. */
  readonly ticks: number;
  /** Edges that are missing for it. */
  readonly edges: number;
}

/** An encoder that knows when edges never reached it. */
export interface DoubtfulEncoder extends Encoder {
  /** Read at any time; grows with each loss that is not made good, and a reset ends it. */
  readonly doubt: EncoderDoubt;
}

/** The doubt of an encoder; none of one that knows nothing of losses. */
export function doubtOf(encoder: Encoder): EncoderDoubt {
  return isDoubtfulEncoder(encoder) ? encoder.doubt : { ticks: 0, edges: 0 };
}

function isDoubtfulEncoder(encoder: Encoder): encoder is DoubtfulEncoder {
  return 'doubt' in encoder && typeof encoder.doubt === 'object';
}
