import { findApi } from '../../apis/all.ts';
import { fullName, RESOURCE_NAME } from '../../../proto/config/names.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { Logger } from '../../base/logger.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { CatalogEntry } from '../catalog/model.ts';
import type { MachineConfig, RemoteConfig } from '../config/machine-config.ts';
import { isSameRemote } from '../config/reading/read-remote.ts';
import type { ModelSource } from '../graph/building/desired.ts';
import type { Obstacle } from '../graph/node.ts';
import type { ApiSource, ApiSources, StoppableApis } from '../foreign/foreign-apis.ts';
import { REMOTE_MODEL, RemoteEntry } from './remote-entry.ts';
import { RemoteLink, type FoundThere, type RemoteLinkOptions } from './remote-link.ts';
import { remoteChanges, type RemoteChanges, type RemoteStatus } from './remote-status.ts';

export type RemotesOptions = Omit<RemoteLinkOptions, 'config' | 'onChange'> & {
  readonly foreign: () => StoppableApis | undefined;
  /** Where models of this machine come from. */
  readonly models: ModelSource;
};

/** Name of the services that every machine of the public ecosystem has; those of remotes are left out. */
const BUILTIN_SERVICE = 'builtin';

/**
 * The other machines whose resources are available here too. Each remote has its own connection, so a slow or offline
 * one delays only what needs it.
 */
export class Remotes implements ModelSource, ApiSources {
  readonly #options: RemotesOptions;
  readonly #logger: Logger;
  readonly #changed = new Emitter();
  /** Like `changed`, and also called when a configuration was applied. */
  readonly #statusChanged = new Emitter();
  readonly #links = new Map<string, RemoteLink>();
  readonly #entries = new Map<string, RemoteEntry>();
  /** Full names of this machine's own resources: they take precedence. */
  #own: ReadonlySet<string> = new Set();
  /** Name collisions that were reported. */
  readonly #reported = new Set<string>();

  constructor(options: RemotesOptions) {
    this.#options = options;
    this.#logger = options.logger;
  }

  get sources(): readonly ApiSource[] {
    return [...this.#links.values()].flatMap(({ source }) => source ?? []);
  }

  /**
   * Calls `listener` when resources change, or their machine connects or disconnects. Returns an unsubscribe function.
   */
  onChange(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  /** Applies a configuration: connects to new remotes, and disconnects removed ones. */
  apply({ remotes, resources }: MachineConfig): void {
    this.#own = new Set(resources.map((one) => one.fullName));
    const wanted = new Map(remotes.map((one) => [one.name, one]));
    for (const [name, link] of this.#links) {
      const next = wanted.get(name);
      if (next !== undefined && isSameRemote(next, link.config)) continue;
      link.close();
      this.#links.delete(name);
    }
    for (const config of remotes) {
      if (this.#links.has(config.name)) continue;
      this.#links.set(config.name, new RemoteLink({ ...this.#options, config, onChange: () => this.#onLink() }));
    }
    this.#statusChanged.emit();
  }

  /** The state of each connection. */
  statuses(): readonly RemoteStatus[] {
    return [...this.#links.values()].map(({ status }) => status);
  }

  /**
   * Calls `listener` with the changes of {@link statuses} since its last call, or since it was added. Returns an
   * unsubscribe function.
   */
  subscribe(listener: (changes: RemoteChanges) => void): () => void {
    let last = this.statuses();
    return this.#statusChanged.on(() => {
      const before = last;
      last = this.statuses();
      const changes = remoteChanges(before, last);
      if (changes !== undefined) listener(changes);
    });
  }

  /** The resources of the other machines, as they are wanted here. */
  resources(): readonly ResourceConfig[] {
    const found = new Map<string, { readonly link: RemoteLink; readonly there: FoundThere }[]>();
    for (const link of this.#links.values()) {
      for (const there of link.found) {
        if (findApi(there.api) === undefined && link.serviceOf(there.api) === undefined) continue;
        if (!RESOURCE_NAME.test(there.name)) continue;
        if (there.name === BUILTIN_SERVICE && there.api.split(':')[1] === 'service') continue;
        const name = fullName(there.api, link.config.prefix + there.name);
        found.set(name, [...(found.get(name) ?? []), { link, there }]);
      }
    }
    return [...found].flatMap(([name, claims]) => {
      const isFree = claims.length === 1 && !this.#own.has(name);
      if (!isFree)
        this.#reportConflict(
          name,
          claims.map(({ link }) => link.config.name),
        );
      return claims.map(({ link, there }) => resourceOf(link.config, there, isFree));
    });
  }

  find(api: string, model: string): CatalogEntry | undefined {
    if (!model.startsWith(REMOTE_MODEL)) return this.#options.models.find(api, model);
    const name = model.slice(REMOTE_MODEL.length);
    const link = this.#links.get(name);
    const connection = link?.connection;
    if (connection === undefined) return undefined;
    const key = `${name} ${api}`;
    const known = this.#entries.get(key);
    if (known?.connection === connection) return known;
    const { foreign } = this.#options;
    const entry = new RemoteEntry({ api, remote: name, connection, service: link?.serviceOf(api), foreign });
    this.#entries.set(key, entry);
    return entry;
  }

  obstacleTo(config: ResourceConfig): Obstacle | undefined {
    if (!config.model.startsWith(REMOTE_MODEL)) return this.#options.models.obstacleTo?.(config);
    const name = config.model.slice(REMOTE_MODEL.length);
    const link = this.#links.get(name);
    const why = link?.reason ?? 'it is not configured any more';
    const reason = `waiting for the remote ${name}, which is not connected: ${why}`;
    return {
      kind: 'no-model',
      for: `remote/${name}`,
      reason,
      isTransient: false,
      isUnderWay: link?.hasFailed === false,
    };
  }

  close(): void {
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
    this.#changed.clear();
    this.#statusChanged.clear();
  }

  #onLink(): void {
    this.#changed.emit();
    this.#statusChanged.emit();
  }

  #reportConflict(name: string, remotes: readonly string[]): void {
    const isOwn = this.#own.has(name);
    const key = `${isOwn} ${name} ${remotes.join(' ')}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const whose = remotes.map((one) => `the remote ${one}`).join(' and ');
    const kept = isOwn ? 'this machine has it itself, which is what that name means' : 'so that name means neither';
    this.#logger.error(
      `${name} is what ${whose} ${remotes.length === 1 ? 'has' : 'have'} too: ${kept}. Give the remote a "prefix"; until then it is called REMOTE:NAME.`,
    );
  }
}

/** @param isFree whether no other resource here has its name */
function resourceOf(
  { name: remote, prefix, pointer }: RemoteConfig,
  { api, name }: FoundThere,
  isFree: boolean,
): ResourceConfig {
  const here = isFree ? prefix + name : `${remote}:${name}`;
  return {
    fullName: fullName(api, here),
    name: here,
    api,
    model: `${REMOTE_MODEL}${remote}`,
    attributes: { name },
    dependsOn: [],
    logLevel: undefined,
    isDisabled: false,
    notes: '',
    serviceConfigs: [],
    pointer,
    problems: [],
  };
}
