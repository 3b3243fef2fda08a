/** Sentences of this feature; see `app/messages/en.ts`. */
export const logsMessages = {
  logs: {
    title: 'Logs',
    level: 'Level',
    levels: { debug: 'debug', info: 'info', warn: 'warn', error: 'error' },
    andAbove: '{level} and above',
    pause: 'Pause',
    resume: 'Resume',
    paused: 'Paused. {count} line waits behind. | Paused. {count} lines wait behind.',
    jump: '{count} new line, jump to the end | {count} new lines, jump to the end',
    shown: '{count} line | {count} lines',
    dropped: '{count} older line let go | {count} older lines let go',
    empty: 'No lines at this level yet.',
    loading: 'Reading the log.',
    failed: 'The log could not be read: {reason}',
    list: 'Log lines',
    repeats: '{count} times',
  },
} as const;
