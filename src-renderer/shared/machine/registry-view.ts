/** What the page knows of the registry of its hub, in the page's own words. Times are wall-clock, ms. */

export interface RegistryModelView {
  /** Triplets. */
  readonly api: string;
  readonly model: string;
  readonly description: string;
  /** Markdown; '' in a list. */
  readonly documentation: string;
}

export interface RegistryModuleView {
  /** `namespace:name`. */
  readonly moduleId: string;
  readonly namespace: string;
  readonly name: string;
  readonly organizationName: string;
  readonly visibility: 'private' | 'public' | 'unlisted';
  readonly description: string;
  readonly url: string;
  /** Newest release that is not yanked, and newest of all; '' where there is none. */
  readonly latest: string;
  readonly latestPrerelease: string;
  readonly models: readonly RegistryModelView[];
  /** `linux/amd64`, of the latest version. */
  readonly platforms: readonly string[];
  /** undefined where nothing was published. */
  readonly updatedAt: number | undefined;
  /** Machines of the hub whose configuration names it. */
  readonly machines: number;
  readonly mayPublish: boolean;
}

export interface RegistryFileView {
  readonly platform: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Name of the publisher's key; '' where the hub signed. */
  readonly signedBy: string;
}

export interface RegistryVersionView {
  readonly version: string;
  readonly isPrerelease: boolean;
  readonly publishedAt: number | undefined;
  readonly publishedBy: string;
  readonly files: readonly RegistryFileView[];
  /** Why it was yanked; '' where it was not. */
  readonly yanked: string;
}

export interface RegistryDetailsView {
  readonly module: RegistryModuleView;
  /** Newest first. */
  readonly versions: readonly RegistryVersionView[];
  /** Markdown. */
  readonly readme: string;
}

export interface RegistryPageView {
  readonly modules: readonly RegistryModuleView[];
  /** For the modules after these; '' where there are none. */
  readonly nextToken: string;
  /** Of all pages. */
  readonly total: number;
}

export interface ModuleWantView {
  readonly moduleId: string;
  /** Exact, or an update channel. */
  readonly version: string;
  /** `linux/arm64`. */
  readonly platform: string;
}

/** What a wish for a version would run now. */
export interface ResolutionView {
  readonly wanted: string;
  /** Exact; '' where there is none. */
  readonly version: string;
  /** `newest of 1.2.*; 1.2.5 is yanked`. */
  readonly reason: string;
  /** Why there is none, and what to do; '' where there is one. */
  readonly problem: string;
}

/** The registry of the hub that this page came from. */
export interface RegistryCalls {
  /** @param token '' for the first page */
  search(text: string, token: string, signal: AbortSignal): Promise<RegistryPageView>;
  describe(moduleId: string): Promise<RegistryDetailsView>;
  /** One answer for each want, in their order, now and whenever one changes. */
  watchResolutions(wants: readonly ModuleWantView[], signal: AbortSignal): AsyncIterable<readonly ResolutionView[]>;
  /** Takes a version out of every update channel. */
  yank(moduleId: string, version: string, reason: string): Promise<void>;
  unyank(moduleId: string, version: string): Promise<void>;
  /** Ids of modules that were published, changed or yanked, as it happens. */
  watchChanges(signal: AbortSignal): AsyncIterable<string>;
}
