import { expect, it, vi } from 'vitest';
import { refusePermissions, type PermissionRules } from './permissions.ts';

it('the page of the desktop may write to the clipboard and has nothing else of the computer', () => {
  const session = {
    setPermissionRequestHandler: vi.fn<PermissionRules['setPermissionRequestHandler']>(),
    setPermissionCheckHandler: vi.fn<PermissionRules['setPermissionCheckHandler']>(),
    setDevicePermissionHandler: vi.fn<PermissionRules['setDevicePermissionHandler']>(),
    setBluetoothPairingHandler: vi.fn<PermissionRules['setBluetoothPairingHandler']>(),
    setDisplayMediaRequestHandler: vi.fn<PermissionRules['setDisplayMediaRequestHandler']>(),
  };
  refusePermissions(session);
  const request = session.setPermissionRequestHandler.mock.calls[0]?.[0];
  const check = session.setPermissionCheckHandler.mock.calls[0]?.[0];
  const answers = (permission: string): unknown[] => {
    const asked = vi.fn();
    request?.({} as never, permission as never, asked, {} as never);
    return [
      ...(asked.mock.calls.flat() as unknown[]),
      check?.(null, permission as never, 'armature://page', {} as never),
    ];
  };
  for (const permission of [
    'media',
    'geolocation',
    'notifications',
    'clipboard-read',
    'usb',
    'serial',
    'hid',
    'fileSystem',
  ]) {
    expect([permission, ...answers(permission)]).toEqual([permission, false, false]);
  }
  expect(answers('clipboard-sanitized-write')).toEqual([true, true]);
  expect(session.setDevicePermissionHandler.mock.calls[0]?.[0]?.({} as never)).toBe(false);
  const answered = vi.fn();
  session.setBluetoothPairingHandler.mock.calls[0]?.[0]?.({} as never, answered);
  session.setDisplayMediaRequestHandler.mock.calls[0]?.[0]?.({} as never, answered);
  expect(answered.mock.calls).toEqual([[{ confirmed: false }], [{}]]);
});
