import type { LogFields, LogLevel } from '../../../base/logger.ts';

/** One line, as it is logged. */
export interface ReadLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

const levelWords: ReadonlyMap<string, LogLevel> = new Map([
  ...(['trace', 'debug', 'dbg', 'verbose'] as const).map((word) => [word, 'debug'] as const),
  ...(['info', 'inf', 'information', 'notice'] as const).map((word) => [word, 'info'] as const),
  ...(['warn', 'warning', 'wrn'] as const).map((word) => [word, 'warn'] as const),
  ...(['error', 'err', 'critical', 'crit', 'fatal', 'panic', 'severe', 'emergency', 'alert'] as const).map(
    (word) => [word, 'error'] as const,
  ),
]);
const words = [...levelWords.keys()].sort((a, b) => b.length - a.length).join('|');

/** `2026-01-02T03:04:05.678Z`, `2026/01/02 03:04:05`, `[03:04:05,678]` before the level. */
const TIME = String.raw`(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?(?:\d\d:\d\d:\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\]?[\s|:-]*)?`;
/* eslint-disable armature/user-patterns -- put together from the constants above */
/** `[warn]`, `<INFO>`, `error:`: any case, because of what is around them. */
const MARKED = new RegExp(`^${TIME}(?:[\\[(<]\\s*(${words})\\s*[\\])>]|(${words}):)`, 'i');
/** `INFO something`, `DEBUG\t...`: only in capitals, because a sentence may begin with such a word. */
const CAPITAL = new RegExp(`^${TIME}(${words.toUpperCase()})(?=[\\s|,-]|$)`);
/** Python's logging: `name - LEVEL - message`, also after a time. */
const DASHED = new RegExp(`^(?:[^-]|-(?! ))*? - (?:[\\w.-]+ - )?(${words.toUpperCase()}) - `);
/** logfmt: `level=warn msg=...`. */
const LOGFMT = new RegExp(`(?:^|\\s)(?:level|lvl|severity)="?(${words})"?(?=\\s|$)`, 'i');
/* eslint-enable armature/user-patterns */
/** glog and klog: `E0102 15:04:05.678 1234 file.cc:12] message`. */
const GLOG = /^([DIWEF])\d{4} \d\d:\d\d:\d\d/;
const glogLevels: Readonly<Record<string, LogLevel>> = { D: 'debug', I: 'info', W: 'warn', E: 'error', F: 'error' };

/** Colours and other control sequences for terminals (ECMA-48, "control sequences"). */
const TERMINAL = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, 'g');

/** The line without terminal sequences: the public Python SDK colours its levels even if no terminal reads them. */
export function withoutColours(line: string): string {
  return line.includes('\u001b') ? line.replace(TERMINAL, '') : line;
}

/** Only the first characters are searched for a level. */
const HEAD = 300;

/** The level that a line of text states; undefined if it states none. The text stays unchanged. */
export function levelOf(line: string): LogLevel | undefined {
  const head = line.length > HEAD ? line.slice(0, HEAD) : line;
  const glog = GLOG.exec(head)?.[1];
  if (glog !== undefined) return glogLevels[glog];
  const found =
    MARKED.exec(head) ?? CAPITAL.exec(head) ?? (head.includes(' - ') ? DASHED.exec(head) : null) ?? LOGFMT.exec(head);
  const word = found?.[1] ?? found?.[2];
  return word === undefined ? undefined : levelWords.get(word.toLowerCase());
}

const levelKeys = ['level', 'lvl', 'severity', 'levelname', 'log.level'];
const messageKeys = ['message', 'msg', 'event', 'text'];

/** A line that is a JSON object with a message, as structured loggers write it; undefined for any other line. */
export function readJsonLine(line: string, standard: LogLevel): ReadLine | undefined {
  if (!line.startsWith('{') || !line.endsWith('}')) return undefined;
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(line) as Record<string, unknown>;
  } catch {
    // Text in braces, not JSON.
    return undefined;
  }
  const messageKey = messageKeys.find((key) => typeof parsed[key] === 'string');
  if (messageKey === undefined) return undefined;
  const levelKey = levelKeys.find((key) => levelFrom(parsed[key]) !== undefined);
  const level = levelKey === undefined ? standard : (levelFrom(parsed[levelKey]) ?? standard);
  const fields = Object.fromEntries(Object.entries(parsed).filter(([key]) => key !== messageKey && key !== levelKey));
  return { level, message: parsed[messageKey] as string, fields };
}

/** A word, or the numbers of pino and bunyan: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal. */
function levelFrom(value: unknown): LogLevel | undefined {
  if (typeof value === 'string') return levelWords.get(value.toLowerCase());
  if (typeof value !== 'number' || value < 10 || value > 60) return undefined;
  if (value < 30) return 'debug';
  if (value < 40) return 'info';
  return value < 50 ? 'warn' : 'error';
}

/** One line of output. @param standard its level if it states none */
export function readLine(line: string, standard: LogLevel): ReadLine {
  return readJsonLine(line, standard) ?? { level: levelOf(line) ?? standard, message: line, fields: {} };
}
