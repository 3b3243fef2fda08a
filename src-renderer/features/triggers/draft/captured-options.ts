import { canonicalApi } from '../../../../proto/config/names.ts';
import { isOfType, parseCaptureMethod, shortType } from '../../../../proto/config/triggers/capture-method.ts';
import type { CapturedResource } from '../../../../proto/config/capture/captured-methods.ts';
import type { PickOption } from '../../../shared/components/popups/pick-options.ts';
import type { SourceName } from '../../../shared/machine/data/data-calls.ts';

/** What a configuration captures, to choose from: as `data_capture_method` names it. */
export function capturedOptions(captured: readonly CapturedResource[]): readonly PickOption[] {
  return captured.flatMap(({ api, name, methods }) => {
    const hasTwin = captured.some(
      (one) => one.api !== api && one.name === name && shortType(one.api) === shortType(api),
    );
    const type = hasTwin ? api : shortType(api);
    return methods.map((method) => ({
      value: `${type}:${name}:${method}`,
      label: `${name} · ${method}`,
      detail: shortType(api),
    }));
  });
}

/** The option that means what is written, however it spells the type; what is written where none does. */
export function optionOf(written: string, options: readonly PickOption[]): string {
  const method = parseCaptureMethod(written);
  if (method === undefined) return written;
  const same = options.find(({ value }) => {
    const other = parseCaptureMethod(value);
    if (other?.component !== method.component || other.method !== method.method) return false;
    return other.type.includes(':') ? isOfType(method, other.type) : shortType(method.type) === other.type;
  });
  return same?.value ?? written;
}

/** Where the readings of a captured method are stored; undefined for a text that names none. */
export function sourceOf(
  written: string,
  partId: string,
  captured: readonly CapturedResource[],
): SourceName | undefined {
  const method = parseCaptureMethod(written);
  if (method === undefined || partId === '') return undefined;
  const { component: componentName, method: methodName } = method;
  const api = captured.find(({ name, api: of }) => name === componentName && isOfType(method, of))?.api;
  return { partId, componentType: api ?? canonicalApi(method.type) ?? method.type, componentName, methodName };
}
