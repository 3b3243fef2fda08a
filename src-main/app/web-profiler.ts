import { setTimeout } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { toArmatureError } from '../base/errors.ts';
import { roleAllows } from '../../proto/config/permissions.ts';
import { bearerToken, type AccessControl } from '../rpc/access/access-control.ts';
import { roleOf } from '../rpc/access/role-check.ts';
import { answerText } from '../rpc/port/http-routes.ts';
import { TrackedConnection } from '../rpc/tracked-connection.ts';
import type { ResourceStatus } from '../machine/graph/state.ts';

const LONGEST_PROFILE_S = 60;
const DEFAULT_PROFILE_S = 5;

/**
 * The profiler of `-webprofile`: a CPU profile and a heap summary of the
 * running server, and the resource graph for Graphviz. Every request needs the
 * launch token or the token of an owner's key as Bearer: a profile shows what
 * the program itself does.
 */
export class WebProfiler {
  readonly #access: AccessControl;
  readonly #statuses: () => readonly ResourceStatus[];
  #isProfiling = false;

  constructor(access: AccessControl, statuses: () => readonly ResourceStatus[]) {
    this.#access = access;
    this.#statuses = statuses;
  }

  handles(request: IncomingMessage): boolean {
    return request.url?.startsWith('/debug/') === true;
  }

  /** Takes a request; the answer follows by itself. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else answerText(request, response, 500, `The profiler failed: ${toArmatureError(thrown).message}\n`);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = new TrackedConnection(
      request.socket,
      'grpc-web',
      (request.socket as TLSSocket).encrypted === true,
      false,
    );
    const verdict = this.#access.admit(connection, bearerToken(request.headers.authorization));
    if (!verdict.allowed) return answerText(request, response, 401, `${verdict.message}\n`);
    const role = roleOf(verdict.principal, this.#access);
    if (role === undefined || !roleAllows(role, 'machine.administer')) {
      return answerText(request, response, 403, 'The profiler needs the launch token or the key of an owner.\n');
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    switch (url.pathname) {
      case '/debug/profile':
        return this.#profile(request, response, url.searchParams.get('seconds'));
      case '/debug/memory':
        return answerText(request, response, 200, `${JSON.stringify(process.memoryUsage(), null, 2)}\n`);
      case '/debug/graph':
        return answerText(request, response, 200, graphviz(this.#statuses()));
      default:
        return answerText(
          request,
          response,
          404,
          'There are /debug/profile?seconds=5 (.cpuprofile), /debug/memory and /debug/graph (Graphviz).\n',
        );
    }
  }

  async #profile(request: IncomingMessage, response: ServerResponse, wanted: string | null): Promise<void> {
    const seconds = wanted === null ? DEFAULT_PROFILE_S : Number(wanted);
    if (!(seconds > 0 && seconds <= LONGEST_PROFILE_S)) {
      return answerText(
        request,
        response,
        400,
        `seconds is "${wanted}"; a number above 0 and up to ${LONGEST_PROFILE_S}.\n`,
      );
    }
    if (this.#isProfiling) return answerText(request, response, 409, 'A profile is being taken; wait for it.\n');
    this.#isProfiling = true;
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    try {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await setTimeout(seconds * 1_000);
      const { profile } = await session.post('Profiler.stop');
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-disposition': 'attachment; filename="armature.cpuprofile"',
        'cache-control': 'no-store',
      });
      response.end(JSON.stringify(profile));
    } finally {
      session.disconnect();
      this.#isProfiling = false;
    }
  }
}

/** The resources and what they depend on, in Graphviz's language. */
function graphviz(statuses: readonly ResourceStatus[]): string {
  const quote = (text: string): string => JSON.stringify(text);
  const nodes = statuses.map(
    ({ fullName, name, state }) => `  ${quote(fullName)} [label=${quote(`${name}\n${state.kind}`)}];`,
  );
  const edges = statuses.flatMap(({ fullName, dependsOn }) =>
    dependsOn.map((dependency) => `  ${quote(fullName)} -> ${quote(dependency)};`),
  );
  return `digraph machine {\n${[...nodes, ...edges].join('\n')}\n}\n`;
}
