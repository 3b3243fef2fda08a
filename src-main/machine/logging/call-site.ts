const FRAME = /\(?(?:file:\/\/)?([^()\s]+):(\d+):\d+\)?$/;

/**
 * Where the method of `owner` that is running was called from, as
 * `folder/file.ts:12`. Costs a stack walk: only for entries that somebody will
 * look for.
 */
export function callSiteOf(owner: object, method: string): string | undefined {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  // Frames down to and including this function are left out of the stack.
  Error.captureStackTrace(holder, Reflect.get(owner, method) as () => void);
  const stack = holder.stack;
  Error.stackTraceLimit = limit;
  const match = FRAME.exec(stack?.split('\n')[1] ?? '');
  if (match === null) return undefined;
  const [, file = '', line = ''] = match;
  return `${file.split('/').slice(-2).join('/')}:${line}`;
}
