import { methodProblem, publicMethods } from '../../jobs/job-method.ts';
import type { JobEntry } from '../reading/read-job.ts';
import type { ResourceEntry } from '../reading/read-resource.ts';
import { NearNames } from './near-names.ts';
import { ResourceNames } from './resource-links.ts';

export interface JobRules {
  /** Names missing here may exist on other machines, which is not known here. */
  readonly hasRemotes: boolean;
  /** `-untrusted-env`. */
  readonly isUntrusted: boolean;
}

/**
 * Reports problems with the calls of jobs. A missing resource is a warning, as for dependencies: it may be added later.
 * A method that does not exist in its API is an error of the job.
 */
export function checkJobs(
  jobs: readonly JobEntry[],
  resources: readonly ResourceEntry[],
  { hasRemotes, isUntrusted }: JobRules,
): void {
  if (jobs.length === 0) return;
  const names = new ResourceNames(resources.map(({ config }) => config));
  const guesses = new NearNames(names.shortNames());
  for (const job of jobs) {
    if (isUntrusted) {
      job.sink.report({
        pointer: job.config.pointer,
        severity: 'error',
        code: 'job.untrusted',
        message: `${job.label} is not run: this server runs with -untrusted-env, which refuses "jobs".`,
      });
    }
    checkResource(job, names, guesses, hasRemotes);
    checkMethod(job, names);
  }
}

function checkResource(
  { config: { resource, isDisabled }, label, sink, pointerOf }: JobEntry,
  names: ResourceNames,
  guesses: NearNames,
  hasRemotes: boolean,
): void {
  if (resource === '' || isDisabled) return;
  const shown = JSON.stringify(resource.slice(0, 80));
  const warn = (code: string, what: string, more: { nearest?: string | undefined; allowed?: readonly string[] } = {}) =>
    sink.report({
      pointer: pointerOf('resource'),
      severity: 'warning',
      code,
      message: `${label}: each run fails, because ${what}`,
      found: resource,
      ...more,
    });
  const [found, ...others] = names.find(resource);
  if (found === undefined) {
    if (hasRemotes) return;
    const guess = guesses.near(resource.slice(resource.lastIndexOf('/') + 1));
    const hint = guess === undefined ? '.' : `; did you mean "${guess}"?`;
    warn('dependency.missing', `${shown} is not in the configuration${hint}`, { nearest: guess });
  } else if (others.length > 0) {
    const allowed = [found, ...others].map(({ fullName }) => fullName);
    warn('dependency.ambiguous', `${shown} may be ${allowed.join(' or ')}; write the full name.`, { allowed });
  } else if (found.isDisabled) {
    warn('dependency.disabled', `${shown} is disabled.`);
  }
}

function checkMethod({ config, label, sink, pointerOf }: JobEntry, names: ResourceNames): void {
  const { resource, method, command } = config;
  if (method === '') return;
  const [found, ...others] = names.find(resource);
  // APIs of modules are known only while their modules run.
  const api = found === undefined || others.length > 0 ? '' : found.api;
  const methods = publicMethods(api);
  const fault = methods && methodProblem(methods, method, api);
  if (fault !== undefined) {
    const { message, ...more } = fault;
    sink.report({
      pointer: pointerOf('method'),
      severity: 'error',
      message: `${label}: ${message}`,
      found: method,
      ...more,
    });
  }
  if (method === 'DoCommand' || Object.keys(command).length === 0) return;
  sink.report({
    pointer: pointerOf('command'),
    severity: 'warning',
    code: 'job.unused_command',
    message: `${label}: "command" is for DoCommand; ${method} is given the name of the resource alone.`,
  });
}
