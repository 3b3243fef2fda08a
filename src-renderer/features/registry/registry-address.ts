import type { LocationQuery } from 'vue-router';

export const moduleViews = ['readme', 'versions', 'models'] as const;
export type ModuleViewName = (typeof moduleViews)[number];

const kinds = ['modules', 'models', 'scripts'] as const;

export interface RegistryPlace {
  readonly search: string;
  /** Id of the open module; '' where none was chosen. */
  readonly moduleId: string;
  readonly view: ModuleViewName;
  /** What is listed. */
  readonly kind: (typeof kinds)[number];
}

/** The place that an address leads to. What it says wrongly is as if it said nothing. */
export function readAddress(query: LocationQuery): RegistryPlace {
  const text = (key: string): string => {
    const value = query[key];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  return {
    search: text('search'),
    moduleId: text('module'),
    view: moduleViews.find((name) => name === text('view')) ?? 'readme',
    kind: kinds.find((name) => name === text('kind')) ?? 'modules',
  };
}

/** The address of a place: only what was chosen. */
export function addressOf({ search, moduleId, view, kind }: RegistryPlace): Record<string, string> {
  return {
    ...(search === '' ? {} : { search }),
    ...(moduleId === '' ? {} : { module: moduleId }),
    ...(view === 'readme' ? {} : { view }),
    ...(kind === 'modules' ? {} : { kind }),
  };
}
