import { configureMessages } from '../../features/configure/messages.ts';
import { controlMessages } from '../../features/control/messages.ts';
import { datasetsMessages } from '../../features/data/datasets/messages.ts';
import { modelTestMessages } from '../../features/data/model-test/messages.ts';
import { dataMessages } from '../../features/data/messages.ts';
import { diagnosticsMessages } from '../../features/diagnostics/messages.ts';
import { historyMessages } from '../../features/history/messages.ts';
import { fleetMessages } from '../../features/fleet/messages.ts';
import { logsMessages } from '../../features/logs/messages.ts';
import { overviewMessages } from '../../features/overview/messages.ts';
import { registryMessages } from '../../features/registry/messages.ts';
import { settingsMessages } from '../../features/settings/messages.ts';
import { trainMessages } from '../../features/train/messages.ts';
import { triggersMessages } from '../../features/triggers/messages.ts';

/**
 * Every sentence of the page but those of one card alone, which are in its folder and loaded with it; those of a feature
 * are in its folder too. `{name}` is filled in; forms of a sentence are
 * separated by `|`: one | many, or none | one | many, chosen by `count`.
 */
export const en = {
  app: {
    name: 'Armature',
    pages: 'Pages',
    configure: 'Configure',
    control: 'Control',
    logs: 'Logs',
    history: 'History',
    triggers: 'Triggers',
    overview: 'Overview',
    diagnostics: 'Diagnostics',
    data: 'Data',
    train: 'Train',
    fleet: 'Machines',
    registry: 'Registry',
    settings: 'Settings',
    changedMark: 'changed',
    controlOnMark: 'on',
    newErrors: 'new error | new errors',
    skip: 'Skip to the content',
  },
  screen: {
    loading: 'Loading {page}…',
    failed: '{page} could not be loaded. Once the machine answers, reload the page. What you typed is kept.',
    reload: 'Reload the page',
  },
  header: {
    machine: 'Machine',
    unnamed: 'this machine',
    state: { starting: 'starting', running: 'running', stopping: 'stopping', unknown: 'not known yet' },
    failed: 'running, {count} failed',
    choose: 'Choose a machine',
    change: 'Choose another machine',
    awaySince: 'offline since {time}',
    ready: '{ready} of {expected} ready',
    notReady: 'One is not ready | {count} are not ready',
    configureOf: 'Configure {name}',
    logsOf: 'Logs of {name}',
    noResources: 'no resources yet',
    waiting: 'An update waits for {reason}, since {time}',
    moduleUpdate: '{name}: {update}',
    moduleUpdates: '{count} modules are on their way to other versions',
    lastKnown: 'last known',
    stopAll: 'Stop all',
    stopping: 'Stopping',
    stopped: 'Everything that moves was told to stop, and pins that were set directly went to their safe level.',
    stopFailed: 'Stop all failed. Press it again, or cut the power. Reason: {reason}',
    closeFailure: 'Close',
  },
  link: {
    connecting: 'Connecting to the machine',
    waiting: 'No link to the machine. Next try in {seconds} s.',
    trying: 'No link to the machine. Trying now.',
    refused: 'The machine does not know this page.',
    refusedHint:
      'Its key is of an earlier start of the server, or has run out. Open the address that the server printed after “open”: it carries the new key, and what you typed is kept.',
    stale: 'What you see is from before the link was lost.',
    retry: 'Try now',
    lost: 'No link',
    back: 'The link to the machine is back.',
    never: 'Waiting for the machine to answer.',
  },
  foot: {
    source: { file: 'Configuration from a file', hub: 'Configuration from the hub', none: 'No configuration yet' },
    revision: 'Revision {revision}',
    appliedNow: 'applied just now',
    appliedAge: 'applied {age} ago',
  },
  theme: { label: 'Theme', light: 'Light', dark: 'Dark', system: 'As the system' },
  density: { label: 'Density', comfortable: 'Comfortable', compact: 'Compact' },
  command: {
    go: 'Go to {page}',
    retryLink: 'Try to reach the machine now',
    theme: 'Theme: {choice}',
    density: 'Density: {choice}',
    current: 'as it is now',
  },
  palette: {
    title: 'Commands',
    search: 'Search or run a command',
    results: 'Results',
    nothing: 'Nothing matches “{text}”. Try the name of a resource, a screen or a setting.',
    resource: '{name}: open in {page}',
    sections: {
      found: 'Best first',
      recent: 'Used lately',
      go: 'Go to',
      action: 'Do',
      resource: 'Resources',
      setting: 'Settings',
    },
  },
  shortcuts: {
    title: 'Shortcuts',
    everywhere: 'Everywhere',
    stop: 'Stop',
    stopEsc: 'Stop everything that moves, and make pins safe that were set directly',
    stopSpace: 'The same, while control is on',
    stopHint:
      'These are fixed. Space types in a text field, and presses a button that you reached with the keyboard; on one that you clicked it stops.',
    none: 'no keys',
    change: 'Change',
    changeOf: 'Change the keys of “{title}”',
    reset: 'Default',
    resetOf: 'Back to the default keys of “{title}”',
    resetAll: 'All to default',
    press: 'Press the keys; Esc leaves, Backspace removes',
    taken: '{keys} is used by “{title}”.',
    take: 'Use it here instead',
    conflict: '“{title}” has the same keys.',
    reserved: {
      stop: '{keys} stops the machine and does nothing else.',
      moving: '{keys} moves about in the page.',
      browser: '{keys} belongs to the browser.',
    },
    notOpened: 'Listed once this screen was opened.',
    kept: 'Kept in this browser.',
    close: 'Close',
  },
  files: {
    archive: 'Archive',
    save: 'Save the archive',
    writing: 'Writing, {size}',
    written: 'The archive is written, {size}.',
    memory: 'it is larger than {size}, which is the most that this browser can hold.',
    failed: 'Nothing is written: {reason}',
    close: 'Close',
  },
  copy: { details: 'Copy details', done: 'Copied', failed: 'Not copied: select the text instead' },
  state: {
    kinds: {
      unconfigured: 'not configured',
      waiting: 'waiting',
      configuring: 'starting',
      ready: 'ready',
      failed: 'failed',
      removing: 'stopping',
      disabled: 'disabled',
    },
    modules: {
      pending: 'pending',
      starting: 'starting',
      ready: 'ready',
      failed: 'failed',
      stopping: 'stopping',
      disabled: 'disabled',
    },
    remotes: {
      connecting: 'connecting',
      connected: 'connected',
      failed: 'not reached',
      disabled: 'disabled',
    },
    since: '{state} · {age}',
    attempts: '{count} try so far | {count} tries in a row',
  },
  update: {
    step: {
      downloading: '{version} is being downloaded, {done} so far',
      unpacking: '{version} is being unpacked',
      firstRun: '{version} is being set up, once',
      deferred: '{version} is here and waits for maintenance: {reason}',
      switching: '{version} takes over now',
      rejected: '{version} was not taken, and the one before goes on: {reason}',
    },
    downloadingOf: '{version} is being downloaded, {done} of {total}',
    stops: '{names} stops meanwhile | {names} stop meanwhile',
    names: { last: '{names} and {last}', more: '{count} more' },
  },
  timeRange: {
    title: 'Time',
    any: 'Any time',
    since: 'Since {time}',
    until: 'Until {time}',
    between: '{from} to {to}',
    presets: { minutes5: 'Last 5 min', hour: 'Last hour', day: 'Last 24 h', week: 'Last 7 days' },
    from: 'From',
    to: 'To, not included',
    backwards: 'The end is before the beginning. Choose a later end or an earlier beginning.',
    show: 'Show',
  },
  pick: {
    nothing: 'Nothing matches “{text}”.',
    other: 'Use “{text}”',
    more: 'and {count} more: type to narrow the list | and {count} more: type to narrow the list',
  },
  signIn: {
    title: 'Sign in to this hub',
    intro:
      'With an API key: the hub printed one when it was first started, and “armature hub key create” makes another.',
    id: 'Key id',
    secret: 'Key',
    do: 'Sign in',
    doing: 'Signing in',
    kept: 'Kept for this tab only, until it is closed.',
    missing: 'Type both, the id of the key and the key.',
    wrong:
      'The hub does not know this key: check both fields for missing characters. A key that was rotated or revoked is worth nothing.',
    slow: 'Too many wrong tries. {reason}',
    failed: 'Not signed in: {reason}',
    again:
      'What you signed in with is not accepted any more: the key was rotated or revoked, or seven days have passed.',
  },
  away: {
    offline:
      '{name} is offline since {time}. Its configuration, history and logs are here, kept by the hub; it cannot be moved or read from here until it is back.',
    awaiting: '{name} has never called its hub. Its configuration can be written already, and is taken when it comes.',
    overview: 'Overview',
    setup: 'Machines',
  },
  ...configureMessages,
  ...controlMessages,
  ...dataMessages,
  ...datasetsMessages,
  ...modelTestMessages,
  ...diagnosticsMessages,
  ...historyMessages,
  ...logsMessages,
  ...fleetMessages,
  ...overviewMessages,
  ...registryMessages,
  ...settingsMessages,
  ...trainMessages,
  ...triggersMessages,
} as const;

/** The shape every language has: the same keys, any sentences. */
type Sentences<Node> = { readonly [Key in keyof Node]: Node[Key] extends string ? string : Sentences<Node[Key]> };
export type Messages = Sentences<typeof en>;
