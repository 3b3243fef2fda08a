import { readFile } from 'node:fs/promises';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { ComputerHardware } from '../../hardware/computer-hardware.ts';
import { readCloudSettings } from '../../machine/cloud/cloud-settings.ts';
import { ConfigCache } from '../../machine/cloud/config-cache.ts';
import { parseConfig } from '../../machine/config/reading/parse-config.ts';
import { machineFolder } from '../../machine/diagnostics/recording/file-names.ts';
import { logFolder } from '../../machine/logging/stored/log-store.ts';
import { readStoredLog } from '../../machine/logging/stored/read-stored-log.ts';
import { builtinCatalog } from '../../machine/models/catalog.ts';
import { hubCacheFolder } from '../hub/hub-membership.ts';
import { filePart, supportBundle, type BundlePart } from './bundle.ts';
import { computerPart, configurationPart, diagnosticsPart, doctorPart, logPart, problemsPart } from './parts.ts';
import { knownSecrets, secretTextMask } from './secret-text.ts';

export interface StoredBundleOptions {
  readonly configPath: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Wall-clock milliseconds: how far log and records go back. */
  readonly since: number;
  readonly now: number;
  /** Why the server is not asked: a sentence for people. */
  readonly reason: string;
  readonly signal: AbortSignal;
}

/** A support bundle of what a server has left on the disk: for one that does not run or does not answer. */
export async function* storedBundle(options: StoredBundleOptions): AsyncGenerator<Uint8Array> {
  const { configPath, home, environment, since, now, reason, signal } = options;
  const text = await readFile(configPath, 'utf8').catch(() => undefined);
  const kept = await keptText(options);
  const hardware = new ComputerHardware('linux');
  const readText = (): Promise<string> => readFile(configPath, 'utf8');
  const parts: readonly BundlePart[] = [
    filePart('machine.json', 'state of the server, where it runs', () => {
      throw new ArmatureError('call.not_found', reason);
    }),
    configurationPart('configuration.json', 'the configuration', readText),
    ...(kept === undefined
      ? []
      : [configurationPart('configuration-of-the-hub.json', 'what the hub sent last', () => kept)]),
    problemsPart(async () => {
      const file = kept === undefined ? configPath : 'configuration of the hub';
      return parseConfig(kept ?? (await readText()), {
        file,
        isFile: kept === undefined,
        environment,
        catalog: builtinCatalog,
      }).problems;
    }),
    logPart(() => readStoredLog(logFolder(home, configPath), { startMs: since })),
    doctorPart(hardware, environment),
    computerPart(home, environment),
    diagnosticsPart(machineFolder(home, configPath), since),
  ];
  try {
    const mask = secretTextMask(knownSecrets([text ?? '', kept ?? ''], environment));
    yield* supportBundle({ parts, mask, now, signal });
  } finally {
    await hardware.close();
  }
}

/** The last configuration from the hub of a machine; undefined where there is none. */
async function keptText({ configPath, home, environment }: StoredBundleOptions): Promise<string | undefined> {
  try {
    const cloud = readCloudSettings(configPath, true, environment);
    if (cloud === undefined) return undefined;
    return (await new ConfigCache(hubCacheFolder(home, cloud.partId), silentLogger).peek())?.text;
  } catch {
    return undefined; // the file is wrong, as its problems show
  }
}
