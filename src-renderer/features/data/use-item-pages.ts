import { onScopeDispose, shallowRef, watch, type Ref, type WatchSource } from 'vue';
import { ItemPages, type LoadPage, type PagesView } from './item-pages.ts';

/** Pages for a component. They start again at the newest page whenever `dependsOn` changes. */
export function useItemPages<Item>(load: LoadPage<Item>, dependsOn: WatchSource) {
  const view = shallowRef() as Ref<PagesView<Item>>;
  const pages = new ItemPages<Item>(load, (next) => (view.value = next));
  view.value = pages.view;
  watch(dependsOn, () => void pages.newest(), { immediate: true });
  onScopeDispose(() => pages.stop());
  return { view, pages };
}
