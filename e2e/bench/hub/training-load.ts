/** Training jobs whose script takes no time, so that only the time until its start is measured. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  DataSyncServiceDefinition,
  DataType,
  MimeType,
  type SensorData,
} from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
} from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../../proto/gen/core/hub/v1/training.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../../src-main/rpc/service.ts';
import { pieceOnBelt } from '../../harness/picture.ts';
import { firstPart, type BenchHub } from '../servers/hub.ts';

const LABELS = ['bolt', 'nut'];
const PICTURES_OF_EACH = 12;

/** Stands in for Python, and records when scripts begin. */
export interface QuickPython {
  /** Used in place of Python. */
  readonly program: string;
  /** A program with its first arguments that begins as a script does; it records the word after them. */
  readonly begin: readonly string[];
  /** Wall-clock ms at which scripts began, by the recorded word. */
  starts(): Promise<ReadonlyMap<string, number>>;
}

/**
 * Writes a program that stands in for Python: it reports that every package is installed, records when a training
 * script begins, and passes everything else to Python.
 * @param ends whether a script makes a model and ends; otherwise it continues until it is killed
 */
export async function quickPython(folder: string, { ends }: { readonly ends: boolean }): Promise<QuickPython> {
  const place = (name: string): string => path.join(folder, name);
  const [program, mark, starts] = [place('python3'), place('mark.sh'), place('starts')];
  await writeFile(mark, `#!/bin/sh\necho "$1 $(date +%s.%N)" >> ${starts}\n`, { mode: 0o755 });
  const rest = ends
    ? `printf '\\010\\010\\022\\004none' > "$out/model.onnx"; printf 'bolt\\nnut\\n' > "$out/labels.txt"; exit 0`
    : 'exec sleep 3600';
  const text = `#!/bin/sh
case "$*" in
*find_spec*) echo '{"version": [3, 11], "missing": []}'; exit 0 ;;
esac
case "$3" in
*/train.py)
  for word in "$@"; do case "$word" in --model_output_directory=*) out="\${word#*=}" ;; esac; done
  ${mark} "$out"
  ${rest} ;;
esac
exec /usr/bin/python3 "$@"
`;
  await writeFile(program, text, { mode: 0o755 });
  await writeFile(starts, '');
  return {
    program,
    begin: [mark],
    starts: async () => {
      const lines = (await readFile(starts, 'utf8')).split('\n').slice(0, -1);
      return new Map(
        lines.map((line) => {
          const [noted = '', at] = line.split(' ');
          return [noted, Number(at) * 1_000];
        }),
      );
    },
  };
}

/** A hub with its owner's client. */
type OwnedHub = Pick<BenchHub, 'owner' | 'organizationId'>;

/** A hub with a dataset of labelled pictures, which trains with a program in place of Python. */
export class TrainingLoad {
  readonly #hub: OwnedHub;
  readonly #datasetId: string;

  private constructor(hub: OwnedHub, datasetId: string) {
    this.#hub = hub;
    this.#datasetId = datasetId;
  }

  static async open(hub: OwnedHub, python: string): Promise<TrainingLoad> {
    const { organizationId } = hub;
    const settings = { jobsAtOnce: 1, python, cpus: 0, memoryMb: 0, diskMb: 0, timeLimitMinutes: 0 };
    await call(hub, HubTrainingServiceDefinition, 'setTrainingSettings', {
      settings: { ...settings, runner: '', slurm: undefined },
    });
    const { partId } = await firstPart(hub);
    const { id } = await call(hub, DatasetServiceDefinition, 'createDataset', {
      ...{ organizationId, name: 'Screws', type: undefined },
    });
    for (let index = 0; index < 2 * PICTURES_OF_EACH; index++) {
      const time = new Date(Date.now() + index);
      const metadata = {
        ...{ partId, componentType: 'core:component:camera', componentName: 'belt', methodName: 'GetImages' },
        ...{ type: DataType.BINARY_SENSOR, fileName: '', fileExtension: '.png', mimeType: 'image/png' },
        ...{ methodParameters: {}, fileCreateTime: undefined, fileModifyTime: undefined },
        ...{ tags: [LABELS[index % LABELS.length] ?? ''], datasetIds: [id] },
      };
      const moment = {
        timeRequested: time,
        timeReceived: time,
        mimeType: MimeType.UNSPECIFIED,
        annotations: undefined,
      };
      const sensorContents: SensorData[] = [{ metadata: moment, data: { $case: 'binary', value: pieceOnBelt(index) } }];
      await call(hub, DataSyncServiceDefinition, 'dataCaptureUpload', { metadata, sensorContents });
    }
    return new TrainingLoad(hub, id);
  }

  /** Submits a job. @returns its id */
  async submit(modelVersion: string): Promise<string> {
    const { organizationId } = this.#hub;
    const { id } = await call(this.#hub, MLTrainingServiceDefinition, 'submitTrainingJob', {
      ...{ organizationId, datasetId: this.#datasetId, modelName: 'screws', modelVersion, tags: LABELS },
      ...{ modelType: ModelType.SINGLE_LABEL_CLASSIFICATION, modelFramework: ModelFramework.UNSPECIFIED },
    });
    return id;
  }

  /** The status of a job; throws the reason of a failed one. */
  async status(id: string): Promise<number> {
    const { metadata } = await call(this.#hub, MLTrainingServiceDefinition, 'getTrainingJob', { id });
    if (metadata?.errorStatus !== undefined) throw new Error(`a training job failed: ${metadata.errorStatus.message}`);
    return metadata?.status ?? 0;
  }
}

function call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
  { owner }: OwnedHub,
  service: D,
  method: K,
  request: RequestOf<D['methods'][K]>,
): Promise<ResponseOf<D['methods'][K]>> {
  return owner.grpc.call(service, method, request, { headers: { authorization: `Bearer ${owner.token}` } });
}
