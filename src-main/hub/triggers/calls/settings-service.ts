import type { TriggerServiceDefinition } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Caller } from '../../access/caller.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { newId } from '../../places/ids.ts';
import { organizationPlace } from '../../places/place.ts';
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
  /** The time of retries, milliseconds. */
  readonly age: () => number;
  readonly onQueued: () => void;
}

/** How a hub sends notifications, in `core.hub.v1.TriggerService`. */
export function settingsService(options: SettingsServiceOptions): HubHandlers<typeof TriggerServiceDefinition> {
  const { store, settings, mailer, deliveries, age, onQueued } = options;

  /** Settings are the whole hub's: for its computer's owner, and for owners of the organization that it began with. */
  const requireHubOwner = async (caller: Caller): Promise<void> => {
    if (caller.grants === 'everything') return;
    const first = await store.db
      .selectFrom('organizations')
      .select('id')
      .where('made_by', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .executeTakeFirst();
    if (first !== undefined && caller.may('hub.settings', organizationPlace(first.id))) return;
    throw new ArmatureError(
      'access.denied',
      'The settings of this hub are for owners of the organization that it began with, and for the owner of its computer (armature hub smtp).',
    );
  };

  return {
    async getSettings(_request, caller) {
      await requireHubOwner(caller);
      const smtp = await settings.smtp();
      return { mailServer: smtp && mailServerMessage(smtp), allowedNetworks: [...settings.networks] };
    },

    async setMailServer({ mailServer, password }, caller) {
      await requireHubOwner(caller);
      await settings.setSmtp(mailServer && smtpSettings(mailServer), password);
      await deliveries.retryMail(age());
      onQueued();
      return {};
    },

    async testMailServer({ to }, caller, call) {
      await requireHubOwner(caller);
      const text = 'This is a test: the hub can send mail by this server.\n';
      const html = '<p>This is a test: the hub can send mail by this server.</p>\n';
      const request = { kind: 'email', to, subject: 'Test of the mail server', text, html } as const;
      const result = await mailer.send(request, `test-${newId()}`, call.signal);
      return { failure: result.kind === 'failed' ? result.reason : '' };
    },

    async setAllowedNetworks({ networks }, caller) {
      await requireHubOwner(caller);
      await settings.setNetworks(networks);
      return {};
    },
  };
}
