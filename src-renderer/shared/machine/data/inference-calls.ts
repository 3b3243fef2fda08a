import type { BoundingBox, Classification } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { DatasetFilter } from './dataset-calls.ts';
import type { ItemFilter } from './data-calls.ts';

/** A version of a model in the registry. */
export interface ModelChoice {
  /** `organization id/name`. */
  readonly id: string;
  readonly version: string;
}

/** What a model found in a picture, the surest first. */
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

/** What a classifier says of a picture. */
export interface TestedPicture {
  readonly id: string;
  readonly verdict: TestVerdict;
  readonly answers: readonly Pick<Classification, 'label' | 'confidence'>[];
  /** Of the picture, of those that the model knows. */
  readonly labels: readonly string[];
  /** Why it failed. */
  readonly problem: string;
}

/** How many pictures a test looks at, then each of them as it is done. */
export type TestStep = { readonly pictures: number } | TestedPicture;

/** Models of the registry on captured pictures. Calls reject with an `Error` whose message is a sentence for people. */
export interface InferenceCalls {
  run(model: ModelChoice, pictureId: string, signal: AbortSignal): Promise<ModelFindings>;
  /** Rejects for detectors, and for models that were uploaded too early. */
  testClassifier(model: ModelChoice, on: TestPictures, signal: AbortSignal): AsyncIterable<TestStep>;
}
