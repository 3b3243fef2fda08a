import { createPinia } from 'pinia';
import { createRenderer, defineComponent, h, ref } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settled } from '../../../link/fake-machine.ts';
import { fleetKey } from '../../../shared/machine/fleet.ts';
import { noFleet } from '../../../shared/machine/fleet.fixture.ts';
import { machineKey, type Machine } from '../../../shared/machine/machine.ts';
import { useControlSwitch } from '../control-switch.ts';
import { useMotion, type Motion } from './use-motion.ts';

/** Renders components without a page: the tests only mount and unmount them. */
const { createApp } = createRenderer<object, object>({
  createElement: () => ({}),
  createText: () => ({}),
  createComment: () => ({}),
  setText: () => undefined,
  setElementText: () => undefined,
  insert: () => undefined,
  remove: () => undefined,
  patchProp: () => undefined,
  parentNode: () => ({}),
  nextSibling: () => null,
});

function bench() {
  let stops = 0;
  const isShown = ref(true);
  const found: { motion?: Motion } = {};
  const card = defineComponent(() => {
    found.motion = useMotion(
      () => 'acme:component:gripper/hand',
      () => Promise.resolve(void (stops += 1)),
    );
    return () => null;
  });
  const machine = {
    connection: {
      subscribe: (onChange: (view: unknown) => void) => {
        onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
    },
    onSessionExpired: () => () => undefined,
  };
  const app = createApp(() => (isShown.value ? h(card) : null));
  app.provide(fleetKey, noFleet);
  app.provide(machineKey, machine as unknown as Machine);
  const pinia = createPinia();
  app.use(pinia);
  app.mount({});
  const control = app.runWithContext(() => useControlSwitch(pinia));
  control.switchOn();
  if (found.motion === undefined) throw new Error('the card is not there');
  return { control, motion: found.motion, stops: () => stops, isShown };
}

beforeEach(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', new EventTarget());
});
afterEach(() => void vi.unstubAllGlobals());

describe('a resource that a card of an unknown API has set in motion', () => {
  it('is stopped once when the card is removed, and its calls are cancelled', async () => {
    const { control, motion, stops, isShown } = bench();
    const [grab, look] = [new AbortController(), new AbortController()];
    motion.began(grab, true);
    motion.ended(grab);
    motion.began(look, false);
    isShown.value = false;
    await settled();
    expect([stops(), grab.signal.aborted, look.signal.aborted]).toEqual([1, false, true]);
    motion.ended(look);
    control.switchOff('user');
    await settled();
    expect(stops()).toBe(1);
  });

  it('is stopped once where control goes off first', async () => {
    const { control, motion, stops, isShown } = bench();
    motion.began(new AbortController(), true);
    control.switchOff('left');
    isShown.value = false;
    await settled();
    expect(stops()).toBe(1);
  });

  it('is not stopped where its calls only read', async () => {
    const { motion, stops, isShown } = bench();
    motion.began(new AbortController(), false);
    isShown.value = false;
    await settled();
    expect(stops()).toBe(0);
  });
});
