import { logLevels, type LogLevel } from '../../base/logger.ts';

/** Ruling 21: a level filters at once, but what a module does not send cannot be shown. '' where it sends enough. */
export function restartHint(startedWith: LogLevel | undefined, wanted: LogLevel | undefined): string {
  const from = startedWith ?? 'info';
  const to = wanted ?? 'info';
  if (logLevels.indexOf(to) >= logLevels.indexOf(from)) return '';
  return `it was started with log level ${from}; restart it to have it send ${to}`;
}
