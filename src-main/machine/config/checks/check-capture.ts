import { captureMethodsOf } from '../../../../proto/config/capture/capture-methods.ts';
import {
  captureSchema,
  DATA_MANAGER,
  type CaptureMethodConfig,
} from '../../../../proto/config/capture/capture-schema.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode, JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { ResourceEntry } from '../reading/read-resource.ts';
import { existingPointer, placeIn, schemaFinding } from './schema-finding.ts';
import { schemaProblems } from './schema-problems.ts';

const API = 'core:service:data_manager';

/**
 * Reports problems of capture settings, all as warnings: an error there must not stop a motor. `root` is the document.
 */
export function checkCapture(entries: readonly ResourceEntry[], root: JsonNode): void {
  const hasManager = entries.some(({ config }) => config.api === API && !config.isDisabled);
  for (const entry of entries) {
    entry.config.serviceConfigs.forEach((settings, index) => {
      if (settings['type'] !== DATA_MANAGER) return;
      const pointer = joinPointer(joinPointer(entry.config.pointer, 'service_configs'), index);
      checkSettings(entry, root, joinPointer(pointer, 'attributes'), settings['attributes'] ?? {});
      if (hasManager || !capturesAnything(settings['attributes'])) return;
      entry.sink.report({
        pointer,
        severity: 'warning',
        code: 'config.not_captured',
        message: `${entry.label}: nothing of it is captured, because there is no data manager; add a service with "api": "${API}".`,
      });
    });
  }
}

function checkSettings(entry: ResourceEntry, root: JsonNode, base: string, attributes: JsonValue): void {
  const { label, sink } = entry;
  const problems = schemaProblems(captureSchema, attributes);
  for (const problem of problems) {
    const pointer = existingPointer(root, base + problem.pointer);
    sink.report({ ...schemaFinding(problem, label, root, pointer), severity: 'warning' });
  }
  if (problems.some(({ severity }) => severity === 'error')) return;
  methodsIn(attributes).forEach((method, index) => {
    checkMethod(entry, root, joinPointer(joinPointer(base, 'capture_methods'), index), method);
  });
}

function checkMethod(
  { config, label, sink }: ResourceEntry,
  root: JsonNode,
  base: string,
  written: CaptureMethodConfig,
): void {
  const known = captureMethodsOf(config.api);
  const names = known.map(({ name }) => name);
  const method = known.find(({ name }) => name === written.method);
  if (method === undefined) {
    const guess = nearest(written.method, names);
    const hint = guess === undefined ? '' : `; did you mean "${guess}"?`;
    sink.report({
      pointer: joinPointer(base, 'method'),
      severity: 'warning',
      code: 'config.unknown_capture_method',
      message: `${label}: "${written.method}" cannot be captured of a ${config.api}, which has ${names.join(', ') || 'nothing to capture'}${hint}`,
      found: written.method,
      allowed: names,
      nearest: guess,
    });
    return;
  }
  for (const { name, what } of method.parameters.filter(({ isRequired }) => isRequired)) {
    if (written.additional_params?.[name] !== undefined) continue;
    sink.report({
      ...placeIn(root, joinPointer(joinPointer(base, 'additional_params'), name)),
      severity: 'warning',
      code: 'config.missing_key',
      message: `${label}: ${method.name} is not captured without "${name}" in "additional_params": ${what}.`,
    });
  }
}

function methodsIn(attributes: JsonValue | undefined): readonly CaptureMethodConfig[] {
  const { capture_methods: methods } = (attributes ?? {}) as { readonly capture_methods?: unknown };
  return Array.isArray(methods) ? (methods as readonly CaptureMethodConfig[]) : [];
}

function capturesAnything(attributes: JsonValue | undefined): boolean {
  return methodsIn(attributes).some(
    ({ disabled = false, capture_frequency_hz: hz = 0 }) => !disabled && typeof hz === 'number' && hz > 0,
  );
}
