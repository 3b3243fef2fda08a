import { computed, inject, nextTick, provide, watch, type ComputedRef, type InjectionKey, type Ref } from 'vue';
import { useRoute, useRouter, type RouteLocationRaw } from 'vue-router';
import { findBuiltinModel } from '../../../shared/builtin-models.ts';
import { useCommands } from '../../../shared/commands/commands.ts';
import { useText } from '../../../shared/text.ts';
import type { DocumentEntry } from '../document/document-model.ts';
import { firstControl } from '../form/first-control.ts';
import { attributeName, helpRoute, helpRouteName } from './help-address.ts';

/** Says which field led to the help, by its pointer. */
type TellOpener = (pointer: string) => void;
const openerKey: InjectionKey<TellOpener> = Symbol('opener of the help');

/** For a link to the help: tells the page which field it belongs to. Without a page around it, it does nothing. */
export function useHelpOpener(): TellOpener {
  return inject(openerKey, () => undefined);
}

export interface HelpPanePlace {
  /** The place to go back to. */
  readonly behind: () => RouteLocationRaw;
  readonly form: Readonly<Ref<HTMLElement | null>>;
  /** The entry in the form. */
  readonly entry: Readonly<Ref<DocumentEntry | undefined>>;
}

/**
 * The help beside the form, with its commands. It has an address of its own, while the form stays what it was. When the
 * help is left for the form, by its button or by Back, the field that led to it has the focus again.
 */
export function useHelpPane({ behind, form, entry }: HelpPanePlace): {
  readonly isHelpOpen: ComputedRef<boolean>;
  readonly closeHelp: () => void;
} {
  const t = useText();
  const route = useRoute();
  const router = useRouter();
  const isHelpOpen = computed(() => route.name === helpRouteName);
  const model = computed(() => entry.value && findBuiltinModel(entry.value.api, entry.value.model));
  let opener: string | undefined;
  provide(openerKey, (pointer) => (opener = pointer));

  watch(isHelpOpen, async (isOpen) => {
    if (isOpen) return;
    const pointer = opener;
    opener = undefined;
    await nextTick();
    const fields = form.value?.querySelectorAll<HTMLElement>('[data-pointer]') ?? [];
    const field = [...fields].find((one) => one.dataset['pointer'] === pointer);
    if (field !== undefined) firstControl(field)?.focus();
  });

  /** The help of the field that has the focus; of a group, which has none below it, the page about it. */
  function helpHere(): void {
    const active = document.activeElement;
    const button = active?.closest('.field')?.querySelector<HTMLElement>('.info');
    if (button) return button.click();
    if (model.value === undefined || entry.value === undefined || isHelpOpen.value) return;
    opener = active?.closest<HTMLElement>('[data-pointer]')?.dataset['pointer'];
    const within = `${entry.value.pointer}/attributes/`;
    const steps = opener?.startsWith(within) === true ? opener.slice(within.length).split('/') : [];
    void router.push(helpRoute(model.value, attributeName(steps.filter((step) => !/^\d+$/.test(step)))));
  }

  useCommands(() => [
    {
      // The "?" buttons are not in the Tab order: with them, each field would take two Tabs.
      id: 'configure.field-help',
      title: t('form.help'),
      group: 'action',
      keys: 'F1',
      whileTyping: true,
      run: helpHere,
    },
    {
      id: 'configure.model-help',
      title: t('form.modelHelp'),
      group: 'action',
      detail: model.value?.schema.title ?? '',
      isEnabled: model.value !== undefined,
      run: () => void (model.value && router.push(helpRoute(model.value))),
    },
  ]);

  return { isHelpOpen, closeHelp: () => void router.push(behind()) };
}
