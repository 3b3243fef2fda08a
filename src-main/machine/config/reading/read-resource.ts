import {
  componentSchema,
  apiObjectSchema,
  logConfigurationSchema,
  serviceSchema,
} from '../../../../proto/config/schema/document-schema.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import { RESOURCE_NAME, canonicalApi, canonicalModel, fullName } from '../../../../proto/config/names.ts';
import type { Problem } from '../../../../proto/config/problem.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { LogLevel } from '../../../base/logger.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import { ObjectReader } from './object-reader.ts';
import { entryLabel, readLogLevel, type ParseContext } from './parse-context.ts';
import { PlaceholderExpansion } from './placeholder-expansion.ts';
import type { ProblemSink } from '../problem-list.ts';

/** An entry of `components` or `services` while the document is being read. */
export interface ResourceEntry {
  readonly config: ResourceConfig;
  /** `component "left"`: begins its messages. */
  readonly label: string;
  /** Adds to `config.problems`. */
  readonly sink: ProblemSink;
  /** Pointer of `attributes` in the document; of the entry if it has none. */
  readonly attributesPointer: string;
  /** Pointer of a key's value as the document spells it; of the entry if it is absent. */
  pointerOf(key: 'api' | 'model' | 'depends_on' | 'log_configuration'): string;
}

/** Reads one entry. Undefined if it has no usable name or API; its problems are then those of the document only. */
export function readResource(
  node: JsonNode,
  pointer: string,
  index: number,
  family: 'component' | 'service',
  context: ParseContext,
): ResourceEntry | undefined {
  const problems: Problem[] = [];
  const sink = context.problems.scope(problems);
  const label = entryLabel(family, node, index);
  if (node.properties === undefined) {
    sink.report({
      pointer,
      severity: 'error',
      code: 'config.wrong_type',
      message: `${label}: an entry of "${family}s" is an object in { } with name, api and model.`,
      found: node.value,
    });
    return undefined;
  }
  const schema = family === 'component' ? componentSchema : serviceSchema;
  const reader = new ObjectReader(node, pointer, label, schema, sink, context.unsupported);
  const name = readName(reader, family);
  const api = readApi(reader, family, sink, label, context);
  const model = readModel(reader, family);
  const expansion = new PlaceholderExpansion(label, pointer, context.placeholders, sink);
  const attributesNode = reader.object('attributes');
  const attributesPointer = reader.pointerOf('attributes');
  const attributes =
    attributesNode === undefined ? {} : (expansion.value(attributesNode.value, attributesPointer) as JsonObject);
  const fromEnvironment = expansion.fromEnvironment.map((at) => at.slice(attributesPointer.length));
  const isDisabled = reader.flag('disabled') ?? false;
  const dependsOn = reader.texts('depends_on') ?? [];
  const logLevel = readLogConfiguration(reader, sink, label, context);
  const notes = reader.text('notes', 'warning') ?? '';
  const serviceConfigs = readServiceConfigs(reader, expansion);
  if (name === undefined || api === undefined) return undefined;
  const config: ResourceConfig = {
    fullName: fullName(api, name),
    name,
    api,
    model,
    attributes,
    dependsOn,
    logLevel,
    isDisabled,
    notes,
    serviceConfigs,
    ...(fromEnvironment.length === 0 ? {} : { fromEnvironment }),
    ...(expansion.packages.size === 0 ? {} : { packages: [...expansion.packages] }),
    pointer,
    problems,
  };
  return {
    config,
    label,
    sink,
    attributesPointer,
    pointerOf: (key) => reader.pointerOf(key === 'api' && !reader.has('api') ? 'type' : key),
  };
}

function readName(reader: ObjectReader, family: 'component' | 'service'): string | undefined {
  const name = reader.text('name') ?? '';
  if (name === '') {
    if (family === 'service' && !reader.has('name')) return 'builtin';
    if (typeof reader.node('name')?.value === 'string' || !reader.has('name')) {
      reader.reportMissing('name', '"name" is missing; give it a name of its own.');
    }
    return undefined;
  }
  if (!RESOURCE_NAME.test(name)) {
    reader.report(
      'name',
      'error',
      'config.bad_name',
      `${JSON.stringify(name.slice(0, 80))} cannot be a name; a name is a letter or digit, then letters, digits, - and _, 60 characters at most.`,
      { allowed: [RESOURCE_NAME.source] },
    );
  }
  return name;
}

function readApi(
  reader: ObjectReader,
  family: 'component' | 'service',
  sink: ProblemSink,
  label: string,
  context: ParseContext,
): string | undefined {
  const node = reader.node('api');
  if (node === undefined && !reader.has('type')) {
    reader.reportMissing('api', `"api" is missing; write one like core:${family}:motor.`, {
      allowed: [`namespace:${family}:type`],
    });
    return undefined;
  }
  let text: string | undefined;
  if (node === undefined) {
    const type = reader.text('type');
    text = type === undefined ? undefined : `${reader.text('namespace') ?? 'core'}:${family}:${type}`;
  } else if (node.properties !== undefined) {
    const parts = new ObjectReader(node, reader.pointerOf('api'), label, apiObjectSchema, sink, context.unsupported);
    text = `${parts.text('namespace') ?? 'core'}:${parts.text('type') ?? family}:${parts.text('subtype') ?? ''}`;
  } else text = reader.text('api');
  if (text === undefined) return undefined;
  const api = canonicalApi(text);
  if (api === undefined) {
    const key = node === undefined ? 'type' : 'api';
    reader.report(
      key,
      'error',
      'config.bad_api',
      `${JSON.stringify(text.slice(0, 80))} is not an API; write one like core:${family}:motor.`,
      { allowed: [`namespace:${family}:type`] },
    );
    return undefined;
  }
  const isElsewhere = api.split(':')[1] !== family;
  if (isElsewhere) {
    reader.report(
      'api',
      'warning',
      'config.wrong_list',
      `${api} belongs into "${family === 'component' ? 'services' : 'components'}"; it works here as well.`,
    );
  }
  return api;
}

function readModel(reader: ObjectReader, family: 'component' | 'service'): string {
  const text = reader.text('model');
  if (text === undefined || text === '') {
    if (reader.has('model') && text === undefined) return '';
    if (family === 'service') return 'core:builtin:builtin';
    reader.reportMissing('model', '"model" is missing; name the model that drives it.');
    return '';
  }
  const model = canonicalModel(text);
  if (model !== undefined) return model;
  reader.report(
    'model',
    'error',
    'config.bad_model',
    `${JSON.stringify(text.slice(0, 80))} is not a model; write namespace:module:model, or one word for a model that is built in.`,
    { allowed: ['namespace:module:model', 'model'] },
  );
  return text;
}

/** The level under `log_configuration`. */
export function readLogConfiguration(
  reader: ObjectReader,
  sink: ProblemSink,
  label: string,
  context: ParseContext,
): LogLevel | undefined {
  const node = reader.object('log_configuration', 'warning');
  if (node === undefined) return undefined;
  const inner = new ObjectReader(
    node,
    reader.pointerOf('log_configuration'),
    label,
    logConfigurationSchema,
    sink,
    context.unsupported,
  );
  return readLogLevel(inner, 'level');
}

function readServiceConfigs(reader: ObjectReader, expansion: PlaceholderExpansion): readonly JsonObject[] {
  return (reader.list('service_configs') ?? []).flatMap((item, index): readonly JsonObject[] => {
    if (item.properties === undefined) {
      reader.report(
        'service_configs',
        'error',
        'config.wrong_type',
        `"service_configs" takes objects with type and attributes.`,
      );
      return [];
    }
    const expanded = expansion.value(item.value, joinPointer(reader.pointerOf('service_configs'), index));
    return [expanded as JsonObject];
  });
}
