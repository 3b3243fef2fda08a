import { joinPointer } from '../text/json-pointer.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject } from '../text/text-entries.ts';
import { shownValue, type TriggerProblems } from './trigger-problems.ts';
import type { Notification } from './trigger.ts';

const LONGEST_URL = 2_048;
/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const LONGEST_ADDRESS = 254;
const ADDRESS = /^[^\s@<>()[\]\\,;:"\u0000-\u001f\u007f]{1,64}@[\p{L}\p{N}]([-.\p{L}\p{N}]*[\p{L}\p{N}])?$/u;

/** Reads a notification that fits its schema; undefined where it cannot be used. */
export function readNotification(
  value: JsonValue,
  pointer: string,
  problems: TriggerProblems,
): Notification | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = value['type'] as Notification['type'];
  const target = value['value'] as string;
  const fault = type === 'webhook' ? webhookFault(target) : addressFault(target);
  if (fault !== undefined) {
    problems.error(
      joinPointer(pointer, 'value'),
      type === 'webhook' ? 'trigger.bad_url' : 'trigger.bad_address',
      `${shownValue(target)} ${fault}.`,
    );
    return undefined;
  }
  const seconds = value['seconds_between_notifications'];
  const secondsBetween = typeof seconds === 'number' ? seconds : 0;
  if (secondsBetween === 0) {
    problems.warning(
      seconds === undefined ? pointer : joinPointer(pointer, 'seconds_between_notifications'),
      'trigger.no_limit',
      '"seconds_between_notifications" is 0 or missing, so that every event is sent, however many there are; give it a number of seconds.',
    );
  }
  return { type, value: target, secondsBetween };
}

/** Why a URL cannot be a webhook's, to follow it in a sentence; undefined where it can. */
export function webhookFault(text: string): string | undefined {
  if (/\$\{/.test(text)) {
    return 'has a placeholder, which triggers do not support: the hub that sends notifications has another environment';
  }
  if (text.length > LONGEST_URL) return `is longer than ${LONGEST_URL} characters`;
  if (!URL.canParse(text)) return 'is no URL; write one like https://example.com/hook';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return 'does not begin with http:// or https://, and nothing else is allowed';
  }
  if (username !== '' || password !== '') {
    return 'has a name or password in front of its host, which is not sent; leave it out';
  }
  return undefined;
}

function addressFault(text: string): string | undefined {
  if (text.length <= LONGEST_ADDRESS && ADDRESS.test(text)) return undefined;
  return 'is no e-mail address; write one like somebody@example.com';
}
