import { namespaceIn, tripletIn } from '../../base/dialect.ts';
import { fullName, parseFullName } from '../../../proto/config/names.ts';

/** Root of the tree of loggers. */
export const ROOT_LOGGER = 'core';

/** The subject of a logger; its children have the same subject. */
export interface LogSubject {
  /** Full name. */
  readonly resource: string | undefined;
  readonly module: string | undefined;
}

/** `core:component:motor/left` as `core.component.motor.left`. */
export function resourceLoggerName(fullName: string): string {
  return fullName.replaceAll(':', '.').replace('/', '.');
}

export function moduleLoggerName(module: string): string {
  return `${ROOT_LOGGER}.modmanager.${module}`;
}

/** The logger of one entry of `jobs`. */
export function jobLoggerName(job: string): string {
  return `${ROOT_LOGGER}.job_manager.${job}`;
}

/** The end of a logger's name that names a resource: `rdk:component:motor/left`, or dotted, as ours are. */
const NAMES_RESOURCE = /(?:^|\.)([\w-]+)[:.](component|service)[:.]([\w-]+)[/.]([^:/]+)$/;

/** The full name of the resource in the name of a module's logger; undefined if it has no such name. */
export function resourceOfLogger(name: string): string | undefined {
  const [, namespace, family, type, own] = NAMES_RESOURCE.exec(name) ?? [];
  const parsed = own === undefined ? undefined : parseFullName(`${namespace}:${family}:${type}/${own}`);
  return parsed === undefined ? undefined : fullName(parsed.api, parsed.name);
}

/**
 * All names by which a log pattern may refer to a logger: our dotted path, the reference's names for its loggers, the
 * full name of the resource and the name of the module.
 */
export function namesForPatterns(name: string, subject: LogSubject): string[] {
  const names = new Set([name, inReferenceSpelling(name)]);
  const { resource, module } = subject;
  if (resource !== undefined && name === resourceLoggerName(resource)) {
    for (const full of [resource, tripletIn(resource, 'viam')]) {
      names.add(full);
      for (const root of [ROOT_LOGGER, 'rdk']) names.add(`${root}.resource_manager.${full}`);
    }
  }
  if (module !== undefined && name === moduleLoggerName(module)) names.add(module);
  return [...names];
}

function inReferenceSpelling(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? namespaceIn(name, 'viam') : namespaceIn(name.slice(0, dot), 'viam') + name.slice(dot);
}
