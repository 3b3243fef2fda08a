import type { ModelCatalog } from '../models/catalog-type.ts';
import { isJsonOption } from './check.ts';
import { exitCodes, parseFile, problemLine, type CommandIo } from './command-io.ts';
import type { Plan, ResourceChange } from './plan.ts';
import { moduleReason } from './plan-summary.ts';
import { planChange } from './planner.ts';

export const planUsage = 'usage: armature config plan OLD NEW [--json]\n';

const marks = { add: '+', change: '~', rebuild: '!', restart: '!', remove: '-' } as const;

/**
 * `armature config plan OLD NEW [--json]`: what replacing one file by the other
 * does to a running machine. `argv` is what follows `plan`. Exit code 1 where a
 * file cannot be applied (its problems go to standard error), 2 for wrong
 * usage, else 0. Secrets are masked.
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
  io.stdout(options.length > 0 ? `${JSON.stringify(planAsJson(plan), undefined, 2)}\n` : planAsText(plan));
  return exitCodes.ok;
}

/** A plan without the configurations in it, which may hold secrets. */
function planAsJson({ summary, resources, modules, settings }: Plan): unknown {
  return {
    summary,
    resources: resources.map((change) => ({
      kind: change.kind,
      name: change.name,
      reason: change.reason,
      fields: 'fields' in change ? change.fields : [],
      stopsMotion: stops(change),
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

function stops(change: ResourceChange): boolean {
  return 'stopsMotion' in change && change.stopsMotion;
}
