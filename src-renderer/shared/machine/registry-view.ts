import type { RegistryModule, RegistryVersion, Resolution } from '../../../proto/gen/core/hub/v1/registry.ts';

/** A module with all its versions. */
export interface RegistryDetailsView {
  readonly module: RegistryModule;
  /** Newest first. */
  readonly versions: readonly RegistryVersion[];
  /** Markdown. */
  readonly readme: string;
}

export interface RegistryPageView {
  readonly modules: readonly RegistryModule[];
  /** Token of the next page; '' if there is none. */
  readonly nextToken: string;
  /** Number of modules on all pages. */
  readonly total: number;
}

export interface ModuleWantView {
  readonly moduleId: string;
  /** An exact version or an update channel. */
  readonly version: string;
  /** `linux/arm64`. */
  readonly platform: string;
}

/** The registry of the hub that this page came from. */
export interface RegistryCalls {
  /** @param token '' for the first page */
  search(text: string, token: string, signal: AbortSignal): Promise<RegistryPageView>;
  describe(moduleId: string): Promise<RegistryDetailsView>;
  /** One resolution for each want, in their order, now and whenever one changes. */
  watchResolutions(wants: readonly ModuleWantView[], signal: AbortSignal): AsyncIterable<readonly Resolution[]>;
  /** Takes a version out of every update channel. */
  yank(moduleId: string, version: string, reason: string): Promise<void>;
  unyank(moduleId: string, version: string): Promise<void>;
  /** Ids of modules that were published, changed or yanked, as it happens. */
  watchChanges(signal: AbortSignal): AsyncIterable<string>;
}
