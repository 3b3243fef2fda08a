import { jobSchema } from '../../../../proto/config/schema/document-schema.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { JobConfig } from '../../jobs/job-config.ts';
import { readSchedule, scheduleForms, type Schedule } from '../../jobs/schedule.ts';
import type { ProblemSink } from '../problem-list.ts';
import { ObjectReader } from './object-reader.ts';
import { entryLabel, type ParseContext } from './parse-context.ts';
import { readLogConfiguration } from './read-resource.ts';

/** An entry of `jobs` while the document is being read. */
export interface JobEntry {
  readonly config: JobConfig;
  /** `job "night"`: begins its messages. */
  readonly label: string;
  /** Adds to `config.problems`. */
  readonly sink: ProblemSink;
  /** Pointer of a key's value as the document spells it; of the entry if it is absent. */
  readonly pointerOf: (key: 'resource' | 'method' | 'command') => string;
}

/** Any text that fits a log line: the public server has no rule for it. */
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u;

/** Reads one job. Undefined if it has no usable name. */
export function readJob(node: JsonNode, pointer: string, index: number, context: ParseContext): JobEntry | undefined {
  const problems: Problem[] = [];
  const sink = context.problems.scope(problems);
  const label = entryLabel('job', node, index);
  if (node.properties === undefined) {
    sink.report({
      pointer,
      severity: 'error',
      code: 'config.wrong_type',
      message: `${label}: an entry of "jobs" is an object in { } with name, schedule, resource and method.`,
      found: node.value,
    });
    return undefined;
  }
  const reader = new ObjectReader(node, pointer, label, jobSchema, sink, context.unsupported);
  const text = (key: 'name' | 'schedule' | 'resource' | 'method', advice: string): string => {
    const value = reader.text(key);
    const isWrongType = value === undefined && reader.has(key);
    if (!value && !isWrongType) {
      reader.reportMissing(key, `"${key}" is missing; ${advice}.`);
    }
    return value ?? '';
  };
  const name = text('name', 'the status of the machine and the log tell of the job by it');
  if (name !== '' && !NAME.test(name)) {
    const message = `${JSON.stringify(name.slice(0, 80))} cannot be a name; it is one line of up to 100 characters.`;
    reader.report('name', 'error', 'config.bad_name', message);
  }
  const scheduleText = text('schedule', `write ${scheduleFormsList}`);
  const config: JobConfig = {
    name,
    scheduleText,
    schedule: scheduleText === '' ? undefined : scheduleOf(scheduleText, reader),
    resource: text('resource', 'write the name of the resource that is called'),
    method: text('method', 'write the name of a method of its API, for example DoCommand'),
    command: (reader.object('command')?.value ?? {}) as JsonObject,
    logLevel: readLogConfiguration(reader, sink, label, context),
    isDisabled: reader.flag('disabled') ?? false,
    pointer,
    problems,
  };
  reader.text('notes', 'warning');
  if (!NAME.test(name)) return undefined;
  return { config, label, sink, pointerOf: (key) => reader.pointerOf(key) };
}

// Intl.ListFormat would load its data in each start, which takes as long as a tenth of it.
const scheduleFormsList = `${scheduleForms.slice(0, -1).join(', ')}, or ${scheduleForms.at(-1)}`;

function scheduleOf(text: string, reader: ObjectReader): Schedule | undefined {
  const read = readSchedule(text);
  if (read.kind === 'valid') return read.schedule;
  const shown = JSON.stringify(text.slice(0, 80));
  reader.report(
    'schedule',
    'error',
    'job.bad_schedule',
    `${shown} is no schedule: ${read.reason}. Write ${scheduleFormsList}.`,
    { allowed: scheduleForms },
  );
  return undefined;
}
