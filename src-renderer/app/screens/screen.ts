import { defineAsyncComponent, h, type Component } from 'vue';
import FailedScreen from './FailedScreen.vue';
import LoadingScreen from './LoadingScreen.vue';
import type { ScreenName } from './screen-name.ts';

/** A screen that comes within this time is shown without a word about its loading. */
const loadingShownAfterMs = 200;

/**
 * A screen whose code is loaded when it is first opened. The router gets it as a component that is there, not as a
 * function that it would wait for: the address changes at the press of a link. Otherwise Back, pressed while code is on
 * its way, leaves the screen before the one that is left; and what the old screen does meanwhile undoes the press.
 */
export function screen(name: ScreenName, load: () => Promise<Component>): Component {
  return defineAsyncComponent({
    loader: load,
    delay: loadingShownAfterMs,
    loadingComponent: () => h(LoadingScreen, { name }),
    errorComponent: () => h(FailedScreen, { name }),
  });
}
