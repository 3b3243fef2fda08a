import { MLInferenceServiceDefinition } from '../../../proto/gen/core/app/mlinference/v1/ml_inference.ts';
import { HubInferenceServiceDefinition } from '../../../proto/gen/core/hub/v1/inference.ts';
import { serve, type Feature } from '../access/feature.ts';
import { hubInferenceCalls, inferenceCalls, type InferenceCallsOptions } from './inference-calls.ts';
import { ModelRuns, type ModelRunsOptions } from './model-runs.ts';

export type InferenceOptions = Omit<InferenceCallsOptions, 'runs'> & ModelRunsOptions;

/** Runs models of the registry on captured pictures. */
export class Inference {
  readonly feature: Feature;
  readonly #runs: ModelRuns;

  constructor(options: InferenceOptions) {
    this.#runs = new ModelRuns(options);
    const calls = { ...options, runs: this.#runs };
    this.feature = {
      services: [
        serve(MLInferenceServiceDefinition, inferenceCalls(calls)),
        serve(HubInferenceServiceDefinition, hubInferenceCalls(calls)),
      ],
      close: () => this.#runs.close(),
    };
  }

  /** Removes files that an earlier run of the hub left. */
  start(): Promise<void> {
    return this.#runs.start();
  }
}
