/**
 * Who may do what, for the hub and for each machine alike: neither may import the other, and what one refuses the other
 * has to refuse too.
 */

/** Somebody's role for an organization, a location or a machine. `part` is the machine's own computer. */
export type Role = 'owner' | 'operator' | 'part';

const owner: readonly Role[] = ['owner'];
const people: readonly Role[] = ['owner', 'operator'];
const everybody: readonly Role[] = ['owner', 'operator', 'part'];

/**
 * Which roles may do what. A role that somebody has for something holds for
 * everything in it: of an organization for its locations, of a location for
 * those in it and for their machines, of a machine for its parts.
 */
export const permissions = {
  'organization.read': everybody,
  'organization.change': owner,
  'organization.delete': owner,
  /** See and use modules that only the organization has. */
  'module.read': everybody,
  /** Make, change, publish and yank modules of the organization, and say which keys sign them. */
  'module.publish': owner,
  /** See and download packages of the organization that are no modules: models of machine learning. */
  'package.read': everybody,
  /** Upload and delete them. */
  'package.write': owner,
  'location.read': everybody,
  /** In the organization, or in the location that is to have it. */
  'location.create': owner,
  'location.change': owner,
  'location.delete': owner,
  'machine.read': everybody,
  /** In the location that is to have it. */
  'machine.create': owner,
  'machine.change': owner,
  'machine.delete': owner,
  /** Move it, read it, call its services, restart its program or a module of its configuration. */
  'machine.operate': people,
  /** Reach its computer: a shell, its files, a profile of its program, and whatever has no rule of its own. */
  'machine.administer': owner,
  'part.read': everybody,
  /** In the machine that is to have it. */
  'part.create': owner,
  'part.change': owner,
  'part.delete': owner,
  /** Be the part: fetch its configuration, store the one it runs, send its logs and status. */
  'part.serve': ['owner', 'part'],
  'part.secrets': owner,
  'config.read': everybody,
  /** Decide what a machine runs: this allows running any program on it. */
  'config.write': owner,
  'history.read': everybody,
  /** A part passes on what an owner at the machine says. */
  'history.annotate': ['owner', 'part'],
  'dashboard.read': everybody,
  /** Make, change and delete dashboards. A part passes on what people at the machine do. */
  'dashboard.write': everybody,
  'logs.read': people,
  /** See what a machine recorded of itself: its computer, program, modules, resources and calls. */
  'diagnostics.read': people,
  /** See what was captured, and datasets. */
  'data.read': people,
  /** Store what was captured by a part. */
  'data.write': everybody,
  /** Change tags, boxes, datasets and their contents, without deleting data. */
  'data.label': people,
  'data.delete': owner,
  /** Train models on datasets of the organization, and see, cancel and delete such jobs. */
  'training.manage': owner,
  /** See the results of triggers, and what was sent to whom. */
  'trigger.read': people,
  /** Send again, send a test, be told the secret of a webhook. */
  'trigger.manage': owner,
  /** Set a hub's mail server and where its webhooks may go; for the hub's first organization. */
  'hub.settings': owner,
  /** Apply now what waits for its maintenance window. */
  'maintenance.override': owner,
  'keys.read': owner,
  'keys.manage': owner,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Action = keyof typeof permissions;

export const actions = Object.keys(permissions) as readonly Action[];

/** Whether a role for something allows an action on it. */
export function roleAllows(role: Role, action: Action): boolean {
  const roles: readonly Role[] = permissions[action];
  return roles.includes(role);
}
