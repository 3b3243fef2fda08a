import type { Classification, Detection } from '../../inference/findings/finding.ts';
import type { Tensor } from '../../inference/tensor.ts';

/** A model that is to be loaded. */
export interface LoadQuestion {
  readonly kind: 'load';
  readonly path: string;
  readonly labels: readonly string[];
  /** Threads of one run. */
  readonly threads: number;
  /** What the process may use. */
  readonly processBytes: number;
}

/** A picture that the model is to look at. */
export interface SeeQuestion {
  readonly kind: 'see';
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Whether the outputs themselves are wanted. */
  readonly wantsTensors: boolean;
}

export type InferenceQuestion = LoadQuestion | SeeQuestion;

/** What a model found in a picture. */
export interface Seen {
  /** The surest first; undefined for a model that gives none. */
  readonly detections: readonly Detection[] | undefined;
  readonly classifications: readonly Classification[] | undefined;
  /** Of the model, in the order of its outputs. */
  readonly labels: readonly string[];
  /** None where they were not asked for. */
  readonly tensors: readonly (readonly [name: string, tensor: Tensor])[];
  /** Milliseconds. */
  readonly prepareMs: number;
  readonly inferMs: number;
}

export type InferenceAnswer = { readonly kind: 'loaded' } | ({ readonly kind: 'seen' } & Seen);
