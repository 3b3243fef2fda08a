import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { keepText, keptText } from '../kept-text.ts';

const storageKey = 'armature.failure-alerts';

/** What the browser allows: `unknown` has not been asked, `none` has no notifications for this page. */
export type Permission = 'granted' | 'denied' | 'unknown' | 'none';

function permissionNow(): Permission {
  // Browsers offer them to pages of this computer and of https only.
  if (typeof Notification === 'undefined' || !globalThis.isSecureContext) return 'none';
  return Notification.permission === 'default' ? 'unknown' : Notification.permission;
}

/** Whether the browser tells the person when a resource fails; kept in this browser. */
export const useFailureAlerts = defineStore('failure-alerts', () => {
  const isWanted = ref(keptText(() => localStorage, storageKey) === 'on');
  const permission = ref(permissionNow());

  function set(isOn: boolean): void {
    isWanted.value = isOn;
    keepText(() => localStorage, storageKey, isOn ? 'on' : null);
  }

  return {
    permission,
    isOn: computed(() => isWanted.value && permission.value === 'granted'),
    /** Asks for the permission, and switches on where it is given. */
    async switchOn(): Promise<void> {
      permission.value = permissionNow();
      if (permission.value === 'unknown') {
        await Notification.requestPermission();
        permission.value = permissionNow();
      }
      if (permission.value === 'granted') set(true);
    },
    switchOff: (): void => set(false),
    /** Reads the permission again: the person may have changed it in the browser. */
    look: (): void => void (permission.value = permissionNow()),
  };
});
