import { notReady } from '../../../../proto/config/not-ready.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import { isJsonOption } from '../checks/check.ts';
import { exitCodes, parseFile, problemLine, type CommandIo } from '../command-io.ts';
import type { Plan, ResourceChange } from './plan.ts';
import { moduleReason } from './plan-summary.ts';
import { planChange } from './planner.ts';
import { neededBy } from '../checks/resource-links.ts';

export const planUsage = 'usage: armature config plan OLD NEW [--json]\n';

const marks = { add: '+', change: '~', rebuild: '!', restart: '!', remove: '-' } as const;

/**
 * `armature config plan OLD NEW [--json]`: the effects of replacing one file by the other on a running machine, and
 * which resources will not be ready, as far as NEW shows. `argv` is what follows `plan`. Exit code 1 if a file cannot
 * be applied (its problems go to standard error), 2 for wrong usage, else 0. Secrets are masked.
 */
export async function planCommand(argv: readonly string[], io: CommandIo, catalog: ModelCatalog): Promise<number> {
  const files = argv.filter((argument) => !argument.startsWith('-'));
  const options = argv.filter((argument) => argument.startsWith('-'));
  const [oldFile, newFile] = files;
  if (oldFile === undefined || newFile === undefined || files.length > 2 || !options.every(isJsonOption)) {
    io.stderr(planUsage);
    return exitCodes.usage;
  }
  const from = await parseFile(oldFile, io, catalog);
  const to = await parseFile(newFile, io, catalog);
  for (const parsed of [from, to]) {
    for (const problem of parsed.problems) {
      if (problem.severity === 'error') io.stderr(`${problemLine(problem)}\n`);
    }
  }
  if (from.config === undefined || to.config === undefined) return exitCodes.problems;
  const plan = planChange(from.config, to.config, catalog);
  const planned = new Set(plan.resources.map(({ name }) => name));
  const { resources } = to.config;
  const waiting = notReady(resources, to.problems, neededBy(resources, catalog)).filter((name) => planned.has(name));
  if (options.length > 0) io.stdout(`${JSON.stringify({ ...planAsJson(plan), notReady: waiting }, undefined, 2)}\n`);
  else io.stdout(planAsText(plan) + notReadyLine(waiting, newFile));
  return exitCodes.ok;
}

/** A plan without its configurations, which may contain secrets. */
function planAsJson({ summary, resources, modules, settings }: Plan): object {
  return {
    summary,
    resources: resources.map((change) => ({
      kind: change.kind,
      name: change.name,
      reason: change.reason,
      fields: 'fields' in change ? change.fields : [],
      stopsMotion: stops(change),
      ...('renamedFrom' in change ? { renamedFrom: change.renamedFrom } : {}),
    })),
    modules: modules.map((change) => ({ kind: change.kind, name: change.name, reason: moduleReason(change) })),
    settings,
  };
}

function planAsText({ summary, resources, modules, settings }: Plan): string {
  const lines = [
    ...settings.map(
      ({ reason, needsRestart }) => `~ ${reason}${needsRestart ? ' (takes effect after a restart)' : ''}`,
    ),
    ...modules.map((change) => `${marks[change.kind]} module ${change.name}: ${moduleReason(change)}`),
    ...resources.map(
      (change) => `${marks[change.kind]} ${change.name}: ${change.reason}${stops(change) ? ' (stops motion)' : ''}`,
    ),
  ];
  return [summary, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

function notReadyLine(names: readonly string[], newFile: string): string {
  if (names.length === 0) return '';
  return `will not be ready: ${names.join(', ')}; "armature config check ${newFile}" says why\n`;
}

function stops(change: ResourceChange): boolean {
  return 'stopsMotion' in change && change.stopsMotion;
}
