import {
  HubInferenceServiceDefinition,
  TestVerdict,
  type TestClassifierRequest,
} from '../../../../proto/gen/core/hub/v1/inference.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { InferenceCalls, TestPictures, TestVerdict as Verdict } from '../data/inference-calls.ts';
import { filterOf } from './data.ts';
import { labelledOf } from './datasets.ts';

/** The model is loaded first, and other runs may be before it in the queue. */
const runTimeoutMs = 120_000;

const verdicts: Readonly<Partial<Record<TestVerdict, Verdict>>> = {
  [TestVerdict.RIGHT]: 'right',
  [TestVerdict.WRONG]: 'wrong',
  [TestVerdict.UNLABELLED]: 'unlabelled',
};

export function inferenceCalls(channel: Channel): InferenceCalls {
  const inference = createClient(HubInferenceServiceDefinition, channel);
  return {
    async run({ id, version }, binaryDataId, signal) {
      const request = { modelId: id, version, binaryDataId };
      const { annotations } = await inference.run(request, { timeoutMs: runTimeoutMs, signal });
      return { boxes: annotations?.bboxes ?? [], classes: annotations?.classifications ?? [] };
    },

    async *testClassifier({ id, version }, on, signal) {
      const request = { modelId: id, version, of: picturesOf(on), limit: 0 };
      for await (const { part } of inference.testClassifier(request, { signal })) {
        if (part?.$case === 'start') yield { pictures: part.value.pictures };
        else if (part !== undefined) {
          const { binaryDataId, verdict, answers, labels, problem } = part.value;
          yield { id: binaryDataId, verdict: verdicts[verdict] ?? 'failed', answers, labels, problem };
        }
      }
    },
  };
}

function picturesOf(on: TestPictures): TestClassifierRequest['of'] {
  if (on.kind === 'captured') return { $case: 'filter', value: filterOf(on.filter) };
  const { labelled, tag, boxLabel } = on.filter;
  return { $case: 'dataset', value: { datasetId: on.datasetId, labelled: labelledOf[labelled], tag, boxLabel } };
}
