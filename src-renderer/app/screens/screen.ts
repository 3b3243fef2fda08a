import { defineAsyncComponent, h, type Component } from 'vue';
import FailedScreen from './FailedScreen.vue';
import LoadingScreen from './LoadingScreen.vue';
import type { ScreenName } from './screen-name.ts';

/** A screen that loads within this time shows no loading message. */
const loadingShownAfterMs = 200;

/**
 * A screen whose code is loaded when it is first opened. The router gets a component, not a function that it would
 * wait for, so the address changes as soon as a link is clicked. Otherwise Back, pressed while the code loads, would go
 * one screen too far, and a navigation of the old screen meanwhile would cancel the click.
 */
export function screen(name: ScreenName, load: () => Promise<Component>): Component {
  return defineAsyncComponent({
    loader: load,
    delay: loadingShownAfterMs,
    loadingComponent: () => h(LoadingScreen, { name }),
    errorComponent: () => h(FailedScreen, { name }),
  });
}
