import type { Classification, Detection } from '../../inference/findings/finding.ts';
import type { Tensor } from '../../inference/tensor.ts';

/** Loads a model. */
export interface LoadQuestion {
  readonly kind: 'load';
  readonly path: string;
  readonly labels: readonly string[];
  /** Number of threads of one run. */
  readonly threads: number;
  /** Memory that the process may use. */
  readonly processBytes: number;
}

/** Runs the model on a picture. */
export interface PictureQuestion {
  readonly kind: 'see';
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Whether the answer is to contain the output tensors. */
  readonly wantsTensors: boolean;
}

export type InferenceQuestion = LoadQuestion | PictureQuestion;

/** What a model found in a picture. */
export interface InferenceResult {
  /** The most confident first; undefined if the model gives none. */
  readonly detections: readonly Detection[] | undefined;
  readonly classifications: readonly Classification[] | undefined;
  /** Labels of the model, in the order of its outputs. */
  readonly labels: readonly string[];
  /** Empty if they were not asked for. */
  readonly tensors: readonly (readonly [name: string, tensor: Tensor])[];
  /** Milliseconds. */
  readonly prepareMs: number;
  readonly inferMs: number;
}

export type InferenceAnswer = { readonly kind: 'loaded' } | ({ readonly kind: 'seen' } & InferenceResult);
