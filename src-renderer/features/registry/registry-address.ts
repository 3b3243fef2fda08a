import type { LocationQuery } from 'vue-router';

export const moduleViews = ['readme', 'versions', 'models'] as const;
export type ModuleViewName = (typeof moduleViews)[number];

const kinds = ['modules', 'models', 'scripts'] as const;

export interface RegistryPlace {
  readonly search: string;
  /** Id of the open module; '' if none was chosen. */
  readonly moduleId: string;
  readonly view: ModuleViewName;
  readonly kind: (typeof kinds)[number];
}

/** Reads the place from an address; ignores values that are not valid. */
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

/** The address of a place; it has only what differs from the default. */
export function addressOf({ search, moduleId, view, kind }: RegistryPlace): Record<string, string> {
  return {
    ...(search === '' ? {} : { search }),
    ...(moduleId === '' ? {} : { module: moduleId }),
    ...(view === 'readme' ? {} : { view }),
    ...(kind === 'modules' ? {} : { kind }),
  };
}
