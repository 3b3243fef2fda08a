/** Sentences beside a resource; see `app/messages/en.ts`. */
export const besideMessages = {
  title: 'About this resource',
  open: 'Details',
  history: 'History of {name}',
  usedBy: 'Not used elsewhere | Used in 1 place | Used in {count} places',
  live: 'Live',
  age: '{age} ago',
  readFailed: 'Read failed',
  openControl: 'Open in Control',
  lastLines: 'Last lines',
  allLines: 'All lines',
  noLines: 'No lines yet.',
  earlier: 'earlier {level}: {message}',
  logsFailed: 'The log could not be read: {reason}',
} as const;
