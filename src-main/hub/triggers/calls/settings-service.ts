import type { TriggerServiceDefinition } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { requireHubOwner } from '../../access/hub-owner.ts';
import { newId } from '../../places/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { Mailer } from '../delivery/mailer.ts';
import type { NotificationSettings } from '../delivery/notification-settings.ts';
import { mailServerMessage, smtpSettings } from './wire-triggers.ts';

export interface SettingsServiceOptions {
  readonly store: Store;
  readonly settings: NotificationSettings;
  readonly mailer: Mailer;
  readonly deliveries: Deliveries;
  /** The monotonic time of retries, in milliseconds. */
  readonly age: () => number;
  readonly onQueued: () => void;
}

/** The settings of notifications, part of `core.hub.v1.TriggerService`. */
export function settingsService(options: SettingsServiceOptions): HubHandlers<typeof TriggerServiceDefinition> {
  const { store, settings, mailer, deliveries, age, onQueued } = options;

  return {
    async getSettings(_request, caller) {
      await requireHubOwner(caller, store.db);
      const smtp = await settings.smtp();
      return { mailServer: smtp && mailServerMessage(smtp), allowedNetworks: [...settings.networks] };
    },

    async setMailServer({ mailServer, password }, caller) {
      await requireHubOwner(caller, store.db);
      await settings.setSmtp(mailServer && smtpSettings(mailServer), password);
      await deliveries.retryMail(age());
      onQueued();
      return {};
    },

    async testMailServer({ to }, caller, call) {
      await requireHubOwner(caller, store.db);
      const text = 'This is a test: the hub can send mail by this server.\n';
      const html = '<p>This is a test: the hub can send mail by this server.</p>\n';
      const request = { kind: 'email', to, subject: 'Test of the mail server', text, html } as const;
      const result = await mailer.send(request, `test-${newId()}`, call.signal);
      return { failure: result.kind === 'failed' ? result.reason : '' };
    },

    async setAllowedNetworks({ networks }, caller) {
      await requireHubOwner(caller, store.db);
      await settings.setNetworks(networks);
      return {};
    },
  };
}
