import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatasetServiceDefinition } from '../../proto/gen/core/app/dataset/v1/dataset.ts';
import { DataSyncServiceDefinition } from '../../proto/gen/core/app/datasync/v1/data_sync.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
  TrainingStatus,
} from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition, type TrainingJob } from '../../proto/gen/core/hub/v1/training.ts';
import { camera, picture, uploadMetadata } from '../../src-main/hub/data/testing/data-bench.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { until } from '../harness/until.ts';
import { shapePictures } from '../training/shape-pictures.ts';

const LONGEST_MS = 10 * 60_000;
/** Final states. */
const over: readonly TrainingStatus[] = [TrainingStatus.COMPLETED, TrainingStatus.FAILED, TrainingStatus.CANCELED];

function nameOf(status: TrainingStatus): string {
  return Object.entries(TrainingStatus).find(([, number]) => number === status)?.[0] ?? String(status);
}

/** A hub that trains on Slurm, with a dataset of pictures of two kinds. */
export class SlurmFleet {
  readonly fleet: Fleet;
  readonly #datasetId: string;

  private constructor(fleet: Fleet, datasetId: string) {
    this.fleet = fleet;
    this.#datasetId = datasetId;
  }

  /**
   * @param shared folder that hub and nodes see
   * @param python program that trains; Debian's where it is omitted
   */
  static async start(shared: string, python = ''): Promise<SlurmFleet> {
    const fleet = await Fleet.start();
    const { organizationId } = fleet;
    const slurm = { sharedFolder: shared, partition: '', account: '', options: [] };
    const limits = { jobsAtOnce: 2, cpus: 1, memoryMb: 1_024, diskMb: 0, timeLimitMinutes: 30 };
    await fleet.call(HubTrainingServiceDefinition, 'setTrainingSettings', {
      settings: { ...limits, python, runner: 'slurm', slurm },
    });
    const partId = await fleet.partId();
    const dataset = { organizationId, name: 'Shapes', type: undefined };
    const { id: datasetId } = await fleet.call(DatasetServiceDefinition, 'createDataset', dataset);
    for await (const { jpeg, kinds } of shapePictures({ pictures: 30, isSingleKind: true })) {
      const metadata = uploadMetadata(partId, { ...camera, tags: [...kinds], datasetIds: [datasetId] });
      const sensorContents = [picture(Date.now(), jpeg)];
      await fleet.call(DataSyncServiceDefinition, 'dataCaptureUpload', { metadata, sensorContents });
    }
    return new SlurmFleet(fleet, datasetId);
  }

  /** Submits a job; returns its id. */
  async submit(modelVersion: string): Promise<string> {
    const { organizationId } = this.fleet;
    const { id } = await this.fleet.call(MLTrainingServiceDefinition, 'submitTrainingJob', {
      ...{ organizationId, datasetId: this.#datasetId, modelName: 'shapes', modelVersion },
      ...{ tags: ['rectangle', 'circle'], modelType: ModelType.SINGLE_LABEL_CLASSIFICATION },
      modelFramework: ModelFramework.UNSPECIFIED,
    });
    return id;
  }

  async job(id: string): Promise<TrainingJob | undefined> {
    return (await this.fleet.call(HubTrainingServiceDefinition, 'getJob', { id })).job;
  }

  /** Waits until a job has a status. Rejects where it ends in a different one. */
  async hasStatus(id: string, status: TrainingStatus): Promise<TrainingJob> {
    let last: TrainingJob | undefined;
    const holds = async (): Promise<boolean> => {
      last = await this.job(id);
      const found = last?.metadata?.status;
      if (found === status) return true;
      if (found === undefined || !over.includes(found)) return false;
      throw new Error(`the job is ${nameOf(found)}: ${last?.metadata?.errorStatus?.message ?? ''}`);
    };
    await until(`the job is ${nameOf(status)}`, holds, LONGEST_MS, 100);
    if (last === undefined) throw new Error('there is no such job');
    return last;
  }

  /** Lines of the log of a job. */
  async log(id: string): Promise<readonly string[]> {
    const { logs } = await this.fleet.call(MLTrainingServiceDefinition, 'getTrainingJobLogs', { id, pageToken: '' });
    return logs.map(({ message }) => message);
  }

  /** Waits until a job's log has a line, stored so that the hub still has it after being killed. */
  async hasLine(id: string, line: string): Promise<void> {
    const record = path.join(this.fleet.hub.data, 'training/slurm', `${id}.json`);
    const holds = async (): Promise<boolean> => {
      if (!(await this.log(id)).includes(line)) return false;
      return (JSON.parse(await readFile(record, 'utf8')) as { positions: { out: number } }).positions.out > 0;
    };
    await until(`the log has "${line}"`, holds, LONGEST_MS, 100);
  }

  /** Restarts the stopped hub. */
  async restart(): Promise<void> {
    await this.fleet.restart();
    this.fleet.owner = await this.fleet.logIn();
  }

  /**
   * Writes a program that stands in for Python: it is Python, except that a few lines run in place of training scripts.
   * They report that they begin, and end successfully as soon as the file `go` exists.
   */
  static async quickPython(shared: string): Promise<{ readonly python: string; readonly go: string }> {
    const folder = await mkdtemp(path.join(path.dirname(shared), 'quick-'));
    const place = (name: string): string => path.join(folder, name);
    const [python, go, script] = [place('python3'), place('go'), place('quick.py')];
    await writeFile(
      script,
      `
import os, sys, time
arguments = dict(word[2:].split("=", 1) for word in sys.argv[1:])
print("reads", sum(1 for _ in open(arguments["dataset_file"])), "pictures", flush=True)
while not os.path.exists(${JSON.stringify(go)}):
    time.sleep(0.05)
print('@training {"progress": {"epoch": 1, "of": 1, "loss": 0.5, "metrics": {"f1": 1}}}', flush=True)
print("ends", flush=True)
# A model of ONNX that has a producer and nothing else.
for name, content in {"model.onnx": bytes.fromhex("080812046e6f6e65"), "labels.txt": b"rectangle\\ncircle\\n"}.items():
    with open(os.path.join(arguments["model_output_directory"], name), "wb") as file:
        file.write(content)
`,
    );
    const text = `#!/bin/sh
case "$3" in
*/train.py) shift 3; exec /usr/bin/python3 ${script} "$@" ;;
esac
exec /usr/bin/python3 "$@"
`;
    await writeFile(python, text);
    await chmod(python, 0o755);
    return { python, go };
  }
}
