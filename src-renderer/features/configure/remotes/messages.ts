/** Sentences about other machines in Configure; see `app/messages/en.ts`. */
export const remoteMessages = {
  address: {
    title: 'Address',
    placeholder: 'HOST:PORT',
    found: 'Found on this network',
    tls: 'TLS',
    clear: 'not encrypted',
    here: 'on this computer',
    unknown: 'does not say whether it is encrypted',
    looking: 'Looking for machines on this network. An address can be typed too.',
    count:
      'One machine is found on this network: pick it, or type an address. | {count} machines are found on this network: pick one, or type an address.',
    disabled: 'Type the address: this server runs with -disable-mdns, so it looks for no machines on the network.',
    failed: 'Type the address: machines on the network cannot be found. {reason}',
  },
  key: {
    title: 'API key',
    hint: 'An API key of that machine, or of its hub. Without one, only what it leaves open can be used.',
    id: 'Key id',
    secret: 'Key',
    show: 'Show the key',
    hide: 'Hide the key',
    clear:
      'The connection is not encrypted. A key is sent over it only to this computer, or where the server runs with -allow-insecure-creds.',
  },
  more: 'More settings',
  card: {
    label: 'Other machine',
    notApplied: 'Not applied yet: the machine does not know it.',
    removed: 'It goes when you apply, and its resources with it.',
    state: {
      connecting: 'Connecting',
      connected: 'Connected',
      failed: 'Not reached',
      disabled: 'Disabled',
    },
    resources: 'Nothing of it is here yet. | One of its resources is here. | {count} of its resources are here.',
    waiting: 'Its resources keep their names here and wait for it.',
    logs: 'Log of all connections',
  },
  has: {
    title: 'Its resources',
    none: 'None is here yet.',
  },
  remove: '{names} goes with it. | {names} go with it.',
} as const;
