import type { BoundingBox, Classification } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { DatasetFilter } from './dataset-calls.ts';
import type { ItemFilter } from './data-calls.ts';

/** A version of a model in the registry. */
export interface ModelChoice {
  /** `organization id/name`. */
  readonly id: string;
  readonly version: string;
}

/** What a model found in a picture, highest confidence first. */
export interface ModelFindings {
  readonly boxes: readonly BoundingBox[];
  readonly classes: readonly Classification[];
}

/** Pictures that a classifier is tested on. */
export type TestPictures =
  | { readonly kind: 'dataset'; readonly datasetId: string; readonly filter: DatasetFilter }
  | { readonly kind: 'captured'; readonly filter: ItemFilter };

/** `failed`: the model could not be run on the picture. */
export type TestVerdict = 'right' | 'wrong' | 'unlabelled' | 'failed';

/** The result of a classifier for a picture. */
export interface TestedPicture {
  readonly id: string;
  readonly verdict: TestVerdict;
  readonly answers: readonly Pick<Classification, 'label' | 'confidence'>[];
  /** The labels of the picture that the model knows. */
  readonly labels: readonly string[];
  /** Why it failed. */
  readonly problem: string;
}

/** First the number of pictures of a test, then each picture when it is done. */
export type TestStep = { readonly pictures: number } | TestedPicture;

/** Runs models on captured pictures. Calls reject with an `Error` whose message is a sentence for people. */
export interface InferenceCalls {
  run(model: ModelChoice, pictureId: string, signal: AbortSignal): Promise<ModelFindings>;
  /** Rejects for detectors, and for models that were uploaded on or before 19 September 2023. */
  testClassifier(model: ModelChoice, on: TestPictures, signal: AbortSignal): AsyncIterable<TestStep>;
}
