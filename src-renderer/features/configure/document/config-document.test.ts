import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp, nextTick } from 'vue';
import { noFleet } from '../../../shared/machine/fleet.fixture.ts';
import { fleetKey } from '../../../shared/machine/fleet.ts';
import { machineKey, type Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, ConfigResult, ConnectionView, Problem } from '../../../shared/machine/machine-view.ts';
import { useDraftChanges } from '../../../shared/stores/draft-changes.ts';
import { useDraftText } from '../../../shared/stores/draft-text.ts';
import { installTexts } from '../../../shared/text.ts';
import { useConfigDocument } from './config-document.ts';

const bench = { name: 'bench', api: 'core:component:board', model: 'fake' };
const left = { name: 'left', api: 'core:component:motor', model: 'fake', attributes: { max_rpm: 100 } };
const text = (...components: readonly object[]): string => JSON.stringify({ components });

function documentOf(own: string, outcome: ConfigResult['outcome'] = 'applied', isOnTrial = false): ConfigDocument {
  const trial = isOnTrial ? { endsAt: 5, awaited: [] } : undefined;
  const result = {
    outcome,
    revision: '',
    message: '',
    at: 0,
    trial,
    deferred: undefined,
    returnedText: '',
    unready: [],
  };
  return { text: own, revision: `of ${own}`, source: 'file', path: 'm', isReadOnly: false, result };
}

function storage() {
  const kept: Record<string, string> = {};
  const methods = {
    getItem: (key: string): string | null => kept[key] ?? null,
    setItem: (key: string, value: string): void => void (kept[key] = value),
    removeItem: (key: string): void => void delete kept[key],
  };
  return new Proxy(kept, {
    get: (target, key) => (key in methods ? methods[key as keyof typeof methods] : target[String(key)]),
  });
}

const pages: ReturnType<typeof useConfigDocument>[] = [];

/** Starts the store with a machine whose configuration the test sets. */
function startDocument(problemsOf: (text: string) => readonly Problem[] = () => []) {
  const applied: string[] = [];
  /** Set while the store waits for the next configuration. */
  let send: ((document: ConfigDocument) => void) | undefined;
  const machine = {
    connection: {
      subscribe(onChange: (view: ConnectionView) => void) {
        onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
      retryNow: () => undefined,
    },
    config: {
      validate: async (own: string) => problemsOf(own),
      apply: async (own: string) => {
        applied.push(own);
        return { kind: 'applied', revision: `of ${own}` };
      },
      plan: async (own: string) => ({
        resources: [],
        modules: [],
        settings: [],
        summary: '',
        problems: problemsOf(own),
      }),
      async *watch() {
        for (;;) {
          const next = await new Promise<ConfigDocument>((resolve) => (send = resolve));
          send = undefined;
          yield next;
        }
      },
    },
  } as unknown as Machine;
  const pinia = createPinia();
  const app = createApp({}).use(pinia).provide(machineKey, machine).provide(fleetKey, noFleet);
  installTexts(app);
  setActivePinia(pinia);
  const config = app.runWithContext(() => useConfigDocument());
  pages.push(config);
  return {
    config,
    applied,
    changes: useDraftChanges(),
    async report(document: ConfigDocument): Promise<void> {
      await vi.waitFor(() => expect(send).toBeDefined());
      send?.(document);
      await vi.waitFor(() => expect(config.document).toStrictEqual(document));
    },
  };
}

describe('the configuration of the page', () => {
  beforeEach(() => {
    vi.stubGlobal('localStorage', storage());
    vi.stubGlobal('sessionStorage', storage());
    // No locks: these tests cannot end the earlier page, which would keep its lock.
    vi.stubGlobal('navigator', {});
    vi.stubGlobal('window', Object.assign(new EventTarget(), { location: { host: 'here' } }));
  });
  afterEach(() => {
    for (const page of pages.splice(0)) page.$dispose();
    vi.unstubAllGlobals();
  });

  it('gives Control the resources with unapplied changes, so that it does not move them', async () => {
    const { config, changes, report } = startDocument();
    await report(documentOf(text(bench, left)));
    expect([...changes.names]).toEqual([]);
    config.set(['components', 1, 'attributes', 'max_rpm'], 200, 'max_rpm');
    await nextTick();
    expect([...changes.names]).toEqual(['core:component:motor/left']);
    config.undo();
    const entry = config.entry('bench');
    if (entry !== undefined) config.removeEntry(entry);
    await nextTick();
    expect([...changes.names]).toEqual(['core:component:board/bench']);
    config.undo();
    await nextTick();
    expect([...changes.names]).toEqual([]);
  });

  it('sets one attribute of a resource for another screen, as one undo step', async () => {
    const { config, report } = startDocument();
    const draft = useDraftText();
    await report(documentOf(text(bench, left)));
    expect(draft.attributesOf('core:component:motor/left')).toEqual({ max_rpm: 100 });
    draft.setAttribute('core:component:motor/left', 'control_parameters', { p: 1, i: 2, d: 0 }, 'tuned');
    const tuned = { ...left, attributes: { max_rpm: 100, control_parameters: { p: 1, i: 2, d: 0 } } };
    expect(JSON.parse(config.text)).toEqual({ components: [bench, tuned] });
    expect(draft.attributesOf('core:component:motor/left')).toEqual(tuned.attributes);
    config.undo();
    expect(config.text).toBe(text(bench, left));
    draft.setAttribute('core:component:motor/gone', 'control_parameters', {}, 'tuned');
    expect([draft.attributesOf('core:component:motor/gone'), config.hasChanges]).toEqual([undefined, false]);
  });

  it('judges what is applied right after a key by the text of now, and not by the check before it', async () => {
    const wrong = text({ ...bench, model: 'fak' });
    const problem = { file: '', line: 1, column: 1, pointer: '', code: 'config.unknown_model', message: '' };
    const { config, applied, report } = startDocument((own) =>
      own === wrong ? [{ ...problem, severity: 'error' }] : [],
    );
    await report(documentOf(text(bench)));
    config.edit(wrong);
    expect(config.isKnownWrong).toBe(false);
    await vi.waitFor(() => expect(config.isKnownWrong).toBe(true));
    config.edit(text(left));
    expect([config.errors.length, config.isKnownWrong]).toEqual([1, false]);
    await config.applyDraft();
    expect(applied).toEqual([text(left)]);
    config.edit(wrong);
    await config.applyDraft();
    expect([applied.length, config.isKnownWrong]).toEqual([1, true]);
  });

  it.each([
    ['went back', text(bench), text(left)],
    ['kept it', text(left), text(left)],
    ['has another by now', text(bench, left), text(bench, left)],
  ])('loads the right draft if the page was closed during a trial and the machine %s', async (...row) => {
    const [, later, wanted] = row;
    const before = startDocument();
    await before.report(documentOf(text(bench)));
    before.config.edit(text(left));
    await before.config.applyDraft();
    await before.report(documentOf(text(left), 'applied', true));
    expect(before.config.hasChanges).toBe(false);
    window.dispatchEvent(new Event('pagehide'));
    const after = startDocument();
    await after.report(documentOf(later));
    expect([after.config.text, after.config.hasChanges]).toEqual([wanted, wanted !== later]);
  });

  it('loads no draft for a text that was applied for good', async () => {
    const { config, report } = startDocument();
    await report(documentOf(text(bench)));
    config.edit(text(left));
    await config.applyDraft();
    await report(documentOf(text(left)));
    window.dispatchEvent(new Event('pagehide'));
    const after = startDocument();
    await after.report(documentOf(text(bench)));
    expect(after.config.text).toBe(text(bench));
  });
});
