import { inject } from 'vue';
import { useRouter } from 'vue-router';
import type { Command } from '../shared/commands/command.ts';
import { useCommands } from '../shared/commands/commands.ts';
import { openPart } from '../shared/machine/rpc/open-part.ts';
import { partLabel, presenceName } from '../shared/machine/part-words.ts';
import { useConnection } from '../shared/stores/connection.ts';
import { useFleet } from '../shared/stores/fleet.ts';
import { useStopAll } from '../shared/stores/stop-all.ts';
import { useText } from '../shared/text.ts';
import { appearanceKey, densityChoices, themeChoices } from '../shared/appearance.ts';
import type { outerPages } from './pages.ts';
import { pages } from './pages.ts';
import { signingKey } from '../shared/signing.ts';
import { useShell } from './shell-state.ts';

type PageName = (typeof pages)[number]['name'] | keyof typeof outerPages;

/** The machines of a larger fleet are not listed in the palette. */
const MAX_LISTED_MACHINES = 200;

/** Provides the shell's own commands, on every screen. */
export function useShellCommands(): void {
  const t = useText();
  const router = useRouter();
  const shell = useShell();
  const fleet = useFleet();
  const stopAll = useStopAll();
  const connection = useConnection();
  const appearance = inject(appearanceKey);
  const signing = inject(signingKey);

  const goTo = (name: PageName, keys: string): Command => ({
    id: `shell.go-${name}`,
    title: t('command.go', { page: t(`app.${name}`) }),
    group: 'go',
    keys,
    whileTyping: true,
    run: () => void router.push({ name }),
  });
  const goCommands = (): Command[] => [
    ...(fleet.isHubAlone
      ? []
      : [
          ...pages.map(({ name }, index) => goTo(name, `Mod+${index + 1}`)),
          goTo('overview', 'Mod+0'),
          goTo('diagnostics', 'Mod+9'),
        ]),
    goTo('data', 'Mod+6'),
    ...(fleet.hasHub === false ? [] : [goTo('train', 'Mod+7'), goTo('fleet', 'Mod+J'), goTo('registry', 'Mod+8')]),
    goTo('settings', 'Mod+,'),
    {
      id: 'shell.open-recording',
      title: t('command.openRecording'),
      group: 'go',
      run: () => void router.push({ name: 'recording' }),
    },
    ...machineCommands(),
  ];
  /** The other machines of the fleet; a fleet too large for the list is searched on its own screen. */
  const machineCommands = (): Command[] => {
    if (fleet.parts.size > MAX_LISTED_MACHINES) return [];
    return [...fleet.parts.values()]
      .filter(({ partId }) => partId !== fleet.herePartId)
      .map((part) => ({
        id: `machine.${part.partId}`,
        title: t('fleet.command.to', { name: partLabel(part) }),
        detail: `${fleet.locationPath(part.locationId)} · ${t(`presence.${presenceName(part.state)}`)}`,
        group: 'go',
        run: () => openPart(part.partId, fleet.hub?.ownPartId ?? ''),
      }));
  };

  const actionCommands = (): Command[] => [
    {
      id: 'shell.palette',
      title: t('palette.title'),
      group: 'action',
      keys: 'Mod+K',
      whileTyping: true,
      run: () => (shell.isPaletteOpen = true),
    },
    {
      id: 'shell.shortcuts',
      title: t('shortcuts.title'),
      group: 'action',
      keys: '?',
      run: () => (shell.isShortcutListOpen = true),
    },
    { id: 'shell.stop-all', title: t('header.stopAll'), group: 'action', run: () => void stopAll.run() },
    {
      id: 'shell.sign-out',
      title: t('settings.command.signOut'),
      group: 'action',
      isEnabled: signing?.isHub === true,
      run: () => signing?.signOut(),
    },
    {
      id: 'shell.retry-link',
      title: t('command.retryLink'),
      group: 'action',
      isEnabled: !connection.isConnected,
      run: () => connection.retryNow(),
    },
  ];

  const settingCommands = (): Command[] => {
    if (appearance === undefined) return [];
    const { theme, density } = appearance;
    return [
      ...themeChoices.map((choice): Command => ({
        id: `shell.theme-${choice}`,
        title: t('command.theme', { choice: t(`theme.${choice}`) }),
        group: 'setting',
        ...(theme.value === choice ? { detail: t('command.current') } : {}),
        run: () => (theme.value = choice),
      })),
      ...densityChoices.map((choice): Command => ({
        id: `shell.density-${choice}`,
        title: t('command.density', { choice: t(`density.${choice}`) }),
        group: 'setting',
        ...(density.value === choice ? { detail: t('command.current') } : {}),
        run: () => (density.value = choice),
      })),
    ];
  };

  useCommands(() => [...goCommands(), ...actionCommands(), ...settingCommands()]);
}
