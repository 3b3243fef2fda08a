import type { JsonSchema } from '../schema/json-schema.ts';
import { operators } from './conditions.ts';
import { dataTypes, eventTypes } from './trigger.ts';

const evalSchema: JsonSchema = {
  type: 'object',
  title: 'Condition',
  description: 'A comparison of what a sensor reads.',
  properties: {
    operator: {
      type: 'string',
      title: 'Operator',
      enum: operators,
      description: 'How the reading is compared with the value; regex searches a text for a pattern (syntax of RE2).',
    },
    value: {
      title: 'Value',
      description:
        'An object that names the field and what it is compared with, {"cpu": 50} or {"coordinate": {"latitude": 50}}; each of its values has to hold. A plain value is compared with the only one that the reading has.',
    },
  },
  required: ['operator', 'value'],
  additionalProperties: false,
};

const eventSchema: JsonSchema = {
  type: 'object',
  title: 'Event',
  description: 'What the trigger waits for.',
  properties: {
    type: {
      type: 'string',
      title: 'Kind',
      enum: eventTypes,
      description: 'Data came in, data came in for which conditions hold, or the part went online or offline.',
    },
    data_ingested: {
      type: 'object',
      title: 'Data',
      description: 'Of part_data_ingested.',
      properties: {
        data_types: {
          type: 'array',
          title: 'Kinds of data',
          minItems: 1,
          items: { type: 'string', enum: dataTypes },
          description: 'Which uploads count; unspecified are those whose uploader named no kind.',
        },
      },
      required: ['data_types'],
      additionalProperties: false,
    },
    conditional: {
      type: 'object',
      title: 'Captured data',
      description: 'Of conditional_data_ingested.',
      properties: {
        data_capture_method: {
          type: 'string',
          title: 'Captured method',
          description: 'Type, name and method of what is captured, for example sensor:tank:Readings.',
        },
        conditions: {
          type: 'object',
          title: 'Conditions',
          description: 'All of them have to hold. Without any, every upload fires.',
          properties: { evals: { type: 'array', title: 'Comparisons', items: evalSchema } },
          additionalProperties: false,
        },
      },
      required: ['data_capture_method'],
      additionalProperties: false,
    },
  },
  required: ['type'],
  additionalProperties: false,
};

export const notificationSchema: JsonSchema = {
  type: 'object',
  title: 'Notification',
  description: 'Who is notified.',
  properties: {
    type: { type: 'string', title: 'Kind', enum: ['webhook', 'email'] },
    value: {
      type: 'string',
      title: 'URL or address',
      minLength: 1,
      description: 'URL of a webhook (http or https), or an e-mail address.',
    },
    seconds_between_notifications: {
      type: 'number',
      title: 'Time between notifications',
      minimum: 0,
      'x-unit': 's',
      description:
        'Events within this time after a notification are dropped and counted, not sent later. 0 is no limit.',
    },
  },
  required: ['type', 'value'],
  additionalProperties: false,
  'x-initial': ['seconds_between_notifications'],
};

/** An entry of `triggers`. The rules that a schema cannot express are in `read-triggers.ts`. */
export const triggerSchema: JsonSchema = {
  type: 'object',
  title: 'Trigger',
  description: 'A webhook request or an e-mail when something happens. The hub of the machine sends it.',
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      minLength: 1,
      maxLength: 100,
      description: 'Name of the trigger; each has its own.',
    },
    event: eventSchema,
    notifications: { type: 'array', title: 'Notifications', minItems: 1, items: notificationSchema },
    disabled: {
      type: 'boolean',
      default: false,
      title: 'Disabled',
      description: 'Keeps the trigger in the file; it fires nothing.',
    },
    notes: {
      type: 'string',
      title: 'Notes',
      description: 'Free text for people. Never sent to anybody.',
      'x-input': 'text-area',
    },
  },
  required: ['name', 'event', 'notifications'],
  additionalProperties: false,
};
