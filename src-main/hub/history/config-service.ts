import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';
import {
  ConfigServiceDefinition,
  PlanChange_Kind,
  type ApplyRequest,
  type ApplyResponse,
  type Plan,
  WatchResponse,
} from '../../../proto/gen/core/config/v1/config.ts';
import type { Action } from '../../../proto/config/permissions.ts';
import { authorName } from '../access/author.ts';
import type { Caller } from '../access/caller.ts';
import type { Place } from '../places/place.ts';
import { versionMessage } from './part-history.ts';
import { requireSize } from './part-versions.ts';
import { checkText, hasFatalProblem } from './text-check.ts';
import { textDifference, type TextChange } from './text-difference.ts';
import type { PartStream } from '../presence/part-stream.ts';
import { configState } from './config-state.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import type { Store } from '../storage/store.ts';
import type { PartConfigs } from './part-configs.ts';
import type { PartWatches } from './part-watches.ts';
import type { PendingAuthors, TextAuthor } from './pending-authors.ts';

/** Longer than for other calls: the machine stores the text at this hub before it answers. */
const APPLY_TIMEOUT_MS = 25_000;

const kinds = { add: PlanChange_Kind.ADD, change: PlanChange_Kind.REBUILD, remove: PlanChange_Kind.REMOVE } as const;

export interface ConfigServiceOptions {
  readonly store: Store;
  readonly configs: PartConfigs;
  readonly live: LiveParts;
  readonly watches: PartWatches;
}

/**
 * `core.config.v1.ConfigService` for every part of the fleet. While a part is online, the hub forwards calls that the
 * machine answers best: validate, plan and apply with commit-confirm. While it is offline, the hub stores the text,
 * with the problems and the plan that it can find out itself.
 */
export function configService(
  { store, configs, live, watches }: ConfigServiceOptions,
  authors: PendingAuthors,
): HubHandlers<typeof ConfigServiceDefinition> {
  const { history, versions } = configs;
  const { connected } = live;
  const part = (id: string) => ({ type: 'part', id }) as const;

  const require = (caller: Caller, action: Action, partId: string): Promise<Place> =>
    caller.require(action, part(partId), store.db);

  return {
    async get({ partId }, caller) {
      const place = await require(caller, 'config.read', partId);
      const stream = connected.get(partId);
      if (stream?.hello.ownsConfig === true) {
        const answer = await stream.call(ConfigServiceDefinition, 'get', { partId: '' });
        return { ...answer, text: caller.textAt(place, answer.text) };
      }
      const state = await configState({ versions, live, watches }, partId);
      const { revision, source, path, appliedRevision } = state;
      const text = caller.textAt(place, state.text);
      return { text, revision, source, path, appliedRevision, readOnly: await isReadOnly(state, partId, caller) };
    },

    async validate({ partId, text }, caller) {
      await require(caller, 'config.read', partId);
      return askOrElse(
        partId,
        (stream) => stream.call(ConfigServiceDefinition, 'validate', { partId: '', text }),
        () => ({ problems: checkText(text) }),
      );
    },

    async plan({ partId, text }, caller) {
      await require(caller, 'config.read', partId);
      return askOrElse(
        partId,
        (stream) => stream.call(ConfigServiceDefinition, 'plan', { partId: '', text }),
        async () => ({ plan: planOffline((await versions.current(partId))?.text ?? '', text) }),
      );
    },

    async apply(request, caller) {
      await require(caller, 'config.write', request.partId);
      requireSize(request.text);
      const author = await authorOf(caller);
      return apply(request, 0, author, (stream) =>
        stream.call(
          ConfigServiceDefinition,
          'apply',
          { ...request, partId: '', ...authorFields(author) },
          { timeoutMs: APPLY_TIMEOUT_MS },
        ),
      );
    },

    async restore(request, caller) {
      const { partId, number, baseRevision, note, returnAfter } = request;
      await require(caller, 'config.write', partId);
      const author = await authorOf(caller);
      const { text } = await history.get(partId, Number(number));
      const applied = { partId, text, baseRevision, author: author.name, note, returnAfter };
      const result = await apply(applied, Number(number), author, async (stream) => {
        const asked = { ...request, partId: '', ...authorFields(author) };
        const answer = await stream.call(ConfigServiceDefinition, 'restore', asked, { timeoutMs: APPLY_TIMEOUT_MS });
        if (answer.result === undefined) throw new ArmatureError('internal.bug', 'The machine sent no result.');
        return answer.result;
      });
      return { result };
    },

    async endTrial(request, caller) {
      const { partId } = request;
      await require(caller, 'config.write', partId);
      const stream = connected.get(partId);
      if (stream === undefined) {
        throw new ArmatureError(
          'call.failed_precondition',
          'The machine is offline: it ends the trial of its configuration by itself, and reports the result when it is online.',
        );
      }
      return stream.call(ConfigServiceDefinition, 'endTrial', { ...request, partId: '' });
    },

    async applyNow(request, caller) {
      const { partId } = request;
      await require(caller, 'maintenance.override', partId);
      const stream = connected.get(partId);
      if (stream === undefined) {
        throw new ArmatureError(
          'call.failed_precondition',
          'The machine is offline: a configuration that waits for its maintenance window can be applied when it is online.',
        );
      }
      const { name } = await authorOf(caller);
      return stream.call(ConfigServiceDefinition, 'applyNow', { ...request, partId: '', author: name });
    },

    async *watch({ partId }, caller, call): AsyncGenerator<WatchResponse> {
      const place = await require(caller, 'config.read', partId);
      // Each message is the whole state, so a slow reader needs only the latest one.
      const wake = new AsyncQueue<undefined>();
      const changed = (): void => {
        if (wake.size === 0) wake.push(undefined);
      };
      const unsubscribers = [
        watches.watch(partId, changed),
        live.onChange(partId, changed),
        onAbort(call.signal, () => wake.end()),
      ];
      const state = async (): Promise<WatchResponse> => {
        const found = await configState({ versions, live, watches }, partId);
        const text = caller.textAt(place, found.text);
        const returnedText = caller.textAt(place, found.result?.returnedText ?? '');
        const result = found.result && { ...found.result, returnedText };
        return { ...found, text, result, readOnly: await isReadOnly(found, partId, caller) };
      };
      try {
        let sent: Uint8Array = new Uint8Array();
        wake.push(undefined);
        for await (const _changed of wake) {
          const next = await state();
          const bytes = WatchResponse.encode(next).finish();
          // A status of the machine that does not concern its configuration wakes this loop too.
          if (Buffer.compare(bytes, sent) === 0) continue;
          sent = bytes;
          yield next;
        }
      } finally {
        for (const unsubscribe of unsubscribers) unsubscribe();
      }
    },

    async history(request, caller) {
      await require(caller, 'history.read', request.partId);
      const page = await history.list(request.partId, request);
      return {
        versions: page.versions.map(versionMessage),
        nextPageToken: page.next === undefined ? '' : String(page.next),
        total: BigInt(page.total),
      };
    },

    async getVersion({ partId, number }, caller) {
      const place = await require(caller, 'history.read', partId);
      const version = await history.get(partId, Number(number));
      return { version: versionMessage(version), text: caller.textAt(place, version.text) };
    },

    async annotate({ partId, number, tag, note }, caller) {
      await require(caller, 'history.annotate', partId);
      const words = { ...(tag === undefined ? {} : { tag }), ...(note === undefined ? {} : { note }) };
      const version = await history.annotate(partId, Number(number), words);
      live.changed(partId);
      return { version: versionMessage(version) };
    },
  };

  /** Asks the machine; calls `offline` instead if the machine is offline, or disconnects before it answers. */
  async function askOrElse<T>(
    partId: string,
    ask: (stream: PartStream) => Promise<T>,
    offline: () => T | Promise<T>,
  ): Promise<T> {
    const stream = connected.get(partId);
    if (stream === undefined) return offline();
    try {
      return await ask(stream);
    } catch (thrown) {
      if (toArmatureError(thrown).code !== 'part.unreachable') throw thrown;
      return offline();
    }
  }

  async function apply(
    request: Pick<ApplyRequest, 'partId' | 'text' | 'baseRevision' | 'note' | 'returnAfter'>,
    restoredFrom: number,
    author: TextAuthor,
    ask: (stream: PartStream) => Promise<ApplyResponse>,
  ): Promise<ApplyResponse> {
    const { partId, text } = request;
    const remove = authors.add(partId, revisionOf(text), author);
    try {
      return await askOrElse(partId, ask, () => applyOffline(request, restoredFrom, author));
    } finally {
      remove();
    }
  }

  /** Stores the text while the machine is offline. The machine takes it when it is back. */
  async function applyOffline(
    { partId, text, baseRevision, note, returnAfter }: Parameters<typeof apply>[0],
    restoredFrom: number,
    author: TextAuthor,
  ): Promise<ApplyResponse> {
    const row = (await live.presence.read([partId])).get(partId);
    if (row?.owns_config === 1) {
      throw new ArmatureError(
        'config.read_only',
        'A file on the machine owns this configuration, and the machine is offline. Edit the file there, or wait until it is online.',
      );
    }
    if (returnAfter !== undefined && (returnAfter.seconds !== 0n || returnAfter.nanos !== 0)) {
      throw new ArmatureError(
        'call.failed_precondition',
        'The machine is offline, so nobody can see whether its resources become ready again. Apply without automatic rollback, or wait until it is online.',
      );
    }
    const problems = checkText(text);
    if (hasFatalProblem(problems)) return { outcome: { $case: 'rejected', value: { problems } } };
    const before = await versions.current(partId);
    const version = { partId, text, note, restoredFrom, summary: '', author: author.author, authorName: author.name };
    // The machine may have stored this same text before it disconnected.
    const isStored = before?.text === text;
    const outcome = await configs.store({ ...version, baseRevision: isStored ? before.revision : baseRevision });
    if (outcome.kind === 'conflict') {
      const { revision, text: currentText } = outcome.version;
      return { outcome: { $case: 'conflict', value: { currentRevision: revision, currentText } } };
    }
    const plan = planOffline(before?.text ?? '', text);
    return { outcome: { $case: 'applied', value: { revision: outcome.version.revision, plan } } };
  }

  async function isReadOnly(state: WatchResponse, partId: string, caller: Caller): Promise<boolean> {
    if (state.readOnly) return true;
    return !caller.may('config.write', await caller.require('part.read', part(partId), store.db));
  }

  /** The authenticated caller: the author that a request names is ignored. */
  async function authorOf({ author }: Caller): Promise<TextAuthor> {
    return { author, name: await authorName(author, store.db) };
  }
}

/** The author as request fields. The machine sends them back when it stores the text, perhaps much later. */
function authorFields({ author, name }: TextAuthor): Pick<ApplyRequest, 'author' | 'authorKeyId'> {
  return { author: name, authorKeyId: author.type === 'api-key' ? author.id : undefined };
}

/** A plan from the texts alone. The machine itself may apply more of the changes in place. */
function planOffline(from: string, to: string): Plan {
  const { changes, summary } = textDifference(from, to);
  return {
    changes: changes.map(({ kind, subject, renamedFrom, reason, fields }: TextChange) => ({
      kind: kinds[kind],
      subject,
      renamedFrom,
      reason,
      fields: [...fields],
      stopsMotion: false,
    })),
    restartedModules: [],
    problems: checkText(to),
    summary,
  };
}
