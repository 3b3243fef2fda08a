import type { PageServiceDefinition } from '../../../proto/gen/core/page/v1/page.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Connection, ServerCall } from '../../rpc/call.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import { ownerOf } from '../connection-owner.ts';
import type { Browser, RememberedBrowsers } from './remembered-browsers.ts';

const MAX_NAME = 80;

/**
 * core.page.v1.PageService.
 * @param bind makes a channel that of this browser, from now on
 * @param isOwn whether a connection comes from a program of this user, on this computer
 */
export function pageService(
  browsers: Pick<RememberedBrowsers, 'remember' | 'list' | 'forget'>,
  bind: (connection: Connection, browser: Browser) => void,
  isOwn: (connection: Connection) => Promise<boolean> = isOfThisUser,
): ServiceHandlers<typeof PageServiceDefinition> {
  return {
    async rememberBrowser({ name }, call) {
      requirePerson(call);
      checkName(name);
      if (call.connection.transport !== 'channel' || !(await isOwn(call.connection))) {
        throw new ArmatureError(
          'access.denied',
          'Only a browser on this computer, of the user that the server runs as, is remembered. Open the address that the server prints at each start.',
        );
      }
      const { browser, key } = await browsers.remember(name);
      bind(call.connection, browser);
      return { browser: toWire(browser), key };
    },
    async listBrowsers(_request, call) {
      requirePerson(call);
      return { browsers: (await browsers.list()).map(toWire) };
    },
    async forgetBrowser({ id }, call) {
      requirePerson(call);
      if (await browsers.forget(id)) return {};
      throw new ArmatureError('call.not_found', `No browser with the id "${id}" is remembered. List them again.`);
    },
  };
}

/**
 * Whether a connection comes from a program of the user that this program runs as, on this computer. False if the system
 * does not tell: a key is good for too long to risk it.
 */
export async function isOfThisUser(connection: Connection): Promise<boolean> {
  return connection.isLoopback && (await ownerOf(connection)) === 'own';
}

/** Keys of owners do not manage the sign-in of the person who started the program. */
function requirePerson({ principal }: ServerCall): void {
  if (principal.kind === 'launch-token' || principal.kind === 'user') return;
  throw new ArmatureError(
    'access.denied',
    `This is for whoever opened the address that the server printed; this caller is ${principal.kind} ${principal.entity}.`,
  );
}

function checkName(name: string): void {
  if (name.trim() !== '' && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return;
  throw new ArmatureError(
    'call.bad_argument',
    `The name of a browser has 1 to ${MAX_NAME} characters in one line; this one has ${name.length}. Shorten it.`,
  );
}

function toWire({ id, name, createdAt, usedAt }: Browser) {
  return { id, name, created: new Date(createdAt), lastUsed: new Date(usedAt) };
}
