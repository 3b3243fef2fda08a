import type { Role } from '../../proto/config/permissions.ts';

/** The caller, as identified by the access rules. */
export interface Principal {
  /**
   * How the caller authenticated: `loopback` and `local` only by where they
   * are, `anonymous` not at all (no access rule has run). `hub`
   * is the hub that this machine has connected to, `module` a process that
   * this machine has started and that came to the socket made for it. `user` is
   * the user that this program runs as, or root: nobody else can open the socket
   * that the call came to.
   * `module-key` is, at a hub, a caller with the key of a part's modules.
   */
  readonly kind:
    | 'anonymous'
    | 'loopback'
    | 'launch-token'
    | 'api-key'
    | 'part-secret'
    | 'module-key'
    | 'local'
    | 'hub'
    | 'module'
    | 'user';
  /**
   * Key id, the part's id for a part's secret, a module's name, a user's name, or the kind if there is no id. Sessions
   * belong to it.
   */
  readonly entity: string;
  /** The caller's role for this machine, if its own access rules have checked. */
  readonly role?: Role;
}
