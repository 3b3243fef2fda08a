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
 * The texts of the window. Those of a feature are in its folder; those of a single card are in its folder and are
 * loaded with it. `{name}` is a placeholder. Plural forms are separated by `|` and chosen by `count`: one | many, or
 * none | one | many.
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
    state: { starting: 'starting', running: 'running', stopping: 'stopping', unknown: 'unknown' },
    failed: 'running, {count} failed',
    choose: 'Choose a machine',
    change: 'Choose another machine',
    awaySince: 'offline since {time}',
    ready: '{ready} of {expected} ready',
    notReady: 'One is not ready | {count} are not ready',
    configureOf: 'Configure {name}',
    logsOf: 'Logs of {name}',
    noResources: 'no resources yet',
    waiting: 'Update waiting for {reason}, since {time}',
    moduleUpdate: '{name}: {update}',
    moduleUpdates: '{count} modules are changing version',
    lastKnown: 'last known',
    recording: 'Recording',
    recordingHint: 'A recording runs. Go to Control to stop it.',
    stopAll: 'Stop all',
    stopping: 'Stopping',
    stopSent: 'Stop sent to all.',
    stopped: 'All stopped. Pins that were set directly are at their safe level.',
    stopFailed: 'Stop all failed. Press it again, or cut the power. Reason: {reason}',
    closeFailure: 'Close',
  },
  link: {
    connecting: 'Connecting to the machine',
    waiting: 'No connection to the machine. Next attempt in {seconds} s.',
    trying: 'No connection to the machine. Trying now.',
    refused: 'This page needs a new key. Paste the address that the server printed.',
    keyLabel: 'Address that the server printed',
    keyHint: 'open http…',
    useKey: 'Connect',
    noKey: 'There is no key in this text. Paste the whole line, up to its end.',
    wrongKey: 'The server did not accept this key. Copy the address of its latest start.',
    kept: 'What you typed is kept.',
    stale: 'What you see is from before the connection was lost.',
    retry: 'Try now',
    lost: 'No connection',
    back: 'Connected to the machine again.',
    never: 'Waiting for the machine to answer.',
  },
  foot: {
    source: { file: 'Configuration from a file', hub: 'Configuration from the hub', none: 'No configuration yet' },
    version: 'Version {version}',
    appliedNow: 'applied just now',
    appliedAge: 'applied {age} ago',
  },
  theme: { label: 'Theme', light: 'Light', dark: 'Dark', system: 'System' },
  density: { label: 'Density', comfortable: 'Comfortable', compact: 'Compact' },
  command: {
    go: 'Go to {page}',
    openRecording: 'Open a recording',
    retryLink: 'Try to connect to the machine now',
    theme: 'Theme: {choice}',
    density: 'Density: {choice}',
    current: 'current',
  },
  alerts: { one: '{name} failed', many: '{count} resources failed' },
  palette: {
    title: 'Commands',
    search: 'Search or run a command',
    results: 'Results',
    nothing: 'Nothing matches “{text}”. Try the name of a resource, a screen or a setting.',
    resource: '{name}: open in {page}',
    sections: {
      found: 'Best matches',
      recent: 'Recent',
      go: 'Go to',
      action: 'Actions',
      resource: 'Resources',
      setting: 'Settings',
    },
  },
  shortcuts: {
    title: 'Shortcuts',
    everywhere: 'Everywhere',
    stop: 'Stop',
    stopEsc: 'Stop everything that moves, and set pins that were set directly to their safe level',
    stopSpace: 'The same, while control is on',
    stopHint:
      'These keys cannot be changed. Space types in a text field and presses a button that you reached with the keyboard. On a button that you clicked it stops.',
    none: 'no keys',
    change: 'Change',
    changeOf: 'Change the keys of “{title}”',
    reset: 'Reset',
    resetOf: 'Reset the keys of “{title}”',
    resetAll: 'Reset all',
    press: 'Press the keys. Esc cancels, Backspace removes.',
    taken: '{keys} is used by “{title}”.',
    take: 'Use it here instead',
    conflict: '“{title}” has the same keys.',
    reserved: {
      stop: '{keys} is reserved for stopping the machine.',
      moving: '{keys} is used to move around the page.',
      browser: '{keys} is used by the browser.',
    },
    notOpened: 'Listed after you open this screen.',
    kept: 'Saved in this browser.',
    close: 'Close',
  },
  files: {
    archive: 'Archive',
    save: 'Save the archive',
    writing: 'Saving, {size}',
    written: 'The archive is saved, {size}.',
    memory: 'it is larger than {size}, the most that this browser can hold.',
    failed: 'Nothing was saved: {reason}',
    close: 'Close',
  },
  copy: { details: 'Copy details', done: 'Copied', failed: 'Not copied: select the text instead' },
  state: {
    lastKnown: '{state}, last known',
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
    attempts: '{count} attempt so far | {count} attempts in a row',
  },
  update: {
    step: {
      downloading: '{version} is being downloaded, {done} so far',
      unpacking: '{version} is being unpacked',
      firstRun: '{version} is being set up for the first time',
      deferred: '{version} is downloaded and waits for maintenance: {reason}',
      switching: 'switching to {version}',
      rejected: '{version} was rejected, and the previous version stays in use: {reason}',
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
    intro: 'Use an API key. The hub printed one when it first started, and “armature hub key create” makes another.',
    id: 'Key id',
    secret: 'Key',
    do: 'Sign in',
    doing: 'Signing in',
    kept: 'Kept in this tab only, until you close it.',
    missing: 'Enter both the key id and the key.',
    wrong:
      'The hub does not know this key. Check both fields for missing characters. A rotated or revoked key no longer works.',
    slow: 'Too many failed attempts. {reason}',
    failed: 'Not signed in: {reason}',
    again: 'Sign in again: the key was rotated or revoked, or seven days have passed.',
  },
  away: {
    offline:
      '{name} has been offline since {time}. The hub keeps its configuration, history and logs. It cannot be moved or read until it is back online.',
    awaiting:
      '{name} has never connected to its hub. You can write its configuration now; it is applied when the machine connects.',
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

/** The shape of every language: the same keys, other texts. */
type Sentences<Node> = { readonly [Key in keyof Node]: Node[Key] extends string ? string : Sentences<Node[Key]> };
export type Messages = Sentences<typeof en>;
