import { createPinia, setActivePinia } from 'pinia';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp, nextTick } from 'vue';
import { machineKey, type Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, ConnectionView } from '../../../shared/machine/machine-view.ts';
import { useDraftChanges } from '../../../shared/stores/draft-changes.ts';
import { installTexts } from '../../../shared/text.ts';
import { useConfigDocument } from './config-document.ts';

const bench = { name: 'bench', api: 'core:component:board', model: 'fake' };
const left = { name: 'left', api: 'core:component:motor', model: 'fake', attributes: { max_rpm: 100 } };
const text = (...components: readonly object[]): string => JSON.stringify({ components });

function documentOf(own: string): ConfigDocument {
  return { text: own, revision: `of ${own}`, source: 'file', path: 'm', isReadOnly: false, result: undefined };
}

/** A machine whose configuration is told by the test. */
function startDocument() {
  let tell: (document: ConfigDocument) => void = () => undefined;
  const machine = {
    connection: {
      subscribe(onChange: (view: ConnectionView) => void) {
        onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
      retryNow: () => undefined,
    },
    config: {
      validate: async () => [],
      plan: async () => ({ resources: [], modules: [], settings: [], summary: '', problems: [] }),
      async *watch() {
        for (;;) yield await new Promise<ConfigDocument>((resolve) => (tell = resolve));
      },
    },
  } as unknown as Machine;
  const pinia = createPinia();
  const app = createApp({}).use(pinia).provide(machineKey, machine);
  installTexts(app);
  setActivePinia(pinia);
  const config = app.runWithContext(() => useConfigDocument());
  return {
    config,
    changes: useDraftChanges(),
    async told(own: string): Promise<void> {
      await vi.waitFor(() => {
        tell(documentOf(own));
        expect(config.draft?.base.text).toBe(own);
      });
    },
  };
}

describe('the configuration of the page', () => {
  beforeEach(() => {
    const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
    vi.stubGlobal('localStorage', storage);
    vi.stubGlobal('sessionStorage', storage);
    vi.stubGlobal('window', Object.assign(new EventTarget(), { location: { host: 'here' } }));
  });
  afterEach(() => vi.unstubAllGlobals());

  it('tells Control which resources are changed and not applied, so that it does not move them', async () => {
    const { config, changes, told } = startDocument();
    await told(text(bench, left));
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
});
