import { documentSchema } from '../../../../proto/config/schema/document-schema.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { readJsonText, type JsonNode, type JsonText } from '../../../../proto/config/text/json-text.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import { expandVariables, type ExpandedText } from './expand-variables.ts';
import { compileLogPattern } from '../../logging/log-pattern.ts';
import { moduleLoggerName, namesForPatterns, resourceLoggerName } from '../../logging/logger-names.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import { checkCapture } from '../checks/check-capture.ts';
import { checkDependencies } from '../checks/check-dependencies.ts';
import { checkJobs } from '../checks/check-jobs.ts';
import { checkTriggers } from '../checks/check-triggers.ts';
import { checkVision } from '../checks/check-vision.ts';
import { checkWiring } from '../checks/check-wiring.ts';
import { checkModel, ModelProviders } from '../checks/check-model.ts';
import type { MachineConfig, PackageConfig, ParsedConfig } from '../machine-config.ts';
import { memoryNeed } from './memory-need.ts';
import { ObjectReader, UnsupportedKeys, typeOf } from './object-reader.ts';
import type { ParseContext } from './parse-context.ts';
import type { InstalledPackage } from './placeholder-expansion.ts';
import { ProblemList, hasError, type ProblemSink } from '../problem-list.ts';
import { readJob } from './read-job.ts';
import { readModule, type ModuleEntry } from './read-module.ts';
import { readPackage } from './read-package.ts';
import { readRemote } from './read-remote.ts';
import { defaultNetwork, readNetwork } from './read-network.ts';
import { readResource, type ResourceEntry } from './read-resource.ts';
import { openAccess, readAuth, readLog, readMaintenance } from './read-settings.ts';
import { readTracing } from './read-tracing.ts';
import { revisionOf } from '../../../base/revision.ts';

/** Larger texts are refused unread: 32 MiB of UTF-8. */
export const LARGEST_CONFIG_BYTES = 32 * 1024 * 1024;

export interface ParseOptions {
  /** Path shown in problems; '' if the text is not from a file. */
  readonly file: string;
  /** Whether the text is from a file, in which `${VAR}` stands for an environment variable. */
  readonly isFile?: boolean;
  /** For `${environment.NAME}`, and `${NAME}` in files. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalog: ModelCatalog;
  /**
   * The future folder of a package of the document, for `${packages.TYPE.NAME}`; if absent, placeholders stay as
   * written.
   */
  readonly packagePath?: (type: string, name: string) => string;
  /** A text that needs more memory is refused unread; no limit if absent. */
  readonly memoryBytes?: number;
  /** `-untrusted-env`: the configuration must not have side effects; absent: it may. */
  readonly isEnvironmentUntrusted?: boolean;
}

/**
 * Reads a configuration. Never throws: everything that is wrong is reported as a problem with its place. An invalid
 * entry of `components`, `services` or `modules` fails alone. The document as a whole has no `config` if it is not
 * JSON, if one of these lists is not a list, or if `network`, `auth` or `maintenance` is wrong: half of such a block
 * could open the machine to others, or let an update stop it. Start and reload use the same function.
 */
export function parseConfig(text: string, options: ParseOptions): ParsedConfig {
  const bytes = Buffer.byteLength(text, 'utf8');
  const needed = options.memoryBytes === undefined ? 0 : memoryNeed(text);
  const json: JsonText =
    bytes > LARGEST_CONFIG_BYTES
      ? tooLarge(bytes)
      : needed > (options.memoryBytes ?? 0)
        ? tooLargeForMemory(needed, options.memoryBytes ?? 0)
        : readJsonText(text);
  const problems = new ProblemList(options.file, json);
  const { root } = json;
  if (root?.properties === undefined) {
    for (const fault of json.faults) {
      const { kind, message, offset, found } = fault;
      problems.report({ pointer: '', severity: 'error', code: `config.${kind}`, message, found, offset });
    }
    if (root !== undefined) {
      problems.report({
        pointer: '',
        severity: 'error',
        code: 'config.wrong_type',
        message: `A configuration is an object in { }, found ${typeOf(root.value)}.`,
      });
    }
    return { text, config: undefined, problems: problems.sorted() };
  }
  if (options.isFile !== true) {
    return {
      text,
      config: new DocumentParser(text, json, root, root, problems, options).parse(),
      problems: problems.sorted(),
    };
  }
  const { root: expanded, texts } = expandVariables(root, options.environment);
  problems.conceal(texts);
  const config = new DocumentParser(text, json, root, expanded, problems, options, texts).parse();
  return { text, config, problems: problems.sorted() };
}

function tooLarge(bytes: number): JsonText {
  const { lines } = readJsonText('');
  const message = `The configuration is ${bytes} bytes long; at most ${LARGEST_CONFIG_BYTES} (32 MiB) are read.`;
  return { root: undefined, faults: [{ kind: 'too_large', offset: 0, pointer: '', message }], lines };
}

function tooLargeForMemory(needed: number, free: number): JsonText {
  const { lines } = readJsonText('');
  const megabytes = (count: number): number => Math.ceil(count / 1e6);
  const message = `Reading this configuration takes about ${megabytes(needed)} MB of memory, and this program may use ${megabytes(free)} more: make it smaller, or start the program with NODE_OPTIONS=--max-old-space-size=<megabytes> set higher.`;
  return { root: undefined, faults: [{ kind: 'too_large_for_memory', offset: 0, pointer: '', message }], lines };
}

/** Whether only the memory of this program keeps a text from being used. */
export function isTooLargeForMemory({ config, problems }: ParsedConfig): boolean {
  return config === undefined && problems.some(({ code }) => code === 'config.too_large_for_memory');
}

/** An entry of a list, in any state of reading. */
interface NamedEntry {
  readonly config: { readonly name: string; readonly pointer: string };
  readonly sink: ProblemSink;
}

/** Receives the problems of a place in the document. */
type SinkAt = (pointer: string) => ProblemSink;

class DocumentParser {
  readonly #text: string;
  readonly #json: JsonText;
  readonly #root: JsonNode;
  readonly #variables: readonly ExpandedText[];
  readonly #problems: ProblemList;
  readonly #catalog: ModelCatalog;
  readonly #context: ParseContext;
  readonly #reader: ObjectReader;
  readonly #packagePath: (type: string, name: string) => string;
  readonly #isUntrusted: boolean;
  /** What placeholders may name. */
  readonly #installed: InstalledPackage[] = [];
  /** Problems that block the whole text. */
  readonly #blocking: Problem[] = [];
  readonly #blockingSink: ProblemSink;

  /** @param expanded the document with its variables replaced; this is read */
  constructor(
    text: string,
    json: JsonText,
    root: JsonNode,
    expanded: JsonNode,
    problems: ProblemList,
    options: ParseOptions,
    variables: readonly ExpandedText[] = [],
  ) {
    this.#variables = variables;
    this.#text = text;
    this.#json = json;
    this.#root = root;
    this.#problems = problems;
    this.#catalog = options.catalog;
    this.#isUntrusted = options.isEnvironmentUntrusted === true;
    this.#packagePath = options.packagePath ?? ((type, name) => `\${packages.${type}.${name}}`);
    this.#context = {
      problems,
      unsupported: new UnsupportedKeys(),
      placeholders: {
        environment: options.environment,
        packages: this.#installed,
        hasVariables: options.isFile === true,
      },
    };
    this.#blockingSink = problems.scope(this.#blocking);
    this.#reader = new ObjectReader(expanded, '', 'configuration', documentSchema, problems, this.#context.unsupported);
  }

  parse(): MachineConfig | undefined {
    // First, because the others refer to them.
    const packages = this.#readPackages();
    const modules = this.#readEach('modules', 'module', readModule);
    const remotes = this.#readEach('remotes', 'remote', readRemote);
    const resources = this.#readResources();
    const jobs = this.#readEach('jobs', 'job', readJob);
    const sinkAt = this.#sinks([...resources, ...modules, ...remotes, ...jobs]);
    this.#attachFaults(sinkAt);
    this.#reportUnset(sinkAt);
    const moduleConfigs = modules.map((entry) => entry.config);
    const providers = new ModelProviders(moduleConfigs);
    for (const entry of resources) checkModel(entry, this.#root, providers, this.#catalog);
    checkDependencies(resources, this.#catalog, remotes.length > 0);
    checkWiring(resources, this.#root);
    checkVision(resources);
    checkCapture(resources, this.#root);
    checkJobs(jobs, resources, { hasRemotes: remotes.length > 0, isUntrusted: this.#isUntrusted });
    const network = this.#block('network', readNetwork, defaultNetwork);
    const auth = this.#block('auth', readAuth, openAccess);
    const maintenance = this.#block('maintenance', readMaintenance, undefined);
    this.#checkMaintenanceSensor(maintenance, resources);
    const log = this.#readLog(resources, modules);
    const hasTriggers = this.#reader.has('triggers');
    const config: MachineConfig = {
      resources: resources.map((entry) => entry.config),
      modules: moduleConfigs,
      packages,
      remotes: remotes.map((entry) => entry.config),
      jobs: jobs.map((entry) => entry.config),
      network,
      auth,
      log,
      debug: this.#reader.flag('debug') ?? false,
      disableLogDeduplication: this.#reader.flag('disable_log_deduplication') ?? false,
      enableWebProfile: this.#reader.flag('enable_web_profile') ?? false,
      tracing: readTracing(this.#reader, this.#context),
      maintenance,
      triggers: hasTriggers ? checkTriggers(this.#root, this.#reader.pointerOf('triggers'), this.#problems) : [],
      revision: this.#reader.text('revision') || revisionOf(this.#text),
    };
    this.#context.unsupported.reportTo(this.#problems);
    return hasError(this.#blocking) ? undefined : config;
  }

  #block<T>(
    key: string,
    read: (node: JsonNode, pointer: string, sink: ProblemSink, context: ParseContext) => T,
    absent: T,
  ): T {
    const node = this.#reader.node(key);
    if (node === undefined) return absent;
    const pointer = this.#reader.pointerOf(key);
    if (node.properties !== undefined) return read(node, pointer, this.#blockingSink, this.#context);
    this.#blockWrongType(key, node, 'an object in { }');
    return absent;
  }

  #blockWrongType(key: string, node: JsonNode, wanted: string): void {
    this.#blockingSink.report({
      pointer: this.#reader.pointerOf(key),
      severity: 'error',
      code: 'config.wrong_type',
      message: `"${key}" is ${typeOf(node.value)}; it must be ${wanted}.`,
      found: node.value,
      allowed: [wanted],
    });
  }

  #items(key: string): readonly { readonly node: JsonNode; readonly pointer: string }[] {
    const node = this.#reader.node(key);
    if (node === undefined) return [];
    const pointer = this.#reader.pointerOf(key);
    if (node.items === undefined) {
      // Read as empty, it would remove everything that is running.
      this.#blockWrongType(key, node, 'an array in [ ]');
      return [];
    }
    return node.items.map((item, index) => ({ node: item, pointer: joinPointer(pointer, index) }));
  }

  #readPackages(): readonly PackageConfig[] {
    const packages = this.#readEach('packages', 'package', readPackage).map(({ config }) => config);
    for (const { type, name } of packages) {
      this.#installed.push({ type, name, path: this.#packagePath(type, name) });
    }
    return packages;
  }

  /** The entries of a list, each read separately; only the first of each name. */
  #readEach<E extends NamedEntry>(
    key: string,
    kind: string,
    read: (node: JsonNode, pointer: string, index: number, context: ParseContext) => E | undefined,
  ): readonly E[] {
    const first = new Map<string, E>();
    this.#items(key).forEach(({ node, pointer }, index) => {
      const entry = read(node, pointer, index, this.#context);
      if (entry === undefined) return;
      const { name } = entry.config;
      const twin = first.get(name);
      if (twin === undefined) first.set(name, entry);
      else this.#reportDuplicate(entry, twin.config.pointer, `${kind} ${name}`, capitalized(kind));
    });
    return [...first.values()];
  }

  #readResources(): readonly ResourceEntry[] {
    const first = new Map<string, ResourceEntry>();
    for (const [key, family] of [
      ['components', 'component'],
      ['services', 'service'],
    ] as const) {
      this.#items(key).forEach(({ node, pointer }, index) => {
        const entry = readResource(node, pointer, index, family, this.#context);
        if (entry === undefined) return;
        const { fullName } = entry.config;
        const twin = first.get(fullName);
        if (twin === undefined) first.set(fullName, entry);
        else this.#reportDuplicate(entry, twin.config.pointer, fullName, 'Resource');
      });
    }
    return [...first.values()];
  }

  /** The first is kept, so a duplicate never stops what is running. */
  #reportDuplicate(entry: NamedEntry, firstPointer: string, name: string, kind: string): void {
    entry.sink.report({
      pointer: entry.config.pointer,
      severity: 'error',
      code: 'config.duplicate_name',
      message: `${kind} names are unique: ${name} is there already at ${firstPointer}, which is kept; rename or remove this one.`,
      found: entry.config.name,
    });
  }

  /**
   * Assigns duplicate keys and too large numbers to their entry. A duplicate key of the document itself, or of a block
   * that must be right, blocks the document.
   */
  #attachFaults(sinkAt: SinkAt): void {
    for (const fault of this.#json.faults) {
      const [, block = '', index] = fault.pointer.split('/');
      const isBlocking = index === undefined || isBlockingBlock(block);
      const sink = isBlocking ? this.#blockingSink : sinkAt(fault.pointer);
      const { kind, message, offset, pointer, found } = fault;
      sink.report({ pointer, severity: 'error', code: `config.${kind}`, message, found, offset });
    }
  }

  /** A variable that is not set is a problem only of the entry or block that contains it. */
  #reportUnset(sinkAt: SinkAt): void {
    for (const { pointer, unset } of this.#variables) {
      const [, block = ''] = pointer.split('/');
      for (const { text, name, nearest } of unset) {
        const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
        (isBlockingBlock(block) ? this.#blockingSink : sinkAt(pointer)).report({
          pointer,
          severity: 'error',
          code: 'placeholder.unset',
          message: `${text} at ${pointer} has no value: the environment of the server has no variable ${name}; set it before the server starts, or give a default, \${${name}:-default}.${hint}`,
          nearest,
        });
      }
    }
  }

  /** Where problems of a place go: to the entry that contains it. */
  #sinks(entries: readonly NamedEntry[]): SinkAt {
    const owners = new Map(entries.map((entry) => [entry.config.pointer, entry.sink]));
    return (pointer) => {
      const [, block = '', index = ''] = pointer.split('/');
      return owners.get(`/${block}/${index}`) ?? this.#problems;
    };
  }

  #readLog(resources: readonly ResourceEntry[], modules: readonly ModuleEntry[]): MachineConfig['log'] {
    const items = this.#reader.list('log', 'warning') ?? [];
    if (items.length === 0) return [];
    const names = [
      ...resources.flatMap(({ config: { fullName } }) =>
        namesForPatterns(resourceLoggerName(fullName), { resource: fullName, module: undefined }),
      ),
      ...modules.flatMap(({ config: { name } }) =>
        namesForPatterns(moduleLoggerName(name), { resource: undefined, module: name }),
      ),
    ];
    const entries = readLog(items, this.#reader.pointerOf('log'), this.#problems, this.#context);
    for (const { entry, pointer } of entries) {
      const compiled = compileLogPattern(entry.pattern);
      if (compiled.kind === 'invalid' || isOwnLogger(entry.pattern) || names.some(compiled.matches)) continue;
      this.#problems.report({
        pointer,
        severity: 'warning',
        code: 'log.no_match',
        message: `log: "${entry.pattern.slice(0, 80)}" matches no resource and no module; * is any run of characters, for example core.component.motor.*.`,
        found: entry.pattern,
      });
    }
    return entries.map(({ entry }) => entry);
  }

  #checkMaintenanceSensor(maintenance: MachineConfig['maintenance'], resources: readonly ResourceEntry[]): void {
    if (maintenance === undefined || hasError(this.#blocking)) return;
    const sensor = resources.find((entry) => entry.config.fullName === maintenance.sensorName);
    if (sensor !== undefined && !sensor.config.isDisabled) return;
    this.#problems.report({
      pointer: joinPointer(this.#reader.pointerOf('maintenance'), 'sensor_name'),
      severity: 'warning',
      code: 'maintenance.no_sensor',
      message: `maintenance: the sensor ${maintenance.sensorName} is ${sensor === undefined ? 'not in the configuration' : 'disabled'}, so every update waits. Name a sensor of this configuration, or remove "maintenance".`,
      found: maintenance.sensorName,
    });
  }
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function isBlockingBlock(key: string): boolean {
  return /^(network|auth|maintenance)$/i.test(key);
}

/** Loggers of the program itself are not in the document: a pattern for one is not a mistake. */
function isOwnLogger(pattern: string): boolean {
  return /^(core|rdk)(\\?\.(?!component|service|resource_manager|modmanager|modules)|$)/.test(pattern);
}
