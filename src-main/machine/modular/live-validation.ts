import { joinPointer } from '../../../proto/config/text/json-pointer.ts';
import { nodeAt, readJsonText, type JsonNode } from '../../../proto/config/text/json-text.ts';
import type { Problem } from '../../../proto/config/problem.ts';
import { revisionOf } from '../../base/revision.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { pointerOfText } from '../config/checks/check-dependencies.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { ParsedConfig } from '../config/machine-config.ts';
import { NearNames } from '../config/checks/near-names.ts';
import { hasError, ProblemList, type Finding } from '../config/problem-list.ts';
import { ResourceNames } from '../config/checks/resource-links.ts';
import type { Dependencies } from '../catalog/model.ts';
import type { ModularCatalog } from './modular-catalog.ts';
import type { ModuleProcess } from './module-process.ts';

/** Time limit for a module's answer during an edit. */
const ANSWER_MS = 2_000;
/** How long an answer is reused. The limit exists because a module may check more than the attributes. */
const CACHE_MS = 30_000;
/** Maximum number of answers per process. */
const MAX_KEPT = 2_000;

/** The answer of a module about one resource. */
type ValidationResult =
  | { readonly kind: 'valid'; readonly dependencies: Dependencies }
  | { readonly kind: 'invalid'; readonly message: string }
  /** It did not answer in time. */
  | { readonly kind: 'no-answer'; readonly message: string };

interface Kept {
  readonly at: number;
  readonly result: ValidationResult;
}

/**
 * Asks running modules for problems of an edited text. Asks about all resources at once, each with a short time limit.
 * A late answer delays nothing; the question is asked again at the next change.
 */
export class LiveValidation {
  readonly #catalog: ModularCatalog;
  readonly #clock: Clock;
  readonly #kept = new WeakMap<ModuleProcess, Map<string, Kept>>();

  constructor(catalog: ModularCatalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  /**
   * Problems that modules report about a configuration, in addition to those found when it was read.
   * @param file its name in problems
   */
  async problems({ config, text }: ParsedConfig, file: string): Promise<readonly Problem[]> {
    if (config === undefined) return [];
    const asked = config.resources.flatMap((resource) => {
      if (resource.isDisabled || hasError(resource.problems)) return [];
      const process = this.#catalog.processOf(resource.api, resource.model);
      return process === undefined ? [] : [{ resource, process, result: this.#validate(resource, process) }];
    });
    const missing = config.resources.flatMap((resource) => {
      const why = resource.isDisabled ? undefined : this.#catalog.missingOffer(resource);
      return why === undefined ? [] : [{ resource, why }];
    });
    if (asked.length + missing.length === 0) return [];
    const json = readJsonText(text);
    const { root } = json;
    if (root === undefined) return [];
    const names = new ResourceNames(config.resources);
    const guesses = new NearNames(names.shortNames());
    const list = new ProblemList(file, json);
    for (const { resource, process, result } of asked) {
      for (const finding of findings(resource, process.module.name, await result, { root, names, guesses })) {
        list.report(finding);
      }
    }
    for (const { resource, why } of missing) {
      const pointer = keyOf(root, resource.pointer, 'model') ?? resource.pointer;
      const message = `${labelOf(resource)} waits for ${why}.`;
      const found = foundAt(root, pointer, resource.pointer);
      list.report({ pointer, severity: 'warning', code: 'module.no_model', message, found });
    }
    return list.sorted();
  }

  /** Never rejects. */
  async #validate(resource: ResourceConfig, process: ModuleProcess): Promise<ValidationResult> {
    const kept = this.#keptOf(process);
    const { fullName, model, attributes, dependsOn } = resource;
    const key = `${fullName} ${revisionOf(JSON.stringify([model, attributes, dependsOn]))}`;
    const known = kept.get(key);
    const now = this.#clock.monotonic();
    if (known !== undefined && now - known.at < CACHE_MS) return known.result;
    const result = await this.#ask(resource, process);
    kept.delete(key);
    if (result.kind === 'no-answer') return result;
    kept.set(key, { at: now, result });
    if (kept.size > MAX_KEPT) for (const oldest of [...kept.keys()].slice(0, kept.size - MAX_KEPT)) kept.delete(oldest);
    return result;
  }

  async #ask(resource: ResourceConfig, process: ModuleProcess): Promise<ValidationResult> {
    try {
      const dependencies = await process.validate(resource, { timeoutMs: ANSWER_MS });
      this.#catalog.answers.remember(resource, dependencies);
      return { kind: 'valid', dependencies };
    } catch (thrown) {
      const { code, message } = toArmatureError(thrown);
      return { kind: code === 'module.refused' ? 'invalid' : 'no-answer', message };
    }
  }

  #keptOf(process: ModuleProcess): Map<string, Kept> {
    const kept = this.#kept.get(process) ?? new Map<string, Kept>();
    this.#kept.set(process, kept);
    return kept;
  }
}

interface ValidationContext {
  readonly root: JsonNode;
  readonly names: ResourceNames;
  readonly guesses: NearNames;
}

function findings(
  resource: ResourceConfig,
  module: string,
  result: ValidationResult,
  { root, names, guesses }: ValidationContext,
): readonly Finding[] {
  const { pointer } = resource;
  const label = labelOf(resource);
  const attributesPointer = keyOf(root, pointer, 'attributes');
  switch (result.kind) {
    case 'no-answer': {
      const message = `${label}: whether its attributes are right is not known: ${result.message}.`;
      return [{ pointer, severity: 'warning', code: 'module.silent', message }];
    }
    case 'invalid': {
      const at = attributesPointer === undefined ? pointer : fieldOf(result.message, attributesPointer, root);
      const message = `${label}: ${result.message}`;
      return [{ pointer: at, severity: 'error', code: 'module.invalid', message, found: foundAt(root, at, pointer) }];
    }
    case 'valid':
      return result.dependencies.required.flatMap((needed): readonly Finding[] => {
        if (names.find(needed).length > 0) return [];
        const guess = guesses.near(needed.slice(needed.lastIndexOf('/') + 1));
        const hint = guess === undefined ? '' : `; did you mean "${guess}"?`;
        const inside = attributesPointer === undefined ? undefined : pointerOfText(resource.attributes, needed);
        const message = `${label} waits for "${needed}", which its module ${module} asks for and which is not in the configuration${hint || '.'}`;
        const at = inside === undefined ? pointer : `${attributesPointer}${inside}`;
        return [
          { pointer: at, severity: 'warning', code: 'dependency.missing', message, found: needed, nearest: guess },
        ];
      });
  }
}

/** The document's value at this pointer; undefined for a whole entry. */
function foundAt(root: JsonNode, at: string, entry: string): Finding['found'] {
  return at === entry ? undefined : nodeAt(root, at)?.value;
}

function labelOf({ name, pointer }: ResourceConfig): string {
  return `${pointer.startsWith('/services') ? 'service' : 'component'} "${name}"`;
}

/** Pointer to an entry's value for a key, in the document's own spelling. */
function keyOf(root: JsonNode, pointer: string, key: 'attributes' | 'model'): string | undefined {
  const keys = Object.keys(nodeAt(root, pointer)?.value ?? {});
  const written = keys.find((one) => one === key) ?? keys.find((one) => one.toLowerCase() === key);
  return written === undefined ? undefined : joinPointer(pointer, written);
}

/**
 * The attribute that a module's message is about: one whose key is quoted in it, otherwise one that is a separate word
 * in it. Repeated within that attribute.
 */
function fieldOf(words: string, pointer: string, root: JsonNode): string {
  const value = nodeAt(root, pointer)?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return pointer;
  const keys = Object.keys(value).toSorted((a, b) => b.length - a.length);
  const named =
    keys.find((key) => ['"', "'", '`'].some((quote) => words.includes(quote + key + quote))) ??
    keys.find((key) => hasWord(words, key));
  return named === undefined ? pointer : fieldOf(words, joinPointer(pointer, named), root);
}

/** A single letter does not count as a word: it may be an article. */
function hasWord(words: string, key: string): boolean {
  if (key.length < 2) return false;
  for (let at = words.indexOf(key); at >= 0; at = words.indexOf(key, at + 1)) {
    const around = [words[at - 1], words[at + key.length]];
    if (around.every((character) => character === undefined || !/[\w-]/.test(character))) return true;
  }
  return false;
}
