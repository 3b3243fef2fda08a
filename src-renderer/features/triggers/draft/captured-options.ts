import { canonicalApi } from '../../../../proto/config/names.ts';
import { isOfType, parseCaptureMethod, shortType } from '../../../../proto/config/triggers/capture-method.ts';
import type { CapturedResource } from '../../../../proto/config/capture/captured-methods.ts';
import type { PickOption } from '../../../shared/components/popups/pick-options.ts';
import type { SourceName } from '../../../shared/machine/data/data-calls.ts';

/** The captured methods of a configuration as options, written as in `data_capture_method`. */
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

/** The option with the same meaning as `written`, however the type is spelled; `written` itself if there is none. */
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

/** Where the readings of a captured method are stored; undefined for a text that does not name one. */
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
