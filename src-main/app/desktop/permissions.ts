import type { Session } from 'electron';

/** The members of a session that control what its pages may access. */
export type PermissionRules = Pick<
  Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setBluetoothPairingHandler'
  | 'setDisplayMediaRequestHandler'
>;

/**
 * The page may write to the clipboard at a click on "Copy", and nothing else: no camera, no microphone, no location, no
 * device, no file. Electron allows what no handler refuses, and has one handler for permission requests, one for
 * permission checks and one for devices (https://www.electronjs.org/docs/latest/tutorial/security,
 * "Handle session permission requests from remote content").
 */
export function refusePermissions(session: PermissionRules): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(isAllowed(permission)));
  session.setPermissionCheckHandler((_contents, permission) => isAllowed(permission));
  session.setDevicePermissionHandler(() => false);
  session.setBluetoothPairingHandler((_details, answer) => answer({ confirmed: false }));
  // Refused by an answer without a stream.
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
}

function isAllowed(permission: string): boolean {
  return permission === 'clipboard-sanitized-write';
}
