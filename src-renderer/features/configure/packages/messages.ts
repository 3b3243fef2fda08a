/** Sentences about packages; see `app/messages/en.ts`. */
export const packageMessages = {
  title: 'Packages',
  titleWith: 'Packages {count}',
  one: 'Package',
  failed: '{count} failed',
  pending: '{count} pending | {count} pending',
  intro: 'Machine learning models that this machine downloads from its hub, for the services that use them.',
  registry: 'Models in the registry',
  notApplied: 'not applied yet',
  state: {
    pending: 'pending',
    ready: 'ready',
    readyOther: 'ready, but not as configured',
    failed: 'failed',
  },
  versions: '{wanted} → {version}',
  progress: 'Download of {name} {version}',
  usedBy: 'Used by',
  unused: 'Not used yet. A service refers to it as {placeholder}.',
  retry: 'Retry',
  retryNamed: 'Retry {name}',
  retryFailed: 'Could not retry: {reason}',
} as const;
