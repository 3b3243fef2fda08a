import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
} from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../proto/gen/core/hub/v1/training.ts';
import { GrpcClient } from './grpc-client.ts';
import type { WindowFleet } from './window-fleet.ts';

/** Metrics of an epoch, as a training script reports them. */
export interface ReportedEpoch {
  readonly epoch: number;
  readonly of: number;
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Takes the place of a Python with PyTorch: it reports all packages as present, runs the real supervisor, and instead
 * of the training script carries out what the test writes into a file, one step per line. One job runs at a time, so
 * the next job continues in the file where the previous one ended.
 */
const PYTHON = `#!/usr/bin/python3
import json, os, sys, time

here = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[1:]
if "-c" in words:
    print(json.dumps({"version": [3, 11], "missing": json.load(open(here + "/missing.json"))}))
    sys.exit()
script = next(word for word in words if word.endswith(".py"))
if not script.endswith("/train.py"):
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *words])
arguments = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
labels = json.loads(arguments["labels"])
pictures = [json.loads(line) for line in open(arguments["dataset_file"])]

def steps():
    done_file = here + "/done"
    while True:
        done = int(open(done_file).read()) if os.path.exists(done_file) else 0
        lines = open(here + "/steps.jsonl").read().split("\\n")[:-1]
        for line in lines[done:]:
            done += 1
            with open(done_file, "w") as file:
                file.write(str(done))
            yield json.loads(line)
        time.sleep(0.02)

def tell(message):
    print("@training " + json.dumps(message), flush=True)

def worst():
    return [
        {
            "path": picture["image_path"],
            "binary_data_id": picture["binary_data_id"],
            "loss": round(2.5 / (index + 1), 4),
            "is_validation": index % 2 == 0,
        }
        for index, picture in enumerate(pictures[:4])
    ]

for step in steps():
    if "log" in step:
        print(step["log"], flush=True)
    if "warning" in step:
        print(step["warning"], file=sys.stderr, flush=True)
    if "epoch" in step:
        tell({"progress": step["epoch"]})
    if "failure" in step:
        tell({"failure": {"reason": "failed", "message": step["failure"]}})
        sys.exit(12)
    if "card" in step:
        folder = arguments["model_output_directory"]
        with open(folder + "/model.onnx", "wb") as file:
            file.write(bytes.fromhex("080812046e6f6e65"))
        with open(folder + "/labels.txt", "w") as file:
            file.write("".join(label + "\\n" for label in labels))
        card = {"labels": labels, "worst_examples": worst(), **step["card"]}
        with open(folder + "/model.json", "w") as file:
            json.dump(card, file)
        sys.exit()
`;

/** Trainings of a hub whose course and result a test decides. */
export class ScriptedTraining {
  readonly #folder: string;
  readonly #client: GrpcClient;
  readonly #organizationId: string;

  private constructor(folder: string, client: GrpcClient, organizationId: string) {
    this.#folder = folder;
    this.#client = client;
    this.#organizationId = organizationId;
  }

  static async open(fleet: WindowFleet): Promise<ScriptedTraining> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-python-'));
    await writeFile(path.join(folder, 'python'), PYTHON, { mode: 0o755 });
    await writeFile(path.join(folder, 'steps.jsonl'), '');
    const training = new ScriptedTraining(folder, new GrpcClient(fleet.station), await fleet.organizationId());
    await training.setMissing([]);
    const defaults = {
      ...{ jobsAtOnce: 0, cpus: 0, memoryMb: 0, diskMb: 0, timeLimitMinutes: 0 },
      ...{ runner: '', slurm: undefined },
    };
    await training.#client.call(HubTrainingServiceDefinition, 'setTrainingSettings', {
      settings: { ...defaults, python: training.python },
    });
    return training;
  }

  /** Path of the program that takes the place of Python. */
  get python(): string {
    return path.join(this.#folder, 'python');
  }

  /** Sets which packages it reports as missing. */
  async setMissing(packages: readonly string[]): Promise<void> {
    await writeFile(path.join(this.#folder, 'missing.json'), JSON.stringify(packages));
  }

  /** Writes a line to the log of the running job. */
  log(line: string): Promise<void> {
    return this.#step({ log: line });
  }

  /** Writes a line to standard error of the running job. */
  warn(line: string): Promise<void> {
    return this.#step({ warning: line });
  }

  epoch(epoch: ReportedEpoch): Promise<void> {
    return this.#step({ epoch });
  }

  /** Reports epochs whose metrics get better and better. */
  async epochs(count: number, of: number, best = 0.9): Promise<void> {
    for (let epoch = 1; epoch <= count; epoch++) {
      const share = 1 - 0.8 ** epoch;
      const accuracy = Number((best * share).toFixed(4));
      const metrics = { accuracy, f1: Number((accuracy * 0.95).toFixed(4)) };
      await this.epoch({ epoch, of, loss: Number((0.1 + 1.4 * (1 - share)).toFixed(4)), metrics });
    }
  }

  /** Ends the running job with an error. */
  fail(message: string): Promise<void> {
    return this.#step({ failure: message });
  }

  /** Ends the running job with a model that has this card. */
  finish(card: object): Promise<void> {
    return this.#step({ card });
  }

  /** Submits a job as another client would. @returns its id */
  async submit(datasetId: string, modelName: string, modelVersion: string, tags: readonly string[]): Promise<string> {
    const request = {
      ...{ organizationId: this.#organizationId, datasetId, modelName, modelVersion, tags: [...tags] },
      modelType: ModelType.SINGLE_LABEL_CLASSIFICATION,
      modelFramework: ModelFramework.ONNX,
    };
    return (await this.#client.call(MLTrainingServiceDefinition, 'submitTrainingJob', request)).id;
  }

  async close(): Promise<void> {
    this.#client.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #step(step: object): Promise<void> {
    return appendFile(path.join(this.#folder, 'steps.jsonl'), `${JSON.stringify(step)}\n`);
  }
}

/** The card of a good classifier with two labels. */
export function cardOf(accuracy: number): object {
  return {
    metrics: { accuracy, f1: Number((accuracy * 0.97).toFixed(4)) },
    confusion_matrix: [
      [9, 1],
      [0, 10],
    ],
    best_epoch: 4,
    pictures: { training: 16, validation: 4 },
    seed: 7,
    framework: 'PyTorch 2.6.0, Python 3.11',
  };
}
