import type { ConditionResult } from '../../../proto/config/triggers/conditions.ts';
import { shortType } from '../../../proto/config/triggers/capture-method.ts';
import { readingOf } from '../../../proto/config/triggers/conditions.ts';
import type { MailRequest } from './delivery/stored-request.ts';
import type { Firing, PartNames } from './firing.ts';
import { timestamp } from './request.ts';

const MAX_READING_LENGTH = 2_000;

export interface MailFacts {
  readonly to: string;
  readonly triggerName: string;
  readonly firing: Firing;
  readonly results: readonly ConditionResult[];
  readonly names: PartNames;
  /** Whether it was noticed long after it happened. */
  readonly isLate: boolean;
  /** When it was noticed, wall-clock milliseconds. */
  readonly noticedAt: number;
}

/** The e-mail of a firing, as text and as HTML with the same content. */
export function mailRequest(facts: MailFacts): MailRequest {
  const { to, triggerName, firing, names, isLate, noticedAt } = facts;
  const happened = sentence(firing, names);
  const late = isLate ? ' (late)' : '';
  const subject = `${oneLine(names.machineName)}: ${oneLine(triggerName)}${late}`;
  const rows: [string, string][] = [
    ['Trigger', triggerName],
    ['Organization', names.organizationName],
    ['Location', names.locationName],
    ['Machine', names.machineName],
    ['Part', names.partName],
    ['Time', timestamp(firing.happenedAt)],
    ...(isLate
      ? [['Late', `The hub noticed this at ${timestamp(noticedAt)}, not when it happened.`] as [string, string]]
      : []),
    ...dataRows(firing),
    ...facts.results.map((result): [string, string] => ['Condition', conditionText(result)]),
  ];
  const text = [`${happened}${late}.`, '', ...rows.map(([name, value]) => `${name}: ${value}`), ''].join('\n');
  const cells = rows.map(
    ([name, value]) => `<tr><th align="left">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
  );
  const html = `<p>${escaped(`${happened}${late}.`)}</p>\n<table cellpadding="4">\n${cells.join('\n')}\n</table>\n`;
  return { kind: 'email', to, subject, text, html };
}

function sentence(firing: Firing, { machineName, partName }: PartNames): string {
  switch (firing.type) {
    case 'part_online':
      return `The part ${partName} of ${machineName} came online`;
    case 'part_offline':
      return `The part ${partName} of ${machineName} went offline`;
    default: {
      const { componentName } = firing.ingested;
      return `Data of ${componentName === '' ? machineName : `${componentName} of ${machineName}`} came in`;
    }
  }
}

function dataRows(firing: Firing): [string, string][] {
  if (!('ingested' in firing)) return [];
  const { componentName, componentType, methodName, type, fileId } = firing.ingested;
  const rows: [string, string][] = [['Data', type === 'unspecified' ? 'of no stated kind' : type]];
  if (componentName !== '') rows.push(['Component', `${componentName} (${shortType(componentType)})`]);
  if (methodName !== '') rows.push(['Method', methodName]);
  if (firing.reading === undefined) rows.push(['File', fileId]);
  else rows.push(['Reading', cut(JSON.stringify(readingOf(firing.reading.payload)))]);
  return rows;
}

function conditionText({ path, operator, expected, found }: ConditionResult): string {
  const where = path.length === 0 ? '' : `${path.join('.')} `;
  return `${where}${operator} ${JSON.stringify(expected)}: found ${cut(JSON.stringify(found ?? null))}`;
}

function cut(text: string): string {
  return text.length <= MAX_READING_LENGTH ? text : `${text.slice(0, MAX_READING_LENGTH - 1)}…`;
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').slice(0, 100);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
