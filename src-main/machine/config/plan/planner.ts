import { renamedReason } from '../../../../proto/config/changes/change-words.ts';
import { Renames, type EntryValues } from '../../../../proto/config/changes/renames.ts';
import { shortNameOf } from '../../../../proto/config/names.ts';
import { movingApis } from '../../../apis/moving-apis.ts';
import { components } from '../../../base/cycles.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { MachineConfig, ModuleConfig } from '../machine-config.ts';
import type { ModuleChange, Plan, ResourceChange } from './plan.ts';
import {
  entryChanges,
  entryValue,
  moduleDifference,
  referencesIn,
  resourceDifference,
  type ResourceDifference,
} from './plan-difference.ts';
import { settingChanges } from './plan-settings.ts';
import { summarize } from './plan-summary.ts';
import { hasError } from '../problem-list.ts';
import { ResourceNames, declaredDependencies } from '../checks/resource-links.ts';

/**
 * The effects of applying `to` to a machine that runs `from`. Pure and deterministic. Modules and settings are in the
 * order of the document; resources are in the order of execution: removals first (dependents before their
 * dependencies), then the rest (dependencies before their dependents). A level, notes or capture settings never rebuild
 * anything. Secrets are masked in all reasons.
 */
export function planChange(from: MachineConfig | undefined, to: MachineConfig, catalog: ModelCatalog): Plan {
  const modules = planModules(from?.modules ?? [], to.modules);
  const resources = new ResourcePlanner(from?.resources ?? [], to.resources, modules, catalog).plan();
  const settings = from === undefined ? [] : settingChanges(from, to);
  return { from, to, resources, modules, settings, summary: summarize(resources, modules, settings) };
}

function planModules(from: readonly ModuleConfig[], to: readonly ModuleConfig[]): readonly ModuleChange[] {
  const before = new Map(from.map((module) => [module.name, module]));
  const after = new Set(to.map((module) => module.name));
  const removed = from
    .filter((module) => !after.has(module.name))
    .map((module): ModuleChange => ({ kind: 'remove', name: module.name, from: module }));
  const rest = to.flatMap((module): readonly ModuleChange[] => {
    const old = before.get(module.name);
    if (old === undefined) return [{ kind: 'add', name: module.name, to: module }];
    const difference = moduleDifference(old, module);
    return difference === undefined ? [] : [{ ...difference, name: module.name, from: old, to: module }];
  });
  return [...removed, ...rest];
}

function valuesOf(resources: readonly ResourceConfig[]): EntryValues {
  return new Map(resources.map((resource) => [resource.fullName, entryValue(resource)]));
}

class ResourcePlanner {
  readonly #from: readonly ResourceConfig[];
  readonly #to: readonly ResourceConfig[];
  readonly #catalog: ModelCatalog;
  readonly #before: ReadonlyMap<string, ResourceConfig>;
  readonly #after: ReadonlyMap<string, ResourceConfig>;
  readonly #namesBefore: ResourceNames;
  readonly #namesAfter: ResourceNames;
  readonly #renames: Renames;
  /** Why modular resources are rebuilt, by the id of their module, and by `module/<name>`. */
  readonly #moduleReasons = new Map<string, string>();

  constructor(
    from: readonly ResourceConfig[],
    to: readonly ResourceConfig[],
    modules: readonly ModuleChange[],
    catalog: ModelCatalog,
  ) {
    this.#from = from;
    this.#to = to;
    this.#catalog = catalog;
    this.#before = new Map(from.map((resource) => [resource.fullName, resource]));
    this.#after = new Map(to.map((resource) => [resource.fullName, resource]));
    this.#namesBefore = new ResourceNames(from);
    this.#namesAfter = new ResourceNames(to);
    this.#renames = Renames.between(valuesOf(from), valuesOf(to));
    const words = { add: 'is added', remove: 'is removed', restart: 'restarts' };
    for (const change of modules) {
      if (change.kind === 'change') continue;
      const { moduleId } = change.kind === 'remove' ? change.from : change.to;
      const reason = `its module ${change.name} ${words[change.kind]}`;
      this.#moduleReasons.set(moduleId === '' ? `module/${change.name}` : moduleId, reason);
    }
  }

  plan(): readonly ResourceChange[] {
    const removed = this.#order(this.#from, this.#namesBefore)
      .toReversed()
      .filter((resource) => !this.#after.has(resource.fullName))
      .map((from): ResourceChange => {
        const stopsMotion = this.#runs(from, this.#namesBefore) && this.#moves(from);
        const newName = this.#renames.newName(from.fullName);
        const reason = newName === undefined ? 'removed' : `renamed to ${shortNameOf(newName)}`;
        return { kind: 'remove', name: from.fullName, from, reason, stopsMotion };
      });
    /** Reasons for the dependents of a resource whose instance is removed or added, by its full name. */
    const news = new Map(removed.map((change) => [change.name, 'is removed']));
    const rest: ResourceChange[] = [];
    for (const to of this.#order(this.#to, this.#namesAfter)) {
      const change = this.#change(to, news);
      if (change === undefined) continue;
      rest.push(change);
      if (change.kind === 'add') news.set(change.name, 'is added');
      else if (change.kind === 'rebuild') news.set(change.name, to.isDisabled ? 'is disabled' : 'is rebuilt');
    }
    return [...removed, ...rest];
  }

  #change(to: ResourceConfig, news: ReadonlyMap<string, string>): ResourceChange | undefined {
    const from = this.#before.get(to.fullName);
    const name = to.fullName;
    if (from === undefined) return this.#addition(to);
    const own = resourceDifference(from, to, this.#catalog.find(to.api, to.model), this.#renames);
    const cause = own?.kind === 'rebuild' ? undefined : this.#outsideCause(from, to, news);
    if (own === undefined && cause === undefined) return undefined;
    const isRebuild = own?.kind === 'rebuild' || cause !== undefined;
    const mayRebuild = own?.mayRebuild === true;
    const stopsMotion =
      (isRebuild || mayRebuild) && this.#runs(from, this.#namesBefore) && (this.#moves(from) || this.#moves(to));
    const both: Omit<ResourceDifference, 'mayRebuild' | 'references'> = {
      kind: isRebuild ? 'rebuild' : 'change',
      fields: own?.fields ?? [],
      reason: [own?.reason, cause].filter((reason) => reason !== undefined).join('; '),
    };
    const references = own === undefined ? 0 : own.references;
    return { ...both, name, from, to, stopsMotion, ...(references === undefined ? {} : { references }) };
  }

  #addition(to: ResourceConfig): ResourceChange {
    const name = to.fullName;
    const renamedFrom = this.#renames.oldName(name);
    const old = renamedFrom === undefined ? undefined : this.#before.get(renamedFrom);
    if (renamedFrom === undefined || old === undefined) {
      return { kind: 'add', name, to, reason: to.isDisabled ? 'added, disabled' : 'added' };
    }
    const changes = entryChanges(old, to, this.#renames);
    const references = referencesIn(changes);
    return {
      kind: 'add',
      name,
      to,
      reason: renamedReason(changes),
      renamedFrom,
      ...(references === undefined ? {} : { references }),
    };
  }

  /** Why a resource is rebuilt although its own entry does not require it. */
  #outsideCause(from: ResourceConfig, to: ResourceConfig, news: ReadonlyMap<string, string>): string | undefined {
    // A resource that is disabled or invalid both before and after has no instance to rebuild.
    if (to.isDisabled || hasError(to.problems)) return undefined;
    const entry = this.#catalog.find(to.api, to.model);
    if (entry === undefined || entry.module !== undefined) {
      const moduleReason =
        this.#moduleReasons.get(to.model.split(':').slice(0, 2).join(':')) ??
        this.#moduleReasons.get(`module/${entry?.module ?? ''}`);
      if (moduleReason !== undefined) return moduleReason;
    }
    const dependencies = [
      ...this.#dependencies(to, this.#namesAfter, 'all'),
      ...this.#dependencies(from, this.#namesBefore, 'all'),
    ];
    for (const dependency of dependencies) {
      const reason = news.get(dependency.fullName);
      if (reason === undefined) continue;
      const kind = dependency.api.slice(dependency.api.lastIndexOf(':') + 1).replaceAll('_', ' ');
      return `its ${kind} ${dependency.name} ${reason}`;
    }
    return undefined;
  }

  #dependencies(resource: ResourceConfig, names: ResourceNames, which: 'required' | 'all'): readonly ResourceConfig[] {
    const declared = declaredDependencies(resource, this.#catalog);
    const optional = which === 'all' ? declared.optional : [];
    return [...declared.required, ...resource.dependsOn, ...optional].flatMap((name) => names.find(name));
  }

  /** Whether a resource can run: it is not disabled or invalid, and no dependency is missing. */
  #runs(resource: ResourceConfig, names: ResourceNames): boolean {
    if (resource.isDisabled || hasError(resource.problems)) return false;
    const needed = [...declaredDependencies(resource, this.#catalog).required, ...resource.dependsOn];
    return needed.every((name) => {
      const [dependency, ...others] = names.find(name);
      if (dependency === undefined || others.length > 0) return false;
      return !dependency.isDisabled && !hasError(dependency.problems);
    });
  }

  #moves(resource: ResourceConfig): boolean {
    return this.#catalog.find(resource.api, resource.model)?.isActuator ?? movingApis.has(resource.api);
  }

  /** Dependencies before dependents, otherwise in the order of the document. */
  #order(resources: readonly ResourceConfig[], names: ResourceNames): readonly ResourceConfig[] {
    return components(resources, (resource) => this.#dependencies(resource, names, 'all')).flat();
  }
}
