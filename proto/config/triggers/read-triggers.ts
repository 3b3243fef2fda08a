import { joinPointer } from '../text/json-pointer.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject } from '../text/text-entries.ts';
import { plainProblems } from '../schema/plain-problems.ts';
import type { SchemaProblem } from '../schema/schema-words.ts';
import { capturedResources } from '../capture/captured-methods.ts';
import type { CompilePattern } from './conditions.ts';
import { readEvent } from './read-event.ts';
import { readNotification } from './read-notification.ts';
import type { TriggerContext } from './trigger-context.ts';
import { TriggerProblems } from './trigger-problems.ts';
import { triggerSchema } from './trigger-schema.ts';
import type { Notification, TriggerEntry, TriggerProblem } from './trigger.ts';

/** `triggers` of a configuration. */
export interface ReadTriggers {
  readonly entries: readonly TriggerEntry[];
  /** Those of entries included. */
  readonly problems: readonly TriggerProblem[];
}

/**
 * Reads `triggers` of a whole configuration. Never throws: a wrong entry does not affect the others, nor does a wrong
 * notification affect the others of its trigger. Machine, hub and window all call this, so a check says what the hub
 * will do.
 */
export function readTriggers(document: JsonValue, compilePattern: CompilePattern): ReadTriggers {
  if (!isJsonObject(document)) return { entries: [], problems: [] };
  const key = Object.keys(document).find((one) => one.toLowerCase() === 'triggers') ?? 'triggers';
  const list = document[key] ?? [];
  const pointer = joinPointer('', key);
  if (!Array.isArray(list)) {
    const message = '"triggers" must be an array in [ ]: no trigger fires.';
    return { entries: [], problems: [{ pointer, severity: 'error', code: 'trigger.wrong_type', message }] };
  }
  const captured = list.length === 0 ? [] : capturedResources(document);
  const names = new Set<string>();
  const entries = list.map((value, index) => {
    const entry = readTrigger(value, joinPointer(pointer, index), index, { captured, compilePattern });
    if (entry.name === '' || !names.has(entry.name)) {
      names.add(entry.name);
      return entry;
    }
    const problem: TriggerProblem = {
      pointer: joinPointer(entry.pointer, 'name'),
      severity: 'error',
      code: 'trigger.duplicate_name',
      message: `trigger "${entry.name}": another one has this name, and that one is used; rename or remove this one.`,
    };
    return { ...entry, trigger: undefined, problems: [...entry.problems, problem] };
  });
  return { entries, problems: entries.flatMap(({ problems }) => problems) };
}

/** Reads one entry. `index` names one without a name. */
export function readTrigger(value: JsonValue, pointer: string, index: number, context: TriggerContext): TriggerEntry {
  const name = isJsonObject(value) && typeof value['name'] === 'string' ? value['name'] : '';
  const label = name === '' ? `trigger ${index + 1}` : `trigger "${name.slice(0, 100)}"`;
  const problems = new TriggerProblems(label);
  const formal = plainProblems(triggerSchema, value);
  for (const problem of formal) problems.addFormal(problem, value, pointer);
  const isDisabled = isJsonObject(value) && value['disabled'] === true;
  const done = (trigger: TriggerEntry['trigger']): TriggerEntry => ({
    name,
    pointer,
    isDisabled,
    trigger,
    problems: problems.all,
  });
  const isFormal = (problem: SchemaProblem, at: string): boolean =>
    problem.severity === 'error' && (problem.pointer === at || problem.pointer.startsWith(`${at}/`));
  // A wrong entry is still checked as far as it can be read, so that all problems are reported at once.
  if (!isJsonObject(value)) return done(undefined);
  const event = formal.some((problem) => isFormal(problem, '/event'))
    ? undefined
    : readEvent(value['event'] ?? null, joinPointer(pointer, 'event'), problems, context);
  const list = Array.isArray(value['notifications']) ? value['notifications'] : [];
  const notifications = list.flatMap((one, at): Notification[] => {
    const inside = joinPointer('/notifications', at);
    if (formal.some((problem) => isFormal(problem, inside))) return [];
    const read = readNotification(one, `${pointer}${inside}`, problems);
    return read === undefined ? [] : [read];
  });
  const isElsewhereWrong = formal.some(
    (problem) => problem.severity === 'error' && !problem.pointer.startsWith('/notifications/'),
  );
  if (event === undefined || notifications.length === 0 || isElsewhereWrong) return done(undefined);
  return done({ name, event, notifications });
}
