import type { Text } from '../../../../shared/text.ts';
import type { SentCommand } from '../../../../shared/machine/sent-commands.ts';
import { plainJson } from '../file/format.ts';
import type { recordingMessages } from '../messages.ts';

const MAX_LENGTH = 300;

/** A command in words: `left: SetPower 0.4`, `left: GoFor rpm 60, revolutions 2`. */
export function commandText(
  t: Text<typeof recordingMessages>,
  { resource, method, request }: Pick<SentCommand, 'resource' | 'method' | 'request'>,
): string {
  if (resource === '' && method === 'StopAll') return t('recording.event.stopAll');
  const entries = Object.entries(request ?? {}).filter(([, value]) => value !== undefined);
  const [first] = entries;
  const values =
    entries.length === 1 && first !== undefined
      ? wordsOf(first[1])
      : entries.map(([name, value]) => `${name} ${wordsOf(value)}`).join(', ');
  const words = values === '' ? method : `${method} ${values}`;
  const text = resource === '' ? words : `${resource}: ${words}`;
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, plainJson);
}
