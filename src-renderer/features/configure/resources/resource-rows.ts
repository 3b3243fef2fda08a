import {
  type Module,
  Module_State,
  type Remote,
  Remote_State,
  type Resource,
  Resource_State,
} from '../../../../proto/gen/core/status/v1/status.ts';
import { type Problem, shortName } from '../../../shared/machine/machine-view.ts';
import { type RemoteStateName, remoteStateName } from '../../../shared/machine/remote-view.ts';
import { type ModuleStateName, moduleStateName } from '../../../shared/machine/modules/module-view.ts';
import {
  isOfRemote,
  modelLabel,
  type ResourceStateName,
  stateName,
  subtypeOf,
} from '../../../shared/machine/rpc/status-merge.ts';
import type { DocumentEntry, DocumentModel } from '../document/document-model.ts';
import { isNeeded } from '../form/needed.ts';
import { addressesOf } from './entry-address.ts';

export type RowGroup = 'component' | 'service' | 'module' | 'remote' | 'ofRemote' | 'other';

/** One line of the list: an entry of the draft, one that the draft removes, or one that only the machine has. */
export interface ResourceRow {
  readonly key: string;
  /** Its name in URLs. */
  readonly address: string;
  /** '' if it has none. */
  readonly name: string;
  readonly group: RowGroup;
  /** `motor · gpio`; for a module its id and version, for a remote its address. */
  readonly what: string;
  readonly entry: DocumentEntry | undefined;
  /** The state of a resource as the machine reports it. */
  readonly live: Resource | undefined;
  /** The same for a module. */
  readonly module: Module | undefined;
  /** The same for a remote. */
  readonly remote: Remote | undefined;
  readonly mark: 'added' | 'changed' | 'removed' | undefined;
  readonly isDisabled: boolean;
  /** Number of problems in the entry. */
  readonly problems: number;
  /** The worst of them: a wrong value, a value that is not given yet, a warning. */
  readonly worst: Worst | undefined;
}

type Worst = 'error' | 'needed' | 'warning';

export interface RowSources {
  readonly model: DocumentModel;
  readonly removed: readonly DocumentEntry[];
  readonly live: Iterable<Resource>;
  readonly modules: Iterable<Module>;
  readonly remotes: Iterable<Remote>;
  readonly problems: readonly Problem[];
  readonly changeOf: (fullName: string) => 'added' | 'changed' | undefined;
}

/** All rows by group, in the order of the text; removed entries stay at their previous places. */
export function resourceRows(sources: RowSources): readonly ResourceRow[] {
  const { model, removed, live, modules, remotes, problems, changeOf } = sources;
  const addresses = addressesOf(model);
  const found = problemsByEntry(problems);
  const known = new Map([...live].map((resource) => [resource.name, resource]));
  const running = new Map([...modules].map((module) => [`module/${module.name}`, module]));
  const linked = new Map([...remotes].map((remote) => [`remote/${remote.name}`, remote]));
  const groups: Record<RowGroup, ResourceRow[]> = {
    component: [],
    service: [],
    module: [],
    remote: [],
    ofRemote: [],
    other: [],
  };
  const seen = new Set<string>();
  for (const entry of model.entries) {
    // Of several entries with the same name the machine runs the first.
    const isDuplicate = entry.name === '' || seen.has(entry.fullName);
    seen.add(entry.fullName);
    groups[groupOf(entry.section)].push({
      ...entryRow(entry),
      key: isDuplicate ? entry.pointer : entry.fullName,
      address: addresses.get(entry) ?? entry.pointer,
      live: isDuplicate ? undefined : known.get(entry.fullName),
      module: isDuplicate ? undefined : running.get(entry.fullName),
      remote: isDuplicate ? undefined : linked.get(entry.fullName),
      mark: changeOf(entry.fullName),
      problems: found.get(entry.pointer)?.count ?? 0,
      worst: found.get(entry.pointer)?.worst,
    });
  }
  for (const entry of [...removed].sort((left, right) => left.index - right.index)) {
    if (seen.has(entry.fullName)) continue;
    seen.add(entry.fullName);
    const row = {
      ...entryRow(entry),
      live: known.get(entry.fullName),
      module: running.get(entry.fullName),
      remote: linked.get(entry.fullName),
      mark: 'removed' as const,
    };
    groups[groupOf(entry.section)].splice(entry.index, 0, row);
  }
  for (const resource of known.values()) {
    if (seen.has(resource.name)) continue;
    const row = liveRow(resource);
    groups[row.group].push(row);
  }
  for (const [fullName, module] of running) {
    if (!seen.has(fullName)) groups.other.push(liveModuleRow(fullName, module));
  }
  for (const [fullName, remote] of linked) {
    if (!seen.has(fullName)) groups.other.push(liveRemoteRow(fullName, remote));
  }
  return Object.values(groups).flat();
}

/** Whether two lists have the same lines; their contents may differ. */
export function isSameList(one: readonly ResourceRow[], other: readonly ResourceRow[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ key, mark }, index) => {
      const row = other[index];
      return row?.key === key && (row.mark === 'removed') === (mark === 'removed');
    })
  );
}

/** The rows that match a filter text: by name, API, model, state or mark. */
export function filteredRows(
  rows: readonly ResourceRow[],
  text: string,
  stateWord: (row: ResourceRow) => string,
): readonly ResourceRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return rows;
  return rows.filter((row) =>
    `${row.name} ${row.what} ${stateWord(row)} ${row.mark ?? ''}`.toLowerCase().includes(wanted),
  );
}

type StateKey =
  `state.kinds.${ResourceStateName}` | `state.modules.${ModuleStateName}` | `state.remotes.${RemoteStateName}`;

/** The message key of a row's state; undefined if the machine does not have it. */
export function stateKeyOf({ live, module, remote }: ResourceRow): StateKey | undefined {
  if (remote !== undefined) return `state.remotes.${remoteStateName(remote.state)}`;
  if (module !== undefined) return `state.modules.${moduleStateName(module.state)}`;
  return live === undefined ? undefined : `state.kinds.${stateName(live.state)}`;
}

/** `motor · gpio` for a resource, `acme:env 1.4.*` for a module, the address for a remote. */
export function whatIs({ section, api, model, value }: DocumentEntry): string {
  if (section === 'remotes') return textOf(value['address']);
  if (section !== 'modules') return whatResource(api, model);
  const id = textOf(value['module_id']) || textOf(value['executable_path']);
  return [id, textOf(value['version'])].filter((part) => part !== '').join(' ');
}

function whatResource(api: string, model: string): string {
  return [subtypeOf(api), modelLabel(model)].filter((part) => part !== '').join(' · ');
}

function entryRow(entry: DocumentEntry): ResourceRow {
  return {
    key: entry.fullName,
    address: entry.fullName,
    name: entry.name,
    group: groupOf(entry.section),
    what: whatIs(entry),
    entry,
    live: undefined,
    module: undefined,
    remote: undefined,
    mark: undefined,
    isDisabled: entry.value['disabled'] === true,
    problems: 0,
    worst: undefined,
  };
}

/** A resource that the text does not have: it comes from a remote or a module, or the text does not parse. */
function liveRow(live: Resource): ResourceRow {
  return {
    key: live.name,
    address: live.name,
    name: shortName(live.name),
    group: isOfRemote(live.model) ? 'ofRemote' : 'other',
    what: whatResource(live.api, live.model),
    entry: undefined,
    live,
    module: undefined,
    remote: undefined,
    mark: undefined,
    isDisabled: live.state === Resource_State.DISABLED,
    problems: 0,
    worst: undefined,
  };
}

/** A module that the text does not have. */
function liveModuleRow(fullName: string, module: Module): ResourceRow {
  return {
    key: fullName,
    address: fullName,
    name: module.name,
    group: 'other',
    what: [module.moduleId, module.wantedVersion].filter(Boolean).join(' '),
    entry: undefined,
    live: undefined,
    module,
    remote: undefined,
    mark: undefined,
    isDisabled: module.state === Module_State.DISABLED,
    problems: 0,
    worst: undefined,
  };
}

/** A remote that the text does not have. */
function liveRemoteRow(fullName: string, remote: Remote): ResourceRow {
  return {
    key: fullName,
    address: fullName,
    name: remote.name,
    group: 'other',
    what: remote.address,
    entry: undefined,
    live: undefined,
    module: undefined,
    remote,
    mark: undefined,
    isDisabled: remote.state === Remote_State.DISABLED,
    problems: 0,
    worst: undefined,
  };
}

const groupsOfSections = {
  components: 'component',
  services: 'service',
  modules: 'module',
  remotes: 'remote',
} as const satisfies Readonly<Record<DocumentEntry['section'], RowGroup>>;

function groupOf(section: DocumentEntry['section']): RowGroup {
  return groupsOfSections[section];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** From the least to the worst. */
const severities: readonly Worst[] = ['warning', 'needed', 'error'];

/** Problems by entry: one at `/components/2/attributes/max_rpm` counts for `/components/2`. */
function problemsByEntry(
  problems: readonly Problem[],
): ReadonlyMap<string, { readonly count: number; readonly worst: Worst }> {
  const found = new Map<string, { readonly count: number; readonly worst: Worst }>();
  for (const problem of problems) {
    const entry = problem.pointer.split('/', 3).join('/');
    const { count = 0, worst = 'warning' } = found.get(entry) ?? {};
    const severity = severityOf(problem);
    const isWorse = severities.indexOf(severity) > severities.indexOf(worst);
    found.set(entry, { count: count + 1, worst: isWorse ? severity : worst });
  }
  return found;
}

function severityOf(problem: Problem): Worst {
  if (isNeeded(problem)) return 'needed';
  return problem.severity === 'error' ? 'error' : 'warning';
}
