import { onScopeDispose } from 'vue';
import { useControlSwitch } from '../../features/control/control-switch.ts';
import { chordOf } from '../../shared/commands/chords.ts';
import { runsWhileTyping } from '../../shared/commands/chord-rules.ts';
import { useChords } from '../../shared/commands/chord-store.ts';
import { useCommandList } from '../../shared/commands/commands.ts';
import { isHeldBySpace, isPressable, takesText, targetOf } from '../../shared/commands/typing.ts';
import { useStopAll } from '../../shared/stores/stop-all.ts';
import { escapeStops, spaceStops, type StopSituation } from './stop-keys.ts';

/** Undo and redo, which the browser provides in every text field. */
const editingChords = new Set(['Mod+Z', 'Mod+Shift+Z', 'Mod+Y']);

const openDialog = (): Element | null => document.querySelector('dialog[open]');

/** Handles the keys of the whole page: those that stop the machine, then the chords of commands. */
export function useKeys(): void {
  const control = useControlSwitch();
  const stopAll = useStopAll();
  const list = useCommandList();
  const chords = useChords();
  let isPointerDown = false;
  /** The element that a pointer gave the focus to. */
  let leftByPointer: Element | null = null;
  /** Space has stopped the machine; its release must not press the focused button. */
  let isSpaceSpent = false;

  function situationOf(event: KeyboardEvent): StopSituation {
    const target = targetOf(event);
    return {
      isControlOn: control.isOn,
      isTaken: event.defaultPrevented || openDialog() !== null,
      takesText: takesText(target),
      isHeldBySpace: isHeldBySpace(target),
      isPressable: isPressable(target),
      isLeftByPointer: isPointerDown || (leftByPointer !== null && leftByPointer === document.activeElement),
      isInDialog: openDialog() !== null,
    };
  }

  /** Runs before all other handlers: none may block the stop keys while this page can move something. */
  function onKeydownFirst(event: KeyboardEvent): void {
    if (event.repeat || !control.isOn) return;
    if (event.key === 'Escape') void stopAll.run();
    if (event.key !== ' ' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!spaceStops(situationOf(event))) return;
    event.preventDefault();
    event.stopPropagation();
    isSpaceSpent = true;
    void stopAll.run();
  }

  function onKeyup(event: KeyboardEvent): void {
    if (event.key !== ' ' || !isSpaceSpent) return;
    isSpaceSpent = false;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Runs after all other handlers and leaves alone what an editor, a list or a dialog has handled. */
  function onKeydownLast(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      if (!event.repeat && !control.isOn && escapeStops(situationOf(event))) void stopAll.run();
      return;
    }
    if (!event.defaultPrevented) runChord(event);
  }

  function runChord(event: KeyboardEvent): void {
    const chord = chordOf(event);
    if (chord === undefined) return;
    // The latest wins: a screen's own command over one of the shell.
    const command = list.commands.findLast((candidate) => chords.chordOf(candidate) === chord);
    if (command === undefined) return;
    if (takesText(targetOf(event)) && !runsWhileTyping(chord, command.whileTyping)) return;
    // A text field in a dialog has its own undo.
    if (openDialog() !== null && takesText(targetOf(event)) && editingChords.has(chord)) return;
    // Even if the command cannot run now: Ctrl+S must not make the browser save the page.
    event.preventDefault();
    if (event.repeat || openDialog() !== null || command.isEnabled === false) return;
    command.run();
  }

  function onPointerDown(): void {
    isPointerDown = true;
  }

  function onPointerUp(): void {
    isPointerDown = false;
    leftByPointer = document.activeElement;
  }

  function onFocusIn(event: FocusEvent): void {
    leftByPointer = isPointerDown && event.target instanceof Element ? event.target : null;
  }

  const listeners = new AbortController();
  const { signal } = listeners;
  window.addEventListener('keydown', onKeydownFirst, { capture: true, signal });
  window.addEventListener('keydown', onKeydownLast, { signal });
  window.addEventListener('keyup', onKeyup, { capture: true, signal });
  window.addEventListener('pointerdown', onPointerDown, { capture: true, signal });
  window.addEventListener('pointerup', onPointerUp, { capture: true, signal });
  window.addEventListener('pointercancel', onPointerUp, { capture: true, signal });
  window.addEventListener('focusin', onFocusIn, { capture: true, signal });
  onScopeDispose(() => listeners.abort());
}
