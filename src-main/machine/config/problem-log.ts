import type { Problem } from '../../../proto/config/problem.ts';
import type { Logger } from '../../base/logger.ts';
import { foremost } from './problem-list.ts';

/** Problems of one text that go to the log; Watch and the command line have more. */
const MOST_PROBLEMS_LOGGED = 100;

/** Writes what is wrong with the text of a file to the log, each with its place. */
export function logProblems(problems: readonly Problem[], file: string, logger: Logger): void {
  const logged = foremost(problems, MOST_PROBLEMS_LOGGED);
  for (const { severity, line, column, message } of logged) {
    const text = `${file}:${line}:${column}: ${message}`;
    if (severity === 'error') logger.error(text);
    else logger.warn(text);
  }
  if (logged.length < problems.length) {
    logger.warn(`${file}: ${problems.length - logged.length} more problems; armature config check lists them all.`);
  }
}
