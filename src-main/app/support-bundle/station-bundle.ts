import { readFile } from 'node:fs/promises';
import type { LogReader } from '../../machine/logging/log-reader.ts';
import type { Machine } from '../../machine/machine.ts';
import { homeFolder } from '../home.ts';
import type { StationOptions } from '../station-options.ts';
import { version } from '../version.ts';
import { filePart, supportBundle, type BundlePart } from './bundle.ts';
import {
  computerPart,
  configurationPart,
  diagnosticsPart,
  doctorPart,
  json,
  logPart,
  problemsPart,
  type LogChunk,
} from './parts.ts';
import { knownSecrets, secretTextMask } from './secret-text.ts';

/** Entries that are read at once. */
const PAGE_ENTRIES = 1_000;

export interface StationBundleOptions {
  readonly station: Pick<StationOptions, 'clock' | 'configPath' | 'environment' | 'hardware' | 'logs'>;
  readonly machine: Machine;
  /** Where its diagnostics are recorded. */
  readonly records: string;
  /** Secrets that are in no configuration: the launch token. */
  readonly secrets: readonly string[];
}

/** The support bundle of a server that runs. @param since wall-clock milliseconds: how far log and records go back */
export async function* stationBundle(
  { station, machine, records, secrets }: StationBundleOptions,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { clock, configPath, environment, hardware, logs } = station;
  const { text, source, problems } = machine.configuration.state;
  const running = machine.configuration.runningText;
  const file = await readFile(configPath, 'utf8').catch(() => '');
  const parts: readonly BundlePart[] = [
    filePart('machine.json', 'state of the server, of resources, modules, packages and other machines', () =>
      json(stateOf(machine)),
    ),
    configurationPart('configuration.json', 'the configuration', () => text),
    ...(running === '' || running === text
      ? []
      : [
          configurationPart(
            'configuration-in-force.json',
            'the configuration that runs, which is another',
            () => running,
          ),
        ]),
    ...(source === 'hub'
      ? [configurationPart('configuration-file.json', 'the file that says which hub has it', () => file)]
      : []),
    problemsPart(() => problems),
    logPart((aborted) => pagesBack(logs.reader, since, aborted)),
    doctorPart(hardware, environment),
    computerPart(homeFolder(environment), environment),
    diagnosticsPart(records, since),
  ];
  const known = knownSecrets([text, running, file], environment);
  yield* supportBundle({ parts, mask: secretTextMask([...known, ...secrets]), now: clock.now(), signal });
}

/** Without the plans in it, which hold configurations. */
function stateOf(machine: Machine): object {
  const { outcome, appliedRevision, source } = machine.configuration.state;
  const status = machine.statusSource();
  return {
    version,
    node: process.version,
    commandLine: process.argv,
    machine: status.machine(),
    configuration: {
      source,
      appliedRevision,
      outcome: outcome.kind,
      at: outcome.at,
      message: outcome.message,
      unready: outcome.unready,
      waitsFor: outcome.deferred?.reason,
    },
    resources: status.resources(),
    modules: status.modules(),
    packages: status.packages(),
    remotes: status.remotes(),
  };
}

async function* pagesBack(reader: LogReader, since: number, signal: AbortSignal): AsyncGenerator<LogChunk> {
  for (let before: number | undefined, isEnd = false; !isEnd;) {
    const page = await reader.query({ startMs: since }, PAGE_ENTRIES, before, signal);
    yield page;
    before = page.olderBeforeSeq;
    isEnd = before === undefined;
  }
}
